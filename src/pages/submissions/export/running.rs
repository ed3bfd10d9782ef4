//! How far an export is: a bar, and a sentence.

use exporter::task::Progress;
use leptos::prelude::*;

use super::job::{Job, Stage, submissions};
use crate::{
    model::time::span,
    page::number,
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
        <ProgressBar label="Export" value=share />
        <p role="status">{move || progress.with(|(one, paused)| sentence(one, *paused))}</p>
        <p class="field-hint">
            "You can hide this and go on with your work; when the page is loaded again, the export \
             can go on from where it was."
        </p>
    }
}

/// Says how far an export is.
fn sentence(progress: &Progress, is_paused: bool) -> String {
    let Progress { written, total, left_ms, waits_s, .. } = progress;
    let count = match total {
        Some(total) => format!("{} of {}", number(*written), number(*total)),
        None => submissions(*written),
    };
    if is_paused {
        return format!("Paused at {count}");
    }
    if let Some(seconds) = waits_s {
        let wait = clock(u32::try_from(*seconds).unwrap_or(u32::MAX));
        return format!("{count}. The rate limit is reached; goes on by itself in {wait}");
    }
    let left = left_ms.filter(|left| *left >= 1000);
    let left = left.map(|left| format!(", about {} left", span(left.div_ceil(1000))));
    format!("{count}{}", left.unwrap_or_default())
}
