//! Calendar days, weeks, months and years.
//!
//! This module knows no time zones: the caller passes the offset that determines the day.

use crate::Timestamp;
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

const MICROS_A_DAY: i64 = 86_400 * 1_000_000;
/// Maximum length, in days, of ranges divided by day, by week and by month.
const BY_DAY_MAX: i32 = 92;
const BY_WEEK_MAX: i32 = 2 * 366;
const BY_MONTH_MAX: i32 = 20 * 366;

/// Calendar day, as days since 1970-01-01. In JSON it is `2026-03-01`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
pub struct Day(pub i32);

impl Day {
    /// Returns the day of an instant at a UTC offset of `ahead_s` seconds.
    pub fn at_offset(instant: Timestamp, ahead_s: i32) -> Self {
        let local = instant.micros() + i64::from(ahead_s) * 1_000_000;
        Self(i32::try_from(local.div_euclid(MICROS_A_DAY)).unwrap_or_default())
    }

    /// Returns the day of a date.
    pub fn from_date(date: NaiveDate) -> Self {
        Self(date.to_epoch_days())
    }

    /// Returns the date of a day that contains a representable instant.
    pub fn to_date(self) -> NaiveDate {
        NaiveDate::from_epoch_days(self.0).unwrap_or_default()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.to_date();
        write!(f, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
    }
}

impl TryFrom<String> for Day {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Day {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let instant = Timestamp::parse(text).ok().filter(|_| text.len() == "2026-03-01".len());
        instant
            .map(|at| Self::at_offset(at, 0))
            .ok_or_else(|| format!("a day must look like `2026-03-01`, but is `{text}`"))
    }
}

/// Length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// A day.
    #[default]
    Day,
    /// A week, starting on Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

impl TimeUnit {
    /// Returns the finest unit that keeps a range readable.
    pub fn for_range(first: Day, last: Day) -> Self {
        let days = last.0.saturating_sub(first.0);
        let longest =
            [(BY_DAY_MAX, Self::Day), (BY_WEEK_MAX, Self::Week), (BY_MONTH_MAX, Self::Month)];
        let fits = longest.into_iter().find(|(most, _)| days < *most);
        fits.map_or(Self::Year, |(_, unit)| unit)
    }

    /// Returns the first day of the period that contains a day.
    pub fn period_start(self, day: Day) -> Day {
        let date = day.to_date();
        let days_back = match self {
            Self::Day => 0,
            Self::Week => date.weekday().num_days_from_monday(),
            Self::Month => date.day0(),
            Self::Year => date.ordinal0(),
        };
        Day(day.0 - i32::try_from(days_back).unwrap_or_default())
    }

    /// Returns the first day of the next period.
    pub fn next_period_start(self, start: Day) -> Day {
        let longest = match self {
            Self::Day => return Day(start.0 + 1),
            Self::Week => return Day(start.0 + 7),
            Self::Month => 31,
            Self::Year => 366,
        };
        // This step reaches the next period, and no period is short enough for it to reach the one
        // after.
        self.period_start(Day(start.0 + longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn day_text_round_trips() {
        for text in ["0000-01-01", "1969-12-31", "1970-01-01", "2026-03-01", "9999-12-31"] {
            assert_eq!(day(text).to_string(), text);
            assert_eq!(Day::from_date(day(text).to_date()), day(text));
        }
        assert_eq!(day("1970-01-02"), Day(1));
        assert!("2026-02-30".parse::<Day>().unwrap_err().contains("`2026-02-30`"));
        assert!("2026-03-01T00:00:00Z".parse::<Day>().is_err());
    }

    #[test]
    fn day_depends_on_utc_offset() {
        let at = Timestamp::parse("2026-03-01T23:30:00Z").unwrap();
        assert_eq!(Day::at_offset(at, 0), day("2026-03-01"));
        assert_eq!(Day::at_offset(at, 3600), day("2026-03-02"));
        assert_eq!(Day::at_offset(at, -86_400), day("2026-02-28"));
        assert_eq!(Day::at_offset(Timestamp::MIN, -86_400).to_string(), "-001-12-31");
    }

    #[test]
    fn periods_have_expected_bounds() {
        let check = |unit: TimeUnit, within: &str, start: &str, next: &str| {
            assert_eq!(unit.period_start(day(within)), day(start), "{unit:?} of {within}");
            assert_eq!(unit.next_period_start(day(start)), day(next), "{unit:?} behind {start}");
        };
        check(TimeUnit::Day, "2026-03-01", "2026-03-01", "2026-03-02");
        check(TimeUnit::Week, "2026-03-01", "2026-02-23", "2026-03-02");
        check(TimeUnit::Month, "2024-02-29", "2024-02-01", "2024-03-01");
        check(TimeUnit::Month, "2026-12-31", "2026-12-01", "2027-01-01");
        check(TimeUnit::Year, "2024-12-31", "2024-01-01", "2025-01-01");
    }

    #[test]
    fn unit_grows_with_range() {
        let check = |last: &str, unit: TimeUnit| {
            assert_eq!(TimeUnit::for_range(day("2026-01-01"), day(last)), unit, "{last}");
        };
        check("2026-01-01", TimeUnit::Day);
        check("2026-03-31", TimeUnit::Day);
        check("2026-12-31", TimeUnit::Week);
        check("2029-12-31", TimeUnit::Month);
        check("2080-12-31", TimeUnit::Year);
        check("2025-12-31", TimeUnit::Day);
    }
}
