//! What a list asks of an export: which of its submissions, as what. What becomes of it is the
//! affair of [`Run`].

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

/// From so many submissions on the dialog proposes to write straight to a file.
const STRAIGHT_ROWS: u64 = 50_000;

/// The export as a list wishes it; cheap to copy.
#[derive(Clone, Copy)]
pub struct Job {
    /// The list.
    pub list: ListState,
    /// What is asked for.
    pub wish: RwSignal<Wish>,
    /// The export of this tab.
    pub run: Run,
    /// How many there are, where that had to be asked.
    pub(super) count: Count,
    selected: Signal<Vec<SubmissionId>>,
}

impl Job {
    /// Returns the export of a list, owned by the present reactive owner.
    pub fn new(list: ListState, selected: Signal<Vec<SubmissionId>>) -> Self {
        let run = Run::of_app();
        on_cleanup(move || run.leave());
        let (wish, count) = (Wish::new(Scope::Form, Vec::new()), Count::new(list.session));
        Self { list, wish: RwSignal::new(wish), run, count, selected }
    }

    /// Begins the dialog anew, with the narrowest scope chosen: what is on view. One that has
    /// begun is shown as it is.
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

    /// Begins, within a press of the person's.
    pub fn start(self) {
        let Some(task) = untrack(|| self.task()) else { return };
        let straight = self.wish.with_untracked(|wish| wish.straight) && can_choose();
        let run = self.run;
        run.name.set_value(task.name.clone());
        spawn_local(async move {
            let handle = if straight { choose(&task.name, task.format).await } else { None };
            // To choose no file is to think again.
            if straight && handle.is_none() {
                return;
            }
            let progress = Progress { id: new_id(), ..Progress::default() };
            let begin = Ask::Begin { id: progress.id.clone(), task: Box::new(task) };
            run.stage.try_set(Stage::Running(progress));
            run.ask(&begin, handle.as_ref());
        });
    }

    /// Tries again: goes on with what has begun, else begins anew.
    pub fn try_again(self) {
        if self.run.stage.with_untracked(|stage| stage.under_way().is_some()) {
            self.run.go_on();
        } else {
            self.start();
        }
    }
}

/// Makes a name for an export that no other of this browser's has.
fn new_id() -> String {
    format!("{:.0}{:.0}", js_sys::Date::now(), js_sys::Math::random() * 1e9)
}
