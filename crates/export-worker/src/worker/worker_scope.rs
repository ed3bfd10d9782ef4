//! Environment of the worker: messages to its page, clock, time zone, timers.

use contract::Timestamp;
use export_worker::task::{Failure, InterruptedExport, WorkerEvent};
use js_sys::{Array, Date, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DedicatedWorkerGlobalScope};

use super::stop::{ExportControl, StopReason};

/// Period that shares one cached offset from UTC, in milliseconds. No zone changes its offset
/// within it.
const OFFSET_CACHE_MS: i64 = 15 * 60 * 1000;

/// Wait for a response or its next bytes in milliseconds, after which the page is notified.
const SILENCE_NOTICE_MS: i32 = 15_000;
/// Additional wait before the request fails, in milliseconds. In total this is longer than the
/// timeout of the gateway for the server behind it.
const EXTRA_WAIT_MS: i32 = 20_000;

pub(super) fn worker_scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends an event to the page, with an optional file.
pub(super) fn send_event(event: &WorkerEvent, file: Option<&Blob>) {
    post_message(event, "file", file.map_or(&JsValue::UNDEFINED, |file| file));
}

/// Sends the ready event with the interrupted exports and the handles of their files. Only a page
/// can ask the user for permission to write them again.
pub(super) fn send_ready(interrupted: &[InterruptedExport], handles: &Array) {
    post_message(&WorkerEvent::Ready(interrupted.to_vec()), "handles", handles);
}

fn post_message(event: &WorkerEvent, name: &str, value: &JsValue) {
    let message = Object::new();
    let text = serde_json::to_string(event).unwrap_or_default();
    let set = |name: &str, value: &JsValue| {
        // Cannot fail for a plain object.
        let _ = Reflect::set(&message, &JsValue::from_str(name), value);
    };
    set("text", &JsValue::from_str(&text));
    set(name, value);
    // Fails only for values that cannot be cloned; texts and files can.
    let _ = worker_scope().post_message(&message);
}

#[expect(clippy::cast_possible_truncation, reason = "`Date` holds whole milliseconds below 2^53")]
pub(super) fn now() -> Timestamp {
    Timestamp::from_millis(Date::now() as i64).unwrap_or(Timestamp::MIN)
}

/// Returns the milliseconds since an instant; 0 if the clock was set back.
pub(super) fn since_ms(instant_ms: f64) -> u64 {
    truncate_to_u64(Date::now() - instant_ms)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates; negative values become 0"
)]
pub(super) fn truncate_to_u64(number: f64) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "waits and sizes are far below 2^53")]
pub(super) fn to_f64(number: u64) -> f64 {
    number as f64
}

/// Waits for a promise of an object, at most for the maximum response time. Notifies the page if it
/// takes long. The inner error comes from the promise.
///
/// # Errors
/// [`Failure::NoAnswer`] if it takes too long.
pub(super) async fn with_timeout(
    promise: Promise,
    control: &ExportControl,
) -> Result<Result<JsValue, JsValue>, StopReason> {
    if let Some(first) = race_timeout(&promise, SILENCE_NOTICE_MS).await {
        return Ok(first);
    }
    send_event(&WorkerEvent::Silent(control.id().to_owned()), None);
    race_timeout(&promise, EXTRA_WAIT_MS).await.ok_or(StopReason::Failed(Failure::NoAnswer))
}

/// Waits for a promise of an object; `None` if it takes longer than `ms`.
async fn race_timeout(promise: &Promise, ms: i32) -> Option<Result<JsValue, JsValue>> {
    let mut timer = None;
    let timeout = Promise::new(&mut |resolve, _| {
        let set =
            worker_scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        timer = set.ok();
    });
    let first = JsFuture::from(Promise::race(&Array::of2(promise, &timeout))).await;
    if let Some(timer) = timer {
        worker_scope().clear_timeout_with_handle(timer);
    }
    // The timer resolves to `undefined`.
    let is_late = first.as_ref().is_ok_and(JsValue::is_undefined);
    (!is_late).then_some(first)
}

pub(super) async fn sleep(ms: u64) {
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    let promise = Promise::new(&mut |resolve, _| {
        let set =
            worker_scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        // Cannot fail for a function.
        drop(set);
    });
    // The promise is never rejected.
    let _ = JsFuture::from(promise).await;
}

/// Time zone of the browser. Caches the offset for a quarter of an hour.
#[derive(Default)]
pub(super) struct ViewerZone(Option<(i64, i32)>);

impl ViewerZone {
    /// Returns the offset of local time from UTC at an instant, in minutes.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "offsets are small, and instants are far below 2^53 ms"
    )]
    pub(super) fn utc_offset_min(&mut self, at: Timestamp) -> i32 {
        let bucket = at.millis().div_euclid(OFFSET_CACHE_MS);
        match self.0 {
            Some((known, ahead)) if known == bucket => ahead,
            _ => {
                let date = Date::new(&JsValue::from_f64(at.millis() as f64));
                let ahead = -(date.get_timezone_offset() as i32);
                self.0 = Some((bucket, ahead));
                ahead
            }
        }
    }
}
