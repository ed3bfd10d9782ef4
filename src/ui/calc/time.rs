//! How far instants lie from each other, and how long a wait is.

/// The units of a relative time, in seconds, longest first, by the names that `Intl` knows.
const UNITS: [(f64, &str); 6] = [
    (31_557_600.0, "year"),
    (2_629_800.0, "month"),
    (604_800.0, "week"),
    (86_400.0, "day"),
    (3_600.0, "hour"),
    (60.0, "minute"),
];

/// Returns the number and the unit that say how far `at_ms` lies from `now_ms`; the past is
/// negative. Less than a minute is `(0, "second")`: "now".
pub fn distance(at_ms: f64, now_ms: f64) -> (f64, &'static str) {
    let seconds = (at_ms - now_ms) / 1000.0;
    UNITS
        .into_iter()
        .find(|(length, _)| seconds.abs() >= *length)
        .map_or((0.0, "second"), |(length, unit)| ((seconds / length).trunc(), unit))
}

/// Returns a wait as minutes and seconds: "0:42", "14:59".
pub fn clock(seconds: u32) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Returns how many seconds of a wait are left; one that began counts in full.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a wait that is over is 0"
)]
pub fn seconds_left(end_ms: f64, now_ms: f64) -> u32 {
    ((end_ms - now_ms) / 1000.0).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seconds: f64, number: f64, unit: &str) {
        let (got, got_unit) = distance(seconds * 1000.0, 0.0);
        assert_eq!((format!("{got}"), got_unit), (format!("{number}"), unit));
    }

    #[test]
    fn tells_a_distance_in_the_longest_whole_unit() {
        check(-59.0, 0.0, "second");
        check(-60.0, -1.0, "minute");
        check(-3599.0, -59.0, "minute");
        check(-86_400.0, -1.0, "day");
        check(-86_400.0 * 6.9, -6.0, "day");
        check(-86_400.0 * 20.0, -2.0, "week");
        check(-86_400.0 * 800.0, -2.0, "year");
        check(7300.0, 2.0, "hour");
    }

    /// It writes the times of rows that come with the page.
    #[test]
    fn the_script_before_the_first_paint_knows_the_same_units() {
        let script = include_str!("../../../public/first.js");
        for (length, unit) in UNITS {
            assert!(script.contains(&format!("[{length}, \"{unit}\"],")), "{unit}");
        }
        assert!(script.contains("{ numeric: \"auto\", style: \"short\" }"));
    }

    #[test]
    fn tells_a_wait_in_minutes_and_seconds() {
        assert_eq!(clock(0), "0:00");
        assert_eq!(clock(42), "0:42");
        assert_eq!(clock(899), "14:59");
    }

    #[test]
    fn a_wait_ends_at_zero_and_never_below() {
        assert_eq!(seconds_left(1000.0, 1.0), 1);
        assert_eq!(seconds_left(1000.0, 1000.0), 0);
        assert_eq!(seconds_left(1000.0, 9000.0), 0);
    }
}
