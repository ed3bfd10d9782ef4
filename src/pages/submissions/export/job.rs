//! The export options of a list, and the start of the export. [`Run`] handles the running export.

use contract::SubmissionId;
use export_worker::task::{Ask, Progress};
use leptos::{prelude::*, task::spawn_local};

use super::{
    count::Count,
    run::{Run, Stage},
};
use crate::{
    components::save::{can_choose, choose},
    domain::export::{Scope, Wish},
    pages::submissions::list_state::ListState,
};

/// Minimum number of rows at which the dialog preselects saving directly to a file.
const STRAIGHT_ROWS: u64 = 50_000;

/// The export options of a list. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Job {
    /// The list.
    pub list: ListState,
    /// Selected options.
    pub wish: RwSignal<Wish>,
    /// The running export of this tab.
    pub run: Run,
    /// Counts of scopes that differ from the list's.
    pub(super) count: Count,
    selected: Signal<Vec<SubmissionId>>,
}

impl Job {
    /// Returns the options for a list, owned by the current reactive owner.
    pub fn new(list: ListState, selected: Signal<Vec<SubmissionId>>) -> Self {
        let run = Run::of_app();
        on_cleanup(move || run.leave());
        let (wish, count) = (Wish::new(Scope::Form, Vec::new()), Count::new(list.session));
        Self { list, wish: RwSignal::new(wish), run, count, selected }
    }

    /// Resets the options to the narrowest scope. Does nothing while an export is running or has a
    /// result to show.
    pub fn reset(self) {
        if self.run.stage.get_untracked() != Stage::Asking {
            return;
        }
        let selected = self.selected.get_untracked();
        let scopes =
            self.list.filter.with_untracked(|filter| Scope::offered(filter, selected.len()));
        let mut wish = Wish::new(scopes.last().copied().unwrap_or(Scope::Form), selected);
        let rows = self.list.rows.total().get_untracked().unwrap_or_default();
        wish.straight = can_choose() && rows >= STRAIGHT_ROWS;
        self.wish.set(wish);
        self.count.reset();
        self.run.connect();
    }

    /// Starts the export. Must be called in a click handler, because the browser shows its file
    /// picker only then.
    pub fn start(self) {
        let Some(task) = untrack(|| self.task()) else { return };
        let straight = self.wish.with_untracked(|wish| wish.straight) && can_choose();
        let run = self.run;
        run.name.set_value(task.name.clone());
        spawn_local(async move {
            let handle = if straight { choose(&task.name, task.format).await } else { None };
            // The user cancelled the file picker: stay in the dialog.
            if straight && handle.is_none() {
                return;
            }
            let progress = Progress { id: new_id(), ..Progress::default() };
            let begin = Ask::Begin { id: progress.id.clone(), task: Box::new(task) };
            run.stage.try_set(Stage::Running(progress));
            run.ask(&begin, handle.as_ref());
        });
    }

    /// Retries after a failure: resumes the export if it had started, or else starts it again.
    pub fn try_again(self) {
        if self.run.stage.with_untracked(|stage| stage.under_way().is_some()) {
            self.run.go_on();
        } else {
            self.start();
        }
    }
}

/// Returns an id that is unique among the exports of this browser.
fn new_id() -> String {
    format!("{:.0}{:.0}", js_sys::Date::now(), js_sys::Math::random() * 1e9)
}
