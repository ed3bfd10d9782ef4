//! Tests of accepted and rejected formats of dates and times.

use super::*;

fn read_instant(text: &str, order: DateOrder, zone: Option<Zone>) -> Option<String> {
    Some(ParsedTime::parse(text)?.instant(order, zone).ok()?.to_string())
}

#[track_caller]
fn check_instant(text: &str, meant: &str) {
    assert_eq!(read_instant(text, DateOrder::Mdy, None).as_deref(), Some(meant), "{text}");
}

#[test]
fn formats_of_survey_tools_are_parsed() {
    for (text, meant) in [
        ("2026-03-01T09:30:00+01:00", "2026-03-01T08:30:00Z"),
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-01 09:30", "2026-03-01T09:30:00Z"),
        ("2026-03-01 09:30:15.25", "2026-03-01T09:30:15.250Z"),
        ("2026-03-01 09:30:15 UTC", "2026-03-01T09:30:15Z"),
        ("2026-03-01T09:30:15.123456789", "2026-03-01T09:30:15.123456Z"),
        ("2026/03/01 9:30:15 PM GMT+1", "2026-03-01T20:30:15Z"),
        ("2026/03/01 9:30:15 a.m. GMT+5:30", "2026-03-01T04:00:15Z"),
        ("2026/03/01 9:30:15 MEZ", "2026-03-01T08:30:15Z"),
        ("5/10/18 4:01", "2018-05-10T04:01:00Z"),
        ("05/10/2018 14:01:59", "2018-05-10T14:01:59Z"),
        ("12/31/99 12:00 AM", "1999-12-31T00:00:00Z"),
        ("1/2/2020 12:30:00 pm", "2020-01-02T12:30:00Z"),
        ("1/2/2020 1:30PM", "2020-01-02T13:30:00Z"),
        ("1/2/2020 9am", "2020-01-02T09:00:00Z"),
        ("1/2/2020, 1:30 PM", "2020-01-02T13:30:00Z"),
        ("1/2/2020", "2020-01-02T00:00:00Z"),
        ("1/2/20 1:00+01:00", "2020-01-02T00:00:00Z"),
        (" 1/2/20 3:04 ", "2020-01-02T03:04:00Z"),
        ("1/2/20 13:00 PM", "2020-01-02T13:00:00Z"),
        ("1 March 2026 9:30", "2026-03-01T09:30:00Z"),
        ("Mar 1, 2026 9:30 PM", "2026-03-01T21:30:00Z"),
        ("March 1st, 2026 at 9:30 PM", "2026-03-01T21:30:00Z"),
        ("01-Mar-26", "2026-03-01T00:00:00Z"),
        ("Sunday, March 1, 2026 9:30 AM", "2026-03-01T09:30:00Z"),
        ("9:30 PM 3/1/2026", "2026-03-01T21:30:00Z"),
        ("Sun, 01 Mar 2026 00:03:00 GMT", "2026-03-01T00:03:00Z"),
        ("Sun Mar 1 09:30:15 CET 2026", "2026-03-01T08:30:15Z"),
        (
            "Sun Mar 01 2026 09:30:15 GMT+0100 (Central European Standard Time)",
            "2026-03-01T08:30:15Z",
        ),
        ("2026-03-01T09:30+01:00[Europe/Berlin]", "2026-03-01T08:30:00Z"),
        ("2026-07-01 09:30 Europe/Berlin", "2026-07-01T07:30:00Z"),
        ("2026-03-01 09:30 (UTC)", "2026-03-01T09:30:00Z"),
        ("2026-03-01 09:30 -0500", "2026-03-01T14:30:00Z"),
    ] {
        check_instant(text, meant);
    }
}

/// 2026-03-01 09:30:15 and 21:30:15 in the formats of many languages.
#[test]
fn times_in_many_languages_are_parsed() {
    let morning = "2026-03-01T09:30:15Z";
    for text in [
        "2026/03/01 9:30:15\u{202f}AM",
        "2026/03/01 9:30:15\u{a0}a.\u{a0}m.",
        "2026/03/01 오전 9:30:15",
        "2026. 3. 1 오전 9:30:15",
        "2026년 3월 1일 오전 9시 30분 15초",
        "2026/03/01 9:30:15 午前",
        "2026年3月1日 9時30分15秒",
        "2026年3月1日(日) 9:30:15",
        "2026/3/1 上午 9:30:15",
        "2026/3/1 上午9:30:15",
        "٢٠٢٦/٠٣/٠١ ٩:٣٠:١٥ ص",
        "\u{200f}2026/03/01 9:30:15\u{200f} ص",
        "۲۰۲۶/۰۳/۰۱ ۹:۳۰:۱۵ ق.ظ.",
        "२०२६/०३/०१ ९:३०:१५ पूर्वाह्न",
        "2026/03/01 9:30:15 π.μ.",
        "2026/03/01 9:30:15 ÖÖ",
        "2026/03/01 9:30:15 de.",
        "2026. 03. 01. de. 9:30:15",
        "2026/03/01 9.30.15 ap.",
        "1.3.2026 klo 9.30.15",
        "01.03.2026 09:30:15",
        "So., 01.03.2026, 09:30:15 Uhr",
        "1. März 2026 um 09:30:15",
        "1 de marzo de 2026, 9:30:15 a. m.",
        "1 mars 2026 à 9 h 30 min 15 s",
        "1 марта 2026 г., 9:30:15",
        "1 มีนาคม 2569 9:30:15",
        "lúc 09:30:15 Chủ Nhật, 1 tháng 3, 2026",
        "1 Mart 2026 Pazar 09:30:15",
        "2026/03/01 9:30:15 SA",
        "2026/03/01 9:30:15 dop.",
        "2026／03／01 9：30：15",
    ] {
        assert_eq!(read_instant(text, DateOrder::Dmy, None).as_deref(), Some(morning), "{text}");
    }
    let evening = "2026-03-01T21:30:15Z";
    for text in [
        "2026/03/01 9:30:15\u{202f}PM",
        "2026/03/01 9:30:15 p. m.",
        "2026/03/01 9:30:15 오후",
        "2026/03/01 下午9:30:15",
        "2026/03/01 9:30:15 م",
        "2026/03/01 9:30:15 μ.μ.",
        "2026/03/01 9:30:15 du.",
        "2026/03/01 9:30:15 CH",
        "2026/03/01 9:30:15 e.m.",
        "2026/03/01 晚上9:30:15",
        "2026/03/01 9:30:15 אחה״צ",
        "2026/03/01 9:30:15 nachm.",
    ] {
        assert_eq!(read_instant(text, DateOrder::Dmy, None).as_deref(), Some(evening), "{text}");
    }
    check_instant("2026/03/01 午後0:30", "2026-03-01T12:30:00Z");
    check_instant("2026/03/01 9:30:15 AM GMT\u{2212}5", "2026-03-01T14:30:15Z");
    check_instant("2026/03/01 9:30:15 Гринуич+2", "2026-03-01T07:30:15Z");
    check_instant("2026/03/01 9:30:15 UTC+1", "2026-03-01T08:30:15Z");
}

#[test]
fn date_order_decides_numeric_dates() {
    let times = |text| {
        [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd].map(|order| {
            read_instant(text, order, None).map_or("-".to_owned(), |at| at[..10].to_owned())
        })
    };
    assert_eq!(times("03/04/2026"), ["2026-04-03", "2026-03-04", "-"]);
    assert_eq!(times("03.04.26"), ["2026-04-03", "2026-03-04", "2003-04-26"]);
    assert_eq!(times("13/04/2026 10:00"), ["2026-04-13", "-", "-"]);
    assert_eq!(times("2026-04-03"), ["2026-04-03", "2026-04-03", "2026-04-03"]);
    let is_dotted = |text| ParsedTime::parse(text).unwrap().is_dotted;
    assert!(is_dotted("3.4.2026") && is_dotted("3. 4. 26 9:30") && !is_dotted("3/4/2026"));
}

#[test]
fn zone_applies_to_times_without_one() {
    let zone = |name: &str| name.parse::<Zone>().ok();
    let at = |text, name| read_instant(text, DateOrder::Mdy, zone(name)).unwrap_or_default();
    assert_eq!(at("2026-01-15 12:00", "+02:00"), "2026-01-15T10:00:00Z");
    assert_eq!(at("2026-01-15 12:00Z", "+02:00"), "2026-01-15T12:00:00Z");
    assert_eq!(at("2026-01-15 12:00", "Europe/Berlin"), "2026-01-15T11:00:00Z");
    assert_eq!(at("2026-07-15 12:00", "Europe/Berlin"), "2026-07-15T10:00:00Z");
    assert_eq!(at("2026-01-15 12:00 IST", "Asia/Kolkata"), "2026-01-15T06:30:00Z");
    // An hour that occurred twice, and one that clocks skipped.
    assert_eq!(at("2025-10-26 02:30", "Europe/Berlin"), "2025-10-26T00:30:00Z");
    assert_eq!(at("2026-03-29 02:30", "Europe/Berlin"), "");
}

#[test]
fn serial_and_unix_numbers_are_times() {
    let read = |text: &str, zone: &str| {
        parse_numeric_instant(text, zone.parse().ok()).map(|at| at.to_string()).unwrap_or_default()
    };
    assert_eq!(read("46082.395833", ""), "2026-03-01T09:30:00Z");
    assert_eq!(read("46083", ""), "2026-03-02T00:00:00Z");
    assert_eq!(read("46082,395833", "Europe/Berlin"), "2026-03-01T08:30:00Z");
    assert_eq!(read("1772357400", "Europe/Berlin"), "2026-03-01T09:30:00Z");
    assert_eq!(read("1772357400123", ""), "2026-03-01T09:30:00.123Z");
    for bad in ["", "5", "-46083", "46083e3", "999999999", "1e400", "NaN", "99999999999999999999"] {
        assert_eq!(read(bad, ""), "", "{bad}");
    }
    assert!(is_hidden("########") && is_hidden(" ### ") && !is_hidden("#") && !is_hidden("#1#"));
}

proptest::proptest! {
    #[test]
    fn any_text_never_panics(text in "([0-9]{1,5}|[/: .,+()h-]|AM|p\\. m\\.|Mar|GMT|上午|年|월|٣|\\PC){0,14}") {
        if let Some(time) = ParsedTime::parse(&text) {
            let _ = time.instant(DateOrder::Dmy, Some(Zone::Offset(-86_399)));
        }
        let _ = parse_numeric_instant(&text, None);
    }

    #[test]
    fn exported_timestamp_round_trips(micros in -59_011_459_200_000_000_i64..253_402_300_799_999_999) {
        let at = Timestamp::from_micros(micros).unwrap();
        let read = ParsedTime::parse(&at.to_string()).unwrap();
        proptest::prop_assert_eq!(read.instant(DateOrder::Dmy, "Asia/Tokyo".parse().ok()), Ok(at));
    }
}

#[test]
fn invalid_timestamps_are_rejected() {
    for bad in [
        "",
        " ",
        "NA",
        "13/13/20 1:00",
        "2/30/20 1:00",
        "1/2/3 1:00",
        "1/2/20 25:00",
        "1/2/20 1",
        "1/2/20 13:00 AM",
        "2026-03-01 09",
        "2026-02-30",
        "é/1/20 1:é",
        "1/2/20 1:00 XM",
        "//",
        "1/2/020 1:00",
        "43231.5",
        "Marvellous 1",
        "Meet me on 3/4/2026 at 9:30",
        "2026-03-01T09:30:00+24:00",
        "2026-03-01T09:30:60",
        "2026-03-01T09:30:60Z",
        "999999-01-01 00:00",
        "1/1/9999 0:00",
        "1 listopada 2026 9:30",
        "+49 30 901820",
        "192.168.1.1",
        "10.0.25",
        "1-2-3",
        "12 34 1999",
        "9:30",
        "1/2/2026 3/4/2026",
        "1/2/2026 9:30 10:30",
    ] {
        assert_eq!(read_instant(bad, DateOrder::Mdy, None), None, "{bad:?} was accepted");
    }
    let long = "1/2/2026 9:30 ".repeat(1000);
    assert_eq!(read_instant(&long, DateOrder::Mdy, None), None);
}

#[test]
fn era_years_are_parsed() {
    for text in [
        "令和8年3月1日",
        "令和 8年 3月 1日",
        "令和８年３月１日（日）",
        "㋿8年3月1日",
        "R08/03/01",
        "R8.3.1",
        "Ｒ８／３／１",
        "民國115年3月1日",
        "26年3月1日",
        "26년 3월 1일",
    ] {
        check_instant(text, "2026-03-01T00:00:00Z");
    }
    check_instant("令和8年3月1日 午後9時30分", "2026-03-01T21:30:00Z");
    check_instant("R08/03/01 21:30", "2026-03-01T21:30:00Z");
    check_instant("令和元年5月1日", "2019-05-01T00:00:00Z");
    check_instant("平成31年4月30日", "2019-04-30T00:00:00Z");
    check_instant("H31/04/30", "2019-04-30T00:00:00Z");
    for bad in ["R08", "R008/03/01", "R+8/03/01", "R8/x", "Q8/3/1", "令和年3月1日", "元年3月1日"]
    {
        assert_eq!(read_instant(bad, DateOrder::Mdy, None), None, "{bad}");
    }
}

#[test]
fn leading_two_digit_years_are_parsed() {
    for text in ["26/03/01", "26. 3. 1.", "26. 3. 1. 9:30", "26/3/1", "26-03-01"] {
        let read = read_instant(text, DateOrder::Ymd, None).unwrap_or_default();
        assert!(read.starts_with("2026-03-01"), "{text}: {read}");
    }
    for bad in ["6/03/01", "10.1.2", "10-1-2", "26/3/1/2"] {
        assert_eq!(read_instant(bad, DateOrder::Ymd, None), None, "{bad}");
    }
}

#[test]
fn thai_two_digit_years_can_be_buddhist() {
    let thai = |text| read_instant(text, DateOrder::ThaiDmy, None).unwrap_or_default();
    for text in ["28/8/69", "28/08/26", "28/8/2569", "28/8/2026", "28 ส.ค. 69", "2026-08-28"] {
        assert_eq!(thai(text), "2026-08-28T00:00:00Z", "{text}");
    }
    assert_eq!(read_instant("28/8/69", DateOrder::Dmy, None).unwrap(), "1969-08-28T00:00:00Z");
}
