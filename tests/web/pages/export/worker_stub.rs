//! Scripted stand-in for the export worker. It asserts nothing.

use export_worker::task::{ExportTask, InterruptedExport, WorkerCommand, WorkerEvent};
use js_sys::{Array, Reflect};
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Url};

use crate::pages::wait_until;

/// Script of the worker. It reports the interrupted exports, sends each received command to the
/// channel, and answers it with the next list of `ANSWERS`, for the export of the last command.
/// With `IS_LATE` it waits for the gate first.
const WORKER_SCRIPT: &str = r#"
const commands = new BroadcastChannel('CHANNEL');
// Locked as long as the worker lives.
await new Promise(acquired => navigator.locks.request('CHANNEL', () => new Promise(() => acquired())));
const replies = ANSWERS;
let id = '';
let livesLeft = LIVES;
if (IS_LATE) {
  const gate = new BroadcastChannel('CHANNEL-gate');
  await new Promise(resolve => {
    gate.onmessage = resolve;
    gate.postMessage('waits');
  });
}
if (livesLeft === 0) throw new Error('The module did not load');
postMessage({ text: JSON.stringify({ Ready: LEFT }), handles: LEFT.map(() => undefined) });
const send = event => {
  const text = JSON.stringify(event).replace('"id":"own"', `"id":"${id}"`);
  postMessage({ text, file: event.Done ? new Blob(['a,b\r\n']) : undefined });
};
commands.onmessage = message => send(JSON.parse(message.data));
onmessage = message => {
  commands.postMessage(message.data.text);
  const command = JSON.parse(message.data.text);
  id = (command.Start ?? command.Resume ?? command.Discard)?.id ?? id;
  const events = replies.shift() ?? [];
  if (--livesLeft === 0) setTimeout(() => { throw new Error('Out of memory'); });
  events.forEach(send);
};
"#;

/// A scripted worker, and the commands that it received.
pub(super) struct WorkerStub {
    pub(super) asked: Array,
    channel: JsValue,
    meta: web_sys::Element,
}

impl WorkerStub {
    pub(super) fn new(left: &[InterruptedExport], answers: &[Vec<WorkerEvent>]) -> Self {
        Self::with_lifetime((false, -1), left, answers)
    }

    /// A worker that loads only after a call of `release`.
    pub(super) fn new_late(left: &[InterruptedExport], answers: &[Vec<WorkerEvent>]) -> Self {
        Self::with_lifetime((true, -1), left, answers)
    }

    /// A worker that fails after `messages` messages: 0 fails at load, a negative number never.
    pub(super) fn with_lifetime(
        (is_late, messages): (bool, i32),
        left: &[InterruptedExport],
        answers: &[Vec<WorkerEvent>],
    ) -> Self {
        // A random channel name, so that the worker of another test is not received.
        let name = format!("player-{}", js_sys::Math::random());
        let script = WORKER_SCRIPT
            .replace("CHANNEL", &name)
            .replace("IS_LATE", &is_late.to_string())
            .replace("LIVES", &messages.to_string())
            .replace("ANSWERS", &serde_json::to_string(answers).unwrap())
            .replace("LEFT", &serde_json::to_string(left).unwrap());
        let options = web_sys::BlobPropertyBag::new();
        options.set_type("text/javascript");
        let script = Array::of1(&script.into());
        let script = Blob::new_with_str_sequence_and_options(&script, &options).unwrap();
        let address = Url::create_object_url_with_blob(&script).unwrap();
        let meta = document().create_element("meta").unwrap();
        meta.set_attribute("name", "exporter").unwrap();
        meta.set_attribute("content", &address).unwrap();
        document().head().unwrap().append_child(&meta).unwrap();
        let listen = js_sys::Function::new_with_args(
            "name",
            "const c = new BroadcastChannel(name); c.commands = [];
             c.onmessage = e => c.commands.push(e.data);
             const gate = new BroadcastChannel(name + '-gate');
             let isOpen = false;
             c.open = () => { isOpen = true; gate.postMessage('come'); };
             gate.onmessage = () => { if (isOpen) gate.postMessage('come'); };
             c.isGone = false;
             c.watch = () => { navigator.locks.request(name, () => { c.isGone = true; }); };
             c.end = () => { gate.close(); c.close(); };
             return c;",
        );
        let channel = listen.call1(&JsValue::NULL, &name.into()).unwrap();
        let asked = Reflect::get(&channel, &"commands".into()).unwrap().unchecked_into();
        Self { asked, channel, meta }
    }

    /// Waits for `count` commands, and returns all of them. They are received over the channel.
    pub(super) async fn commands(&self, count: u32) -> Vec<WorkerCommand> {
        wait_until("the commands", || self.asked.length() >= count).await;
        self.asked
            .iter()
            .map(|ask| serde_json::from_str(&ask.as_string().unwrap()).unwrap())
            .collect()
    }

    /// Makes the worker send an event without a command.
    pub(super) fn send_event(&self, event: &WorkerEvent) {
        self.call_method("postMessage", &serde_json::to_string(event).unwrap().into());
    }

    /// Lets the module of a late worker load.
    pub(super) fn release(&self) {
        self.call_method("open", &JsValue::UNDEFINED);
    }

    /// Waits until the worker has ended.
    pub(super) async fn wait_for_end(&self) {
        self.call_method("watch", &JsValue::UNDEFINED);
        let is_gone = || Reflect::get(&self.channel, &"isGone".into()).unwrap().is_truthy();
        wait_until("the end of the worker", is_gone).await;
    }

    fn call_method(&self, name: &str, with: &JsValue) {
        let method = Reflect::get(&self.channel, &name.into()).unwrap();
        method.unchecked_into::<js_sys::Function>().call1(&self.channel, with).unwrap();
    }

    pub(super) async fn task(&self) -> ExportTask {
        match self.commands(1).await.swap_remove(0) {
            WorkerCommand::Start { task, .. } => *task,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for WorkerStub {
    fn drop(&mut self) {
        self.meta.remove();
        self.call_method("end", &JsValue::UNDEFINED);
    }
}
