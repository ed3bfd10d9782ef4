//! Fake network: replaces `window.fetch`, answers with a test's replies, and records the requests.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use leptos::wasm_bindgen::{JsCast, JsValue, closure::Closure};
use serde_json::{Value, json};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{Request, Response, ResponseInit};

use crate::event_streams::EventStreams;

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedRequest {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) url: String,
    pub(crate) body: String,
    /// Whether the request had the CSRF header.
    pub(crate) has_csrf_header: bool,
    /// Whether the request had an API key, which the dashboard must never send.
    pub(crate) has_api_key: bool,
}

/// A response to a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) delay_ms: u32,
    /// Fails as if the network were lost.
    pub(crate) lost: bool,
    /// Answers with an opaque redirect, which the dashboard does not follow.
    pub(crate) redirect: bool,
    /// `None` is plain text.
    pub(crate) content_type: Option<&'static str>,
    /// Rate-limit headers: requests per window, and requests remaining for the next hour.
    pub(crate) rate: Option<(u32, u32)>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self { status, body: body.to_string(), ..Self::default() }
    }

    pub(crate) fn ok(body: &Value) -> Self {
        Self::json(200, body)
    }

    pub(crate) fn no_content() -> Self {
        Self { status: 204, ..Self::default() }
    }

    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, &json!({ "error": code, "message": message }))
    }

    /// Refuses until the user has confirmed the action by `needs`, `password` or `sign_in`.
    pub(crate) fn needs(needs: &str) -> Self {
        Self::json(403, &json!({ "error": "forbidden", "message": "prove it", "needs": needs }))
    }

    pub(crate) fn too_many(retry_after_s: u64) -> Self {
        let body = json!({
            "error": "rate_limit_exceeded", "message": "slow down", "retry_after": retry_after_s,
        });
        Self::json(429, &body)
    }

    pub(crate) fn with_rate_limit(self, limit: u32, remaining: u32) -> Self {
        Self { rate: Some((limit, remaining)), ..self }
    }

    pub(crate) fn delayed(self, delay_ms: u32) -> Self {
        Self { delay_ms, ..self }
    }
}

/// Interval of the checks whether a delayed request was aborted, in milliseconds.
const STEP_MS: u32 = 500;

type FetchHandler = Closure<dyn Fn(Request) -> Promise>;

/// The installed fake network. Dropping it restores the real `fetch`.
pub(crate) struct Network {
    asked: Rc<RefCell<Vec<RecordedRequest>>>,
    original: JsValue,
    /// The streams of events that the page opens. Their requests are not recorded.
    pub(crate) streams: EventStreams,
    _answer: FetchHandler,
}

impl Drop for Network {
    fn drop(&mut self) {
        Reflect::set(&window(), &"fetch".into(), &self.original).unwrap();
    }
}

impl Network {
    /// Installs a network that answers each request with `answer`.
    pub(crate) fn new(answer: impl Fn(&RecordedRequest) -> Reply + 'static) -> Self {
        let asked = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&asked);
        let streams = EventStreams::default();
        let opened = streams.clone();
        let answer = Rc::new(answer);
        let answer: FetchHandler = Closure::new(move |request: Request| {
            let url = web_sys::Url::new(&request.url()).unwrap();
            if url.pathname() == "/account/events" {
                assert_eq!(request.headers().get("x-sheaf-csrf").unwrap().as_deref(), Some("1"));
                let url = url.pathname() + &url.search();
                let response = opened.open(&url, &request.signal());
                return future_to_promise(async { Ok(response.into()) });
            }
            let log = Rc::clone(&log);
            let answer = Rc::clone(&answer);
            future_to_promise(async move {
                let asked = record_request(&request).await;
                let reply = answer(&asked);
                log.borrow_mut().push(asked);
                let mut left_ms = reply.delay_ms;
                while left_ms > 0 && !request.signal().aborted() {
                    let step_ms = left_ms.min(STEP_MS);
                    TimeoutFuture::new(step_ms).await;
                    left_ms -= step_ms;
                }
                if reply.lost || request.signal().aborted() {
                    return Err(js_sys::Error::new("gone").into());
                }
                Ok(build_response(&reply).into())
            })
        });
        let original = Reflect::get(&window(), &"fetch".into()).unwrap();
        let function: &Function = answer.as_ref().unchecked_ref();
        Reflect::set(&window(), &"fetch".into(), function).unwrap();
        Self { asked, original, streams, _answer: answer }
    }

    /// Returns the requests so far with `part` in their URL.
    pub(crate) fn requests(&self, part: &str) -> Vec<RecordedRequest> {
        self.asked.borrow().iter().filter(|asked| asked.url.contains(part)).cloned().collect()
    }

    /// Returns the requests so far with this method, and with `part` in their URL.
    pub(crate) fn sent(&self, method: &str, part: &str) -> Vec<RecordedRequest> {
        let mut sent = self.requests(part);
        sent.retain(|asked| asked.method == method);
        sent
    }
}

async fn record_request(request: &Request) -> RecordedRequest {
    let url = web_sys::Url::new(&request.url()).unwrap();
    let headers = request.headers();
    let body = JsFuture::from(request.text().unwrap()).await.unwrap();
    RecordedRequest {
        method: request.method(),
        url: url.pathname() + &url.search(),
        body: body.as_string().unwrap_or_default(),
        has_csrf_header: headers.get("x-sheaf-csrf").unwrap().as_deref() == Some("1"),
        has_api_key: headers.has("x-api-key").unwrap(),
    }
}

fn build_response(reply: &Reply) -> Response {
    if reply.redirect {
        // The status of an opaque redirect is 0, too.
        return Response::error();
    }
    let init = ResponseInit::new();
    init.set_status(reply.status);
    let headers = web_sys::Headers::new().unwrap();
    if let Some(content_type) = reply.content_type {
        headers.set("content-type", content_type).unwrap();
    }
    if let Some((limit, remaining)) = reply.rate {
        let reset_s = js_sys::Date::now() / 1000.0 + 3600.0;
        for (name, value) in [
            ("x-ratelimit-limit", limit.to_string()),
            ("x-ratelimit-remaining", remaining.to_string()),
            ("x-ratelimit-reset", format!("{reset_s:.0}")),
        ] {
            headers.set(name, &value).unwrap();
        }
    }
    init.set_headers(&headers);
    let body = (reply.status != 204).then_some(reply.body.as_str());
    Response::new_with_opt_str_and_init(body, &init).unwrap()
}
