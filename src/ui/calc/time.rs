//! Relative times and countdowns.

/// Units of a relative time in seconds, longest first, with their names in `Intl`.
const UNITS: [(f64, &str); 6] = [
    (31_557_600.0, "year"),
    (2_629_800.0, "month"),
    (604_800.0, "week"),
    (86_400.0, "day"),
    (3_600.0, "hour"),
    (60.0, "minute"),
];

/// Returns the distance of `at_ms` from `now_ms` as number and unit; the past is negative. Less
/// than a minute is `(0, "second")`: "now".
pub fn relative_distance(at_ms: f64, now_ms: f64) -> (f64, &'static str) {
    let seconds = (at_ms - now_ms) / 1000.0;
    UNITS
        .into_iter()
        .find(|(length, _)| seconds.abs() >= *length)
        .map_or((0.0, "second"), |(length, unit)| ((seconds / length).trunc(), unit))
}

/// Formats a duration as minutes and seconds: "0:42", "14:59".
pub fn format_clock(seconds: u32) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Returns the remaining seconds, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates; an elapsed wait is 0"
)]
pub fn seconds_left(end_ms: f64, now_ms: f64) -> u32 {
    ((end_ms - now_ms) / 1000.0).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seconds: f64, number: f64, unit: &str) {
        let (got, got_unit) = relative_distance(seconds * 1000.0, 0.0);
        assert_eq!((format!("{got}"), got_unit), (format!("{number}"), unit));
    }

    #[test]
    fn distance_uses_longest_whole_unit() {
        check(-59.0, 0.0, "second");
        check(-60.0, -1.0, "minute");
        check(-3599.0, -59.0, "minute");
        check(-86_400.0, -1.0, "day");
        check(-86_400.0 * 6.9, -6.0, "day");
        check(-86_400.0 * 20.0, -2.0, "week");
        check(-86_400.0 * 800.0, -2.0, "year");
        check(7300.0, 2.0, "hour");
    }

    /// The script formats the times of rows that are part of the page.
    #[test]
    fn first_paint_script_has_same_units() {
        let script = include_str!("../../../public/first.js");
        for (length, unit) in UNITS {
            assert!(script.contains(&format!("[{length}, \"{unit}\"],")), "{unit}");
        }
        assert!(script.contains("{ numeric: \"auto\", style: \"short\" }"));
    }

    #[test]
    fn wait_is_formatted_in_minutes_and_seconds() {
        assert_eq!(format_clock(0), "0:00");
        assert_eq!(format_clock(42), "0:42");
        assert_eq!(format_clock(899), "14:59");
    }

    #[test]
    fn remaining_wait_is_never_negative() {
        assert_eq!(seconds_left(1000.0, 1.0), 1);
        assert_eq!(seconds_left(1000.0, 1000.0), 0);
        assert_eq!(seconds_left(1000.0, 9000.0), 0);
    }
}
