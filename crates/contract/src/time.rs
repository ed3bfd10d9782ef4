//! Timestamps in microseconds, parsed from and formatted as ISO 8601.
//!
//! This module reads no clock. The only time zone it knows is the UTC offset in a parsed text.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Timelike};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// An instant, in microseconds since 1970-01-01T00:00:00Z, between the years 0000 and 9999.
///
/// The text form is ISO 8601 in UTC (`2026-03-01T09:30:00Z`), with three or six decimals if the
/// instant has a fraction of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// Error: the text is not a valid ISO 8601 date or date-time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidTimestamp;

impl fmt::Display for InvalidTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be an ISO 8601 date such as `2026-03-01` or date-time such as \
             `2026-03-01T09:30:00Z`",
        )
    }
}

impl std::error::Error for InvalidTimestamp {}

/// Rounding of digits finer than a microsecond.
#[derive(Clone, Copy, PartialEq)]
enum SubMicrosecond {
    Drop,
    RoundUp,
}

impl Timestamp {
    /// Last instant that can be written: `9999-12-31T23:59:59.999999Z`.
    pub const MAX: Self = Self(253_402_300_799_999_999);
    /// First instant that can be written: `0000-01-01T00:00:00Z`.
    pub const MIN: Self = Self(-62_167_219_200_000_000);

    /// Creates a timestamp from microseconds since the Unix epoch; `None` outside of [`Self::MIN`]
    /// to [`Self::MAX`].
    pub fn from_micros(micros: i64) -> Option<Self> {
        (Self::MIN.0..=Self::MAX.0).contains(&micros).then_some(Self(micros))
    }

    /// Creates a timestamp from milliseconds since the Unix epoch; `None` outside of [`Self::MIN`]
    /// to [`Self::MAX`].
    pub fn from_millis(millis: i64) -> Option<Self> {
        millis.checked_mul(1000).and_then(Self::from_micros)
    }

    /// Returns the instant after a duration, or [`Self::MAX`] if it is later.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(self.micros().saturating_add(micros)).unwrap_or(Self::MAX)
    }

    /// Returns the microseconds since the Unix epoch.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// Returns the whole milliseconds since the Unix epoch, rounded down.
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Returns the whole seconds since the Unix epoch, rounded down.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Parses an instant. Digits finer than a microsecond are dropped.
    ///
    /// A date without a time is midnight UTC. An offset is applied. A date-time without an offset
    /// is UTC.
    ///
    /// # Errors
    /// If the text is not a valid date, or if the year is not between 0000 and 9999.
    ///
    /// ```
    /// # use contract::Timestamp;
    /// let noon = Timestamp::parse("2026-03-01T12:00:00+02:00").unwrap();
    /// assert_eq!(noon.to_string(), "2026-03-01T10:00:00Z");
    /// assert!(Timestamp::parse("2026-02-30").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, InvalidTimestamp> {
        parse_timestamp(text, SubMicrosecond::Drop).ok_or(InvalidTimestamp)
    }

    /// Parses a bound of a half-open range. Digits finer than a microsecond round up.
    ///
    /// Stored instants have no such digits, so the rounded bound selects the same rows as the exact
    /// one.
    ///
    /// # Errors
    /// As [`Timestamp::parse`].
    pub fn parse_bound(text: &str) -> Result<Self, InvalidTimestamp> {
        parse_timestamp(text, SubMicrosecond::RoundUp).ok_or(InvalidTimestamp)
    }
}

fn parse_timestamp(text: &str, finer: SubMicrosecond) -> Option<Timestamp> {
    let mut rest = DateScanner(text.as_bytes());
    let date = rest.read_date()?;
    let midnight = date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_micros();
    if rest.0.is_empty() {
        return Timestamp::from_micros(midnight);
    }
    rest.one_of(b"Tt")?;
    let in_day = rest.read_time_of_day(finer)?;
    let offset_s = rest.read_offset_s()?;
    if !rest.0.is_empty() {
        return None;
    }
    Timestamp::from_micros(midnight + in_day - offset_s * 1_000_000)
}

/// Returns whether a text is an instant in exactly the format that we write.
pub(crate) fn is_written(text: &str) -> bool {
    is_plainly_written(text.as_bytes())
        || Timestamp::parse(text).is_ok_and(|instant| instant.to_string() == text)
}

/// Fast path of [`is_written`]. It accepts most instants, and leaves day 31 and February 29 to the
/// slow path.
fn is_plainly_written(text: &[u8]) -> bool {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let Some((date_time, fraction)) = text.split_at_checked(SHAPE.len()) else { return false };
    let matches_shape = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    let two = |at: usize| (date_time[at] - b'0') * 10 + (date_time[at + 1] - b'0');
    let is_day = |month, day| day <= if month == 2 { 28 } else { 30 };
    let is_fraction = |digits: &[u8]| {
        // We write three decimals if that is exact, so six decimals never end in `000`.
        let has_valid_end = digits.last_chunk::<3>().is_some_and(|last| last != b"000");
        has_valid_end && digits.iter().all(u8::is_ascii_digit)
    };
    let is_shaped = date_time.iter().zip(SHAPE).all(matches_shape);
    is_shaped
        && (1..=12).contains(&two(5))
        && two(8) >= 1
        && is_day(two(5), two(8))
        && (two(11) < 24 && two(14) < 60 && two(17) < 60)
        && match fraction {
            b"Z" => true,
            [b'.', digits @ .., b'Z'] => matches!(digits.len(), 3 | 6) && is_fraction(digits),
            _ => false,
        }
}

/// Unread rest of a date-time.
struct DateScanner<'a>(&'a [u8]);

impl DateScanner<'_> {
    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        allowed.contains(&first).then(|| {
            self.0 = rest;
            first
        })
    }

    fn read_digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits
            .iter()
            .try_fold(0, |sum, d| d.is_ascii_digit().then(|| sum * 10 + u32::from(d - b'0')))
    }

    fn read_date(&mut self) -> Option<NaiveDate> {
        let year = self.read_digits(4)?;
        self.one_of(b"-")?;
        let month = self.read_digits(2)?;
        self.one_of(b"-")?;
        let day = self.read_digits(2)?;
        NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
    }

    /// Parses a time of day, as microseconds since midnight.
    fn read_time_of_day(&mut self, finer: SubMicrosecond) -> Option<i64> {
        let hour = self.read_digits(2)?;
        self.one_of(b":")?;
        let minute = self.read_digits(2)?;
        let (second, micros) = match self.one_of(b":") {
            Some(_) => (self.read_digits(2)?, self.read_fraction(finer)?),
            None => (0, 0),
        };
        let time_of_day = chrono::NaiveTime::from_hms_opt(hour, minute, second)?;
        Some(i64::from(time_of_day.num_seconds_from_midnight()) * 1_000_000 + micros)
    }

    fn read_fraction(&mut self, finer: SubMicrosecond) -> Option<i64> {
        if self.one_of(b".,").is_none() {
            return Some(0);
        }
        let count = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let micros = (0..6)
            .fold(0, |sum, i| sum * 10 + i64::from(digits.get(i).map_or(0, |digit| digit - b'0')));
        let cut = digits.iter().skip(6).any(|&digit| digit != b'0');
        (count > 0).then_some(micros + i64::from(cut && finer == SubMicrosecond::RoundUp))
    }

    fn read_offset_s(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-") {
            None | Some(b'Z' | b'z') => return Some(0),
            Some(sign) => sign,
        };
        let hours = self.read_digits(2)?;
        let colon = self.one_of(b":").is_some();
        let minutes = if colon || !self.0.is_empty() { self.read_digits(2)? } else { 0 };
        let seconds = i64::from(hours * 3600 + minutes * 60);
        (hours < 24 && minutes < 60).then_some(if sign == b'-' { -seconds } else { seconds })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = DateTime::UNIX_EPOCH + TimeDelta::microseconds(self.0);
        let date = instant.date_naive();
        let time = instant.time();
        write!(f, "{:04}-{:02}-{:02}T", date.year(), date.month(), date.day())?;
        write!(f, "{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
        match self.0.rem_euclid(1_000_000) {
            0 => f.write_str("Z"),
            micros if micros % 1000 == 0 => write!(f, ".{:03}Z", micros / 1000),
            micros => write!(f, ".{micros:06}Z"),
        }
    }
}

impl TryFrom<String> for Timestamp {
    type Error = InvalidTimestamp;
    fn try_from(text: String) -> Result<Self, InvalidTimestamp> {
        Self::parse(&text)
    }
}

impl From<Timestamp> for String {
    fn from(instant: Timestamp) -> String {
        instant.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(
            Timestamp::parse(text).map(|instant| instant.to_string()),
            Ok(expected.to_owned()),
            "{text}"
        );
    }

    #[test]
    fn dates_and_date_times_are_parsed() {
        check("2026-03-01", "2026-03-01T00:00:00Z");
        check("2024-02-29", "2024-02-29T00:00:00Z");
        check("2026-03-01T09:30", "2026-03-01T09:30:00Z");
        check("2026-03-01T09:30:15", "2026-03-01T09:30:15Z");
        check("2026-03-01t09:30:15z", "2026-03-01T09:30:15Z");
        check("2026-03-01T09:30:15.5Z", "2026-03-01T09:30:15.500Z");
        check("2026-03-01T09:30:15,123456Z", "2026-03-01T09:30:15.123456Z");
        check("2026-03-01T09:30:15.1234569Z", "2026-03-01T09:30:15.123456Z");
        check("2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z");
        check("2026-03-01T00:30:00-0530", "2026-03-01T06:00:00Z");
        check("2026-03-01T00:30:00+01", "2026-02-28T23:30:00Z");
        check("0000-01-01", "0000-01-01T00:00:00Z");
        check("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z");
    }

    #[test]
    fn invalid_dates_are_rejected() {
        for bad in [
            "",
            "today",
            "2026",
            "2026-03",
            "2026-3-1",
            "2026-02-30",
            "2025-02-29",
            "2026-13-01",
            "2026-03-01T",
            "2026-03-01T24:00:00Z",
            "2026-03-01T09",
            "2026-03-01T09:60:00Z",
            "2026-03-01T09:30:60Z",
            "2026-03-01T09:30:00.Z",
            "2026-03-01T09:30:00+24:00",
            "2026-03-01T09:30:00+01:60",
            "2026-03-01T09:30:00+1",
            "2026-03-01T09:30:00+01:",
            "2026-03-01 09:30:00",
            "2026-03-01T09:30:00 01:00",
            " 2026-03-01",
            "2026-03-01 ",
            "+2026-03-01",
            "-2026-03-01",
            "20260301",
            "2026-03-01T09:30:00ZZ",
            "2026-03-01Z",
            "٢٠٢٦-٠٣-٠١",
            "9999-12-31T23:59:59-01:00",
            "0000-01-01T00:00:00+01:00",
        ] {
            assert_eq!(Timestamp::parse(bad), Err(InvalidTimestamp), "{bad:?} was accepted");
        }
    }

    #[test]
    fn bound_rounds_up_to_microseconds() {
        let parse_bound = |text| Timestamp::parse_bound(text).unwrap().to_string();
        assert_eq!(parse_bound("2026-03-01T00:00:00.0000001Z"), "2026-03-01T00:00:00.000001Z");
        assert_eq!(parse_bound("2026-03-01T00:00:00.0000000Z"), "2026-03-01T00:00:00Z");
        assert_eq!(parse_bound("2026-03-01T23:59:59.9999999Z"), "2026-03-02T00:00:00Z");
        assert!(Timestamp::parse_bound("9999-12-31T23:59:59.9999999Z").is_err());
    }

    proptest! {
        #[test]
        fn timestamp_round_trips(micros in Timestamp::MIN.0..=Timestamp::MAX.0) {
            let instant = Timestamp::from_micros(micros).unwrap();
            prop_assert_eq!(Timestamp::parse(&instant.to_string()), Ok(instant));
            prop_assert_eq!(Timestamp::parse_bound(&instant.to_string()), Ok(instant));
        }

        #[test]
        fn parser_agrees_with_chrono(text in "2026-0[1-4]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-][01][0-9]:[0-5][0-9])") {
            let expected = DateTime::parse_from_rfc3339(&text).ok();
            let expected = expected.map(|instant| instant.timestamp_micros());
            prop_assert_eq!(Timestamp::parse(&text).ok().map(Timestamp::micros), expected);
        }

        #[test]
        fn is_written_accepts_exactly_own_format(
            micros in Timestamp::MIN.0..=Timestamp::MAX.0,
            unit in prop::sample::select(vec![1, 1000, 1_000_000]),
            at in any::<prop::sample::Index>(),
            byte in "[0-9Zz.T: -]",
        ) {
            let text = Timestamp(micros / unit * unit).to_string();
            prop_assert!(is_written(&text));
            let mut changed = text.clone();
            let at = at.index(text.len());
            changed.replace_range(at..=at, &byte);
            let is_unchanged = |instant: Timestamp| instant.to_string() == changed;
            let is_canonical = Timestamp::parse(&changed).is_ok_and(is_unchanged);
            prop_assert_eq!(is_written(&changed), is_canonical);
        }

        #[test]
        fn any_text_parses_without_panic(text in "\\PC{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
