//! Days and spans: what a calendar's inclusive days mean as instants, and how a span reads.
//!
//! It reads no clock and knows no time zone: who asks brings today, and the instant at which a day
//! begins where the viewer is.

use chrono::{Datelike, Days, NaiveDate};
use contract::Timestamp;

use crate::i18n;

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

/// A range that one press chooses. It moves along with today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Today alone.
    Today,
    /// The day before.
    Yesterday,
    /// Today and the six days before.
    Week,
    /// Today and the 29 days before.
    Days30,
    /// The calendar month so far.
    Month,
    /// The calendar month before.
    LastMonth,
    /// The calendar year so far.
    Year,
}

impl Preset {
    /// Every preset, the shortest first.
    pub const ALL: [Self; 7] = [
        Self::Today,
        Self::Yesterday,
        Self::Week,
        Self::Days30,
        Self::Month,
        Self::LastMonth,
        Self::Year,
    ];

    /// Returns its first day and its last, both inclusive. Those that contain today have no last:
    /// they are open towards the future.
    pub fn days(self, today: NaiveDate) -> DayRange {
        let back = |days| today.checked_sub_days(Days::new(days)).unwrap_or(today);
        let month = today.with_day(1);
        let before = month.and_then(|first| first.pred_opt());
        match self {
            Self::Today => (Some(today), None),
            Self::Yesterday => (Some(back(1)), Some(back(1))),
            Self::Week => (Some(back(6)), None),
            Self::Days30 => (Some(back(29)), None),
            Self::Month => (month, None),
            Self::LastMonth => (before.and_then(|last| last.with_day(1)), before),
            Self::Year => (month.and_then(|first| first.with_month(1)), None),
        }
    }

    /// Returns the preset that means these days today, if one does. Several may: on the first of a
    /// month "today" and "this month" do. Then the one that was pressed is meant; where none of
    /// them was, the longest, which leaves out the latest what it shows now.
    pub fn of(days: DayRange, today: NaiveDate, pressed: Option<Self>) -> Option<Self> {
        let means = |preset: &Self| preset.days(today) == days;
        pressed.filter(means).or_else(|| Self::ALL.into_iter().rev().find(means))
    }

    /// Returns the preset that is kept by a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the name by which it is kept.
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Yesterday => "yesterday",
            Self::Week => "7d",
            Self::Days30 => "30d",
            Self::Month => "month",
            Self::LastMonth => "last-month",
            Self::Year => "year",
        }
    }
}

/// A first and a last day, both inclusive, each where there is one.
pub type DayRange = (Option<NaiveDate>, Option<NaiveDate>);

/// Returns a span as people read it: `42 s`, `2 min 10 s`, `3 h 5 min`, `4 d 2 h`.
pub fn span(seconds: u64) -> String {
    let texts = i18n::common();
    let units =
        [(86_400, texts.days), (3_600, texts.hours), (60, texts.minutes), (1, texts.seconds)];
    let first = units.iter().position(|(length, _)| seconds >= *length).unwrap_or(3);
    let (length, unit) = units[first];
    let whole = unit(seconds / length);
    match units.get(first + 1) {
        Some((finer, unit)) if seconds % length >= *finer => {
            whole + " " + &unit(seconds % length / finer)
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
    fn presets_are_what_they_say() {
        let check = |today: &str, wanted: [&str; 7]| {
            let text = |day: Option<NaiveDate>| day.map(write_day).unwrap_or_default();
            let found = Preset::ALL.map(|preset| {
                let (first, last) = preset.days(day(today));
                format!("{} {}", text(first), text(last)).trim().to_owned()
            });
            assert_eq!(found, wanted);
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
    fn days_are_known_for_the_preset_that_they_are() {
        let today = day("2026-03-18");
        for preset in Preset::ALL {
            assert_eq!(Preset::of(preset.days(today), today, None), Some(preset));
        }
        assert_eq!(Preset::of((None, None), today, Some(Preset::Today)), None);
        let pressed = Some(Preset::Week);
        assert_eq!(Preset::of(Preset::Week.days(today), day("2026-03-19"), pressed), None);
    }

    #[test]
    fn of_presets_that_mean_the_same_days_the_pressed_one_is_meant() {
        let check = |today: &str, same: &[Preset]| {
            let today = day(today);
            let days = same[0].days(today);
            let all = Preset::ALL.into_iter().filter(|one| one.days(today) == days);
            assert_eq!(all.collect::<Vec<_>>(), same, "{today}");
            for pressed in same {
                assert_eq!(Preset::of(days, today, Some(*pressed)), Some(*pressed), "{today}");
            }
            let longest = same.last().copied();
            assert_eq!(Preset::of(days, today, None), longest, "{today}");
            assert_eq!(Preset::of(days, today, Some(Preset::Yesterday)), longest, "{today}");
        };
        check("2026-01-18", &[Preset::Month, Preset::Year]);
        check("2026-01-01", &[Preset::Today, Preset::Month, Preset::Year]);
        check("2026-03-01", &[Preset::Today, Preset::Month]);
        check("2026-03-07", &[Preset::Week, Preset::Month]);
        check("2026-03-30", &[Preset::Days30, Preset::Month]);
        check("2026-01-30", &[Preset::Days30, Preset::Month, Preset::Year]);
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
