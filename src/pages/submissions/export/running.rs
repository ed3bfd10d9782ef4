//! The progress of an export: a bar and a sentence.

use export_worker::task::Progress;
use leptos::prelude::*;

use super::run::{ExportRun, ExportState, progress_text};
use crate::{
    domain::time::format_duration,
    i18n,
    ui::{calc::time::format_clock, progress::ProgressBar},
};

/// The progress.
#[component]
pub fn ExportProgress(
    /// The export.
    run: ExportRun,
) -> impl IntoView {
    let text = move || run.state.with(progress_sentence).unwrap_or_default();
    view! {
        <ProgressBar label=i18n::export().label value=completed_share(run) />
        <p role="status">{text}</p>
        <p class="field-hint">
            {i18n::export().may_hide}
        </p>
    }
}

/// Returns the completed share from 0 to 1; `None` while the total is unknown.
pub(super) fn completed_share(run: ExportRun) -> Signal<Option<f64>> {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let share = |progress: &Progress| {
        let total = progress.total.filter(|total| *total > 0)?;
        Some(progress.written as f64 / total as f64)
    };
    Signal::derive(move || run.state.with(|stage| stage.current_progress().and_then(share)))
}

/// Returns the progress as a sentence; `None` if the export neither runs nor is paused.
pub(super) fn progress_sentence(state: &ExportState) -> Option<String> {
    let texts = i18n::export();
    let progress = match state {
        ExportState::Paused(progress) => return Some((texts.paused)(&progress_text(progress))),
        ExportState::Running(progress) => progress,
        _ => return None,
    };
    let label = progress_text(progress);
    Some(if progress.is_silent {
        (texts.silent)(&label)
    } else if let Some(seconds) = progress.waits_s {
        (texts.waits)(&label, &format_clock(u32::try_from(seconds).unwrap_or(u32::MAX)))
    } else if let Some(left_ms) = progress.left_ms.filter(|left_ms| *left_ms >= 1000) {
        (texts.goes)(&label, &format_duration(left_ms.div_ceil(1000)))
    } else {
        label
    })
}
