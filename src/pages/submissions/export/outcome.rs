//! What became of an export, in words.

use export_worker::task::{Progress, Remark};
use leptos::prelude::*;

use super::run::{Run, Stage};
use crate::{
    i18n,
    ui::{badge::Tone, notice::Notice},
};

/// Says what became of the last attempt. Tracked.
pub(super) fn outcome(run: Run) -> Option<AnyView> {
    let stage = run.stage.get();
    let tone = if matches!(stage, Stage::Failed(..)) { Tone::Negative } else { Tone::Mixed };
    said(&stage).map(|text| view! { <Notice tone>{text}</Notice> }.into_any())
}

/// Returns what there is to say of an export that does not go on.
pub(super) fn said(stage: &Stage) -> Option<String> {
    match stage {
        Stage::Failed(_, problem) => Some(problem.text()),
        Stage::Done(progress, remarks) => {
            let mut texts = vec![(i18n::export().saved)(progress.written)];
            texts.extend((progress.missing() > 0).then(|| short(progress)));
            texts.extend(remarks.iter().filter_map(|one| remark(*one)));
            Some(texts.join(" "))
        }
        Stage::Asking | Stage::Running(_) | Stage::Paused(_) => None,
    }
}

/// Says that a file is short.
fn short(progress: &Progress) -> String {
    (i18n::export().short)(progress.total.unwrap_or_default(), progress.missing())
}

/// Says what a person must know of a file.
fn remark(remark: Remark) -> Option<String> {
    match remark {
        Remark::CellsCut(count) => Some((i18n::export().cells_cut)(count)),
        Remark::Sheets(count) => Some((i18n::export().sheets)(count)),
        Remark::Uncounted => None,
    }
}
