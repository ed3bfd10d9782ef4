//! The export of a page: what was asked for, how far it is, what became of it. It draws nothing.

use contract::SubmissionId;
use exporter::task::{Ask, Failure, Left, Progress, Remark, Told};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::worker::{Heard, Line};
use crate::{
    api::ApiError,
    model::export::{Scope, Wish},
    page::explain,
    pages::submissions::desk::Desk,
    shared::save::{can_choose, choose, save},
    stores::toasts::Toasts,
    texts,
};

/// From so many submissions on the dialog proposes to write straight to a file.
const STRAIGHT_ROWS: u64 = 50_000;

/// Why an export has stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The server's answer, or that there was none.
    Answer(ApiError),
    /// The browser, in a sentence.
    Here(String),
}

impl Problem {
    fn new(failure: Failure) -> Self {
        match failure {
            Failure::Network => Self::Answer(ApiError::Network),
            Failure::Unreadable(problem) => Self::Answer(ApiError::Decode(problem)),
            Failure::Unwritable(problem) => Self::Here(problem),
            Failure::Status { status, code, message } => {
                Self::Answer(ApiError::Status { status, code, message, retry_after_s: None })
            }
        }
    }

    /// Returns what it means to a person.
    pub fn text(&self) -> String {
        match self {
            Self::Answer(error) => explain(error),
            Self::Here(problem) => problem.clone(),
        }
    }
}

/// What an export is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is under way.
    Asking,
    /// The worker writes.
    Running(Progress),
    /// It stopped because the person said so.
    Paused(Progress),
    /// It stopped by itself; one without an id has never begun.
    Failed(Progress, Problem),
    /// The file is there, and there is something to say about it.
    Done(Progress, Vec<Remark>),
}

impl Stage {
    /// How far an export is that has begun and has not come to its end.
    pub(super) fn under_way(&self) -> Option<&Progress> {
        match self {
            Self::Running(progress) | Self::Paused(progress) | Self::Failed(progress, _) => {
                Some(progress).filter(|progress| !progress.id.is_empty())
            }
            Self::Asking | Self::Done(..) => None,
        }
    }
}

/// An export and all that is known of it; cheap to copy.
#[derive(Clone, Copy)]
pub struct Job {
    /// The page.
    pub desk: Desk,
    /// Whether its dialog is shown.
    pub open: RwSignal<bool>,
    /// What it is at.
    pub stage: RwSignal<Stage>,
    /// What is asked for.
    pub wish: RwSignal<Wish>,
    /// Exports that a reload broke off, each with the handle of its file.
    pub left: RwSignal<Vec<(Left, JsValue)>, LocalStorage>,
    selected: Signal<Vec<SubmissionId>>,
    line: StoredValue<Option<Line>, LocalStorage>,
    /// What the present file is called.
    pub(super) name: StoredValue<String>,
    toasts: Toasts,
}

impl Job {
    /// Returns the export of a page, owned by the present reactive owner.
    pub fn new(desk: Desk, open: RwSignal<bool>, selected: Signal<Vec<SubmissionId>>) -> Self {
        let job = Self {
            desk,
            open,
            stage: RwSignal::new(Stage::Asking),
            wish: RwSignal::new(Wish::new(Scope::Form, Vec::new())),
            left: RwSignal::new_local(Vec::new()),
            selected,
            line: StoredValue::new_local(None),
            name: StoredValue::new(String::new()),
            toasts: expect_context(),
        };
        on_cleanup(move || {
            job.line.try_update_value(Option::take);
        });
        job
    }

    /// Begins the dialog anew, with the narrowest scope chosen: what is on view. One that has
    /// begun is shown as it is.
    pub fn reset(self) {
        if self.stage.get_untracked() != Stage::Asking {
            return;
        }
        let selected = self.selected.get_untracked();
        let scopes =
            self.desk.filter.with_untracked(|filter| Scope::offered(filter, selected.len()));
        let mut wish = Wish::new(scopes.last().copied().unwrap_or(Scope::Form), selected);
        let rows = self.desk.list.total().get_untracked().unwrap_or_default();
        wish.straight = can_choose() && rows >= STRAIGHT_ROWS;
        self.wish.set(wish);
        self.connect();
    }

    /// Forgets what was said about an export that is not under way, once the person has closed the
    /// dialog.
    pub fn put_away(self) {
        if self.stage.with_untracked(|stage| stage.under_way().is_none()) {
            self.stage.set(Stage::Asking);
        }
    }

    /// Starts the worker, unless there is one; it tells what is left of earlier exports.
    fn connect(self) {
        if self.line.try_with_value(Option::is_some) != Some(false) {
            return;
        }
        match Line::open(move |heard| self.hear(heard), move |listened| self.lose(listened)) {
            Some(line) => self.line.set_value(Some(line)),
            None => self.lose(false),
        }
    }

    /// Takes in that there is no worker. One that has listened may have written something: with
    /// that a new one goes on.
    fn lose(self, listened: bool) {
        self.line.try_update_value(Option::take);
        self.left.try_set(Vec::new());
        let Some(stage) = self.stage.try_get_untracked() else { return };
        let own = stage.under_way();
        // Nobody waits for it: the next opening starts another.
        if own.is_none() && (!self.open.get_untracked() || matches!(stage, Stage::Done(..))) {
            return;
        }
        let texts = texts::export();
        let (progress, text) = match own {
            Some(own) if listened => (own.clone(), texts.ended),
            _ => (Progress::default(), texts.not_started),
        };
        self.stage.set(Stage::Failed(progress, Problem::Here(text.to_owned())));
        self.open.set(true);
    }

    /// Asks something of the worker; of a new one, where there is none any more.
    pub(super) fn ask(self, ask: &Ask, handle: Option<&JsValue>) {
        self.connect();
        self.line.try_with_value(|line| {
            if let Some(line) = line {
                line.ask(ask, handle);
            }
        });
    }

    fn hear(self, heard: Heard) {
        if !self.awaits(&heard.told) {
            return;
        }
        match heard.told {
            Told::Ready(left) => self.left_arrive(left, &heard.handles),
            Told::Under(progress) => {
                self.stage.try_set(Stage::Running(progress));
            }
            Told::Paused(progress) => {
                self.stage.try_set(Stage::Paused(progress));
            }
            Told::Failed(progress, failure) => self.failed(progress, failure),
            Told::NotBegun { failure, .. } => self.failed(Progress::default(), failure),
            Told::Done(progress, remarks) => self.done(progress, remarks, heard.file.as_ref()),
        }
    }

    /// Whether a word is about the export in hand, rather than a last one about what the person has
    /// given up.
    fn awaits(self, told: &Told) -> bool {
        let id = match told {
            Told::Under(of) | Told::Paused(of) | Told::Failed(of, _) | Told::Done(of, _) => &of.id,
            Told::NotBegun { id, .. } => id,
            Told::Ready(_) => return true,
        };
        let is_own = |stage: &Stage| stage.under_way().is_some_and(|own| own.id == *id);
        self.stage.try_with_untracked(is_own) == Some(true)
    }

    fn failed(self, progress: Progress, failure: Failure) {
        let problem = Problem::new(failure);
        if let Problem::Answer(error) = &problem {
            self.desk.session.notice(error);
        }
        self.stage.try_set(Stage::Failed(progress, problem));
        self.open.try_set(true);
    }

    fn done(self, progress: Progress, remarks: Vec<Remark>, file: Option<&web_sys::Blob>) {
        let name = self.name.try_get_value().unwrap_or_default();
        if file.is_some_and(|file| !save(file, &name)) {
            let refused = Problem::Here(texts::export().not_saved.to_owned());
            self.stage.try_set(Stage::Failed(progress, refused));
            return;
        }
        if progress.missing() > 0 || remarks.iter().any(|remark| *remark != Remark::Uncounted) {
            self.stage.try_set(Stage::Done(progress, remarks));
            self.open.try_set(true);
            return;
        }
        let texts = texts::export();
        self.toasts.done(if remarks.contains(&Remark::Uncounted) {
            (texts.exported)(&name)
        } else {
            (texts.exported_count)(progress.written, &name)
        });
        self.stage.try_set(Stage::Asking);
        self.open.try_set(false);
    }

    /// Begins, within a press of the person's.
    pub fn start(self) {
        let Some(task) = untrack(|| self.task()) else { return };
        let straight = self.wish.with_untracked(|wish| wish.straight) && can_choose();
        self.name.set_value(task.name.clone());
        spawn_local(async move {
            let handle = if straight { choose(&task.name, task.format).await } else { None };
            // To choose no file is to think again.
            if straight && handle.is_none() {
                return;
            }
            let progress = Progress { id: new_id(), ..Progress::default() };
            let begin = Ask::Begin { id: progress.id.clone(), task: Box::new(task) };
            self.stage.try_set(Stage::Running(progress));
            self.ask(&begin, handle.as_ref());
        });
    }

    /// Goes on with what was paused or has failed.
    pub fn go_on(self) {
        let (Stage::Paused(progress) | Stage::Failed(progress, _)) = self.stage.get_untracked()
        else {
            return;
        };
        if progress.id.is_empty() {
            return self.start();
        }
        let go_on = Ask::GoOn { id: progress.id.clone() };
        self.stage.set(Stage::Running(progress));
        self.ask(&go_on, None);
    }

    /// Stops for now.
    pub fn pause(self) {
        self.ask(&Ask::Pause, None);
    }

    /// Gives it up, and what was written.
    pub fn discard(self) {
        if let Some(Progress { id, .. }) = self.stage.get_untracked().under_way().cloned() {
            self.ask(&Ask::Discard { id }, None);
        }
        self.stage.set(Stage::Asking);
        self.open.set(false);
    }
}

/// Returns how far an export is, as people say it.
pub fn far(progress: &Progress) -> String {
    match progress.total {
        Some(total) => (texts::export().far)(progress.written, total),
        None => (texts::common().submission_count)(progress.written),
    }
}

/// Makes a name for an export that no other of this browser's has.
fn new_id() -> String {
    format!("{:.0}{:.0}", js_sys::Date::now(), js_sys::Math::random() * 1e9)
}
