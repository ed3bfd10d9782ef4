//! The connection of the page to the export worker. The worker is started when the export dialog
//! first opens, and ends with the page.

use std::{cell::RefCell, rc::Rc};

use export_worker::task::{WorkerCommand, WorkerEvent};
use js_sys::{Array, Object, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use web_sys::{Blob, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Message from the worker.
pub struct WorkerMessage {
    /// The event.
    pub event: WorkerEvent,
    /// The file, once it is complete.
    pub file: Option<Blob>,
    /// Handles of the files of interrupted exports.
    pub handles: Array,
}

/// Messages to send after the worker's first message; `None` after that. The browser delivers
/// messages as soon as the worker's script has run. The worker then still waits for its Wasm
/// module, and would lose them.
type PendingMessages = Rc<RefCell<Option<Vec<Object>>>>;

/// Connection to the worker. Dropping it terminates the worker.
pub struct WorkerConnection {
    worker: Worker,
    waiting: PendingMessages,
    _hear: Closure<dyn Fn(MessageEvent)>,
    _fail: Closure<dyn Fn(Event)>,
}

impl WorkerConnection {
    /// Starts the worker. Messages go to `hear`. If the worker fails, `fail` is called with whether
    /// it had sent a message before.
    pub fn open(
        hear: impl Fn(WorkerMessage) + 'static,
        fail: impl Fn(bool) + 'static,
    ) -> Option<Self> {
        let script = document().query_selector("meta[name=exporter]").ok()??;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&script.get_attribute("content")?, &options).ok()?;
        let waiting = PendingMessages::new(RefCell::new(Some(Vec::new())));
        let listening = worker.clone();
        let waited = waiting.clone();
        let hear = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            for message in waited.take().unwrap_or_default() {
                post_message(&listening, &message);
            }
            if let Some(worker_message) = parse_message(&event.data()) {
                hear(worker_message);
            }
        });
        let waited = waiting.clone();
        let fail = Closure::<dyn Fn(Event)>::new(move |_| fail(waited.borrow().is_none()));
        worker.set_onmessage(Some(hear.as_ref().unchecked_ref()));
        worker.set_onerror(Some(fail.as_ref().unchecked_ref()));
        Some(Self { worker, waiting, _hear: hear, _fail: fail })
    }

    /// Sends a command, with a file handle if the command needs one. Waits until the worker
    /// listens.
    pub fn send_command(&self, ask: &WorkerCommand, handle: Option<&JsValue>) {
        let message = Object::new();
        let text = serde_json::to_string(ask).unwrap_or_default();
        for (name, value) in [("text", Some(JsValue::from(text))), ("handle", handle.cloned())] {
            // Cannot fail on a plain object.
            let _ = Reflect::set(&message, &name.into(), &value.unwrap_or_default());
        }
        match &mut *self.waiting.borrow_mut() {
            Some(waiting) => waiting.push(message),
            None => post_message(&self.worker, &message),
        }
    }
}

fn post_message(worker: &Worker, message: &Object) {
    // Cannot fail: text and file handles can be cloned.
    let _ = worker.post_message(message);
}

impl Drop for WorkerConnection {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

fn parse_message(data: &JsValue) -> Option<WorkerMessage> {
    let member = |name: &str| Reflect::get(data, &name.into()).unwrap_or_default();
    let event = serde_json::from_str(&member("text").as_string()?).ok()?;
    let file = member("file").dyn_into().ok();
    let handles = member("handles").dyn_into().unwrap_or_default();
    Some(WorkerMessage { event, file, handles })
}
