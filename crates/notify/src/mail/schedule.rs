//! Times of digests and of retries.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, TimeZone as _};
use chrono_tz::Tz;
use contract::Timestamp;
use contract::notification::{DIGEST_HOUR, Frequency};
use contract::view::DatePreset;
use std::time::Duration;
use store::zone::utc_offset_s;

use crate::schedule::with_jitter;

/// Delays before the retries; the last one repeats.
const DELAYS: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_mins(1),
    Duration::from_mins(5),
    Duration::from_mins(15),
    Duration::from_mins(30),
    Duration::from_hours(1),
];
const HOUR: Duration = Duration::from_hours(1);
const HOUR_MICROS: i64 = 3_600_000_000;
/// Longest time that clocks skipped at once, in minutes: a day and some hours.
const SKIPPED_MINUTES_MAX: i64 = 30 * 60;

/// Returns the delay after a failed attempt that follows `retries` others. `jitter` is random, from
/// 0 to `u16::MAX`.
pub(crate) fn retry_delay(retries: u32, jitter: u16) -> Duration {
    let index = usize::try_from(retries).unwrap_or(usize::MAX).min(DELAYS.len() - 1);
    with_jitter(DELAYS[index], jitter)
}

/// Returns when the last digest was due, at or before `now`; `None` without digests.
///
/// `zone` is a name of the IANA database; digests of an unknown zone are due in UTC.
pub(crate) fn last_boundary(every: Frequency, zone: &str, now: Timestamp) -> Option<Timestamp> {
    boundaries(every, zone, now).map(|(last, _)| last)
}

/// Returns when the next digest is due, after `now`; `None` without digests.
pub(crate) fn next_boundary(every: Frequency, zone: &str, now: Timestamp) -> Option<Timestamp> {
    boundaries(every, zone, now).map(|(_, next)| next)
}

fn boundaries(every: Frequency, zone: &str, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    match every {
        Frequency::Submission => None,
        Frequency::Hour => Some(full_hours(zone, now)),
        Frequency::Day => Some(daily_times(zone, DIGEST_HOUR, now)),
    }
}

/// Returns the instants from which and before which a date range lasts; `None` for an open end.
///
/// `zone` is a name of the IANA database; days of an unknown zone are those of UTC.
pub(crate) fn date_range(
    preset: DatePreset,
    zone: &str,
    now: Timestamp,
) -> (Option<Timestamp>, Option<Timestamp>) {
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    let (first, last) = preset.days(today(zone, now));
    let midnight = |date| local_time(zone, date, 0);
    (first.and_then(midnight), last.and_then(|last| midnight(last.succ_opt()?)))
}

/// Returns the date that clocks in the zone show.
fn today(zone: Tz, now: Timestamp) -> NaiveDate {
    let utc = DateTime::from_timestamp_micros(now.micros()).unwrap_or_default();
    utc.with_timezone(&zone).date_naive()
}

/// Returns the last and the next full hour by the zone's present offset.
fn full_hours(zone: Tz, now: Timestamp) -> (Timestamp, Timestamp) {
    let offset_s = i64::from(utc_offset_s(zone, now));
    let since_full = (now.micros() + offset_s * 1_000_000).rem_euclid(HOUR_MICROS);
    let last = Timestamp::from_micros(now.micros() - since_full).unwrap_or(Timestamp::MIN);
    (last, last.saturating_add(HOUR))
}

/// Returns the last and the next time at which clocks in the zone show a full hour of the day.
fn daily_times(zone: Tz, hour: u32, now: Timestamp) -> (Timestamp, Timestamp) {
    let today = today(zone, now);
    let at = |date: Option<NaiveDate>| date.and_then(|date| local_time(zone, date, hour));
    let middle = at(Some(today)).unwrap_or(Timestamp::MAX);
    if middle <= now {
        (middle, at(today.checked_add_days(Days::new(1))).unwrap_or(Timestamp::MAX))
    } else {
        (at(today.checked_sub_days(Days::new(1))).unwrap_or(Timestamp::MIN), middle)
    }
}

/// Returns when clocks in the zone show the full hour for the first time on a day. If they skip it,
/// returns when they go on.
fn local_time(zone: Tz, date: NaiveDate, hour: u32) -> Option<Timestamp> {
    let local_time = date.and_hms_opt(hour, 0, 0)?;
    let found = (0..SKIPPED_MINUTES_MAX).find_map(|minutes| {
        let local = local_time.checked_add_signed(TimeDelta::minutes(minutes))?;
        zone.from_local_datetime(&local).earliest()
    });
    Timestamp::from_micros(found?.timestamp_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURLY: Frequency = Frequency::Hour;
    const DAILY: Frequency = Frequency::Day;

    fn parse(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn check(every: Frequency, zone: &str, now: &str, last: &str, next: &str) {
        let now = parse(now);
        let found = [last_boundary(every, zone, now), next_boundary(every, zone, now)];
        assert_eq!(found, [Some(parse(last)), Some(parse(next))], "{every} {zone} {now}");
    }

    #[test]
    fn address_without_digest_has_no_boundary() {
        let now = parse("2026-03-01T09:30:00Z");
        assert_eq!(last_boundary(Frequency::Submission, "UTC", now), None);
        assert_eq!(next_boundary(Frequency::Submission, "UTC", now), None);
    }

    #[test]
    fn hourly_digest_is_due_at_full_hour_of_zone() {
        for (zone, now, last, next) in [
            ("UTC", "09:00:00", "09:00:00", "10:00:00"),
            ("UTC", "09:59:59.999999", "09:00:00", "10:00:00"),
            ("Europe/Berlin", "09:30:00", "09:00:00", "10:00:00"),
            ("Asia/Kolkata", "09:29:59", "08:30:00", "09:30:00"),
            ("Asia/Kolkata", "09:30:00", "09:30:00", "10:30:00"),
            ("Asia/Kathmandu", "09:14:59", "08:15:00", "09:15:00"),
            ("Asia/Kathmandu", "09:15:00", "09:15:00", "10:15:00"),
            ("America/St_Johns", "09:30:00", "09:30:00", "10:30:00"),
        ] {
            let at = |time| format!("2026-03-01T{time}Z");
            check(HOURLY, zone, &at(now), &at(last), &at(next));
        }
    }

    #[test]
    fn hourly_digest_follows_clock_change() {
        for (zone, now, last, next) in [
            ("Europe/Berlin", "03-29T00:59:59", "03-29T00:00:00", "03-29T01:00:00"),
            ("Europe/Berlin", "03-29T01:00:00", "03-29T01:00:00", "03-29T02:00:00"),
            ("Europe/Berlin", "10-25T00:30:00", "10-25T00:00:00", "10-25T01:00:00"),
            ("Europe/Berlin", "10-25T01:30:00", "10-25T01:00:00", "10-25T02:00:00"),
            // Clocks change by half an hour: from +10:30 to +11:00.
            ("Australia/Lord_Howe", "10-03T15:29:59", "10-03T14:30:00", "10-03T15:30:00"),
            ("Australia/Lord_Howe", "10-03T15:30:00", "10-03T15:00:00", "10-03T16:00:00"),
        ] {
            let at = |time| format!("2026-{time}Z");
            check(HOURLY, zone, &at(now), &at(last), &at(next));
        }
    }

    #[test]
    fn daily_digest_is_due_at_eight() {
        for (zone, now, last, next) in [
            ("UTC", "01T08:00:00", "01T08:00:00", "02T08:00:00"),
            ("UTC", "02T07:59:59.999999", "01T08:00:00", "02T08:00:00"),
            ("Europe/Berlin", "02T06:59:59", "01T07:00:00", "02T07:00:00"),
            ("Europe/Berlin", "02T07:00:00", "02T07:00:00", "03T07:00:00"),
            ("Asia/Kolkata", "02T02:30:00", "02T02:30:00", "03T02:30:00"),
            ("Pacific/Kiritimati", "02T17:59:59", "01T18:00:00", "02T18:00:00"),
            ("Pacific/Pago_Pago", "02T18:59:59", "01T19:00:00", "02T19:00:00"),
            ("Atlantis/Poseidonis", "02T12:00:00", "02T08:00:00", "03T08:00:00"),
            ("", "02T12:00:00", "02T08:00:00", "03T08:00:00"),
        ] {
            let at = |time| format!("2026-02-{time}Z");
            check(DAILY, zone, &at(now), &at(last), &at(next));
        }
    }

    #[test]
    fn daily_digest_follows_clock_change() {
        for (zone, now, last, next) in [
            ("Europe/Berlin", "03-28T12:00:00", "03-28T07:00:00", "03-29T06:00:00"),
            ("Europe/Berlin", "03-29T06:00:00", "03-29T06:00:00", "03-30T06:00:00"),
            ("Europe/Berlin", "10-24T12:00:00", "10-24T06:00:00", "10-25T07:00:00"),
            ("Europe/Berlin", "10-25T06:59:59", "10-24T06:00:00", "10-25T07:00:00"),
            ("America/New_York", "03-08T11:59:59", "03-07T13:00:00", "03-08T12:00:00"),
            ("America/New_York", "11-01T12:59:59", "10-31T12:00:00", "11-01T13:00:00"),
        ] {
            let at = |time| format!("2026-{time}Z");
            check(DAILY, zone, &at(now), &at(last), &at(next));
        }
    }

    #[test]
    fn date_ranges_are_those_of_zone() {
        let check = |preset, zone: &str, from: &str, to: Option<&str>| {
            let found = date_range(preset, zone, parse("2026-03-29T22:30:00Z"));
            assert_eq!(found, (Some(parse(from)), to.map(parse)), "{preset:?} {zone}");
        };
        check(DatePreset::Today, "UTC", "2026-03-29T00:00:00Z", None);
        check(DatePreset::Today, "Europe/Berlin", "2026-03-29T22:00:00Z", None);
        // The clocks skip an hour on this day.
        let (from, to) = ("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z");
        check(DatePreset::Yesterday, "Europe/Berlin", from, Some(to));
        let (from, to) = ("2026-02-01T05:00:00Z", "2026-03-01T05:00:00Z");
        check(DatePreset::LastMonth, "America/New_York", from, Some(to));
    }

    #[test]
    fn skipped_day_is_due_when_clocks_go_on() {
        // Samoa had no 30 December 2011: 31 December began at 10:00 UTC of the 30th.
        let check = |now, last, next| {
            let at = |time| format!("2011-12-{time}:00Z");
            check(DAILY, "Pacific/Apia", &at(now), &at(last), &at(next));
        };
        check("30T09:59", "29T18:00", "30T10:00");
        check("30T10:00", "30T10:00", "30T18:00");
        check("30T18:00", "30T18:00", "31T18:00");
    }

    #[test]
    fn skipped_hour_is_due_when_clocks_go_on() {
        let date = NaiveDate::from_ymd_opt(2026, 3, 29).unwrap();
        let at = |hour| local_time(Tz::Europe__Berlin, date, hour);
        assert_eq!(at(1), Some(parse("2026-03-29T00:00:00Z")));
        assert_eq!(at(2), Some(parse("2026-03-29T01:00:00Z")));
        assert_eq!(at(3), Some(parse("2026-03-29T01:00:00Z")));
    }

    #[test]
    fn repeated_hour_is_due_once() {
        let zone = Tz::Europe__Berlin;
        let day = |now| daily_times(zone, 2, parse(now));
        let first = parse("2026-10-25T00:00:00Z");
        let next = parse("2026-10-26T01:00:00Z");
        assert_eq!(day("2026-10-25T00:00:00Z"), (first, next));
        assert_eq!(day("2026-10-25T01:00:00Z"), (first, next));
        assert_eq!(day("2026-10-24T23:59:59Z").1, first);
    }

    #[test]
    fn present_is_between_boundaries() {
        let start = parse("2026-01-01").micros();
        let zones = ["UTC", "Australia/Lord_Howe", "America/Asuncion", "Asia/Gaza", "Africa/Cairo"];
        for zone in zones {
            for index in 0..1500 {
                let now = Timestamp::from_micros(start + index * 6 * HOUR_MICROS + 1).unwrap();
                for every in [HOURLY, DAILY] {
                    let last = last_boundary(every, zone, now).unwrap();
                    let next = next_boundary(every, zone, now).unwrap();
                    assert!(last <= now && now < next, "{every} {zone} {now}");
                    let hours = (next.micros() - last.micros()) / HOUR_MICROS;
                    let expected = if every == HOURLY { 1..=1 } else { 23..=25 };
                    assert!(expected.contains(&hours), "{every} {zone} {now}: {hours}");
                }
            }
        }
    }

    #[test]
    fn extreme_times_have_boundaries() {
        for now in [Timestamp::MIN, Timestamp::MAX] {
            for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
                for every in [HOURLY, DAILY] {
                    assert!(last_boundary(every, zone, now).is_some_and(|last| last <= now));
                    assert!(next_boundary(every, zone, now).is_some_and(|next| next >= now));
                }
            }
        }
    }

    #[test]
    fn delays_grow_to_an_hour() {
        let expected = [5, 60, 300, 900, 1800, 3600, 3600, 3600];
        for (retries, seconds) in (0..).zip(expected) {
            assert_eq!(retry_delay(retries, 0), Duration::from_secs(seconds));
        }
        assert_eq!(retry_delay(u32::MAX, 0), Duration::from_hours(1));
        assert_eq!(retry_delay(1, u16::MAX), Duration::from_secs(66));
    }
}
