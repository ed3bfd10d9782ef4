//! How far an export is: a bar, and a sentence.

use exporter::task::Progress;
use leptos::prelude::*;

use super::job::{Job, Stage, far};
use crate::{
    model::time::span,
    texts,
    ui::{progress::ProgressBar, time::clock},
};

/// How far it is.
#[component]
pub fn Running(
    /// The export.
    job: Job,
) -> impl IntoView {
    let progress = Signal::derive(move || match job.stage.get() {
        Stage::Running(progress) => (progress, false),
        Stage::Paused(progress) => (progress, true),
        _ => (Progress::default(), false),
    });
    #[expect(clippy::cast_precision_loss, reason = "counts lie far below 2^52")]
    let share = Signal::derive(move || {
        let (one, _) = progress.get();
        let total = one.total.filter(|total| *total > 0)?;
        Some(one.written as f64 / total as f64)
    });
    view! {
        <ProgressBar label=texts::export().label value=share />
        <p role="status">{move || progress.with(|(one, paused)| sentence(one, *paused))}</p>
        <p class="field-hint">
            {texts::export().may_hide}
        </p>
    }
}

/// Says how far an export is.
fn sentence(progress: &Progress, is_paused: bool) -> String {
    let (texts, far) = (texts::export(), far(progress));
    if is_paused {
        return (texts.paused)(&far);
    }
    if let Some(seconds) = progress.waits_s {
        return (texts.waits)(&far, &clock(u32::try_from(seconds).unwrap_or(u32::MAX)));
    }
    match progress.left_ms.filter(|left| *left >= 1000) {
        Some(left) => (texts.goes)(&far, &span(left.div_ceil(1000))),
        None => far,
    }
}
