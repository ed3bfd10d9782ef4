//! The worker: executes the commands of the page, runs one export at a time, and saves its state
//! for a resume after a reload.

mod api;
mod export_store;
mod job;
mod sink;
mod stop;
mod stream;
mod worker_scope;

use std::{cell::RefCell, rc::Rc};

use export_worker::{
    saved_export::SavedExport,
    task::{Failure, InterruptedExport, Progress, Unwritable, WorkerCommand, WorkerEvent},
};
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{FileSystemFileHandle, MessageEvent};

use job::{ExportJob, RunResult};
use stop::ExportControl;
use worker_scope::{now, send_event, send_ready, worker_scope};

/// State of the worker.
#[derive(Default)]
struct WorkerState {
    /// Running export and its control.
    running: RefCell<Option<(String, Rc<ExportControl>)>>,
    /// Stopped export that can be resumed.
    stopped: RefCell<Option<ExportJob>>,
}

/// Starts listening to the page, and reports that the worker is ready.
pub(crate) fn start() {
    let state = Rc::new(WorkerState::default());
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let state = state.clone();
        let Some((ask, handle)) = parse_message(&event.data()) else { return };
        spawn_local(async move { execute_command(state, ask, handle).await });
    });
    worker_scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    on_message.forget();
    spawn_local(async {
        let (interrupted, handles): (Vec<_>, Vec<_>) =
            export_store::list_interrupted().await.into_iter().unzip();
        send_ready(
            &interrupted.iter().map(to_interrupted).collect::<Vec<_>>(),
            &handles.into_iter().collect(),
        );
    });
}

/// Parses a message into a command and the handle of the file to write.
fn parse_message(data: &JsValue) -> Option<(WorkerCommand, Option<FileSystemFileHandle>)> {
    let member = |name: &str| Reflect::get(data, &JsValue::from_str(name)).ok();
    let ask = serde_json::from_str(&member("text")?.as_string()?).ok()?;
    let handle = member("handle").filter(|handle| !handle.is_falsy());
    Some((ask, handle.map(JsCast::unchecked_into)))
}

fn to_interrupted(saved: &SavedExport) -> InterruptedExport {
    let progress = Progress {
        id: saved.id.clone(),
        written: saved.file.as_ref().map_or(0, export_worker::file::FileState::rows),
        total: saved.total,
        bytes: saved.bytes,
        requests: saved.requests,
        ..Progress::default()
    };
    InterruptedExport {
        id: saved.id.clone(),
        account: saved.task.account.clone(),
        name: saved.task.name.clone(),
        progress,
        chosen: saved.chosen,
    }
}

async fn execute_command(
    state: Rc<WorkerState>,
    ask: WorkerCommand,
    handle: Option<FileSystemFileHandle>,
) {
    match ask {
        WorkerCommand::Start { id, task } => {
            let saved = SavedExport::new(id.clone(), *task, now(), handle.is_some());
            run_job(state, id, start_job(saved, handle)).await;
        }
        WorkerCommand::Resume { id } => {
            // If it were resumed twice, two jobs would write the same file.
            if state.running.borrow().as_ref().is_some_and(|running| running.0 == id) {
                return;
            }
            let resting = state.stopped.borrow_mut().take_if(|job| job.id() == id);
            run_job(state, id.clone(), resume_job(id, resting)).await;
        }
        WorkerCommand::Pause => {
            if let Some((_, control)) = &*state.running.borrow() {
                control.stop();
            }
        }
        WorkerCommand::Discard { id } => {
            if let Some((_, control)) =
                state.running.borrow().as_ref().filter(|running| running.0 == id)
            {
                return control.discard();
            }
            drop(state.stopped.borrow_mut().take_if(|job| job.id() == id));
            export_store::remove_export(&id).await;
        }
    }
}

/// Starts a new export. If that fails, removes its saved state.
async fn start_job(
    saved: SavedExport,
    handle: Option<FileSystemFileHandle>,
) -> Result<ExportJob, WorkerEvent> {
    let id = saved.id.clone();
    match ExportJob::start(saved, handle).await {
        Ok(job) => Ok(job),
        Err(failure) => {
            export_store::remove_export(&id).await;
            Err(WorkerEvent::NotBegun { id, failure })
        }
    }
}

/// Resumes an export that was stopped, or interrupted by a reload.
async fn resume_job(id: String, resting: Option<ExportJob>) -> Result<ExportJob, WorkerEvent> {
    if let Some(job) = resting {
        return Ok(job);
    }
    let Some((saved, handle)) = export_store::find_unfinished(&id).await else {
        return Err(WorkerEvent::NotBegun { id, failure: Failure::Unwritable(Unwritable::Lost) });
    };
    let progress = to_interrupted(&saved).progress;
    ExportJob::open(saved, handle).await.map_err(|failure| WorkerEvent::Failed(progress, failure))
}

/// Runs an export. It can be stopped from the beginning, while the job is still being opened.
async fn run_job(
    state: Rc<WorkerState>,
    id: String,
    opened_job: impl Future<Output = Result<ExportJob, WorkerEvent>>,
) {
    let control = Rc::new(ExportControl::for_export(id.clone()));
    *state.running.borrow_mut() = Some((id.clone(), control.clone()));
    let result = match opened_job.await {
        Ok(mut job) => {
            let end = job.run(&control).await;
            Ok((job, end))
        }
        Err(event) => Err(event),
    };
    // Another export may have started since this one was stopped.
    state.running.borrow_mut().take_if(|(_, current)| Rc::ptr_eq(current, &control));
    if control.is_discarded() {
        // The file can be removed only after it was closed.
        drop(result);
        return export_store::remove_export(&id).await;
    }
    let (job, end) = match result {
        Ok(result) => result,
        Err(event) => return send_event(&event, None),
    };
    let event = match end {
        RunResult::Done(remarks, file) => {
            send_event(&WorkerEvent::Done(job.progress(), remarks), file.as_ref());
            if file.is_some() {
                export_store::remove_finished(&id).await;
            }
            return;
        }
        RunResult::Stopped => WorkerEvent::Paused(job.progress()),
        RunResult::Failed(failure) => WorkerEvent::Failed(job.progress(), failure),
    };
    send_event(&event, None);
    *state.stopped.borrow_mut() = Some(job);
}
