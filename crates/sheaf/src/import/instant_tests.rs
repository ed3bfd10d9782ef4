//! The forms of dates and times that are taken, and those that are not.

use super::*;

const UTC: Zone = Zone::Offset(0);

fn read(text: &str, order: DateOrder, zone: Zone) -> Option<String> {
    Some(Moment::read(text)?.instant(order, zone)?.to_string())
}

#[track_caller]
fn check(text: &str, meant: &str) {
    assert_eq!(read(text, DateOrder::Mdy, UTC).as_deref(), Some(meant), "{text}");
}

#[test]
fn reads_what_survey_tools_write() {
    check("2026-03-01T09:30:00+01:00", "2026-03-01T08:30:00Z");
    check("2026-03-01", "2026-03-01T00:00:00Z");
    check("2026-03-01 09:30", "2026-03-01T09:30:00Z");
    check("2026-03-01 09:30:15.25", "2026-03-01T09:30:15.250Z");
    check("2026-03-01 09:30:15 UTC", "2026-03-01T09:30:15Z");
    check("2026/03/01 9:30:15 PM GMT+1", "2026-03-01T20:30:15Z");
    check("2026/03/01 9:30:15 a.m. GMT+5:30", "2026-03-01T04:00:15Z");
    check("2026/03/01 9:30:15 MEZ", "2026-03-01T08:30:15Z");
    check("5/10/18 4:01", "2018-05-10T04:01:00Z");
    check("05/10/2018 14:01:59", "2018-05-10T14:01:59Z");
    check("12/31/99 12:00 AM", "1999-12-31T00:00:00Z");
    check("1/2/2020 12:30:00 pm", "2020-01-02T12:30:00Z");
    check("1/2/2020 1:30PM", "2020-01-02T13:30:00Z");
    check("1/2/2020, 1:30 PM", "2020-01-02T13:30:00Z");
    check("1/2/2020", "2020-01-02T00:00:00Z");
    check("1/2/20 1:00+01:00", "2020-01-02T00:00:00Z");
    check(" 1/2/20 3:04 ", "2020-01-02T03:04:00Z");
    check("1 March 2026 9:30", "2026-03-01T09:30:00Z");
    check("Mar 1, 2026 9:30 PM", "2026-03-01T21:30:00Z");
    check("01-Mar-26", "2026-03-01T00:00:00Z");
}

#[test]
fn numbers_mean_what_the_order_says() {
    let all = |text| {
        [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd]
            .map(|order| read(text, order, UTC).map_or("-".to_owned(), |at| at[..10].to_owned()))
    };
    assert_eq!(all("03/04/2026"), ["2026-04-03", "2026-03-04", "-"]);
    assert_eq!(all("03.04.26"), ["2026-04-03", "2026-03-04", "2003-04-26"]);
    assert_eq!(all("13/04/2026 10:00"), ["2026-04-13", "-", "-"]);
    assert_eq!(all("2026-04-03"), ["2026-04-03", "2026-04-03", "2026-04-03"]);
}

#[test]
fn a_zone_counts_where_the_text_names_none() {
    let zone = |name: &str| name.parse::<Zone>().unwrap();
    let at = |text, name| read(text, DateOrder::Mdy, zone(name)).unwrap_or_default();
    assert_eq!(at("2026-01-15 12:00", "+02:00"), "2026-01-15T10:00:00Z");
    assert_eq!(at("2026-01-15 12:00Z", "+02:00"), "2026-01-15T12:00:00Z");
    assert_eq!(at("2026-01-15 12:00", "Europe/Berlin"), "2026-01-15T11:00:00Z");
    assert_eq!(at("2026-07-15 12:00", "Europe/Berlin"), "2026-07-15T10:00:00Z");
    // The hour that came twice, and the one that did not come.
    assert_eq!(at("2025-10-26 02:30", "Europe/Berlin"), "2025-10-26T00:30:00Z");
    assert_eq!(at("2026-03-29 02:30", "Europe/Berlin"), "");
    assert!("Mars/Olympus".parse::<Zone>().unwrap_err().contains("`Mars/Olympus`"));
    assert!("".parse::<Zone>().is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[0-9/: .APMapmTZ+éGMTarMEZ,-]{0,24}") {
        if let Some(moment) = Moment::read(&text) {
            let _ = moment.instant(DateOrder::Dmy, Zone::Offset(-86_399));
        }
    }

    #[test]
    fn what_is_written_by_an_export_is_read_the_same(micros in -59_011_459_200_000_000_i64..253_402_300_799_999_999) {
        let at = Timestamp::from_micros(micros).unwrap();
        let read = Moment::read(&at.to_string()).unwrap();
        proptest::prop_assert_eq!(read.instant(DateOrder::Dmy, "Asia/Tokyo".parse().unwrap()), Some(at));
    }
}

#[test]
fn refuses_what_is_no_instant() {
    for bad in [
        "",
        " ",
        "NA",
        "13/13/20 1:00",
        "2/30/20 1:00",
        "1/2/3 1:00",
        "1/2/20 25:00",
        "1/2/20 1",
        "1/2/20 13:00 PM",
        "1/2/20 0:00 AM",
        "2026-03-01 09",
        "2026-02-30",
        "é/1/20 1:é",
        "1/2/20 1:00 XM",
        "//",
        "1/2/020 1:00",
        "43231.5",
        "Marvellous 1",
        "2026-03-01T09:30:00+24:00",
        "2026-03-01T09:30:60",
    ] {
        assert_eq!(read(bad, DateOrder::Mdy, UTC), None, "{bad:?} was taken");
    }
}
