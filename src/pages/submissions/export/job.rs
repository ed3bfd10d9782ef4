//! The export of a page: what was asked for, how far it is, what became of it. It draws nothing.

use contract::SubmissionId;
use exporter::task::{Ask, Failure, Left, Progress, Remark, Told};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::worker::{Heard, Line};
use crate::{
    api::ApiError,
    model::export::{Scope, Wish},
    pages::submissions::desk::Desk,
    shared::save::{allow, can_choose, choose, save},
    stores::toasts::Toasts,
    texts,
};

/// From so many submissions on the dialog proposes to write straight to a file.
const STRAIGHT_ROWS: u64 = 50_000;

/// What an export is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is under way.
    Asking,
    /// The worker writes.
    Running(Progress),
    /// It stopped because the person said so.
    Paused(Progress),
    /// It stopped by itself.
    Failed(Progress, ApiError),
    /// The file is there, and there is something to say about it.
    Done(Progress, Vec<Remark>),
}

impl Stage {
    /// How far an export is that has begun and has not come to its end.
    fn under_way(&self) -> Option<&Progress> {
        match self {
            Self::Running(progress) | Self::Paused(progress) | Self::Failed(progress, _) => {
                Some(progress)
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
    /// Exports that a reload broke off.
    pub left: RwSignal<Vec<Left>>,
    handles: StoredValue<Vec<JsValue>, LocalStorage>,
    selected: Signal<Vec<SubmissionId>>,
    line: StoredValue<Option<Line>, LocalStorage>,
    /// What the present file is called.
    name: StoredValue<String>,
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
            left: RwSignal::new(Vec::new()),
            handles: StoredValue::new_local(Vec::new()),
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

    /// Forgets what was said about a file, once the person has closed the dialog.
    pub fn put_away(self) {
        if matches!(self.stage.get_untracked(), Stage::Done(..)) {
            self.stage.set(Stage::Asking);
        }
    }

    /// Starts the worker, which tells what is left of earlier exports.
    fn connect(self) {
        if self.line.with_value(Option::is_some) {
            return;
        }
        let fail = move || {
            self.line.try_update_value(Option::take);
            self.stage.try_set(Stage::Failed(Progress::default(), unstartable()));
        };
        match Line::open(move |heard| self.hear(heard), fail) {
            Some(line) => self.line.set_value(Some(line)),
            None => self.stage.set(Stage::Failed(Progress::default(), unstartable())),
        }
    }

    fn ask(self, ask: &Ask, handle: Option<&JsValue>) {
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
            Told::Ready(left) => {
                self.handles.try_set_value(heard.handles.iter().collect());
                self.left.try_set(left);
            }
            Told::Under(progress) => {
                self.stage.try_set(Stage::Running(progress));
            }
            Told::Paused(progress) => {
                self.stage.try_set(Stage::Paused(progress));
            }
            Told::Failed(progress, failure) => {
                let error = error_of(failure);
                self.desk.session.notice(&error);
                self.stage.try_set(Stage::Failed(progress, error));
                self.open.try_set(true);
            }
            Told::Done(progress, remarks) => self.done(progress, remarks, heard.file.as_ref()),
        }
    }

    /// Whether a word is about the export in hand, rather than a last one about what the person has
    /// given up.
    fn awaits(self, told: &Told) -> bool {
        let (Told::Under(of) | Told::Paused(of) | Told::Failed(of, _) | Told::Done(of, _)) = told
        else {
            return true;
        };
        let stage = self.stage.try_get_untracked();
        stage
            .as_ref()
            .and_then(Stage::under_way)
            .is_some_and(|own| own.id == of.id || of.id.is_empty())
    }

    fn done(self, progress: Progress, remarks: Vec<Remark>, file: Option<&web_sys::Blob>) {
        let name = self.name.try_get_value().unwrap_or_default();
        if file.is_some_and(|file| !save(file, &name)) {
            let refused = texts::export().not_saved.to_owned();
            self.stage.try_set(Stage::Failed(progress, ApiError::Decode(refused)));
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
        self.connect();
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
            self.stage.set(Stage::Asking);
            return self.start();
        }
        self.ask(&Ask::GoOn { id: progress.id.clone() }, None);
        self.stage.set(Stage::Running(progress));
    }

    /// Goes on with what a reload broke off, within a press of the person's.
    pub fn go_on_with(self, left: Left) {
        let at = self.left.with_untracked(|all| all.iter().position(|one| one.id == left.id));
        let handle = self.handles.with_value(|handles| handles.get(at?).cloned());
        self.name.set_value(left.name);
        spawn_local(async move {
            if left.chosen && !allow(&handle.unwrap_or_default()).await {
                return;
            }
            self.forget_left(&left.id);
            self.stage.try_set(Stage::Running(left.progress));
            self.ask(&Ask::GoOn { id: left.id }, None);
        });
    }

    /// Forgets what a reload broke off.
    pub fn discard_left(self, id: &str) {
        self.forget_left(id);
        self.ask(&Ask::Discard { id: id.to_owned() }, None);
    }

    fn forget_left(self, id: &str) {
        let found = self.left.try_with_untracked(|left| left.iter().position(|one| one.id == id));
        if let Some(at) = found.flatten() {
            self.left.try_update(|left| drop(left.remove(at)));
            self.handles.try_update_value(|handles| {
                if at < handles.len() {
                    drop(handles.remove(at));
                }
            });
        }
    }

    /// Stops for now.
    pub fn pause(self) {
        self.ask(&Ask::Pause, None);
    }

    /// Gives it up, and what was written.
    pub fn discard(self) {
        let id = self.stage.with_untracked(|stage| stage.under_way().map(|one| one.id.clone()));
        if let Some(id) = id.filter(|id| !id.is_empty()) {
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

fn unstartable() -> ApiError {
    ApiError::Decode(texts::export().not_started.to_owned())
}

fn error_of(failure: Failure) -> ApiError {
    match failure {
        Failure::Network => ApiError::Network,
        Failure::Unreadable(problem) | Failure::Unwritable(problem) => ApiError::Decode(problem),
        Failure::Status { status, code, message } => {
            ApiError::Status { status, code, message, retry_after_s: None }
        }
    }
}
