//! Time zones in files: offsets, names of the tz database, and abbreviations.

use chrono::{LocalResult, NaiveDate, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _};
use chrono_tz::{OffsetName as _, TZ_VARIANTS, Tz};
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::LazyLock;

/// Abbreviations missing in the tz database, with their offsets in minutes: those of CLDR for
/// German, Czech, Turkish and Canadian French, and those that the tz database once had.
const MORE_ABBREVIATIONS: &str = "\
    Z=0 UCT=0 WEZ=0 WESZ=60 MEZ=60 MESZ=120 OEZ=120 OESZ=180 SEČ=60 SELČ=120 TRT=180 TSİ=180 \
    HNT=-210 HAT=-150 HNA=-240 HAA=-180 HNE=-300 HAE=-240 HNC=-360 HAC=-300 HNR=-420 HAR=-360 \
    HNP=-480 HAP=-420 ART=-180 BRT=-180 UYT=-180 BOT=-240 CLT=-240 CLST=-180 VET=-240 COT=-300 \
    ECT=-300 PET=-300 AST=180 IRST=210 GST=240 AZT=240 GET=240 MUT=240 AFT=270 UZT=300 NPT=345 \
    BDT=360 MMT=390 ICT=420 MYT=480 PHT=480 SGT=480";
/// Abbreviations with one meaning in RFC 5322, even if they have others elsewhere.
const RFC_5322: &str = "\
    EST=-300 EDT=-240 CST=-360 CDT=-300 MST=-420 MDT=-360 PST=-480 PDT=-420";

fn parse_table(table: &str) -> impl Iterator<Item = (&str, i64)> {
    let entries = table.split(' ').filter_map(|entry| entry.split_once('='));
    entries.filter_map(|(name, minutes)| Some((name, minutes.parse().ok()?)))
}

static ABBREVIATIONS: LazyLock<HashMap<String, Abbreviation>> = LazyLock::new(|| {
    let mut abbreviations: HashMap<String, Abbreviation> = HashMap::new();
    let mut add = |name: &str, offset_s: i64| {
        let name = name.to_uppercase();
        let entry = abbreviations
            .entry(name.clone())
            .or_insert(Abbreviation { name, offsets_s: Vec::new() });
        if !entry.offsets_s.contains(&offset_s) {
            entry.offsets_s.push(offset_s);
        }
    };
    // A date in each half of the year, to include summer time.
    let instants = [1, 7].map(|month| NaiveDate::from_ymd_opt(2025, month, 15).unwrap_or_default());
    for zone in TZ_VARIANTS {
        for day in instants {
            let offset = zone.offset_from_utc_date(&day);
            let name = offset.abbreviation().filter(|name| name.starts_with(char::is_alphabetic));
            if let Some(name) = name {
                add(name, i64::from(offset.fix().local_minus_utc()));
            }
        }
    }
    for (name, minutes) in parse_table(MORE_ABBREVIATIONS) {
        add(name, minutes * 60);
    }
    for (name, minutes) in parse_table(RFC_5322) {
        if let Some(entry) = abbreviations.get_mut(name) {
            entry.offsets_s = vec![minutes * 60];
        }
    }
    abbreviations
});

/// Time zone for times without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Seconds ahead of UTC.
    Offset(i64),
    /// A zone of the tz database.
    Named(Tz),
}

impl Zone {
    /// Coordinated universal time.
    pub(crate) const UTC: Self = Self::Offset(0);

    /// Converts a local time to UTC. For an hour that occurred twice, returns the first.
    fn to_utc(self, local: NaiveDateTime) -> Result<NaiveDateTime, ZoneError> {
        match self {
            Self::Offset(offset_s) => {
                let offset = TimeDelta::seconds(offset_s);
                local.checked_sub_signed(offset).ok_or(ZoneError::SkippedHour)
            }
            Self::Named(zone) => match zone.from_local_datetime(&local) {
                LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => Ok(at.naive_utc()),
                LocalResult::None => Err(ZoneError::SkippedHour),
            },
        }
    }
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let abbreviation = || match StatedZone::from_abbreviation(text)? {
            StatedZone::Abbreviation(listed) => match listed.offsets_s.as_slice() {
                [offset_s] => Some(Self::Offset(*offset_s)),
                _ => None,
            },
            StatedZone::Zone(zone) => Some(zone),
        };
        let offset = parse_offset_s(text).map(Self::Offset);
        offset.or_else(|| text.parse().ok().map(Self::Named)).or_else(abbreviation).ok_or_else(
            || {
                let shown: String = text.chars().take(100).collect();
                format!(
                    "must be a time zone such as `Europe/Berlin`, `America/New_York`, `UTC` or \
                     `+02:00`, but is `{shown}`"
                )
            },
        )
    }
}

/// An abbreviation and its possible offsets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Abbreviation {
    name: String,
    offsets_s: Vec<i64>,
}

/// Time zone stated in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatedZone {
    Zone(Zone),
    Abbreviation(&'static Abbreviation),
}

/// Reason why a local time is no instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZoneError {
    /// Clocks of the zone skipped this hour.
    SkippedHour,
    /// The abbreviation has several meanings.
    Ambiguous(&'static str),
}

impl StatedZone {
    /// Finds an abbreviation, ignoring case.
    pub(crate) fn from_abbreviation(name: &str) -> Option<Self> {
        ABBREVIATIONS.get(&name.to_uppercase()).map(Self::Abbreviation)
    }

    /// Converts a local time to UTC. `zone` resolves abbreviations.
    pub(crate) fn to_utc(
        self,
        local: NaiveDateTime,
        zone: Option<Zone>,
    ) -> Result<NaiveDateTime, ZoneError> {
        let name = match self {
            Self::Zone(zone) => return zone.to_utc(local),
            Self::Abbreviation(name) => name,
        };
        let decided = zone.and_then(|zone| name.offset_s_in(zone, local));
        let only = || match name.offsets_s.as_slice() {
            [offset_s] => Ok(*offset_s),
            _ => Err(ZoneError::Ambiguous(&name.name)),
        };
        let offset_s = decided.map_or_else(only, Ok)?;
        Zone::Offset(offset_s).to_utc(local)
    }
}

impl Abbreviation {
    /// Returns the offset of the abbreviation in a zone, if the zone uses it at that time.
    fn offset_s_in(&self, zone: Zone, local: NaiveDateTime) -> Option<i64> {
        match zone {
            Zone::Offset(offset_s) => self.offsets_s.contains(&offset_s).then_some(offset_s),
            Zone::Named(zone) => {
                let found = zone.offset_from_local_datetime(&local);
                let candidates = [found.earliest(), found.latest()];
                let mut with_offset = candidates.into_iter().flatten().filter(|offset| {
                    offset.abbreviation().is_some_and(|name| name.eq_ignore_ascii_case(&self.name))
                });
                with_offset.next().map(|offset| i64::from(offset.fix().local_minus_utc()))
            }
        }
    }
}

/// Converts a local time in `zone`, or in UTC, to UTC.
pub(crate) fn to_utc(local: NaiveDateTime, zone: Option<Zone>) -> Result<NaiveDateTime, ZoneError> {
    zone.unwrap_or(Zone::UTC).to_utc(local)
}

/// Parses an offset such as `+02:00`, `-5` or `+0530`, optionally after `GMT` or `UTC`. Returns
/// seconds.
pub(crate) fn parse_offset_s(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let name = &text[..text.len() - digits.len()];
    if !matches!(name.to_ascii_uppercase().as_str(), "" | "GMT" | "UTC") {
        return None;
    }
    let digits = digits.trim_start();
    let (sign, digits) = match digits.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (hours, minutes) = match (digits.split_once([':', '.']), digits.len()) {
        (Some((hours, minutes)), _) if hours.len() <= 2 && minutes.len() == 2 => (hours, minutes),
        (None, 1 | 2) => (digits, "0"),
        (None, 3 | 4) => digits.split_at_checked(digits.len() - 2)?,
        _ => return None,
    };
    if !is_number(hours) || !is_number(minutes) {
        return None;
    }
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_zone(name: &str, month: u32, zone: Option<&str>) -> Result<i64, ZoneError> {
        let date = NaiveDate::from_ymd_opt(2026, month, 15).unwrap();
        let local = date.and_hms_opt(12, 0, 0).unwrap();
        let zone = zone.map(|zone| zone.parse().unwrap());
        let utc = StatedZone::from_abbreviation(name).unwrap().to_utc(local, zone)?;
        Ok((local - utc).num_minutes())
    }

    #[test]
    fn abbreviations_have_their_offsets() {
        for (name, minutes) in [
            ("cst", -360),
            ("CDT", -300),
            ("HST", -600),
            ("AKDT", -480),
            ("EET", 120),
            ("EEST", 180),
            ("MSK", 180),
            ("JST", 540),
            ("AEDT", 660),
            ("MESZ", 120),
            ("BST", 60),
            ("WIB", 420),
            ("NZDT", 780),
            ("GMT", 0),
        ] {
            assert_eq!(in_zone(name, 1, None), Ok(minutes), "{name}");
        }
        assert!(StatedZone::from_abbreviation("XYZ").is_none());
    }

    #[test]
    fn time_zone_resolves_ambiguous_abbreviation() {
        assert_eq!(in_zone("IST", 1, None), Err(ZoneError::Ambiguous("IST")));
        assert_eq!(in_zone("IST", 1, Some("Asia/Kolkata")), Ok(330));
        assert_eq!(in_zone("IST", 1, Some("Asia/Jerusalem")), Ok(120));
        assert_eq!(in_zone("IST", 7, Some("Europe/Dublin")), Ok(60));
        assert_eq!(in_zone("IST", 1, Some("+05:30")), Ok(330));
        assert_eq!(in_zone("CST", 1, Some("Asia/Shanghai")), Ok(480));
        assert_eq!(in_zone("CST", 1, Some("America/Havana")), Ok(-300));
        assert_eq!(in_zone("CST", 1, Some("Europe/Berlin")), Ok(-360));
    }

    #[test]
    fn zone_option_is_parsed() {
        for (text, zone) in [
            ("UTC", Zone::Named(Tz::UTC)),
            ("+02:00", Zone::Offset(7200)),
            ("GMT-5", Zone::Offset(-18_000)),
            ("-0330", Zone::Offset(-12_600)),
            ("MESZ", Zone::Offset(7200)),
            ("Europe/Berlin", Zone::Named(Tz::Europe__Berlin)),
        ] {
            assert_eq!(text.parse(), Ok(zone), "{text}");
        }
        for bad in ["", "Mars/Olympus", "IST", "+24:00", "+1:60", "+", "é", "12"] {
            let error = bad.parse::<Zone>().unwrap_err();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }
}
