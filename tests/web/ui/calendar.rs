//! Range calendar: ARIA grid, keyboard navigation and selection of a range.

use chrono::NaiveDate;
use dashboard::ui::calendar::RangeCalendar;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, click, is_focused, owner, press_key, settle, type_key};

type Range = (Option<NaiveDate>, Option<NaiveDate>);

fn parse_day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Mounts a calendar on 18 March 2026, with weeks that start on Monday.
async fn mount_calendar(range: RwSignal<Range>) -> Stage {
    let stage = Stage::styled((900, 500), move || {
        view! {
            <RangeCalendar
                range
                today=parse_day("2026-03-18")
                first_weekday=0
                on_choose=move |(first, last)| range.set((Some(first), Some(last)))
            />
        }
    });
    settle().await;
    stage
}

fn focused_day(stage: &Stage) -> web_sys::HtmlElement {
    stage.one(".calendar-day[tabindex='0']")
}

fn find_day(stage: &Stage, part: &str) -> web_sys::HtmlElement {
    stage.one(&format!(".calendar-day[aria-label*='{part}']"))
}

#[wasm_bindgen_test]
async fn calendar_is_a_labelled_grid() {
    let _owner = owner();
    let stage = mount_calendar(RwSignal::new((None, None))).await;
    let titles = stage.all(".calendar-title");
    let texts: Vec<_> = titles.iter().map(|it| it.text_content().unwrap()).collect();
    assert_eq!(texts, ["February 2026", "March 2026"]);
    assert!(titles.iter().all(|title| attr(title, "aria-live").as_deref() == Some("polite")));
    for (grid, title) in stage.all("[role=grid]").iter().zip(&titles) {
        assert_eq!(attr(grid, "aria-labelledby"), Some(title.id()));
    }
    let weekdays = stage.all("[role=columnheader]");
    assert_eq!(weekdays.len(), 14);
    assert_eq!(attr(&weekdays[0], "abbr").as_deref(), Some("Monday"));
    assert_eq!(stage.all(".calendar-day").len(), 28 + 31);
    assert_eq!(attr(&find_day(&stage, "March 18, 2026"), "aria-current").as_deref(), Some("date"));
    assert_eq!(attr(&focused_day(&stage), "aria-label").unwrap(), "Wednesday, March 18, 2026");
}

#[wasm_bindgen_test]
async fn keys_move_by_day_week_and_month() {
    let _owner = owner();
    let stage = mount_calendar(RwSignal::new((None, None))).await;
    focused_day(&stage).focus().unwrap();
    for (key, to) in [
        ("ArrowRight", "March 19, 2026"),
        ("ArrowDown", "March 26, 2026"),
        ("Home", "March 23, 2026"),
        ("End", "March 29, 2026"),
        ("ArrowDown", "April 5, 2026"),
        ("PageUp", "March 5, 2026"),
        ("PageUp", "February 5, 2026"),
        ("PageUp", "January 5, 2026"),
        ("ArrowLeft", "January 4, 2026"),
        ("ArrowUp", "December 28, 2025"),
        ("PageDown", "January 28, 2026"),
    ] {
        assert!(press_key(&focused_day(&stage), key), "{key}");
        settle().await;
        let now = focused_day(&stage);
        assert!(
            attr(&now, "aria-label").unwrap().ends_with(to),
            "{key}: {:?}",
            attr(&now, "aria-label")
        );
        assert!(is_focused(&now), "{key}");
    }
    assert!(!press_key(&focused_day(&stage), "a"));
    assert_eq!(stage.all("[tabindex='0'].calendar-day").len(), 1);
    click(&stage.one("[title='Next month']")).await;
    assert!(attr(&focused_day(&stage), "aria-label").unwrap().ends_with("February 28, 2026"));
}

#[wasm_bindgen_test]
async fn two_clicks_select_range_in_either_order() {
    let _owner = owner();
    let range = RwSignal::new((None, None));
    let stage = mount_calendar(range).await;
    find_day(&stage, "March 12, 2026").click();
    settle().await;
    assert_eq!(range.get_untracked(), (None, None), "one end is not a range yet");
    assert_eq!(stage.text(".calendar-note"), "From Thursday, March 12, 2026. Choose the last day.");
    // Arrow keys preview the range that a second click would select.
    let chosen = || stage.all("[aria-selected=true]").len();
    assert_eq!(chosen(), 1);
    type_key(&focused_day(&stage), "ArrowLeft").await;
    assert_eq!(chosen(), 2);
    // The first Escape undoes the first click; the next one is not handled here.
    assert!(press_key(&focused_day(&stage), "Escape"));
    settle().await;
    assert_eq!((chosen(), stage.text(".calendar-note")), (0, String::new()));
    assert!(!press_key(&focused_day(&stage), "Escape"));
    find_day(&stage, "March 12, 2026").click();
    find_day(&stage, "February 27, 2026").click();
    settle().await;
    assert_eq!(
        range.get_untracked(),
        (Some(parse_day("2026-02-27")), Some(parse_day("2026-03-12")))
    );
    assert_eq!(chosen(), 14);
    assert_eq!(attr(&stage.one("[data-edge=first]"), "aria-selected").as_deref(), Some("true"));
    // A single day is a valid range.
    find_day(&stage, "March 3, 2026").click();
    find_day(&stage, "March 3, 2026").click();
    settle().await;
    assert_eq!(
        range.get_untracked(),
        (Some(parse_day("2026-03-03")), Some(parse_day("2026-03-03")))
    );
    assert_eq!(stage.all("[data-edge=both]").len(), 1);
}

#[wasm_bindgen_test]
async fn calendar_follows_range_signal() {
    let _owner = owner();
    let range = RwSignal::new((None, None));
    let stage = mount_calendar(range).await;
    range.set((Some(parse_day("2024-02-01")), Some(parse_day("2024-02-29"))));
    settle().await;
    assert_eq!(stage.all(".calendar-title")[0].text_content().unwrap(), "February 2024");
    assert_eq!(stage.all("[aria-selected=true]").len(), 29);
    // A range with an open end selects every later day.
    range.set((Some(parse_day("2024-02-20")), None));
    settle().await;
    assert_eq!(stage.all("[aria-selected=true]").len(), 10 + 31);
}
