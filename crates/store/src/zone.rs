//! UTC offsets of time zones, including daylight saving time.

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;
use contract::Timestamp;

/// Returns the UTC offset in seconds, positive east of Greenwich.
pub fn utc_offset_s(zone: Tz, at: Timestamp) -> i32 {
    let utc = DateTime::from_timestamp_micros(at.micros()).unwrap_or_default().naive_utc();
    zone.offset_from_utc_datetime(&utc).fix().local_minus_utc()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utc_offset_includes_daylight_saving() {
        let check = |zone: Tz, at: &str, ahead: i32| {
            assert_eq!(utc_offset_s(zone, Timestamp::parse(at).unwrap()), ahead, "{zone} {at}");
        };
        check(Tz::UTC, "2026-07-01", 0);
        check(Tz::Europe__Berlin, "2026-03-29T00:59:59Z", 3600);
        check(Tz::Europe__Berlin, "2026-03-29T01:00:00Z", 7200);
        check(Tz::Asia__Kolkata, "2026-03-29", 19_800);
        check(Tz::America__New_York, "2026-12-01", -18_000);
    }
}
