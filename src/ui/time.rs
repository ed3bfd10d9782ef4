//! Formats instants and durations in the viewer's locale and time zone. The browser's `Intl`
//! provides all words.

use std::cell::RefCell;
use std::time::Duration;

use js_sys::{Array, Date, Function, Intl, Object, Reflect};
use leptos::prelude::*;

use crate::i18n;
use crate::ui::calc::time::{format_clock, relative_distance, seconds_left};

/// Placeholder for a missing value.
const MISSING_VALUE: &str = "—";

/// Returns a JavaScript object with these properties.
pub(crate) fn js_options(pairs: &[(&str, &str)]) -> Object {
    let object = Object::new();
    for (key, value) in pairs {
        // A new plain object accepts every property.
        let _ = Reflect::set(&object, &(*key).into(), &(*value).into());
    }
    object
}

/// Returns a function that formats instants in a locale.
pub(crate) fn date_time_formatter(locales: &Array, pairs: &[(&str, &str)]) -> Function {
    Intl::DateTimeFormat::new(locales, &js_options(pairs)).format()
}

thread_local! {
    // Cached: creating a formatter takes longer than rendering the rest of a row.
    static RELATIVE: Intl::RelativeTimeFormat = {
        let options = js_options(&[("numeric", "auto"), ("style", "short")]);
        Intl::RelativeTimeFormat::new(&i18n::text_locales(), &options)
    };
    // Last result: adjacent rows mostly have the same distance from now.
    static LAST_RELATIVE: RefCell<((f64, &'static str), String)> = RefCell::default();
    static FULL: Function = {
        let styles = [("dateStyle", "full"), ("timeStyle", "long")];
        date_time_formatter(&i18n::number_locales(), &styles)
    };
    static MONTH: [Function; 2] = [
        date_time_formatter(&i18n::text_locales(), &[("month", "short")]),
        date_time_formatter(&i18n::text_locales(), &[("month", "long"), ("year", "numeric")]),
    ];
    static SHORT: Function = {
        let styles = [("dateStyle", "medium"), ("timeStyle", "medium")];
        date_time_formatter(&i18n::number_locales(), &styles)
    };
}

/// Returns "3 hours ago", "yesterday" or "now", in the language of the interface.
pub fn relative_text(at_ms: f64, now_ms: f64) -> String {
    // `Intl` throws for numbers that are not finite, and an exception aborts the page.
    if !(at_ms - now_ms).is_finite() {
        return MISSING_VALUE.to_owned();
    }
    let distance = relative_distance(at_ms, now_ms);
    LAST_RELATIVE.with_borrow_mut(|(last, text)| {
        if *last != distance {
            *text = RELATIVE.with(|format| format.format(distance.0, distance.1).into());
            *last = distance;
        }
        text.clone()
    })
}

/// Returns the full date and time with seconds and time zone, in the viewer's locale.
pub fn full_text(at_ms: f64) -> String {
    FULL.with(|writer| format_instant(at_ms, writer))
}

/// Returns date and time with seconds, in the viewer's locale.
pub fn short_text(at_ms: f64) -> String {
    SHORT.with(|writer| format_instant(at_ms, writer))
}

/// Returns the month of an instant, in the language of the interface: "Mar", or "March 2026".
pub fn month_text(at_ms: f64, long: bool) -> String {
    MONTH.with(|writers| format_instant(at_ms, &writers[usize::from(long)]))
}

/// Formats an instant. `Intl` throws for an instant out of its range, which a foreign server might
/// send.
fn format_instant(at_ms: f64, writer: &Function) -> String {
    let date = Date::new(&at_ms.into());
    if date.get_time().is_nan() {
        return MISSING_VALUE.to_owned();
    }
    writer
        .call1(&wasm_bindgen::JsValue::UNDEFINED, &date)
        .ok()
        .and_then(|text| text.as_string())
        .unwrap_or_else(|| MISSING_VALUE.to_owned())
}

/// Refresh interval of relative times.
const REFRESH_INTERVAL: Duration = Duration::from_secs(20);

/// Returns the current time in milliseconds since 1970. Tracked: one interval for the whole page
/// notifies all readers, so that relative times on an open page stay correct.
pub fn tracked_now_ms() -> f64 {
    thread_local! {
        static REFRESH_TRIGGER: ArcTrigger = {
            let trigger = ArcTrigger::new();
            let trigger_clone = trigger.clone();
            set_interval(move || trigger_clone.notify(), REFRESH_INTERVAL);
            trigger
        };
    }
    REFRESH_TRIGGER.with(ArcTrigger::track);
    Date::now()
}

/// Returns the current time in milliseconds since 1970.
pub fn now_ms() -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "milliseconds since 1970"
    )]
    let now_ms = Date::now() as u64;
    now_ms
}

/// Instant relative to now; the full date and time on hover.
#[component]
pub fn RelativeTime(
    /// Instant, in milliseconds since 1970 UTC.
    at_ms: f64,
    /// Current time in milliseconds since 1970 UTC; defaults to the clock.
    #[prop(into, optional)]
    now_ms: Option<Signal<f64>>,
) -> impl IntoView {
    let text =
        move || relative_text(at_ms, now_ms.map_or_else(tracked_now_ms, |now_ms| now_ms.get()));
    view! {
        <time class="time" datetime=iso_text(at_ms) title=full_text(at_ms)>
            {text}
        </time>
    }
}

/// Instant with date and seconds; the full date and time on hover.
#[component]
pub fn Instant(
    /// Instant, in milliseconds since 1970 UTC.
    at_ms: f64,
) -> impl IntoView {
    view! {
        <time class="time" datetime=iso_text(at_ms) title=full_text(at_ms)>
            {short_text(at_ms)}
        </time>
    }
}

/// Returns an instant as ISO 8601; `None` if it is out of range.
pub fn iso_text(at_ms: f64) -> Option<String> {
    let date = Date::new(&at_ms.into());
    (!date.get_time().is_nan()).then(|| date.to_iso_string().into())
}

/// Countdown that reports its end once.
#[component]
pub fn Countdown(
    /// Duration in seconds.
    seconds: u32,
    /// Runs at the end.
    #[prop(into)]
    on_end: Callback<()>,
) -> impl IntoView {
    // Compare with the clock: timers of a page in the background are delayed.
    let end_ms = Date::now() + f64::from(seconds) * 1000.0;
    let remaining = RwSignal::new(seconds);
    let ticking = StoredValue::new(None::<IntervalHandle>);
    let stop = move || {
        if let Some(Some(handle)) = ticking.try_update_value(Option::take) {
            handle.clear();
        }
    };
    let tick = move || {
        let now = seconds_left(end_ms, Date::now());
        remaining.try_set(now);
        if now == 0 {
            stop();
            on_end.run(());
        }
    };
    ticking.set_value(set_interval_with_handle(tick, Duration::from_millis(250)).ok());
    on_cleanup(stop);
    view! {
        <span class="countdown" role="timer">
            {move || format_clock(remaining.get())}
        </span>
    }
}
