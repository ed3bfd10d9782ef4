//! The export options of a list, and the start of the export. `ExportRun` handles the running
//! export.

use contract::SubmissionId;
use export_worker::task::{Progress, WorkerCommand};
use leptos::{prelude::*, task::spawn_local};

use super::{
    count::ScopeCounts,
    run::{ExportProblem, ExportRun, ExportState},
    triage_names::load_triage_names,
};
use crate::{
    components::save::{can_choose_file, choose_file},
    domain::export::{ExportOptions, ExportScope},
    pages::submissions::list_state::ListState,
};

/// Minimum number of rows at which the dialog preselects saving directly to a file.
const DIRECT_SAVE_ROWS_MIN: u64 = 50_000;

/// The export options of a list. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ExportJob {
    /// The list.
    pub list: ListState,
    /// Selected options.
    pub options: RwSignal<ExportOptions>,
    /// The running export of this tab.
    pub run: ExportRun,
    /// Counts of scopes that differ from the list's.
    pub(super) count: ScopeCounts,
    selected: Signal<Vec<SubmissionId>>,
}

impl ExportJob {
    /// Returns the options for a list, owned by the current reactive owner.
    pub fn new(list: ListState, selected: Signal<Vec<SubmissionId>>) -> Self {
        let run = ExportRun::of_app();
        on_cleanup(move || run.leave_list());
        let options = ExportOptions::new(ExportScope::Form, Vec::new());
        let count = ScopeCounts::new(list.session);
        Self { list, options: RwSignal::new(options), run, count, selected }
    }

    /// Resets the options to the narrowest scope. Does nothing while an export is running or has a
    /// result to show.
    pub fn reset_options(self) {
        if self.run.state.get_untracked() != ExportState::Idle {
            return;
        }
        let selected = self.selected.get_untracked();
        let scopes = self
            .list
            .filter
            .with_untracked(|filter| ExportScope::available(filter, selected.len()));
        let mut options =
            ExportOptions::new(scopes.last().copied().unwrap_or(ExportScope::Form), selected);
        let rows = self.list.rows.total().get_untracked().unwrap_or_default();
        options.direct_to_file = can_choose_file() && rows >= DIRECT_SAVE_ROWS_MIN;
        self.options.set(options);
        self.count.reset();
        self.run.start_worker();
    }

    /// Starts the export. Must be called in a click handler, because the browser shows its file
    /// picker only then.
    pub fn start_export(self) {
        let Some(mut task) = untrack(|| self.to_task()) else { return };
        let is_direct =
            self.options.with_untracked(|options| options.direct_to_file) && can_choose_file();
        let run = self.run;
        run.name.set_value(task.name.clone());
        spawn_local(async move {
            let handle = if is_direct { choose_file(&task.name, task.format).await } else { None };
            // The user cancelled the file picker: stay in the dialog.
            if is_direct && handle.is_none() {
                return;
            }
            let id = new_export_id();
            let progress = Progress { id: id.clone(), ..Progress::default() };
            run.state.try_set(ExportState::Running(progress));
            if !task.triage.is_empty() {
                let names = load_triage_names(&task).await;
                // The user may have cancelled meanwhile.
                if !run.is_current(&id) {
                    return;
                }
                match names {
                    Ok(names) => task.triage_names = names,
                    Err(error) => {
                        run.session.handle_error(&error);
                        let problem = ExportProblem::Answer(error);
                        run.state.try_set(ExportState::Failed(Progress::default(), problem));
                        return;
                    }
                }
            }
            let start = WorkerCommand::Start { id, task: Box::new(task) };
            run.send_command(&start, handle.as_ref());
        });
    }
}

/// Returns an id that is unique among the exports of this browser.
fn new_export_id() -> String {
    format!("{:.0}{:.0}", js_sys::Date::now(), js_sys::Math::random() * 1e9)
}
