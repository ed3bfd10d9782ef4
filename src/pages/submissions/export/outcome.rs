//! The result of an export as text.

use export_worker::task::{Progress, Remark};
use leptos::prelude::*;

use super::run::{Run, Stage};
use crate::{
    i18n,
    ui::{badge::Tone, notice::Notice},
};

/// Returns a notice with the result of the last attempt. Tracked.
pub(super) fn outcome(run: Run) -> Option<AnyView> {
    let stage = run.stage.get();
    let tone = if matches!(stage, Stage::Failed(..)) { Tone::Negative } else { Tone::Mixed };
    said(&stage).map(|text| view! { <Notice tone>{text}</Notice> }.into_any())
}

/// Returns the message about a finished or failed export; `None` while it can continue.
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

/// Returns the warning that submissions are missing from the file.
fn short(progress: &Progress) -> String {
    (i18n::export().short)(progress.total.unwrap_or_default(), progress.missing())
}

/// Returns the text of a warning about the file, if it has one.
fn remark(remark: Remark) -> Option<String> {
    match remark {
        Remark::CellsCut(count) => Some((i18n::export().cells_cut)(count)),
        Remark::Sheets(count) => Some((i18n::export().sheets)(count)),
        Remark::Uncounted => None,
    }
}
