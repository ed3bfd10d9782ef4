//! The export of this tab: how far it is, what became of it, and the line to its worker. It lives
//! with the app, from page to page, and draws nothing.

use export_worker::task::{Ask, Failure, Left, Progress, Remark, Told};
use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::worker::{Heard, Line};
use crate::{
    api::{self, ApiError},
    components::{page::explain, save::save},
    domain::export::unwritable_text,
    i18n,
    state::{exports::Exports, session::SessionStore, toasts::Toasts},
    ui::react,
};

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
            Failure::Network | Failure::NoAnswer => Self::Answer(ApiError::Network),
            Failure::SessionEnded => Self::Answer(ApiError::SessionEnded),
            Failure::Unreadable(problem) => Self::Answer(ApiError::Decode(problem)),
            Failure::Unwritable(why) => Self::Here(unwritable_text(&why)),
            Failure::Gone => Self::Here(i18n::export().gone.to_owned()),
            Failure::Status { status, code, message } => {
                let is_told = !message.is_empty();
                let message = if is_told { message } else { (i18n::failures().status)(status) };
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

/// The export of this tab; cheap to copy.
#[derive(Clone, Copy)]
pub struct Run {
    /// Whether its dialog is shown.
    pub open: RwSignal<bool>,
    /// Whether a list is on view, whose dialog is the whole one.
    pub at_list: RwSignal<bool>,
    /// What it is at.
    pub stage: RwSignal<Stage>,
    /// Exports that a reload broke off, each with the handle of its file.
    pub left: RwSignal<Vec<(Left, JsValue)>, LocalStorage>,
    /// What the present file is called.
    pub(super) name: StoredValue<String>,
    /// Who is signed in.
    pub session: SessionStore,
    line: StoredValue<Option<Line>, LocalStorage>,
    toasts: Toasts,
}

impl Run {
    /// Returns the export of the app, which is made when it is first asked for.
    pub fn of_app() -> Self {
        let exports = expect_context::<Exports>();
        exports.at_home(|| {
            use_context().unwrap_or_else(|| {
                let run = Self::new(&exports);
                provide_context(run);
                run
            })
        })
    }

    /// Whether rows are written, or wait for a person to go on. Tracked.
    pub fn is_at_work(self) -> bool {
        self.stage.with(|stage| matches!(stage, Stage::Running(_) | Stage::Paused(_)))
    }

    fn new(exports: &Exports) -> Self {
        let run = Self {
            open: exports.open(),
            at_list: exports.at_list(),
            stage: RwSignal::new(Stage::Asking),
            left: RwSignal::new_local(Vec::new()),
            name: StoredValue::new(String::new()),
            session: expect_context(),
            line: StoredValue::new_local(None),
            toasts: expect_context(),
        };
        let leave = window_event_listener(ev::beforeunload, move |event| {
            if run.stage.with_untracked(|stage| matches!(stage, Stage::Running(_))) {
                event.prevent_default();
            }
        });
        on_cleanup(move || {
            leave.remove();
            run.hang_up();
        });
        // It is nobody else's: it is left where it is, to be offered to whose it is.
        react(move || {
            if run.session.session().is_none() {
                run.hang_up();
                run.stage.set(Stage::Asking);
                run.open.set(false);
            }
        });
        exports.needed().set(true);
        run
    }

    /// Ends the worker, whatever it is at.
    fn hang_up(self) {
        self.line.try_update_value(Option::take);
        self.left.try_set(Vec::new());
    }

    /// The list is left: an export that is under way goes on, of another nothing more is said.
    pub(super) fn leave(self) {
        self.put_away();
        if self.stage.try_with_untracked(|stage| *stage == Stage::Asking) == Some(true) {
            self.hang_up();
        }
    }

    /// Forgets what was said about an export that is not under way, once the person has closed the
    /// dialog.
    pub fn put_away(self) {
        if self.stage.try_with_untracked(|stage| stage.under_way().is_none()) == Some(true) {
            self.stage.set(Stage::Asking);
        }
    }

    /// Opens the dialog where the list is on view; elsewhere the sign says what there is to say.
    fn tell(self) {
        if self.at_list.try_get_untracked() == Some(true) {
            self.open.try_set(true);
        }
    }

    /// Starts the worker, unless there is one; it tells what is left of earlier exports.
    pub(super) fn connect(self) {
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
        self.hang_up();
        let Some(stage) = self.stage.try_get_untracked() else { return };
        let own = stage.under_way();
        // Nobody waits for it: the next opening starts another.
        if own.is_none() && (!self.open.get_untracked() || matches!(stage, Stage::Done(..))) {
            return;
        }
        let texts = i18n::export();
        let (progress, text) = match own {
            Some(own) if listened => (own.clone(), texts.ended),
            _ => (Progress::default(), texts.not_started),
        };
        let failed = Stage::Failed(progress, Problem::Here(text.to_owned()));
        self.stage.set(failed.clone());
        self.tell();
        if !listened {
            self.explain_loss(failed);
        }
    }

    /// Says why the worker could not be loaded, where requests do not reach the gateway.
    fn explain_loss(self, failed: Stage) {
        spawn_local(async move {
            let Err(error @ (ApiError::Network | ApiError::SessionEnded)) = api::session().await
            else {
                return;
            };
            if self.stage.try_with_untracked(|stage| *stage == failed) == Some(true) {
                let failed = Stage::Failed(Progress::default(), Problem::Answer(error));
                self.stage.try_set(failed);
            }
        });
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
            Told::Silent(_) => {
                self.stage.try_update(|stage| {
                    if let Stage::Running(progress) = stage {
                        progress.is_silent = true;
                    }
                });
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
            Told::Silent(id) | Told::NotBegun { id, .. } => id,
            Told::Ready(_) => return true,
        };
        let is_own = |stage: &Stage| stage.under_way().is_some_and(|own| own.id == *id);
        self.stage.try_with_untracked(is_own) == Some(true)
    }

    fn failed(self, progress: Progress, failure: Failure) {
        let problem = Problem::new(failure);
        if let Problem::Answer(error) = &problem {
            self.session.notice(error);
        }
        self.stage.try_set(Stage::Failed(progress, problem));
        self.tell();
    }

    fn done(self, progress: Progress, remarks: Vec<Remark>, file: Option<&web_sys::Blob>) {
        let name = self.name.try_get_value().unwrap_or_default();
        if file.is_some_and(|file| !save(file, &name)) {
            let refused = Problem::Here(i18n::export().not_saved.to_owned());
            self.stage.try_set(Stage::Failed(progress, refused));
            self.tell();
            return;
        }
        if progress.missing() > 0 || remarks.iter().any(|remark| *remark != Remark::Uncounted) {
            self.stage.try_set(Stage::Done(progress, remarks));
            self.tell();
            return;
        }
        let texts = i18n::export();
        self.toasts.done(if remarks.contains(&Remark::Uncounted) {
            (texts.exported)(&name)
        } else {
            (texts.exported_count)(progress.written, &name)
        });
        self.stage.try_set(Stage::Asking);
        self.open.try_set(false);
    }

    /// Goes on with what was paused or has failed.
    pub fn go_on(self) {
        let (Stage::Paused(progress) | Stage::Failed(progress, _)) = self.stage.get_untracked()
        else {
            return;
        };
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
        Some(total) => (i18n::export().far)(progress.written, total),
        None => (i18n::common().submission_count)(progress.written),
    }
}
