//! The export of this tab: its state, its result, and the connection to the worker. It belongs to
//! the app, so that it continues across pages. It renders nothing.

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

/// Reason why an export stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Error response, or no response.
    Answer(ApiError),
    /// Local error, as a sentence.
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

    /// Returns the explanation for the user.
    pub fn text(&self) -> String {
        match self {
            Self::Answer(error) => explain(error),
            Self::Here(problem) => problem.clone(),
        }
    }
}

/// State of the export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// No export has been started.
    Asking,
    /// The worker is writing.
    Running(Progress),
    /// Paused by the user.
    Paused(Progress),
    /// Failed. If the progress has no id, the export never started.
    Failed(Progress, Problem),
    /// Complete, with warnings.
    Done(Progress, Vec<Remark>),
}

impl Stage {
    /// Returns the progress of an export that has started and can continue.
    pub(super) fn under_way(&self) -> Option<&Progress> {
        match self {
            Self::Running(progress) | Self::Paused(progress) | Self::Failed(progress, _) => {
                Some(progress).filter(|progress| !progress.id.is_empty())
            }
            Self::Asking | Self::Done(..) => None,
        }
    }
}

/// The export of this tab. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Run {
    /// Whether the dialog is open.
    pub open: RwSignal<bool>,
    /// Whether a list is visible. Its dialog also has the options.
    pub at_list: RwSignal<bool>,
    /// State of the export.
    pub stage: RwSignal<Stage>,
    /// Exports that were interrupted by a reload, with their file handles.
    pub left: RwSignal<Vec<(Left, JsValue)>, LocalStorage>,
    /// Name of the file.
    pub(super) name: StoredValue<String>,
    /// The session store.
    pub session: SessionStore,
    line: StoredValue<Option<Line>, LocalStorage>,
    toasts: Toasts,
}

impl Run {
    /// Returns the export of the app. Creates it on the first call.
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

    /// Returns whether an export is running or paused. Tracked.
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
        // After sign-out the worker ends. The export stays in storage, to be offered to its
        // account.
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

    /// Terminates the worker in any state.
    fn hang_up(self) {
        self.line.try_update_value(Option::take);
        self.left.try_set(Vec::new());
    }

    /// Called when the list page is left: a running export continues, a result is cleared.
    pub(super) fn leave(self) {
        self.put_away();
        if self.stage.try_with_untracked(|stage| *stage == Stage::Asking) == Some(true) {
            self.hang_up();
        }
    }

    /// Clears the result of an export that cannot continue, after the user has closed the dialog.
    pub fn put_away(self) {
        if self.stage.try_with_untracked(|stage| stage.under_way().is_none()) == Some(true) {
            self.stage.set(Stage::Asking);
        }
    }

    /// Opens the dialog if a list is visible. On other pages the status panel shows the state.
    fn tell(self) {
        if self.at_list.try_get_untracked() == Some(true) {
            self.open.try_set(true);
        }
    }

    /// Starts the worker unless it is running. It reports interrupted exports.
    pub(super) fn connect(self) {
        if self.line.try_with_value(Option::is_some) != Some(false) {
            return;
        }
        match Line::open(move |heard| self.hear(heard), move |listened| self.lose(listened)) {
            Some(line) => self.line.set_value(Some(line)),
            None => self.lose(false),
        }
    }

    /// Handles the loss of the worker. If it had responded before (`listened`), it may have written
    /// data, so a new worker can resume the export.
    fn lose(self, listened: bool) {
        self.hang_up();
        let Some(stage) = self.stage.try_get_untracked() else { return };
        let own = stage.under_way();
        // No export is affected: the next opening of the dialog starts another worker.
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

    /// Replaces the error of a worker that failed to load, if the cause is that requests do not
    /// reach the gateway.
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

    /// Sends a command to the worker. Starts the worker if necessary.
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

    /// Returns whether an event belongs to the current export. Late events of a discarded export
    /// are ignored.
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

    /// Resumes a paused or failed export.
    pub fn go_on(self) {
        let (Stage::Paused(progress) | Stage::Failed(progress, _)) = self.stage.get_untracked()
        else {
            return;
        };
        let go_on = Ask::GoOn { id: progress.id.clone() };
        self.stage.set(Stage::Running(progress));
        self.ask(&go_on, None);
    }

    /// Pauses the export.
    pub fn pause(self) {
        self.ask(&Ask::Pause, None);
    }

    /// Discards the export and the data written so far.
    pub fn discard(self) {
        if let Some(Progress { id, .. }) = self.stage.get_untracked().under_way().cloned() {
            self.ask(&Ask::Discard { id }, None);
        }
        self.stage.set(Stage::Asking);
        self.open.set(false);
    }
}

/// Returns the progress as text.
pub fn far(progress: &Progress) -> String {
    match progress.total {
        Some(total) => (i18n::export().far)(progress.written, total),
        None => (i18n::common().submission_count)(progress.written),
    }
}
