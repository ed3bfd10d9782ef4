//! Days and durations: converts inclusive calendar days to instants, and formats durations.
//!
//! It reads no clock and knows no time zone: the caller passes today, and a function that returns
//! the viewer's midnight of a day.

use chrono::{Datelike, Days, NaiveDate};
use contract::Timestamp;
pub use contract::view::{DatePreset, DayRange};

use crate::i18n;

/// Start (inclusive) and end (exclusive) of a range of instants: the two bounds of a filter.
pub type InstantBounds = (Option<Timestamp>, Option<Timestamp>);

/// Returns the bounds for a first and a last day, both inclusive. `midnight` returns the start of a
/// day. The end is the beginning of the day after the last, so that days of 23 and 25 hours are
/// complete.
pub fn instant_bounds(
    first: Option<NaiveDate>,
    last: Option<NaiveDate>,
    midnight: impl Fn(NaiveDate) -> Option<Timestamp>,
) -> InstantBounds {
    let behind = last.and_then(|day| day.checked_add_days(Days::new(1)));
    (first.and_then(&midnight), behind.and_then(&midnight))
}

/// Parses a day as written by a date input, `2026-03-01`. Years before 1000 are rejected:
/// inputs report them while the user types. Parsed by hand, because chrono's general
/// parser would add more bytes than the rest of this module.
pub fn parse_day(text: &str) -> Option<NaiveDate> {
    let digits = |from: usize, to: usize| {
        let part = text.get(from..to)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<u16>().ok()).flatten()
    };
    let dashed = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    if !dashed || text.starts_with('0') {
        return None;
    }
    NaiveDate::from_ymd_opt(digits(0, 4)?.into(), digits(5, 7)?.into(), digits(8, 10)?.into())
}

/// Writes a day in the format of a date input.
pub fn write_day(day: NaiveDate) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day())
}

/// Formats a duration in at most two units: `42 s`, `2 min 10 s`, `3 h 5 min`, `4 d 2 h`.
pub fn format_duration(seconds: u64) -> String {
    let texts = i18n::common();
    let units =
        [(86_400, texts.days), (3_600, texts.hours), (60, texts.minutes), (1, texts.seconds)];
    let first = units.iter().position(|(length, _)| seconds >= *length).unwrap_or(3);
    let (length, unit) = units[first];
    let count = unit(seconds / length);
    match units.get(first + 1) {
        Some((finer, unit)) if seconds % length >= *finer => {
            count + " " + &unit(seconds % length / finer)
        }
        _ => count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        parse_day(text).unwrap()
    }

    /// Returns midnight in Berlin, with the two clock changes of 2026.
    fn berlin(day: NaiveDate) -> Option<Timestamp> {
        let summer = (self::day("2026-03-30")..=self::day("2026-10-25")).contains(&day);
        let offset = if summer { "+02:00" } else { "+01:00" };
        Timestamp::parse(&format!("{}T00:00:00{offset}", write_day(day))).ok()
    }

    #[track_caller]
    fn check(first: &str, last: &str, from: &str, to: &str) {
        let (found_from, found_to) = instant_bounds(parse_day(first), parse_day(last), berlin);
        let text = |at: Option<Timestamp>| at.map_or(String::new(), |at| at.to_string());
        assert_eq!((text(found_from).as_str(), text(found_to).as_str()), (from, to));
    }

    #[test]
    fn bounds_cover_days_with_clock_changes() {
        check("2026-03-29", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z");
        check("2026-10-25", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
        check("2026-02-28", "2026-02-28", "2026-02-27T23:00:00Z", "2026-02-28T23:00:00Z");
        check("", "2026-12-31", "", "2026-12-31T23:00:00Z");
        check("2026-12-31", "", "2026-12-30T23:00:00Z", "");
    }

    #[test]
    fn incomplete_day_is_rejected() {
        for text in [
            "",
            "0002-01-01",
            "0202-01-01",
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
    fn presets_return_expected_days() {
        let check = |today: &str, expected: [&str; 7]| {
            let text = |day: Option<NaiveDate>| day.map(write_day).unwrap_or_default();
            let found = DatePreset::ALL.map(|preset| {
                let (first, last) = preset.days(day(today));
                format!("{} {}", text(first), text(last)).trim().to_owned()
            });
            assert_eq!(found, expected);
        };
        check(
            "2026-03-02",
            [
                "2026-03-02",
                "2026-03-01 2026-03-01",
                "2026-02-24",
                "2026-02-01",
                "2026-03-01",
                "2026-02-01 2026-02-28",
                "2026-01-01",
            ],
        );
        check(
            "2024-03-31",
            [
                "2024-03-31",
                "2024-03-30 2024-03-30",
                "2024-03-25",
                "2024-03-02",
                "2024-03-01",
                "2024-02-01 2024-02-29",
                "2024-01-01",
            ],
        );
    }

    #[test]
    fn preset_is_recognised_by_its_days() {
        let today = day("2026-03-18");
        for preset in DatePreset::ALL {
            assert_eq!(DatePreset::matching(preset.days(today), today, None), Some(preset));
        }
        assert_eq!(DatePreset::matching((None, None), today, Some(DatePreset::Today)), None);
        let pressed = Some(DatePreset::Week);
        assert_eq!(
            DatePreset::matching(DatePreset::Week.days(today), day("2026-03-19"), pressed),
            None
        );
    }

    #[test]
    fn pressed_preset_wins_among_equal_ones() {
        let check = |today: &str, expected: &[DatePreset]| {
            let today = day(today);
            let days = expected[0].days(today);
            let presets = DatePreset::ALL.into_iter().filter(|preset| preset.days(today) == days);
            assert_eq!(presets.collect::<Vec<_>>(), expected, "{today}");
            for pressed in expected {
                assert_eq!(
                    DatePreset::matching(days, today, Some(*pressed)),
                    Some(*pressed),
                    "{today}"
                );
            }
            let longest = expected.last().copied();
            assert_eq!(DatePreset::matching(days, today, None), longest, "{today}");
            assert_eq!(
                DatePreset::matching(days, today, Some(DatePreset::Yesterday)),
                longest,
                "{today}"
            );
        };
        check("2026-01-18", &[DatePreset::Month, DatePreset::Year]);
        check("2026-01-01", &[DatePreset::Today, DatePreset::Month, DatePreset::Year]);
        check("2026-03-01", &[DatePreset::Today, DatePreset::Month]);
        check("2026-03-07", &[DatePreset::Week, DatePreset::Month]);
        check("2026-03-30", &[DatePreset::Days30, DatePreset::Month]);
        check("2026-01-30", &[DatePreset::Days30, DatePreset::Month, DatePreset::Year]);
    }

    #[test]
    fn span_uses_at_most_two_units() {
        let check = |seconds, text| assert_eq!(format_duration(seconds), text);
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
