//! The progress of an export: a bar and a sentence.

use export_worker::task::Progress;
use leptos::prelude::*;

use super::run::{Run, Stage, far};
use crate::{
    domain::time::span,
    i18n,
    ui::{calc::time::clock, progress::ProgressBar},
};

/// The progress.
#[component]
pub fn Running(
    /// The export.
    run: Run,
) -> impl IntoView {
    let said = move || {
        run.stage.with(|stage| match stage {
            Stage::Running(progress) => sentence(progress, false),
            Stage::Paused(progress) => sentence(progress, true),
            _ => String::new(),
        })
    };
    view! {
        <ProgressBar label=i18n::export().label value=share(run) />
        <p role="status">{said}</p>
        <p class="field-hint">
            {i18n::export().may_hide}
        </p>
    }
}

/// Returns the completed share from 0 to 1; `None` while the total is unknown.
pub(super) fn share(run: Run) -> Signal<Option<f64>> {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let share = |one: &Progress| {
        let total = one.total.filter(|total| *total > 0)?;
        Some(one.written as f64 / total as f64)
    };
    Signal::derive(move || run.stage.with(|stage| stage.under_way().and_then(share)))
}

/// Returns the progress as a sentence.
pub(super) fn sentence(progress: &Progress, is_paused: bool) -> String {
    let (texts, far) = (i18n::export(), far(progress));
    if is_paused {
        return (texts.paused)(&far);
    }
    if progress.is_silent {
        return (texts.silent)(&far);
    }
    if let Some(seconds) = progress.waits_s {
        return (texts.waits)(&far, &clock(u32::try_from(seconds).unwrap_or(u32::MAX)));
    }
    match progress.left_ms.filter(|left| *left >= 1000) {
        Some(left) => (texts.goes)(&far, &span(left.div_ceil(1000))),
        None => far,
    }
}
