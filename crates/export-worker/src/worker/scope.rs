//! What a worker has around it: its page, the clock, the time zone, and time to wait.

use contract::Timestamp;
use export_worker::task::{Failure, Left, Told};
use js_sys::{Array, Date, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DedicatedWorkerGlobalScope};

use super::stop::{Control, Stop};

/// How long one offset from UTC is taken to hold, in milliseconds: no zone changes it midway.
const BUCKET_MS: i64 = 15 * 60 * 1000;

/// Time until an answer or its next bytes come, in milliseconds, before the page says that they do
/// not.
const SILENCE_MS: i32 = 15_000;
/// How much longer they are waited for. With the time before, it is more than the gateway waits for
/// the server behind it.
const LATE_MS: i32 = 20_000;

pub(super) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Tells the page something, and hands it a file.
pub(super) fn post(told: &Told, file: Option<&Blob>) {
    send(told, "file", file.map_or(&JsValue::UNDEFINED, |file| file));
}

/// Tells the page that the worker listens, which exports are left, and hands it the handles of
/// their files: only a page may ask the person whether they may be written again.
pub(super) fn ready(left: &[Left], handles: &Array) {
    send(&Told::Ready(left.to_vec()), "handles", handles);
}

fn send(told: &Told, name: &str, value: &JsValue) {
    let message = Object::new();
    let text = serde_json::to_string(told).unwrap_or_default();
    let set = |name: &str, value: &JsValue| {
        // Fails for no plain object.
        let _ = Reflect::set(&message, &JsValue::from_str(name), value);
    };
    set("text", &JsValue::from_str(&text));
    set(name, value);
    // Fails for nothing that can be copied, which text and files can.
    let _ = scope().post_message(&message);
}

#[expect(clippy::cast_possible_truncation, reason = "`Date` holds whole milliseconds below 2^53")]
pub(super) fn now() -> Timestamp {
    Timestamp::from_millis(Date::now() as i64).unwrap_or(Timestamp::MIN)
}

/// Milliseconds from one instant to now, 0 where the clock was set back.
pub(super) fn since_ms(then: f64) -> u64 {
    whole(Date::now() - then)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a time that is over is 0"
)]
pub(super) fn whole(number: f64) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "waits and sizes lie far below 2^53")]
pub(super) fn float(number: u64) -> f64 {
    number as f64
}

/// Waits for a promise of an object, at most as long as an answer may take, and tells the page when
/// it takes long. The inner error is that of the promise.
///
/// # Errors
/// [`Failure::NoAnswer`] when it takes too long.
pub(super) async fn in_time(
    promise: Promise,
    control: &Control,
) -> Result<Result<JsValue, JsValue>, Stop> {
    if let Some(first) = within(&promise, SILENCE_MS).await {
        return Ok(first);
    }
    post(&Told::Silent(control.id().to_owned()), None);
    within(&promise, LATE_MS).await.ok_or(Stop::Failed(Failure::NoAnswer))
}

/// Waits for a promise of an object; `None` when it takes longer than that.
async fn within(promise: &Promise, ms: i32) -> Option<Result<JsValue, JsValue>> {
    let mut timer = None;
    let late = Promise::new(&mut |resolve, _| {
        let set = scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        timer = set.ok();
    });
    let first = JsFuture::from(Promise::race(&Array::of2(promise, &late))).await;
    if let Some(timer) = timer {
        scope().clear_timeout_with_handle(timer);
    }
    // The timer resolves to nothing.
    let is_late = first.as_ref().is_ok_and(JsValue::is_undefined);
    (!is_late).then_some(first)
}

pub(super) async fn sleep(ms: u64) {
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    let promise = Promise::new(&mut |resolve, _| {
        let set = scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        // Fails for no function.
        drop(set);
    });
    // Never rejected.
    let _ = JsFuture::from(promise).await;
}

/// The browser's time zone, asked once for each quarter of an hour.
#[derive(Default)]
pub(super) struct ViewerZone(Option<(i64, i32)>);

impl ViewerZone {
    /// Returns by how many minutes a clock on the wall is ahead of UTC at a moment.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "an offset is some minutes, a moment far below 2^53 ms"
    )]
    pub(super) fn ahead_min(&mut self, at: Timestamp) -> i32 {
        let bucket = at.millis().div_euclid(BUCKET_MS);
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
