//! Timestamps as other tools write them.
//!
//! Parsing is separate from interpretation: whether `3/4/26` is in March or in April is decided by
//! the whole file or by the user, never by one cell.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _};
use contract::Timestamp;
use std::str::FromStr;

use super::date_parser::parse_date_text;
use super::date_text::{DateText, TimeOfDay, normalise};
use super::zone::{StatedZone, Zone, ZoneError, to_utc};

/// Maximum length of a timestamp, in bytes.
const TEXT_BYTES_MAX: usize = 160;
/// Accepted years of a date. Complete ISO 8601 timestamps may have any year.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2199;
/// Accepted years of the Buddhist calendar, which Thai programs write, and its offset.
const BUDDHIST_YEARS: std::ops::RangeInclusive<i32> = 2443..=2742;
const BUDDHIST_YEARS_AHEAD: i32 = 543;
/// Two-digit Buddhist years from 2538 (1995) on, because web forms are not older. Smaller numbers
/// are Gregorian.
const SHORT_BUDDHIST_YEARS: std::ops::RangeInclusive<i32> = 38..=99;
/// Accepted serial numbers of spreadsheets, in days since 1899-12-30: 1927 to 2173.
const SERIAL_DAYS: std::ops::Range<f64> = 10_000.0..100_000.0;
/// Accepted Unix timestamps, in seconds: 2001 to 2128.
const EPOCH_S: std::ops::Range<i64> = 1_000_000_000..5_000_000_000;

/// Order of day, month and year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// Day first.
    Dmy,
    /// Month first.
    Mdy,
    /// Year first.
    Ymd,
    /// Day first, as in Thailand: two-digit years can be Buddhist.
    ThaiDmy,
}

impl FromStr for DateOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "dmy" => Ok(Self::Dmy),
            "mdy" => Ok(Self::Mdy),
            "ymd" => Ok(Self::Ymd),
            _ => Err(format!("must be `dmy`, `mdy` or `ymd`, but is `{text}`")),
        }
    }
}

/// Date and time in a cell, before the date order is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParsedTime {
    /// Date in each order.
    dates: [Option<NaiveDate>; 4],
    time: NaiveTime,
    zone: Option<StatedZone>,
    /// Whether the text has a time of day.
    pub(crate) has_clock: bool,
    /// Whether dots separate day, month and year. No language writes the month first with dots.
    pub(crate) is_dotted: bool,
    /// Whether the name of the month means different months in different languages.
    is_ambiguous: bool,
}

/// Reason why a moment is no instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstantError {
    /// The date is invalid in this order.
    Date,
    /// The month depends on the language.
    Month,
    /// The time zone is ambiguous, or skipped this hour.
    Zone(ZoneError),
}

impl ParsedTime {
    /// Parses a text; `None` if it is no moment in any order.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if !(6..=TEXT_BYTES_MAX).contains(&text.len()) || !text.contains(char::is_numeric) {
            return None;
        }
        parse_rfc_3339(text).or_else(|| Self::from_text(&parse_date_text(&normalise(text))?))
    }

    /// Returns the date in an order.
    pub(crate) fn date(&self, order: DateOrder) -> Option<NaiveDate> {
        self.dates[order as usize]
    }

    /// Returns the local date and time in an order.
    pub(crate) fn local(&self, order: DateOrder) -> Option<NaiveDateTime> {
        Some(self.date(order)?.and_time(self.time))
    }

    /// Whether the text states a time zone.
    pub(crate) fn has_zone(&self) -> bool {
        self.zone.is_some()
    }

    /// Returns the instant. `zone` is used for times without a zone, and resolves abbreviations.
    ///
    /// # Errors
    /// A date that is invalid in this order, an hour that clocks skipped, or an ambiguous month or
    /// abbreviation.
    pub(crate) fn instant(
        &self,
        order: DateOrder,
        zone: Option<Zone>,
    ) -> Result<Timestamp, InstantError> {
        if self.is_ambiguous {
            return Err(InstantError::Month);
        }
        let local = self.local(order).ok_or(InstantError::Date)?;
        let utc = match self.zone {
            Some(stated) => stated.to_utc(local, zone),
            None => to_utc(local, zone),
        };
        to_timestamp(utc.map_err(InstantError::Zone)?).ok_or(InstantError::Date)
    }

    fn from_text(text: &DateText<'_>) -> Option<Self> {
        let dates = dates_by_order(text)?;
        let is_dotted = text.month.is_none() && text.marks[1..] == [Some('.'), Some('.')];
        let (time, has_clock) = match &text.clock {
            Some(clock) => (parse_clock(clock)?, true),
            None => (NaiveTime::MIN, false),
        };
        let zone = text.zone;
        let is_ambiguous = text.is_ambiguous;
        Some(Self { dates, time, zone, has_clock, is_dotted, is_ambiguous })
    }
}

fn to_timestamp(utc: NaiveDateTime) -> Option<Timestamp> {
    Timestamp::from_micros(utc.and_utc().timestamp_micros())
}

/// Fast path for `2026-03-01T09:30:00+01:00`, by far the most frequent format.
fn parse_rfc_3339(text: &str) -> Option<ParsedTime> {
    let at = DateTime::parse_from_rfc3339(text).ok()?;
    let local = at.naive_local();
    let offset_s = i64::from(at.offset().local_minus_utc());
    // Chrono represents a leap second by a billion nanoseconds or more.
    (local.nanosecond() < 1_000_000_000).then(|| ParsedTime {
        dates: [Some(local.date()); 4],
        time: local.time(),
        zone: Some(StatedZone::Zone(Zone::Offset(offset_s))),
        has_clock: true,
        is_dotted: false,
        is_ambiguous: false,
    })
}

/// Returns the date in each order; `None` if no order gives one.
fn dates_by_order(text: &DateText<'_>) -> Option<[Option<NaiveDate>; 4]> {
    let lengths: Vec<usize> = text.numbers.iter().map(|number| number.len()).collect();
    let numbers: Vec<i32> =
        text.numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let ymd = |year: i32, month: i32, day: i32| {
        let date = NaiveDate::from_ymd_opt(year, month.try_into().ok()?, day.try_into().ok()?)?;
        YEARS.contains(&year).then_some(date)
    };
    let [first, second] = [numbers[0], numbers[1]];
    if let Some(month) = text.month {
        let month = i32::try_from(month).ok()?;
        let (date, thai) = match lengths[..] {
            [4, 1 | 2] => (ymd(full_year(first, 4)?, month, second), None),
            [1 | 2, length @ (2 | 4)] => {
                let thai = (length == 2).then(|| ymd(thai_year(second)?, month, first));
                (ymd(full_year(second, length)?, month, first), thai.flatten())
            }
            _ => return None,
        };
        return date.map(|date| [Some(date), Some(date), Some(date), thai.or(Some(date))]);
    }
    let third = *numbers.get(2)?;
    let are_divided = text.marks.iter().skip(1).all(Option::is_some);
    let dates = match lengths[..] {
        _ if !are_divided => return None,
        [4, 1 | 2, 1 | 2] => [ymd(full_year(first, 4)?, second, third); 4],
        [1 | 2, 1 | 2, 4] => {
            let year = full_year(third, 4)?;
            let day_first = ymd(year, second, first);
            [day_first, ymd(year, first, second), None, day_first]
        }
        [length, 1 | 2, 2] if length <= 2 => {
            let year = full_year(third, 2)?;
            // A year has at least two digits.
            let year_first = full_year(first, length).and_then(|year| ymd(year, second, third));
            let thai = ymd(thai_year(third)?, second, first);
            [ymd(year, second, first), ymd(year, first, second), year_first, thai]
        }
        [2, 1 | 2, 1] if is_year_first(text) => {
            [None, None, ymd(full_year(first, 2)?, second, third), None]
        }
        _ => return None,
    };
    dates.iter().any(Option::is_some).then_some(dates)
}

/// Whether a date with a one-digit day at the end has the year first, as in `26/8/2` and the Korean
/// `26. 8. 2.`. Without the last dot it could be a version or a chapter.
fn is_year_first(text: &DateText<'_>) -> bool {
    text.is_closed_by_dot || text.marks[1..] == [Some('/'), Some('/')]
}

/// Completes a two-digit year in a Thai file.
fn thai_year(year: i32) -> Option<i32> {
    if SHORT_BUDDHIST_YEARS.contains(&year) {
        return full_year(2500 + year, 4);
    }
    full_year(year, 2)
}

/// Completes a two-digit year as POSIX does, and converts a Buddhist year.
fn full_year(year: i32, digits: usize) -> Option<i32> {
    match (digits, year) {
        (2, 0..=68) => Some(2000 + year),
        (2, 69..=99) => Some(1900 + year),
        (4, year) if BUDDHIST_YEARS.contains(&year) => Some(year - BUDDHIST_YEARS_AHEAD),
        (4, year) => Some(year),
        _ => None,
    }
}

fn parse_clock(clock: &TimeOfDay<'_>) -> Option<NaiveTime> {
    let hour: u32 = clock.hour.parse().ok()?;
    let hour = match clock.half {
        None => hour,
        Some(half) if hour <= 12 => hour % 12 + if half.is_afternoon(hour) { 12 } else { 0 },
        // `21:30 PM` is redundant, and `Sa 21:30` names a weekday.
        Some(half) if half.is_afternoon(11) || !half.is_only_half() => hour,
        Some(_) => return None,
    };
    let two = |text: &str| text.parse().ok().filter(|_| text.len() <= 2);
    let micros = format!("{:0<6.6}", clock.fraction).parse().ok()?;
    NaiveTime::from_hms_micro_opt(hour, two(clock.minute)?, two(clock.second)?, micros)
}

/// Parses a serial day number of a spreadsheet as a local time in `zone`, or a Unix timestamp in
/// seconds or milliseconds.
pub(crate) fn parse_numeric_instant(text: &str, zone: Option<Zone>) -> Option<Timestamp> {
    let text = text.trim().replace(',', ".");
    if let Ok(number) = text.parse::<i64>() {
        let micros = match number {
            _ if EPOCH_S.contains(&number) => Some(number * 1_000_000),
            _ if EPOCH_S.contains(&(number / 1000)) => Some(number * 1000),
            _ => None,
        };
        if micros.is_some() {
            return micros.and_then(Timestamp::from_micros);
        }
    }
    let is_plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let days: f64 = text.parse().ok().filter(|days| is_plain && SERIAL_DAYS.contains(days))?;
    // Spreadsheets show whole seconds, and their serial numbers are not exact.
    #[expect(clippy::cast_possible_truncation, reason = "the range of days is small")]
    let seconds = (days * 86_400.0).round() as i64;
    let first = NaiveDate::from_ymd_opt(1899, 12, 30)?.and_time(NaiveTime::MIN);
    let local = first.checked_add_signed(TimeDelta::try_seconds(seconds)?)?;
    to_timestamp(to_utc(local, zone).ok()?)
}

/// Whether a spreadsheet replaced a cell by `#`, because its column was too narrow.
pub(crate) fn is_hidden(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 3 && text.bytes().all(|b| b == b'#')
}

#[cfg(test)]
#[path = "moment_tests.rs"]
mod tests;
