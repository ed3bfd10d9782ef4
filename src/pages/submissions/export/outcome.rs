//! The result of an export as text.

use export_worker::task::{ExportWarning, Progress};
use leptos::prelude::*;

use super::run::{ExportRun, ExportState};
use crate::{
    i18n,
    ui::{badge::StatusTone, notice::Notice},
};

/// Returns a notice with the result of the last attempt. Tracked.
pub(super) fn result_notice(run: ExportRun) -> Option<AnyView> {
    let stage = run.state.get();
    let tone = if matches!(stage, ExportState::Failed(..)) {
        StatusTone::Negative
    } else {
        StatusTone::Mixed
    };
    result_text(&stage).map(|text| view! { <Notice tone>{text}</Notice> }.into_any())
}

/// Returns the message about a finished or failed export; `None` while it can continue.
pub(super) fn result_text(stage: &ExportState) -> Option<String> {
    match stage {
        ExportState::Failed(_, problem) => Some(problem.text()),
        ExportState::Done(progress, remarks) => {
            let mut texts = vec![(i18n::export().saved)(progress.written)];
            texts.extend((progress.missing_rows() > 0).then(|| missing_text(progress)));
            texts.extend(remarks.iter().filter_map(|warning| warning_text(*warning)));
            Some(texts.join(" "))
        }
        ExportState::Idle | ExportState::Running(_) | ExportState::Paused(_) => None,
    }
}

/// Returns the warning that submissions are missing from the file.
fn missing_text(progress: &Progress) -> String {
    (i18n::export().short)(progress.total.unwrap_or_default(), progress.missing_rows())
}

/// Returns the text of a warning about the file, if it has one.
fn warning_text(remark: ExportWarning) -> Option<String> {
    match remark {
        ExportWarning::CellsCut(count) => Some((i18n::export().cells_cut)(count)),
        ExportWarning::Worksheets(count) => Some((i18n::export().worksheet_count)(count)),
        ExportWarning::Uncounted => None,
    }
}
