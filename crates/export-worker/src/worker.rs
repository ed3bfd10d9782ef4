//! The worker: executes the commands of the page, runs one export at a time, and saves its state
//! for a resume after a reload.

mod api;
mod job;
mod scope;
mod shelf;
mod sink;
mod stop;
mod stream;

use std::{cell::RefCell, rc::Rc};

use export_worker::{
    saved::Saved,
    task::{Ask, Failure, Left, Progress, Told, Unwritable},
};
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{FileSystemFileHandle, MessageEvent};

use job::{End, Job};
use scope::{now, post, ready, scope};
use stop::Control;

/// State of the worker.
#[derive(Default)]
struct WorkerState {
    /// Running export and its control.
    running: RefCell<Option<(String, Rc<Control>)>>,
    /// Stopped export that can be resumed.
    resting: RefCell<Option<Job>>,
}

/// Starts listening to the page, and reports that the worker is ready.
pub(crate) fn start() {
    let state = Rc::new(WorkerState::default());
    let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let state = state.clone();
        let Some((ask, handle)) = heard(&event.data()) else { return };
        spawn_local(async move { obey(state, ask, handle).await });
    });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    hear.forget();
    spawn_local(async {
        let (left, handles): (Vec<_>, Vec<_>) = shelf::all().await.into_iter().unzip();
        ready(&left.iter().map(left_of).collect::<Vec<_>>(), &handles.into_iter().collect());
    });
}

/// Parses a message into a command and the handle of the file to write.
fn heard(data: &JsValue) -> Option<(Ask, Option<FileSystemFileHandle>)> {
    let member = |name: &str| Reflect::get(data, &JsValue::from_str(name)).ok();
    let ask = serde_json::from_str(&member("text")?.as_string()?).ok()?;
    let handle = member("handle").filter(|handle| !handle.is_falsy());
    Some((ask, handle.map(JsCast::unchecked_into)))
}

fn left_of(saved: &Saved) -> Left {
    let progress = Progress {
        id: saved.id.clone(),
        written: saved.file.as_ref().map_or(0, export_worker::file::FileState::rows),
        total: saved.total,
        bytes: saved.bytes,
        requests: saved.requests,
        ..Progress::default()
    };
    let (id, name) = (saved.id.clone(), saved.task.name.clone());
    Left { id, account: saved.task.account.clone(), name, progress, chosen: saved.chosen }
}

async fn obey(state: Rc<WorkerState>, ask: Ask, handle: Option<FileSystemFileHandle>) {
    match ask {
        Ask::Begin { id, task } => {
            let saved = Saved::new(id.clone(), *task, now(), handle.is_some());
            run(state, id, begin(saved, handle)).await;
        }
        Ask::GoOn { id } => {
            // If it were resumed twice, two jobs would write the same file.
            if state.running.borrow().as_ref().is_some_and(|one| one.0 == id) {
                return;
            }
            let resting = state.resting.borrow_mut().take_if(|job| job.id() == id);
            run(state, id.clone(), go_on(id, resting)).await;
        }
        Ask::Pause => {
            if let Some((_, control)) = &*state.running.borrow() {
                control.stop();
            }
        }
        Ask::Discard { id } => {
            if let Some((_, control)) = state.running.borrow().as_ref().filter(|one| one.0 == id) {
                return control.discard();
            }
            drop(state.resting.borrow_mut().take_if(|job| job.id() == id));
            shelf::forget(&id).await;
        }
    }
}

/// Starts a new export. If that fails, removes its saved state.
async fn begin(saved: Saved, handle: Option<FileSystemFileHandle>) -> Result<Job, Told> {
    let id = saved.id.clone();
    match Job::begin(saved, handle).await {
        Ok(job) => Ok(job),
        Err(failure) => {
            shelf::forget(&id).await;
            Err(Told::NotBegun { id, failure })
        }
    }
}

/// Resumes an export that was stopped, or interrupted by a reload.
async fn go_on(id: String, resting: Option<Job>) -> Result<Job, Told> {
    if let Some(job) = resting {
        return Ok(job);
    }
    let Some((saved, handle)) = shelf::find(&id).await else {
        return Err(Told::NotBegun { id, failure: Failure::Unwritable(Unwritable::Lost) });
    };
    let progress = left_of(&saved).progress;
    Job::go_on(saved, handle).await.map_err(|failure| Told::Failed(progress, failure))
}

/// Runs an export. It can be stopped from the beginning, while the job is still being opened.
async fn run(state: Rc<WorkerState>, id: String, taken: impl Future<Output = Result<Job, Told>>) {
    let control = Rc::new(Control::of(id.clone()));
    *state.running.borrow_mut() = Some((id.clone(), control.clone()));
    let ended = match taken.await {
        Ok(mut job) => {
            let end = job.run(&control).await;
            Ok((job, end))
        }
        Err(told) => Err(told),
    };
    // Another export may have started since this one was stopped.
    state.running.borrow_mut().take_if(|(_, one)| Rc::ptr_eq(one, &control));
    if control.is_discarded() {
        // The file can be removed only after it was closed.
        drop(ended);
        return shelf::forget(&id).await;
    }
    let (job, end) = match ended {
        Ok(ended) => ended,
        Err(told) => return post(&told, None),
    };
    match end {
        End::Done(remarks, file) => {
            post(&Told::Done(job.progress(), remarks), file.as_ref());
            if file.is_some() {
                shelf::forget_finished(&id).await;
            }
        }
        End::Stopped => {
            post(&Told::Paused(job.progress()), None);
            *state.resting.borrow_mut() = Some(job);
        }
        End::Failed(failure) => {
            post(&Told::Failed(job.progress(), failure), None);
            *state.resting.borrow_mut() = Some(job);
        }
    }
}
