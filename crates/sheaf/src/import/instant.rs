//! Instants as the files of survey tools write them.

use contract::Timestamp;

/// Two-digit years up to this one are of the century of 2000.
const LAST_YEAR_OF_2000S: u32 = 68;

/// Reads ISO 8601, the same with a space for the `T`, or `M/D/YY H:MM[:SS]` with month first, a
/// year of two or four digits and perhaps AM or PM. What names no offset is UTC.
pub(crate) fn read(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let iso = || Timestamp::parse(text).ok();
    let spaced = || {
        let (date, time) = text.split_once(' ')?;
        Timestamp::parse(&format!("{date}T{}", time.trim_start().replacen(" UTC", "Z", 1))).ok()
    };
    iso().or_else(spaced).or_else(|| month_first(text))
}

fn month_first(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_once(' ').unwrap_or((text, "0:00"));
    let [month, day, year] = split(date, '/')?;
    let century = match year.len() {
        4 => 0,
        2 if number(year)? <= LAST_YEAR_OF_2000S => 2000,
        2 => 1900,
        _ => return None,
    };
    let year = century + number(year)?;
    let (month, day) = (number(month)?, number(day)?);
    let (hour, rest) = hour_and_rest(time.trim())?;
    Timestamp::parse(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{rest}")).ok()
}

/// The hour of 24, and the minutes and seconds as they stand.
fn hour_and_rest(time: &str) -> Option<(u32, &str)> {
    let upper = time.get(time.len().saturating_sub(2)..)?.to_ascii_uppercase();
    let half = matches!(upper.as_str(), "AM" | "PM").then_some(upper);
    let clock = half.as_ref().map_or(time, |_| time[..time.len() - 2].trim_end());
    let (hour, rest) = clock.split_once(':')?;
    let hour = number(hour)?;
    let plain = rest.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let hour = match half.as_deref() {
        None => hour,
        Some("AM") if (1..=12).contains(&hour) => hour % 12,
        Some("PM") if (1..=12).contains(&hour) => hour % 12 + 12,
        Some(_) => return None,
    };
    plain.then_some((hour, rest))
}

fn split<const N: usize>(text: &str, at: char) -> Option<[&str; N]> {
    text.split(at).collect::<Vec<_>>().try_into().ok()
}

fn number(text: &str) -> Option<u32> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, meant: &str) {
        assert_eq!(read(text).map(|t| t.to_string()).as_deref(), Some(meant), "{text}");
    }

    #[test]
    fn reads_what_survey_tools_write() {
        check("2026-03-01T09:30:00+01:00", "2026-03-01T08:30:00Z");
        check("2026-03-01", "2026-03-01T00:00:00Z");
        check("2026-03-01 09:30", "2026-03-01T09:30:00Z");
        check("2026-03-01 09:30:15.25", "2026-03-01T09:30:15.250Z");
        check("2026-03-01 09:30:15 UTC", "2026-03-01T09:30:15Z");
        check("5/10/18 4:01", "2018-05-10T04:01:00Z");
        check("05/10/2018 14:01:59", "2018-05-10T14:01:59Z");
        check("12/31/99 12:00 AM", "1999-12-31T00:00:00Z");
        check("1/2/2020 12:30:00 pm", "2020-01-02T12:30:00Z");
        check("1/2/2020 1:30PM", "2020-01-02T13:30:00Z");
        check("1/2/2020", "2020-01-02T00:00:00Z");
        check(" 1/2/20 3:04 ", "2020-01-02T03:04:00Z");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9/: .APMapmTZ+é-]{0,24}") {
            let _ = read(&text);
        }
    }

    #[test]
    fn refuses_what_is_no_instant() {
        for bad in [
            "",
            " ",
            "NA",
            "13/1/20 1:00",
            "2/30/20 1:00",
            "1/2/3 1:00",
            "1/2/20 25:00",
            "1/2/20 1",
            "1/2/20 13:00 PM",
            "1/2/20 0:00 AM",
            "2026-03-01 09",
            "1/2/20 1:00+01:00",
            "é/1/20 1:é",
            "1/2/20 1:00 XM",
            "//",
            "1/2/020 1:00",
            "43231.5",
        ] {
            assert_eq!(read(bad), None, "{bad:?} was taken");
        }
    }
}
