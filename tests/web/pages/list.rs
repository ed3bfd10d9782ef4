//! Submission list: pages joined into one list, and its loading, error and empty states.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    address, answer_as_foreign_gateway, answer_as_gateway, button, forms_reply, list_page,
    local_storage, open_dashboard, press_button, text_of, wait_until,
};
use crate::clock::sleep;
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, dispatch_event, press_key, settle, type_into, type_key, wait};

pub(super) const LIST: &str = "/api/live/v1/forms/frm_1/submissions";

pub(super) fn first_row(stage: &Stage) -> Option<String> {
    stage.all(".grid-track .grid-row").first().and_then(|row| attr(row, "data-key"))
}

/// Opens a list, and waits until its first row is loaded.
pub(super) async fn open_list(path: &str) -> Stage {
    let stage = open_dashboard(path);
    wait_until("rows", || first_row(&stage).is_some()).await;
    stage
}

/// Scrolls the list to its end, and waits for the last of its 250 rows.
pub(super) async fn scroll_to_end(stage: &Stage) {
    let last = || {
        let grid = stage.one(".grid");
        grid.set_scroll_top(grid.scroll_height());
        stage.all("[aria-rowindex='251']").first().and_then(|row| attr(row, "data-key"))
    };
    wait_until("the last row", || last().as_deref() == Some("sub_249")).await;
}

#[wasm_bindgen_test]
async fn scrolling_loads_all_pages() {
    let network = Network::new(answer_as_gateway);
    let stage = open_list("/live/forms/frm_1").await;
    assert_eq!(text_of(&stage, ".page-count"), "250 submissions");
    assert_eq!(attr(&stage.one(".grid"), "aria-rowcount").as_deref(), Some("251"));
    scroll_to_end(&stage).await;
    let urls: Vec<_> = network.requests(LIST).into_iter().map(|asked| asked.url).collect();
    assert_eq!(urls[0], format!("{LIST}?limit=100"));
    assert!(urls.len() <= 5, "{urls:?}");
    assert!(
        stage.all(".grid-track .grid-row").len() < 60,
        "rows outside of the view are not rendered"
    );
}

#[wasm_bindgen_test]
async fn late_response_is_ignored() {
    let _network = Network::new(|asked| {
        let late = asked.url.contains("search=needle");
        if late { answer_as_gateway(asked).delayed(500) } else { answer_as_gateway(asked) }
    });
    let stage = open_dashboard("/live/forms/frm_1?search=needle");
    wait_until("the search field", || !stage.all("input[type=search]").is_empty()).await;
    type_into(&stage.one("input[type=search]"), "");
    wait_until("all rows", || first_row(&stage).as_deref() == Some("sub_0")).await;
    crate::stage::wait(700).await;
    assert_eq!(first_row(&stage).as_deref(), Some("sub_0"));
    assert_eq!(text_of(&stage, ".page-count"), "250 submissions");
}

#[wasm_bindgen_test]
async fn status_429_counts_down_and_retries() {
    let refused = Cell::new(false);
    let _network = Network::new(move |asked| {
        if asked.url.contains("cursor=100") && !refused.replace(true) {
            return Reply::too_many(1);
        }
        answer_as_gateway(asked)
    });
    let stage = open_list("/live/forms/frm_1").await;
    let grid = stage.one(".grid");
    grid.set_scroll_top(grid.scroll_height());
    wait_until("the notice", || !stage.all(".list-foot").is_empty()).await;
    assert!(stage.text(".list-foot").contains("0:01"), "{}", stage.text(".list-foot"));
    assert!(!stage.all(".grid-track .grid-row").is_empty(), "the loaded rows stay");
    let last = || stage.all("[aria-rowindex='251']").first().and_then(|row| attr(row, "data-key"));
    assert_eq!(last(), None, "the missing rows are not skeletons");
    wait_until("the next page", || last().as_deref() == Some("sub_249")).await;
    assert!(stage.all(".list-foot").is_empty());
}

#[wasm_bindgen_test]
async fn failed_list_can_be_retried() {
    let lost = Cell::new(true);
    let _network = Network::new(move |asked| {
        if asked.url.starts_with(LIST) && lost.replace(false) {
            return Reply { lost: true, ..Reply::default() };
        }
        answer_as_gateway(asked)
    });
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the failure", || !stage.all(".empty").is_empty()).await;
    assert!(stage.text(".empty").contains("Could not reach Sheaf"));
    button(&stage, "Retry").click();
    wait_until("rows", || first_row(&stage).is_some()).await;
}

#[wasm_bindgen_test]
async fn error_statuses_show_messages() {
    for (status, words) in [(403, "revoked"), (404, "Form not found"), (500, "oops")] {
        let _network = Network::new(move |asked| {
            if asked.url.starts_with(LIST) {
                Reply::error(status, "some_code", "oops")
            } else {
                answer_as_gateway(asked)
            }
        });
        let stage = open_dashboard("/live/forms/frm_1");
        wait_until("the failure", || !stage.all(".empty").is_empty()).await;
        assert!(stage.text(".empty").contains(words), "{}", stage.text(".empty"));
    }
}

#[wasm_bindgen_test]
async fn empty_form_and_empty_result_differ() {
    let _network = Network::new(|asked| {
        if asked.url.starts_with(LIST) {
            list_page(&[], &asked.url)
        } else {
            answer_as_gateway(asked)
        }
    });
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the empty state", || !stage.all(".empty").is_empty()).await;
    assert!(stage.text(".empty").contains("No submissions yet"));
    assert!(stage.text(".code-text").contains("sheaf import --form frm_1"));
    drop(stage);
    let stage = open_dashboard("/live/forms/frm_1?search=zzz");
    wait_until("the empty state", || !stage.all(".empty").is_empty()).await;
    assert!(stage.text(".empty").contains("No matching submissions"));
    button(&stage, "Clear filters").click();
    wait_until("the whole list", || address() == "/live/forms/frm_1").await;
}

#[wasm_bindgen_test]
async fn keyboard_moves_through_rows_and_opens_one() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_list("/live/forms/frm_1").await;
    let body = document().body().unwrap();
    let focused = || document().active_element().and_then(|row| row.get_attribute("data-key"));
    press_key(&body, "j");
    wait_until("the first row", || focused().as_deref() == Some("sub_0")).await;
    press_key(&stage.all("[data-key=sub_0]")[0], "j");
    wait_until("the second row", || focused().as_deref() == Some("sub_1")).await;
    press_key(&stage.all("[data-key=sub_1]")[0], "Enter");
    wait_until("the card", || text_of(&stage, ".drawer-title") == "Person 1").await;
    assert_eq!(address(), "/live/forms/frm_1/submissions/sub_1");
    press_key(&body, "Escape");
    wait_until("the list", || address() == "/live/forms/frm_1").await;
    wait_until("the row again", || focused().as_deref() == Some("sub_1")).await;
    type_key(&body, "/").await;
    assert_eq!(document().active_element().unwrap(), *stage.one("input[type=search]"));
    // Keys typed into the search field run no commands.
    type_key(&stage.one("input[type=search]"), "e").await;
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn back_restores_rows_and_scroll_position() {
    let network = Network::new(answer_as_gateway);
    let stage = open_list("/live/forms/frm_1").await;
    stage.one(".grid").set_scroll_top(2000);
    wait_until("the scroll position", || first_row(&stage).as_deref() != Some("sub_0")).await;
    settle().await;
    let before = (network.requests(LIST).len(), stage.one(".grid").scroll_top());
    let history = window().history().unwrap();
    for link in stage.all(".nav-link") {
        if link.text_content().unwrap().contains("API keys") {
            link.click();
        }
    }
    wait_until("the API keys", || stage.all(".grid").is_empty()).await;
    crate::stage::wait(150).await;
    history.back().unwrap();
    wait_until("the list", || !stage.all(".grid").is_empty()).await;
    wait_until("the scroll position", || stage.one(".grid").scroll_top() == before.1).await;
    assert_eq!(network.requests(LIST).len(), before.0, "rows were requested again");
}

/// Returns the column titles.
fn column_titles(stage: &Stage) -> Vec<String> {
    let text = |head: &web_sys::HtmlElement| head.text_content().unwrap_or_default();
    stage.all("[role=columnheader][data-slot]").iter().map(text).collect()
}

#[wasm_bindgen_test]
async fn empty_columns_are_hidden() {
    let of_nowhere = Cell::new(false);
    let network = Network::new(move |asked| match asked.url.as_str() {
        "/account/forms" => {
            let kinds = ["text", "text", "text", "rating", "email", "long_text"];
            let field = |(index, kind): (usize, &str)| {
                let key = if index == 5 { "text".to_owned() } else { format!("f{index}") };
                json!({ "id": format!("fld_{index}"), "key": key, "name": key, "type": kind })
            };
            let fields: Vec<_> = kinds.into_iter().enumerate().map(field).collect();
            forms_reply(&json!({ "fields": fields }))
        }
        url if url.starts_with(LIST) && url.contains("search") => {
            of_nowhere.set(true);
            without_origin(&answer_as_gateway(asked))
        }
        url if url.starts_with(LIST) && of_nowhere.get() => {
            without_origin(&answer_as_gateway(asked))
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_list("/live/forms/frm_1").await;
    let with_origin = ["Submitted", "f0", "f4", "text", "Sentiment", "Source", "Country"];
    assert_eq!(column_titles(&stage), with_origin);
    // Hovering over a country code shows its name.
    let country = stage.one("[data-key=sub_0] abbr");
    assert_eq!(country.text_content().as_deref(), Some("DE"));
    dispatch_event(&country, "mouseover");
    assert_eq!(attr(&country, "title").as_deref(), Some("Germany"));
    // A search that finds only rows without an origin hides no column.
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the search", || first_row(&stage).as_deref() == Some("sub_3")).await;
    assert_eq!(column_titles(&stage), with_origin);
    assert!(!network.requests(LIST).is_empty());
    drop(stage);
    let stage = open_list("/live/forms/frm_1").await;
    assert_eq!(column_titles(&stage), ["Submitted", "f0", "f1", "f4", "text", "Sentiment"]);
}

fn without_origin(reply: &Reply) -> Reply {
    let body = reply.body.replace("\"google\"", "null").replace("\"DE\"", "null");
    Reply { body, ..Reply::ok(&serde_json::Value::Null) }
}

#[wasm_bindgen_test]
async fn foreign_server_columns_stay_during_search() {
    let _network = Network::new(|asked| match asked.url.as_str() {
        url if url.contains("search=") => {
            let reply = answer_as_gateway(asked);
            let body = reply.body.replace("\"site\":", "\"later\":");
            Reply { body: body.replace("\"extra\":\"no field has this\",", ""), ..reply }
        }
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = open_list("/live/forms/frm_1").await;
    let before = column_titles(&stage);
    assert!(before.contains(&"extra".to_owned()), "{before:?}");
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the search", || first_row(&stage).as_deref() == Some("sub_3")).await;
    settle().await;
    assert_eq!(column_titles(&stage), before);
    press_button(&stage, "Columns").await;
    let offered = text_of(&stage, ".columns-item");
    for name in ["extra", "site", "later"] {
        assert!(offered.contains(name), "{name} in {offered}");
    }
    local_storage().remove_item("sheaf-forms").unwrap();
}

/// Number of rows of the long list.
pub(super) const LONG_ROWS: u32 = 2_000;

/// Answers like a server with cursors and dates: [`LONG_ROWS`] rows, one hour apart, after `newer`
/// newer ones.
pub(super) fn long_list(url: &str, newer: u32) -> Reply {
    const ROWS: u32 = LONG_ROWS;
    const HOUR_MS: f64 = 3_600_000.0;
    let first_ms = js_sys::Date::parse("2026-03-28T12:00:00Z");
    let at_ms = |number: u32| first_ms + (f64::from(newer) - f64::from(number)) * HOUR_MS;
    let text = super::query_parameter(url, "date_to").unwrap_or_default().replace("%3A", ":");
    let end = contract::Timestamp::parse_bound(&text).ok();
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds")]
    let at = |number: u32| contract::Timestamp::from_millis(at_ms(number) as i64);
    let older = |number: &u32| end.is_none_or(|end| at(*number) < Some(end));
    let rows: Vec<u32> = (0..ROWS + newer).filter(older).collect();
    let start = super::query_parameter(url, "cursor").map_or(0, |cursor| cursor.parse().unwrap());
    let alike: Vec<u32> = rows.iter().map(|number| number % 250).collect();
    let reply = list_page(&alike, url);
    let mut body: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
    let listed = body["data"].as_array_mut().unwrap().iter_mut();
    for (row, number) in listed.zip(rows.iter().skip(start).copied()) {
        let at = js_sys::Date::new(&at_ms(number).into()).to_iso_string();
        row["metadata"]["submitted_at"] = String::from(at).into();
        row["id"] = format!("sub_{}", ROWS + newer - number).into();
    }
    Reply::ok(&body)
}

pub(super) fn long_list_gateway(newer: u32) -> impl Fn(&crate::network::RecordedRequest) -> Reply {
    move |asked| {
        if asked.url.starts_with(LIST) {
            long_list(&asked.url, newer)
        } else {
            answer_as_gateway(asked)
        }
    }
}

/// Returns the ids of the rendered rows, in order. A row that is not loaded yet is `None`.
pub(super) fn row_keys(stage: &Stage) -> Vec<Option<String>> {
    stage.all(".grid-track .grid-row").iter().map(|row| attr(row, "data-key")).collect()
}

#[wasm_bindgen_test]
async fn slow_page_marks_list_busy() {
    let wait_ms = Rc::new(Cell::new(0));
    let waits = Rc::clone(&wait_ms);
    let answer = long_list_gateway(0);
    let network = Network::new(move |asked| answer(asked).delayed(waits.get()));
    let stage = open_list("/live/forms/frm_1").await;
    let busy = || attr(&stage.one(".grid"), "aria-busy").as_deref() == Some("true");
    for (row, ms, expected) in [(400, 20, false), (800, 700, true), (1_200, 20, false)] {
        wait_ms.set(ms);
        crate::stage::wait(300).await;
        let before = network.requests(LIST).len();
        stage.one(".grid").set_scroll_top(row * 44);
        wait_until("a request", || network.requests(LIST).len() > before).await;
        let mut seen = false;
        for _ in 0..100 {
            seen |= busy();
            if row_keys(&stage).iter().all(Option::is_some) {
                break;
            }
            crate::stage::wait(if expected { 50 } else { 10 }).await;
        }
        assert_eq!(seen, expected, "{ms} ms");
        wait_until("the idle list", || !busy()).await;
    }
}

#[wasm_bindgen_test]
async fn scroll_bar_jumps_with_few_requests() {
    let network = Network::new(long_list_gateway(0));
    let stage = open_list("/live/forms/frm_1").await;
    let grid = stage.one(".grid");
    assert!(grid.scroll_height() >= 2_000 * 44, "{}", grid.scroll_height());
    crate::stage::wait(1_000).await;
    let before = network.requests(LIST).len();
    grid.set_scroll_top(1_000 * 44);
    settle().await;
    assert!(row_keys(&stage).iter().all(Option::is_none), "rows that are not loaded are skeletons");
    assert_eq!(attr(&stage.all(".grid-track .grid-row")[3], "aria-busy").as_deref(), Some("true"));
    wait_until("the middle", || row_keys(&stage).iter().all(Option::is_some)).await;
    // The rendered element has the data of row 1,000.
    let row = stage.all("[aria-rowindex='1002']").remove(0);
    assert_eq!(attr(&row, "data-key").as_deref(), Some("sub_1000"));
    let asked = network.requests(LIST).len() - before;
    assert!(asked <= 4, "{asked} requests");
    assert!(stage.all(".grid-track .grid-row").len() < 60);
}

#[wasm_bindgen_test]
async fn date_scroller_jumps_to_month() {
    let network = Network::new(long_list_gateway(0));
    let stage = open_dashboard("/live/forms/frm_1");
    // Finding the oldest month takes a few requests.
    crate::stage::wait(2_000).await;
    wait_until("the date scroller", || !stage.all(".rail-month").is_empty()).await;
    assert_eq!(attr(&stage.one(".rail"), "aria-label").as_deref(), Some("Months"));
    let month = |name: &str| stage.all(&format!(".rail-month[title='{name}']"));
    assert_eq!(stage.all(".rail-month").len(), 3, "January to March");
    let current =
        || stage.all(".rail-month[aria-current]").first().and_then(|one| attr(one, "title"));
    wait_until("the month on view", || current().as_deref() == Some("March 2026")).await;
    let before = network.requests("limit=100").len();
    month("January 2026")[0].click();
    wait_until("the month", || current().as_deref() == Some("January 2026")).await;
    wait_until("its rows", || row_keys(&stage).iter().all(Option::is_some)).await;
    assert!(
        network.requests("limit=100").len() <= before + 2,
        "rows between the months were loaded"
    );
    month("March 2026")[0].click();
    wait_until("the newest", || first_row(&stage).as_deref() == Some("sub_2000")).await;
}

/// Makes the list check for new rows, as when its page becomes visible after a minute.
pub(super) fn check_for_new_rows() {
    sleep(60_000);
    show_page();
}

fn show_page() {
    let event = web_sys::Event::new("visibilitychange").unwrap();
    window().dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
async fn page_shown_during_check_starts_no_other_check() {
    let delay_ms = Rc::new(Cell::new(0));
    let delay = Rc::clone(&delay_ms);
    let answer = long_list_gateway(0);
    let network = Network::new(move |asked| answer(asked).delayed(delay.get()));
    let _stage = open_list("/live/forms/frm_1").await;
    let check_count = || network.requests("limit=1").len() - network.requests("limit=100").len();
    let checks_in_time = async || {
        let before = check_count();
        wait(120_000).await;
        check_count() - before
    };
    // The timeline requests the oldest row in the same way.
    wait(2_000).await;
    let usual = checks_in_time().await;
    delay_ms.set(3_000);
    let before = check_count();
    check_for_new_rows();
    wait_until("a check", || check_count() > before).await;
    for _ in 0..3 {
        show_page();
        settle().await;
    }
    delay_ms.set(0);
    wait(5_000).await;
    let now = checks_in_time().await;
    assert!(usual > 0 && now <= usual + 1, "{usual} checks before, and {now} now");
}

#[wasm_bindgen_test]
async fn new_rows_are_announced_before_shown() {
    let newer = std::rc::Rc::new(Cell::new(0));
    let newer_count = std::rc::Rc::clone(&newer);
    let _network = Network::new(move |asked| long_list_gateway(newer_count.get())(asked));
    let stage = open_list("/live/forms/frm_1").await;
    let before = row_keys(&stage);
    newer.set(7);
    check_for_new_rows();
    wait_until("the news", || text_of(&stage, ".list-news").contains("7 new")).await;
    assert_eq!(attr(&stage.one(".list-news"), "role").as_deref(), Some("status"));
    assert_eq!(row_keys(&stage), before, "the visible rows must not move");
    assert_eq!(text_of(&stage, ".page-count"), "2,000 submissions");
    button(&stage, "7 new").click();
    wait_until("the newest", || first_row(&stage).as_deref() == Some("sub_2007")).await;
    assert_eq!(text_of(&stage, ".page-count"), "2,007 submissions");
    assert_eq!(text_of(&stage, ".list-news"), "");
    let focused = || document().active_element().and_then(|row| row.get_attribute("data-key"));
    wait_until("the focus", || focused().as_deref() == Some("sub_2007")).await;
}
