//! Days and spans: what a calendar's inclusive days mean as instants, and how a span reads.
//!
//! It reads no clock and knows no time zone: who asks brings today, and the instant at which a day
//! begins where the viewer is.

use chrono::{Datelike, Days, NaiveDate};
use contract::Timestamp;

/// The half-open instants that inclusive days mean: the filter's two bounds.
pub type Bounds = (Option<Timestamp>, Option<Timestamp>);

/// Returns the bounds for a first and a last day, both inclusive. `midnight` tells when a day
/// begins; the end is the beginning of the day after the last, so that days of 23 and 25 hours are
/// whole.
pub fn bounds(
    first: Option<NaiveDate>,
    last: Option<NaiveDate>,
    midnight: impl Fn(NaiveDate) -> Option<Timestamp>,
) -> Bounds {
    let behind = last.and_then(|day| day.checked_add_days(Days::new(1)));
    (first.and_then(&midnight), behind.and_then(&midnight))
}

/// Reads a day as a date input writes it, `2026-03-01`. A year that begins with three zeros is what
/// stands there while one types. By hand, since the general parser would cost more bytes than all
/// the rest of this module.
pub fn parse_day(text: &str) -> Option<NaiveDate> {
    let digits = |from: usize, to: usize| {
        let part = text.get(from..to)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<u16>().ok()).flatten()
    };
    let dashed = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    if !dashed || text.starts_with("000") {
        return None;
    }
    NaiveDate::from_ymd_opt(digits(0, 4)?.into(), digits(5, 7)?.into(), digits(8, 10)?.into())
}

/// Writes a day as a date input takes it.
pub fn write_day(day: NaiveDate) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day())
}

/// A range that one press chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Today alone.
    Today,
    /// Today and the six days before.
    Week,
    /// The calendar month so far.
    Month,
}

impl Preset {
    /// Every preset, the shortest first.
    pub const ALL: [Self; 3] = [Self::Today, Self::Week, Self::Month];

    /// Returns its first day. All of them are open towards the future.
    pub fn first_day(self, today: NaiveDate) -> NaiveDate {
        match self {
            Self::Today => today,
            Self::Week => today.checked_sub_days(Days::new(6)).unwrap_or(today),
            Self::Month => today.with_day(1).unwrap_or(today),
        }
    }
}

/// Returns a span as people read it: `42 s`, `2 min 10 s`, `3 h 5 min`, `4 d 2 h`.
pub fn span(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let first = units.iter().position(|(length, _)| seconds >= *length).unwrap_or(3);
    let (length, unit) = units[first];
    let whole = format!("{} {unit}", seconds / length);
    match units.get(first + 1) {
        Some((finer, unit)) if seconds % length >= *finer => {
            format!("{whole} {} {unit}", seconds % length / finer)
        }
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        parse_day(text).unwrap()
    }

    /// Midnights of Berlin around the two changes of the clock of 2026.
    fn berlin(day: NaiveDate) -> Option<Timestamp> {
        let summer = (self::day("2026-03-30")..=self::day("2026-10-25")).contains(&day);
        let offset = if summer { "+02:00" } else { "+01:00" };
        Timestamp::parse(&format!("{}T00:00:00{offset}", write_day(day))).ok()
    }

    #[track_caller]
    fn check(first: &str, last: &str, from: &str, to: &str) {
        let (found_from, found_to) = bounds(parse_day(first), parse_day(last), berlin);
        let text = |at: Option<Timestamp>| at.map_or(String::new(), |at| at.to_string());
        assert_eq!((text(found_from).as_str(), text(found_to).as_str()), (from, to));
    }

    #[test]
    fn the_last_day_is_whole_also_where_the_clock_changes() {
        check("2026-03-29", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z");
        check("2026-10-25", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
        check("2026-02-28", "2026-02-28", "2026-02-27T23:00:00Z", "2026-02-28T23:00:00Z");
        check("", "2026-12-31", "", "2026-12-31T23:00:00Z");
        check("2026-12-31", "", "2026-12-30T23:00:00Z", "");
    }

    #[test]
    fn what_is_half_typed_is_no_day() {
        for text in [
            "",
            "0002-01-01",
            "2026-02-30",
            "2026-3-1",
            "20260301",
            "+2026-01-1",
            "-2026-01-1",
            "12026-01-01",
        ] {
            assert_eq!(parse_day(text), None, "{text}");
        }
        assert_eq!(write_day(day("2026-03-01")), "2026-03-01");
    }

    #[test]
    fn presets_begin_where_they_say() {
        let firsts = Preset::ALL.map(|preset| write_day(preset.first_day(day("2026-03-02"))));
        assert_eq!(firsts, ["2026-03-02", "2026-02-24", "2026-03-01"]);
    }

    #[test]
    fn spans_read_in_two_units_at_most() {
        let check = |seconds, text| assert_eq!(span(seconds), text);
        check(0, "0 s");
        check(42, "42 s");
        check(60, "1 min");
        check(130, "2 min 10 s");
        check(3600, "1 h");
        check(3659, "1 h");
        check(11_100, "3 h 5 min");
        check(93_600, "1 d 2 h");
        check(u64::MAX, "213503982334601 d 7 h");
    }
}
