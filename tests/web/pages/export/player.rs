//! The worker as it is played by a script. It asserts nothing.

use exporter::task::{Ask, Left, Task, Told};
use js_sys::{Array, Reflect};
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Url};

use super::super::until;

/// Plays the worker: once its module has come, it tells what is left, keeps what is asked on the
/// window, and answers each message with the next of its words, about the export that it was asked
/// about last. One that is late begins when it is told to.
const PLAYER: &str = r#"
const heard = new BroadcastChannel('player');
const answers = ANSWERS;
let id = '';
let lives = LIVES;
if (IS_LATE) {
  const gate = new BroadcastChannel('player-gate');
  await new Promise(come => {
    gate.onmessage = come;
    gate.postMessage('waits');
  });
}
if (lives === 0) throw new Error('The module did not come');
postMessage({ text: JSON.stringify({ Ready: LEFT }), handles: LEFT.map(() => undefined) });
const say = word => {
  const text = JSON.stringify(word).replace('"id":"own"', `"id":"${id}"`);
  postMessage({ text, file: word.Done ? new Blob(['a,b\r\n']) : undefined });
};
heard.onmessage = event => say(JSON.parse(event.data));
onmessage = event => {
  heard.postMessage(event.data.text);
  const ask = JSON.parse(event.data.text);
  id = (ask.Begin ?? ask.GoOn ?? ask.Discard)?.id ?? id;
  const words = answers.shift() ?? [];
  if (--lives === 0) setTimeout(() => { throw new Error('Out of memory'); });
  words.forEach(say);
};
"#;

/// The worker as it is played, and what it was asked.
pub(super) struct Player {
    pub(super) asked: Array,
    channel: JsValue,
    meta: web_sys::Element,
}

impl Player {
    pub(super) fn new(left: &[Left], answers: &[Vec<Told>]) -> Self {
        Self::living((false, -1), left, answers)
    }

    /// One whose module comes when it is told to.
    pub(super) fn late(left: &[Left], answers: &[Vec<Told>]) -> Self {
        Self::living((true, -1), left, answers)
    }

    /// One that may be late, and that breaks down after so many messages: at once with 0, never
    /// with a negative number.
    pub(super) fn living(
        (is_late, messages): (bool, i32),
        left: &[Left],
        answers: &[Vec<Told>],
    ) -> Self {
        let script = PLAYER
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
        let listen = js_sys::Function::new_no_args(
            "const c = new BroadcastChannel('player'); c.heard = [];
             c.onmessage = e => c.heard.push(e.data);
             const gate = new BroadcastChannel('player-gate');
             let isOpen = false;
             c.open = () => { isOpen = true; gate.postMessage('come'); };
             gate.onmessage = () => { if (isOpen) gate.postMessage('come'); };
             c.end = () => { gate.close(); c.close(); };
             return c;",
        );
        let channel = listen.call0(&JsValue::NULL).unwrap();
        let asked = Reflect::get(&channel, &"heard".into()).unwrap().unchecked_into();
        Self { asked, channel, meta }
    }

    pub(super) fn asked(&self) -> Vec<Ask> {
        self.asked
            .iter()
            .map(|ask| serde_json::from_str(&ask.as_string().unwrap()).unwrap())
            .collect()
    }

    /// Has the worker say something by itself.
    pub(super) fn say(&self, told: &Told) {
        self.call("postMessage", &serde_json::to_string(told).unwrap().into());
    }

    /// Has the module of a late one come.
    pub(super) fn come(&self) {
        self.call("open", &JsValue::UNDEFINED);
    }

    fn call(&self, name: &str, with: &JsValue) {
        let method = Reflect::get(&self.channel, &name.into()).unwrap();
        method.unchecked_into::<js_sys::Function>().call1(&self.channel, with).unwrap();
    }

    pub(super) async fn task(&self) -> Task {
        until("a task", || self.asked.length() > 0).await;
        match self.asked().swap_remove(0) {
            Ask::Begin { task, .. } => *task,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.meta.remove();
        self.call("end", &JsValue::UNDEFINED);
    }
}
