//! Calendar arithmetic: the weeks of a month, keyboard movement and ranges. Pure: it knows neither
//! today nor a language.

use chrono::{Datelike, Days, Months, NaiveDate};

/// Supported years: those with four digits, as in date inputs.
const YEARS: std::ops::RangeInclusive<i32> = 1000..=9999;

/// Returns the first day of the month of `day`.
pub fn first_day_of_month(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

/// Returns the day moved by `months`, or the last day of that month if it is shorter. Outside of
/// the supported years it returns `day` unchanged.
pub fn add_months(day: NaiveDate, months: i32) -> NaiveDate {
    let by = Months::new(months.unsigned_abs());
    let result = if months < 0 { day.checked_sub_months(by) } else { day.checked_add_months(by) };
    result.filter(|day| YEARS.contains(&day.year())).unwrap_or(day)
}

fn add_days(day: NaiveDate, days: i64) -> NaiveDate {
    let by = Days::new(days.unsigned_abs());
    let result = if days < 0 { day.checked_sub_days(by) } else { day.checked_add_days(by) };
    result.filter(|day| YEARS.contains(&day.year())).unwrap_or(day)
}

/// Returns the 0-based position of `day` in its week, for weeks that begin at `first`; Monday is 0.
fn weekday_index(day: NaiveDate, first: u32) -> u32 {
    (day.weekday().num_days_from_monday() + 7 - first % 7) % 7
}

/// Returns the weeks of the month of `day`. Days of other months are `None`.
pub fn weeks_of_month(day: NaiveDate, first: u32) -> Vec<[Option<NaiveDate>; 7]> {
    let month_start = first_day_of_month(day);
    let before = i64::from(weekday_index(month_start, first));
    let mut weeks = Vec::new();
    for week in 0.. {
        let monday = week * 7 - before;
        let days = std::array::from_fn(|weekday| {
            let ahead = monday + i64::try_from(weekday).unwrap_or_default();
            let found = month_start.checked_add_days(Days::new(u64::try_from(ahead).ok()?))?;
            (found.month() == month_start.month()).then_some(found)
        });
        if days.iter().all(Option::is_none) {
            break;
        }
        weeks.push(days);
    }
    weeks
}

/// Returns the day that a key moves to; `None` for other keys. With Shift, the month keys move by
/// years.
pub fn day_after_key(day: NaiveDate, key: &str, shift_key: bool, first: u32) -> Option<NaiveDate> {
    let into = i64::from(weekday_index(day, first));
    let months = if shift_key { 12 } else { 1 };
    Some(match key {
        "ArrowLeft" => add_days(day, -1),
        "ArrowRight" => add_days(day, 1),
        "ArrowUp" => add_days(day, -7),
        "ArrowDown" => add_days(day, 7),
        "Home" => add_days(day, -into),
        "End" => add_days(day, 6 - into),
        "PageUp" => add_months(day, -months),
        "PageDown" => add_months(day, months),
        _ => return None,
    })
}

/// Returns two days in ascending order.
pub fn ordered_range(left: NaiveDate, right: NaiveDate) -> (NaiveDate, NaiveDate) {
    (left.min(right), left.max(right))
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn written(month: &str, first: u32) -> String {
        let day_text = |day: &Option<NaiveDate>| day.map_or(0, |day| day.day()).to_string();
        let week = |week: &[Option<NaiveDate>; 7]| week.each_ref().map(day_text).join(" ");
        weeks_of_month(day(month), first).iter().map(week).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn month_is_split_into_weeks() {
        assert_eq!(
            written("2026-02-17", 0),
            "0 0 0 0 0 0 1|2 3 4 5 6 7 8|9 10 11 12 13 14 15|16 17 18 19 20 21 22|23 24 25 26 27 28 0"
        );
        assert_eq!(
            written("2026-02-01", 6),
            "1 2 3 4 5 6 7|8 9 10 11 12 13 14|15 16 17 18 19 20 21|22 23 24 25 26 27 28"
        );
        assert_eq!(written("2026-08-01", 0).split('|').count(), 6);
    }

    #[test]
    fn keys_move_by_day_week_month_year() {
        let check = |key: &str, shift: bool, to: &str| {
            let found = day_after_key(day("2026-03-31"), key, shift, 0).map(|day| day.to_string());
            assert_eq!(found.unwrap_or_default(), to, "{key}");
        };
        check("ArrowLeft", false, "2026-03-30");
        check("ArrowRight", false, "2026-04-01");
        check("ArrowUp", false, "2026-03-24");
        check("ArrowDown", false, "2026-04-07");
        check("Home", false, "2026-03-30");
        check("End", false, "2026-04-05");
        check("PageUp", false, "2026-02-28");
        check("PageDown", false, "2026-04-30");
        check("PageUp", true, "2025-03-31");
        check("PageDown", true, "2027-03-31");
        check("a", false, "");
        assert_eq!(
            day_after_key(day("9999-12-31"), "ArrowRight", false, 0),
            Some(day("9999-12-31"))
        );
        assert_eq!(day_after_key(day("1000-01-01"), "PageUp", false, 0), Some(day("1000-01-01")));
    }

    fn any_day() -> impl Strategy<Value = NaiveDate> {
        (1000..=9999, 1u32..=366)
            .prop_map(|(year, day)| NaiveDate::from_yo_opt(year, day.min(365)).unwrap())
    }

    proptest! {
        #[test]
        fn each_day_appears_once_under_its_weekday(date in any_day(), first in 0u32..7) {
            let weeks = weeks_of_month(date, first);
            let days: Vec<NaiveDate> = weeks.iter().flatten().flatten().copied().collect();
            prop_assert_eq!(days.first().copied(), Some(first_day_of_month(date)));
            prop_assert!(days.windows(2).all(|two| two[0].succ_opt() == Some(two[1])));
            prop_assert!(days.last().unwrap().succ_opt().is_none_or(|day| day.day() == 1));
            prop_assert!(days.contains(&date));
            for week in &weeks {
                for (weekday, day) in week.iter().enumerate() {
                    let column = (first + u32::try_from(weekday).unwrap()) % 7;
                    let is_in_column =
                        |day: NaiveDate| day.weekday().num_days_from_monday() == column;
                    prop_assert!(day.is_none_or(is_in_column));
                }
            }
        }

        #[test]
        fn opposite_keys_return_to_start(date in any_day(), first in 0u32..7) {
            prop_assume!((1002..=9997).contains(&date.year()));
            for (forward, backward) in [("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown")] {
                let moved = day_after_key(date, forward, false, first).unwrap();
                prop_assert_eq!(day_after_key(moved, backward, false, first), Some(date));
            }
            let home = day_after_key(date, "Home", false, first);
            let end = day_after_key(date, "End", false, first);
            prop_assert_eq!((end.unwrap() - home.unwrap()).num_days(), 6);
            prop_assert!(home.unwrap() <= date && date <= end.unwrap());
            let next = day_after_key(date, "PageDown", false, first).unwrap();
            prop_assert_eq!(first_day_of_month(next), add_months(first_day_of_month(date), 1));
        }

        #[test]
        fn two_days_make_an_ordered_range(left in any_day(), right in any_day()) {
            let (first, last) = ordered_range(left, right);
            prop_assert!(first <= last);
            prop_assert!([first, last].contains(&left) && [first, last].contains(&right));
        }
    }
}
