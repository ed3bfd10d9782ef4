//! Live updates from the server, as server-sent events. `EventSource` cannot send the CSRF header,
//! so the response of `fetch` is read.

use std::pin::pin;

use contract::{
    Environment,
    live::{EventParser, HEARTBEAT_S, LiveEvent, MEDIA_TYPE, RETRY_MS},
};
use futures_util::future::{Either, select};
use gloo_net::http::Request;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Reflect, Uint8Array};
use leptos::{task::spawn_local, wasm_bindgen::JsCast};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, ReadableStreamDefaultReader};

use super::{
    request::{AbortOnDrop, request_to, with_csrf_header},
    timeout::TimeLimit,
};
use crate::routes;

/// Maximum delay before the stream is opened again, in milliseconds.
const RETRY_MAX_MS: u64 = 60_000;
/// Maximum time without bytes, in milliseconds. A connection that is silent for longer is lost.
const SILENCE_MAX_MS: u64 = HEARTBEAT_S * 3 * 1000;

/// A stream of events, which is opened again when it ends. Dropping it closes the stream.
#[derive(Debug)]
pub struct EventStream {
    _abort: AbortOnDrop,
}

impl EventStream {
    /// Opens the stream of an environment. Calls `on_event` with each event, and with `None` after
    /// each attempt that brought none.
    pub fn open(environment: Environment, on_event: impl Fn(Option<LiveEvent>) + 'static) -> Self {
        let abort = AbortOnDrop::default();
        if let Some(signal) = abort.signal() {
            spawn_local(follow_stream(environment, signal, Box::new(on_event)));
        }
        Self { _abort: abort }
    }
}

/// Reads streams until the signal is aborted. Each attempt without an event doubles the delay
/// before the next one.
async fn follow_stream(
    environment: Environment,
    signal: AbortSignal,
    on_event: Box<dyn Fn(Option<LiveEvent>)>,
) {
    let mut delay_ms = RETRY_MS;
    while !signal.aborted() {
        if read_stream(environment, &signal, &on_event).await {
            delay_ms = RETRY_MS;
        } else if !signal.aborted() {
            on_event(None);
        }
        TimeoutFuture::new(to_timer_ms(delay_ms)).await;
        delay_ms = (delay_ms * 2).min(RETRY_MAX_MS);
    }
}

/// Reads one stream to its end. Returns whether it had events.
async fn read_stream(
    environment: Environment,
    signal: &AbortSignal,
    on_event: &dyn Fn(Option<LiveEvent>),
) -> bool {
    let Some(reader) = open_stream(environment, signal).await else { return false };
    let mut parser = EventParser::default();
    let mut had_events = false;
    while let Some(bytes) = read_part(&reader).await {
        let Ok(events) = parser.push(&bytes) else { break };
        for event in events {
            if signal.aborted() {
                return true;
            }
            had_events = true;
            on_event(Some(event));
        }
    }
    // Has no effect if the stream has ended, and fails if it was lost.
    let _ = JsFuture::from(reader.cancel()).await;
    had_events
}

/// Requests the stream. Returns `None` if the server refuses it or cannot be reached; the requests
/// of the user report that.
async fn open_stream(
    environment: Environment,
    signal: &AbortSignal,
) -> Option<ReadableStreamDefaultReader> {
    let limit = TimeLimit::start(Some(signal));
    let request = request_to(Request::get, &routes::account_events(environment));
    let response = with_csrf_header(request, &limit).send().await.ok()?;
    let content_type = response.headers().get("content-type").unwrap_or_default();
    let is_stream = response.ok() && content_type.starts_with(MEDIA_TYPE);
    let body = response.body().filter(|_| is_stream)?;
    Some(body.get_reader().unchecked_into())
}

/// Reads the next bytes. Returns `None` at the end, after an error, and after silence.
async fn read_part(reader: &ReadableStreamDefaultReader) -> Option<Vec<u8>> {
    let part = pin!(JsFuture::from(reader.read()));
    let Either::Left((part, _)) =
        select(part, TimeoutFuture::new(to_timer_ms(SILENCE_MAX_MS))).await
    else {
        return None;
    };
    let value = Reflect::get(&part.ok()?, &"value".into()).ok()?;
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
}

fn to_timer_ms(milliseconds: u64) -> u32 {
    u32::try_from(milliseconds).unwrap_or(u32::MAX)
}
