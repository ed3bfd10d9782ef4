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
    let text = move || {
        run.state.with(|stage| match stage {
            ExportState::Running(progress) => progress_sentence(progress, false),
            ExportState::Paused(progress) => progress_sentence(progress, true),
            _ => String::new(),
        })
    };
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

/// Returns the progress as a sentence.
pub(super) fn progress_sentence(progress: &Progress, is_paused: bool) -> String {
    let texts = i18n::export();
    let progress_label = progress_text(progress);
    if is_paused {
        return (texts.paused)(&progress_label);
    }
    if progress.is_silent {
        return (texts.silent)(&progress_label);
    }
    if let Some(seconds) = progress.waits_s {
        return (texts.waits)(
            &progress_label,
            &format_clock(u32::try_from(seconds).unwrap_or(u32::MAX)),
        );
    }
    match progress.left_ms.filter(|remaining_ms| *remaining_ms >= 1000) {
        Some(remaining_ms) => {
            (texts.goes)(&progress_label, &format_duration(remaining_ms.div_ceil(1000)))
        }
        None => progress_label,
    }
}
