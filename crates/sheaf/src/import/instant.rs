//! Instants as the files of survey tools write them.
//!
//! What a text says is read apart from what it means: whether `3/4/26` is a day of March or of
//! April is decided by the whole file, or by the person, never by one cell.

use chrono::{Duration, LocalResult, NaiveDate, NaiveDateTime, TimeZone as _};
use contract::Timestamp;
use std::str::FromStr;

/// Two-digit years up to this one are of the century of 2000.
const LAST_YEAR_OF_2000S: u32 = 68;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Names of zones that survey tools write and that mean one offset, in minutes.
const ZONES: [(&str, i64); 15] = [
    ("Z", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("CET", 60),
    ("MEZ", 60),
    ("CEST", 120),
    ("MESZ", 120),
    ("EDT", -240),
    ("EST", -300),
    ("CDT", -300),
    ("MDT", -360),
    ("MST", -420),
    ("PDT", -420),
    ("PST", -480),
];

/// In which order day, month and year stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// Day first.
    Dmy,
    /// Month first.
    Mdy,
    /// Year first.
    Ymd,
}

impl FromStr for DateOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "dmy" => Ok(Self::Dmy),
            "mdy" => Ok(Self::Mdy),
            "ymd" => Ok(Self::Ymd),
            _ => Err(format!("an order of dates is `dmy`, `mdy` or `ymd`, but this is `{text}`")),
        }
    }
}

/// Where the clocks stood that names no offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Seconds before UTC's clock.
    Offset(i64),
    /// One of the zones that people name by a city.
    Named(chrono_tz::Tz),
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let offset = zone_offset_s(text).map(Self::Offset);
        offset.or_else(|| text.parse().ok().map(Self::Named)).ok_or_else(|| {
            format!(
                "a time zone is such as `Europe/Berlin`, `America/New_York`, `UTC` or `+02:00`, \
                 but this is `{text}`"
            )
        })
    }
}

/// What a cell says of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    date: Date,
    in_day: Duration,
    offset_s: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Date {
    /// No other order is possible.
    Sure(NaiveDate),
    /// Three numbers, of which the last is a year unless the first is.
    Numbers([u32; 3]),
    /// As `Numbers`, where the last has four digits and so must be the year.
    YearLast([u32; 3]),
}

impl Moment {
    /// Reads a text; `None` where it is no moment in any order.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() < 6 || text.len() > 64 || !text.is_ascii() {
            return None;
        }
        let (date, rest) = numeric(text).or_else(|| named_month(text))?;
        let (in_day, offset_s) = match rest {
            "" => (Duration::zero(), None),
            _ => time_of_day(rest.strip_prefix(['T', 't', ' ', ','])?.trim_start())?,
        };
        let moment = Self { date, in_day, offset_s };
        let orders = [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd];
        orders.iter().any(|order| moment.date(*order).is_some()).then_some(moment)
    }

    /// Returns the calendar date in an order.
    pub(super) fn date(&self, order: DateOrder) -> Option<NaiveDate> {
        let [first, second, third] = match (self.date, order) {
            (Date::Sure(date), _) => return Some(date),
            (Date::YearLast(_), DateOrder::Ymd) => return None,
            (Date::Numbers(numbers) | Date::YearLast(numbers), _) => numbers,
        };
        let (year, month, day) = match order {
            DateOrder::Dmy => (third, second, first),
            DateOrder::Mdy => (third, first, second),
            DateOrder::Ymd => (first, second, third),
        };
        NaiveDate::from_ymd_opt(i32::try_from(full_year(year)).ok()?, month, day)
    }

    /// Returns the instant. `None` where there is none: no such date, or an hour that clocks of the
    /// zone left out. Of an hour that came twice it is the first.
    pub(super) fn instant(&self, order: DateOrder, zone: Zone) -> Option<Timestamp> {
        let local = self.date(order)?.and_hms_opt(0, 0, 0)? + self.in_day;
        let utc = match (self.offset_s, zone) {
            (Some(offset_s), _) | (None, Zone::Offset(offset_s)) => earlier(local, offset_s),
            (None, Zone::Named(zone)) => match zone.from_local_datetime(&local) {
                LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.naive_utc(),
                LocalResult::None => return None,
            },
        };
        Timestamp::from_micros(utc.and_utc().timestamp_micros())
    }
}

fn earlier(local: NaiveDateTime, offset_s: i64) -> NaiveDateTime {
    local - Duration::seconds(offset_s)
}

/// A two-digit year in its century. Years of four digits begin at 100 here.
fn full_year(year: u32) -> u32 {
    match year {
        0..=LAST_YEAR_OF_2000S => 2000 + year,
        69..=99 => 1900 + year,
        _ => year,
    }
}

/// Three numbers with the same mark between them, and what stands behind.
fn numeric(text: &str) -> Option<(Date, &str)> {
    let (first, rest) = digits(text)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '/' | '-' | '.'))?;
    let (second, rest) = digits(&rest[1..])?;
    let (third, rest) = digits(rest.strip_prefix(mark)?)?;
    let numbers = [number(first)?, number(second)?, number(third)?];
    let date = match (first.len(), second.len(), third.len()) {
        (4, 1..=2, 1..=2) => {
            let year = i32::try_from(numbers[0]).ok()?;
            Date::Sure(NaiveDate::from_ymd_opt(year, numbers[1], numbers[2])?)
        }
        (1..=2, 1..=2, 2) => Date::Numbers(numbers),
        (1..=2, 1..=2, 4) if numbers[2] >= 100 => Date::YearLast(numbers),
        _ => return None,
    };
    Some((date, rest))
}

/// `1 March 2026`, `1-Mar-26`, `Mar 1, 2026`.
fn named_month(text: &str) -> Option<(Date, &str)> {
    let gap = |text: &'static [char]| move |rest: &mut &str| *rest = rest.trim_start_matches(text);
    let marks = gap(&[' ', '-', ',', '.']);
    let (day, month, mut rest) = if text.starts_with(|c: char| c.is_ascii_digit()) {
        let (day, mut rest) = digits(text)?;
        marks(&mut rest);
        let (month, rest) = month(rest)?;
        (day, month, rest)
    } else {
        let (month, mut rest) = month(text)?;
        marks(&mut rest);
        let (day, rest) = digits(rest)?;
        (day, month, rest)
    };
    marks(&mut rest);
    let (year, rest) = digits(rest)?;
    let year = if matches!(year.len(), 2 | 4) { full_year(number(year)?) } else { return None };
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, number(day)?)?;
    Some((Date::Sure(date), rest))
}

fn month(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let start = name.get(..3)?.to_ascii_lowercase();
    let place = MONTHS.iter().position(|month| *month == start)?;
    Some((u32::try_from(place).ok()? + 1, rest))
}

/// `9:30`, `09:30:15.25`, `9:30 PM`, each perhaps with a zone behind it.
fn time_of_day(text: &str) -> Option<(Duration, Option<i64>)> {
    let (hour, rest) = digits(text)?;
    let (minute, mut rest) = digits(rest.strip_prefix(':')?)?;
    let (mut second, mut micros) = (0, 0);
    if let Some(behind) = rest.strip_prefix(':') {
        let (seconds, behind) = digits(behind)?;
        (second, rest) = (two(seconds)?, behind);
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            micros = micros_of(&fraction[..end])?;
            rest = &fraction[end..];
        }
    }
    let (half, rest) = half_of_day(rest.trim_start());
    let hour = match (half, number(hour).filter(|_| hour.len() <= 2)?) {
        (None, hour) => hour,
        (Some(half), hour @ 1..=12) => hour % 12 + half,
        (Some(_), _) => return None,
    };
    let minute = two(minute)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let zone = rest.trim_start();
    let offset_s = if zone.is_empty() { None } else { Some(zone_offset_s(zone)?) };
    let in_day = i64::from(hour * 3600 + minute * 60 + second);
    Some((Duration::seconds(in_day) + Duration::microseconds(micros), offset_s))
}

fn micros_of(fraction: &str) -> Option<i64> {
    let digit = |at: usize| fraction.as_bytes().get(at).map_or(0, |digit| i64::from(digit - b'0'));
    (!fraction.is_empty()).then(|| (0..6).fold(0, |sum, at| sum * 10 + digit(at)))
}

/// The hours that `AM` or `PM` adds.
fn half_of_day(text: &str) -> (Option<u32>, &str) {
    for (name, hours) in [("AM", 0), ("PM", 12), ("a.m.", 0), ("p.m.", 12)] {
        if text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return (Some(hours), &text[name.len()..]);
        }
    }
    (None, text)
}

/// `Z`, `CET`, `+02:00`, `GMT-5`.
fn zone_offset_s(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, shift) = text.split_at(end);
    let known = |(zone, _): &&(&str, i64)| zone.eq_ignore_ascii_case(name);
    let minutes = match name {
        "" if shift.is_empty() => return None,
        "" => 0,
        _ => ZONES.iter().find(known)?.1,
    };
    let Some(sign) = shift.chars().next() else { return Some(minutes * 60) };
    let (hours, rest) = digits(&shift[1..])?;
    let (hours, more) = match (hours.len(), rest.strip_prefix(':')) {
        (1..=2, None) if rest.is_empty() => (number(hours)?, 0),
        (1..=2, Some(more)) => (number(hours)?, two(more)?),
        (4, None) if rest.is_empty() => (number(&hours[..2])?, number(&hours[2..])?),
        _ => return None,
    };
    let seconds = i64::from(hours * 3600 + more * 60);
    match sign {
        '+' if hours < 24 && more < 60 => Some(minutes * 60 + seconds),
        '-' if hours < 24 && more < 60 => Some(minutes * 60 - seconds),
        _ => None,
    }
}

fn two(text: &str) -> Option<u32> {
    number(text).filter(|_| text.len() == 2)
}

/// One to four digits at the beginning, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (1..=4).contains(&end).then(|| text.split_at(end))
}

fn number(text: &str) -> Option<u32> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
#[path = "instant_tests.rs"]
mod tests;
