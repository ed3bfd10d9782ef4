//! Fake streams of events: records those that the page opens, and sends the events of a test.

use js_sys::{Array, Reflect};
use leptos::wasm_bindgen::{self, JsValue, prelude::wasm_bindgen};
use web_sys::{AbortSignal, Response};

#[wasm_bindgen(inline_js = "
export const open = (streams, url, signal) => {
  const stream = { url, isOpen: true };
  const body = new ReadableStream({
    start(controller) { stream.controller = controller; },
    cancel() { stream.isOpen = false; },
  });
  signal.addEventListener('abort', () => {
    if (stream.isOpen) stream.controller.error(new Error('aborted'));
    stream.isOpen = false;
  });
  streams.push(stream);
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};
export const send = (stream, text) => stream.controller.enqueue(new TextEncoder().encode(text));
export const end = (stream) => {
  stream.isOpen = false;
  stream.controller.close();
};
")]
extern "C" {
    #[wasm_bindgen(js_name = open)]
    fn open_stream(streams: &Array, url: &str, signal: &AbortSignal) -> Response;
    fn send(stream: &JsValue, text: &str);
    fn end(stream: &JsValue);
}

/// The streams of a fake network.
#[derive(Clone, Default)]
pub(crate) struct EventStreams(Array);

impl EventStreams {
    /// Opens a stream for a request.
    pub(crate) fn open(&self, url: &str, signal: &AbortSignal) -> Response {
        open_stream(&self.0, url, signal)
    }

    /// Returns the addresses of the streams so far, and whether each is open.
    pub(crate) fn opened(&self) -> Vec<(String, bool)> {
        let property = |stream: &JsValue, name: &str| Reflect::get(stream, &name.into()).unwrap();
        let state = |stream: JsValue| {
            let url = property(&stream, "url").as_string().unwrap();
            (url, property(&stream, "isOpen").is_truthy())
        };
        self.0.iter().map(state).collect()
    }

    /// Sends an event on the last stream.
    pub(crate) fn send(&self, name: &str, data: &str) {
        send(&self.last(), &format!("event: {name}\ndata: {data}\n\n"));
    }

    /// Ends the last stream.
    pub(crate) fn end(&self) {
        end(&self.last());
    }

    fn last(&self) -> JsValue {
        self.0.iter().last().expect("a stream")
    }
}
