//! Converts between instants and days in the viewer's time zone. The browser's `Date` does the
//! calculation, because it handles days of 23 and 25 hours.

use chrono::{Datelike, NaiveDate};
use contract::{Filter, Timestamp};
use js_sys::{Array, Date, Function, Intl, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::{
    domain::time::DayRange,
    i18n,
    ui::time::{date_time_formatter, short_text},
};

/// Returns the instant at which a day begins in the viewer's time zone.
#[expect(clippy::cast_possible_truncation, reason = "`Date` holds whole milliseconds below 2^53")]
pub fn start_of_day(day: NaiveDate) -> Option<Timestamp> {
    let date = Date::new_with_year_month_day(0, 0, 1);
    // The constructor would read years before 100 as years of the 20th century.
    date.set_full_year_with_month_date(
        u32::try_from(day.year()).ok()?,
        i32::try_from(day.month0()).ok()?,
        i32::try_from(day.day()).ok()?,
    );
    date.set_hours(0);
    let millis = date.get_time();
    (!millis.is_nan()).then(|| Timestamp::from_millis(millis as i64)).flatten()
}

/// Returns an instant in milliseconds since 1970 UTC, as JavaScript represents it.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of four-digit years fit in 2^53")]
pub fn millis_of(instant: Timestamp) -> f64 {
    instant.millis() as f64
}

/// Returns the day of an instant in the viewer's time zone.
pub fn day_of(instant: Timestamp) -> Option<NaiveDate> {
    let date = Date::new(&millis_of(instant).into());
    let year = i32::try_from(date.get_full_year()).ok()?;
    NaiveDate::from_ymd_opt(year, date.get_month() + 1, date.get_date())
}

/// Returns the current day in the viewer's time zone.
pub fn today() -> Option<NaiveDate> {
    let date = Date::new_0();
    let year = i32::try_from(date.get_full_year()).ok()?;
    NaiveDate::from_ymd_opt(year, date.get_month() + 1, date.get_date())
}

/// Returns the first and the last day of the filter's range, both inclusive.
pub fn days_of(filter: &Filter) -> DayRange {
    let before = |end: Timestamp| Timestamp::from_micros(end.micros() - 1);
    (filter.date_from.and_then(day_of), filter.date_to.and_then(before).and_then(day_of))
}

/// Formats a bound of a filter: only the day if the bound is at midnight, otherwise date and time.
/// An end at midnight is shown as the day before, because ends are exclusive.
pub fn bound_text(bound: Timestamp, is_end: bool) -> String {
    let day = day_of(bound).filter(|day| start_of_day(*day) == Some(bound));
    match day {
        Some(day) if is_end => day.pred_opt().and_then(day_text),
        Some(day) => day_text(day),
        None => None,
    }
    .unwrap_or_else(|| short_text(millis_of(bound)))
}

/// Formats a day in the viewer's locale.
pub fn day_text(day: NaiveDate) -> Option<String> {
    format_day(day, "dateStyle", "medium")
}

/// Formats the year of a day in the viewer's locale.
pub fn year_text(day: NaiveDate) -> Option<String> {
    format_day(day, "year", "numeric")
}

fn format_day(day: NaiveDate, option: &str, value: &str) -> Option<String> {
    let date = Date::new(&millis_of(start_of_day(day)?).into());
    let format = date_time_formatter(&i18n::number_locales(), &[(option, value)]);
    format.call1(&JsValue::UNDEFINED, &date).ok()?.as_string()
}

/// Returns the first day of the week in the viewer's locale; Monday is 0, and also the default if
/// the browser does not know it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an integer from 1 (Monday) to 7 (Sunday)"
)]
pub fn first_weekday() -> u32 {
    let of_locale = || {
        let format = Intl::DateTimeFormat::new(&i18n::number_locales(), &Object::new());
        let resolved = format.resolved_options();
        let name = Reflect::get(&resolved, &"locale".into()).ok()?;
        let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
        let kind: Function = Reflect::get(&intl, &"Locale".into()).ok()?.dyn_into().ok()?;
        let locale = Reflect::construct(&kind, &Array::of1(&name)).ok()?;
        // A method in current browsers, a property in older ones.
        let info = match Reflect::get(&locale, &"getWeekInfo".into()).ok()?.dyn_into::<Function>() {
            Ok(info_getter) => info_getter.call0(&locale).ok()?,
            Err(_) => Reflect::get(&locale, &"weekInfo".into()).ok()?,
        };
        let first = Reflect::get(&info, &"firstDay".into()).ok()?.as_f64()?;
        (1.0..=7.0).contains(&first).then_some(first as u32 - 1)
    };
    of_locale().unwrap_or_default()
}

/// Formats an instant for a `datetime-local` field: in the viewer's time zone, to the minute.
pub fn field_text(instant: Timestamp) -> String {
    let date = Date::new(&JsValue::from_f64(millis_of(instant)));
    let month = date.get_month() + 1;
    let day = date.get_date();
    let hour = date.get_hours();
    let minute = date.get_minutes();
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}", date.get_full_year())
}

/// Parses the format of [`field_text`].
#[expect(clippy::cast_possible_truncation, reason = "`Date` holds whole milliseconds below 2^53")]
pub fn parse_field_text(text: &str) -> Option<Timestamp> {
    let millis = Date::new(&JsValue::from_str(text)).get_time();
    if millis.is_nan() { None } else { Timestamp::from_millis(millis as i64) }
}

/// Returns the name of the viewer's time zone, for example `Europe/Berlin`. It is `UTC` if the
/// browser does not know it, which Chromium calls `Etc/Unknown`.
pub fn time_zone() -> String {
    let options = Intl::DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    let zone = Reflect::get(&options, &"timeZone".into()).ok().and_then(|zone| zone.as_string());
    zone.filter(|zone| !zone.ends_with("/Unknown")).unwrap_or_else(|| "UTC".to_owned())
}
