//! The worker: hears the page, runs one export at a time, and keeps what a reload would break off.

mod api;
mod job;
mod scope;
mod shelf;
mod sink;
mod stop;
mod stream;

use std::{cell::RefCell, rc::Rc};

use exporter::{
    saved::Saved,
    task::{Ask, Failure, Left, Progress, Told},
};
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{FileSystemFileHandle, MessageEvent};

use job::{End, Job};
use scope::{now, post, ready, scope};
use stop::Control;

/// What the worker is at.
#[derive(Default)]
struct Desk {
    /// Stops the export that runs.
    running: RefCell<Option<Rc<Control>>>,
    /// The export that has stopped and can go on.
    resting: RefCell<Option<Job>>,
}

/// Listens to the page, and tells it so.
pub(crate) fn start() {
    let desk = Rc::new(Desk::default());
    let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let desk = desk.clone();
        let Some((ask, handle)) = heard(&event.data()) else { return };
        spawn_local(async move { obey(desk, ask, handle).await });
    });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    // It listens for as long as the worker lives.
    hear.forget();
    spawn_local(async {
        let (left, handles): (Vec<_>, Vec<_>) = shelf::all().await.into_iter().unzip();
        ready(&left.iter().map(left_of).collect::<Vec<_>>(), &handles.into_iter().collect());
    });
}

/// Reads a message: what is asked, and the handle of the file to write.
fn heard(data: &JsValue) -> Option<(Ask, Option<FileSystemFileHandle>)> {
    let member = |name: &str| Reflect::get(data, &JsValue::from_str(name)).ok();
    let ask = serde_json::from_str(&member("text")?.as_string()?).ok()?;
    let handle = member("handle").filter(|handle| !handle.is_falsy());
    Some((ask, handle.map(JsCast::unchecked_into)))
}

fn left_of(saved: &Saved) -> Left {
    let progress = Progress {
        id: saved.id.clone(),
        written: saved.file.as_ref().map_or(0, exporter::file::FileState::rows),
        total: saved.total,
        bytes: saved.bytes,
        requests: saved.requests,
        ..Progress::default()
    };
    let (id, name) = (saved.id.clone(), saved.task.name.clone());
    Left { id, name, progress, chosen: saved.chosen }
}

async fn obey(desk: Rc<Desk>, ask: Ask, handle: Option<FileSystemFileHandle>) {
    match ask {
        Ask::Begin(task) => {
            let saved = Saved::new(new_id(), *task, now(), handle.is_some());
            run(desk, Job::begin(saved, handle).await).await;
        }
        Ask::GoOn { id } => {
            let resting = desk.resting.borrow_mut().take_if(|job| job.id() == id);
            let job = match resting {
                Some(job) => Ok(job),
                None => match shelf::find(&id).await {
                    Some((saved, handle)) => Job::go_on(saved, handle).await,
                    None => return,
                },
            };
            run(desk, job).await;
        }
        Ask::Pause => {
            if let Some(control) = &*desk.running.borrow() {
                control.stop();
            }
        }
        Ask::Discard { id } => {
            let running = desk.running.borrow().clone();
            if let Some(control) = running {
                control.discard();
                return;
            }
            drop(desk.resting.borrow_mut().take_if(|job| job.id() == id));
            shelf::forget(&id).await;
        }
    }
}

fn new_id() -> String {
    let stamp = js_sys::Date::now();
    format!("{stamp:.0}{:.0}", js_sys::Math::random() * 1e9)
}

async fn run(desk: Rc<Desk>, job: Result<Job, Failure>) {
    let mut job = match job {
        Ok(job) => job,
        Err(failure) => return post(&Told::Failed(Progress::default(), failure), None),
    };
    let control = Rc::new(Control::default());
    *desk.running.borrow_mut() = Some(control.clone());
    let end = job.run(&control).await;
    *desk.running.borrow_mut() = None;
    match end {
        End::Done(remarks, file) => post(&Told::Done(job.progress(), remarks), file.as_ref()),
        End::Stopped if control.is_discarded() => {
            let id = job.id().to_owned();
            drop(job);
            shelf::forget(&id).await;
        }
        End::Stopped => {
            post(&Told::Paused(job.progress()), None);
            *desk.resting.borrow_mut() = Some(job);
        }
        End::Failed(failure) => {
            post(&Told::Failed(job.progress(), failure), None);
            *desk.resting.borrow_mut() = Some(job);
        }
    }
}
