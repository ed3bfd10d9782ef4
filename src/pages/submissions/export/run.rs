//! The export of this tab: its state, its result, and the connection to the worker. It belongs to
//! the app, so that it continues across pages. It renders nothing.

use export_worker::task::{
    ExportWarning, Failure, InterruptedExport, Progress, WorkerCommand, WorkerEvent,
};
use leptos::{ev, prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::worker::{WorkerConnection, WorkerMessage};
use crate::{
    api::{self, ApiError},
    components::{page::explain_error, save::download_file},
    domain::export::unwritable_text,
    i18n,
    state::{exports::Exports, session::SessionStore, toasts::Toasts},
    ui::run_effect,
};

/// Reason why an export stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportProblem {
    /// Error response, or no response.
    Answer(ApiError),
    /// Local error, as a sentence.
    Local(String),
}

impl ExportProblem {
    fn new(failure: Failure) -> Self {
        match failure {
            Failure::Network | Failure::NoAnswer => Self::Answer(ApiError::Network),
            Failure::SessionEnded => Self::Answer(ApiError::SessionEnded),
            Failure::Unreadable(problem) => Self::Answer(ApiError::Decode(problem)),
            Failure::Unwritable(why) => Self::Local(unwritable_text(&why)),
            Failure::Gone => Self::Local(i18n::export().gone.to_owned()),
            Failure::Truncated => Self::Local(i18n::export().truncated.to_owned()),
            Failure::Status { status, code, message } => {
                let has_message = !message.is_empty();
                let message = if has_message { message } else { (i18n::failures().status)(status) };
                Self::Answer(ApiError::Status { status, code, message, retry_after_s: None })
            }
        }
    }

    /// Returns the explanation for the user.
    pub fn text(&self) -> String {
        match self {
            Self::Answer(error) => explain_error(error),
            Self::Local(problem) => problem.clone(),
        }
    }
}

/// State of the export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportState {
    /// No export has been started.
    Idle,
    /// The worker is writing.
    Running(Progress),
    /// Paused by the user.
    Paused(Progress),
    /// Failed. If the progress has no id, the export never started.
    Failed(Progress, ExportProblem),
    /// Complete, with warnings.
    Done(Progress, Vec<ExportWarning>),
}

impl ExportState {
    /// Returns the progress of an export that has started and can continue.
    pub(super) fn current_progress(&self) -> Option<&Progress> {
        match self {
            Self::Running(progress) | Self::Paused(progress) | Self::Failed(progress, _) => {
                Some(progress).filter(|progress| !progress.id.is_empty())
            }
            Self::Idle | Self::Done(..) => None,
        }
    }
}

/// The export of this tab. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ExportRun {
    /// Whether the dialog is open.
    pub open: RwSignal<bool>,
    /// Whether a list is visible. Its dialog also has the options.
    pub at_list: RwSignal<bool>,
    /// State of the export.
    pub state: RwSignal<ExportState>,
    /// Exports that were interrupted by a reload, with their file handles.
    pub interrupted: RwSignal<Vec<(InterruptedExport, JsValue)>, LocalStorage>,
    /// Name of the file.
    pub(super) name: StoredValue<String>,
    /// The session store.
    pub session: SessionStore,
    connection: StoredValue<Option<WorkerConnection>, LocalStorage>,
    toasts: Toasts,
}

impl ExportRun {
    /// Returns the export of the app. Creates it on the first call.
    pub fn of_app() -> Self {
        let exports = expect_context::<Exports>();
        exports.with_app_owner(|| {
            use_context().unwrap_or_else(|| {
                let run = Self::new(&exports);
                provide_context(run);
                run
            })
        })
    }

    /// Returns whether an export is running or paused. Tracked.
    pub fn is_active(self) -> bool {
        self.state.with(|stage| matches!(stage, ExportState::Running(_) | ExportState::Paused(_)))
    }

    fn new(exports: &Exports) -> Self {
        let run = Self {
            open: exports.open(),
            at_list: exports.on_list_page(),
            state: RwSignal::new(ExportState::Idle),
            interrupted: RwSignal::new_local(Vec::new()),
            name: StoredValue::new(String::new()),
            session: expect_context(),
            connection: StoredValue::new_local(None),
            toasts: expect_context(),
        };
        let leave = window_event_listener(ev::beforeunload, move |event| {
            if run.state.with_untracked(|stage| matches!(stage, ExportState::Running(_))) {
                event.prevent_default();
            }
        });
        on_cleanup(move || {
            leave.remove();
            run.stop_worker();
        });
        // After sign-out the worker ends. The export stays in storage, to be offered to its
        // account.
        run_effect(move || {
            if run.session.session().is_none() {
                run.stop_worker();
                run.state.set(ExportState::Idle);
                run.open.set(false);
            }
        });
        exports.was_needed().set(true);
        run
    }

    /// Returns whether the export with this id is the current one. Not tracked.
    pub(super) fn is_current(self, id: &str) -> bool {
        let is_own = |state: &ExportState| {
            state.current_progress().is_some_and(|progress| progress.id == id)
        };
        self.state.try_with_untracked(is_own) == Some(true)
    }

    /// Terminates the worker in any state.
    fn stop_worker(self) {
        self.connection.try_update_value(Option::take);
        self.interrupted.try_set(Vec::new());
    }

    /// Called when the list page is left: a running export continues, a result is cleared.
    pub(super) fn leave_list(self) {
        self.clear_result();
        if self.state.try_with_untracked(|stage| *stage == ExportState::Idle) == Some(true) {
            self.stop_worker();
        }
    }

    /// Clears the result of an export that cannot continue, after the user has closed the dialog.
    pub fn clear_result(self) {
        if self.state.try_with_untracked(|stage| stage.current_progress().is_none()) == Some(true) {
            self.state.set(ExportState::Idle);
        }
    }

    /// Opens the dialog if a list is visible. On other pages the status panel shows the state.
    fn open_dialog_at_list(self) {
        if self.at_list.try_get_untracked() == Some(true) {
            self.open.try_set(true);
        }
    }

    /// Starts the worker unless it is running. It reports interrupted exports.
    pub(super) fn start_worker(self) {
        if self.connection.try_with_value(Option::is_some) != Some(false) {
            return;
        }
        match WorkerConnection::open(
            move |message| self.handle_event(message),
            move |listened| self.handle_worker_loss(listened),
        ) {
            Some(line) => self.connection.set_value(Some(line)),
            None => self.handle_worker_loss(false),
        }
    }

    /// Handles the loss of the worker. If it had responded before (`listened`), it may have written
    /// data, so a new worker can resume the export.
    fn handle_worker_loss(self, listened: bool) {
        self.stop_worker();
        let Some(stage) = self.state.try_get_untracked() else { return };
        let current = stage.current_progress();
        // No export is affected: the next opening of the dialog starts another worker.
        if current.is_none()
            && (!self.open.get_untracked() || matches!(stage, ExportState::Done(..)))
        {
            return;
        }
        let texts = i18n::export();
        let (progress, text) = match current {
            Some(current) if listened => (current.clone(), texts.ended),
            _ => (Progress::default(), texts.not_started),
        };
        let failed = ExportState::Failed(progress, ExportProblem::Local(text.to_owned()));
        self.state.set(failed.clone());
        self.open_dialog_at_list();
        if !listened {
            self.explain_loss(failed);
        }
    }

    /// Replaces the error of a worker that failed to load, if the cause is that requests do not
    /// reach the gateway.
    fn explain_loss(self, failed: ExportState) {
        spawn_local(async move {
            let Err(error @ (ApiError::Network | ApiError::SessionEnded)) =
                api::get_session().await
            else {
                return;
            };
            if self.state.try_with_untracked(|stage| *stage == failed) == Some(true) {
                let failed = ExportState::Failed(Progress::default(), ExportProblem::Answer(error));
                self.state.try_set(failed);
            }
        });
    }

    /// Sends a command to the worker. Starts the worker if necessary.
    pub(super) fn send_command(self, ask: &WorkerCommand, handle: Option<&JsValue>) {
        self.start_worker();
        self.connection.try_with_value(|line| {
            if let Some(line) = line {
                line.send_command(ask, handle);
            }
        });
    }

    fn handle_event(self, message: WorkerMessage) {
        if !self.is_current_event(&message.event) {
            return;
        }
        match message.event {
            WorkerEvent::Ready(left) => self.set_interrupted(left, &message.handles),
            WorkerEvent::Under(progress) => {
                self.state.try_set(ExportState::Running(progress));
            }
            WorkerEvent::Silent(_) => {
                self.state.try_update(|stage| {
                    if let ExportState::Running(progress) = stage {
                        progress.is_silent = true;
                    }
                });
            }
            WorkerEvent::Paused(progress) => {
                self.state.try_set(ExportState::Paused(progress));
            }
            WorkerEvent::Failed(progress, failure) => self.handle_failure(progress, failure),
            WorkerEvent::NotBegun { failure, .. } => {
                self.handle_failure(Progress::default(), failure);
            }
            WorkerEvent::Done(progress, remarks) => {
                self.handle_done(progress, remarks, message.file.as_ref());
            }
        }
    }

    /// Returns whether an event belongs to the current export. Late events of a discarded export
    /// are ignored.
    fn is_current_event(self, event: &WorkerEvent) -> bool {
        let id = match event {
            WorkerEvent::Under(of)
            | WorkerEvent::Paused(of)
            | WorkerEvent::Failed(of, _)
            | WorkerEvent::Done(of, _) => &of.id,
            WorkerEvent::Silent(id) | WorkerEvent::NotBegun { id, .. } => id,
            WorkerEvent::Ready(_) => return true,
        };
        self.is_current(id)
    }

    fn handle_failure(self, progress: Progress, failure: Failure) {
        let problem = ExportProblem::new(failure);
        if let ExportProblem::Answer(error) = &problem {
            self.session.handle_error(error);
        }
        self.state.try_set(ExportState::Failed(progress, problem));
        self.open_dialog_at_list();
    }

    fn handle_done(
        self,
        progress: Progress,
        remarks: Vec<ExportWarning>,
        file: Option<&web_sys::Blob>,
    ) {
        let name = self.name.try_get_value().unwrap_or_default();
        if file.is_some_and(|file| !download_file(file, &name)) {
            let save_problem = ExportProblem::Local(i18n::export().not_saved.to_owned());
            self.state.try_set(ExportState::Failed(progress, save_problem));
            self.open_dialog_at_list();
            return;
        }
        if progress.missing_rows() > 0
            || remarks.iter().any(|remark| *remark != ExportWarning::Uncounted)
        {
            self.state.try_set(ExportState::Done(progress, remarks));
            self.open_dialog_at_list();
            return;
        }
        let texts = i18n::export();
        self.toasts.show_success(if remarks.contains(&ExportWarning::Uncounted) {
            (texts.exported)(&name)
        } else {
            (texts.exported_count)(progress.written, &name)
        });
        self.state.try_set(ExportState::Idle);
        self.open.try_set(false);
    }

    /// Resumes a paused or failed export.
    pub fn resume_export(self) {
        let (ExportState::Paused(progress) | ExportState::Failed(progress, _)) =
            self.state.get_untracked()
        else {
            return;
        };
        let resume = WorkerCommand::Resume { id: progress.id.clone() };
        self.state.set(ExportState::Running(progress));
        self.send_command(&resume, None);
    }

    /// Pauses the export.
    pub fn pause_export(self) {
        self.send_command(&WorkerCommand::Pause, None);
    }

    /// Discards the export and the data written so far.
    pub fn discard_export(self) {
        if let Some(Progress { id, .. }) = self.state.get_untracked().current_progress().cloned() {
            self.send_command(&WorkerCommand::Discard { id }, None);
        }
        self.state.set(ExportState::Idle);
        self.open.set(false);
    }
}

/// Returns the progress as text.
pub fn progress_text(progress: &Progress) -> String {
    match progress.total {
        Some(total) => (i18n::export().far)(progress.written, total),
        None => (i18n::common().submission_count)(progress.written),
    }
}
