//! Filter bar: search and dates are written to the URL and read from it; chips remove and edit the
//! parts of the filter.

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use dashboard::components::calendar::{day_of, days_of, start_of_day};
use dashboard::domain::time::{instant_bounds, parse_day};

use super::{
    address, answer_as_foreign_gateway, answer_as_gateway, button, open_dashboard, open_rows,
    press_button, text_of, wait_until,
};
use crate::{
    network::{Network, Reply},
    stage::{attr, click, dispatch_event, is_focused, settle, type_into, type_text, value, wait},
};

#[wasm_bindgen_test]
async fn search_input_is_debounced() {
    let network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    let history = window().history().unwrap();
    let entries = history.length().unwrap();
    let field = stage.one("input[type=search]");
    for text in ["n", "ne", "nee", "needle"] {
        type_into(&field, text);
    }
    wait_until("the first key", || address() == "/live/forms/frm_1?search=n").await;
    wait_until("the filter", || address() == "/live/forms/frm_1?search=needle").await;
    wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    assert_eq!(
        network.requests("search=").len(),
        2,
        "one request for the first key, one for the rest"
    );
    assert_eq!(history.length().unwrap(), entries, "a filter change adds no history entry");
    assert_eq!(stage.text(".chip-value"), "needle");
}

#[wasm_bindgen_test]
async fn search_is_sent_while_a_page_waits_for_the_rate_limit() {
    let network = Network::new(|asked| {
        let reply = answer_as_gateway(asked);
        let is_list = asked.url.contains("/submissions?");
        Reply { rate: is_list.then_some((10, 0)).or(reply.rate), ..reply }
    });
    let stage = open_rows("/live/forms/frm_1").await;
    let pages = network.requests("/submissions?").len();
    let grid = stage.one(".grid");
    grid.set_scroll_top(grid.scroll_height());
    wait(1_000).await;
    assert_eq!(network.requests("/submissions?").len(), pages, "the last page waits");
    type_into(&stage.one("input[type=search]"), "needle");
    wait(2_000).await;
    assert_eq!(text_of(&stage, ".page-count"), "25 submissions");
}

#[wasm_bindgen_test]
async fn chips_clear_filters_of_a_link() {
    let _network = Network::new(answer_as_gateway);
    let link = "/live/forms/frm_1?search=needle&utm_source=google&utm_campaign=a%20b";
    let stage = open_rows(link).await;
    assert_eq!(value(&stage.one("input[type=search]")), "needle");
    assert_eq!(stage.all(".chip").len(), 3);
    button(&stage, "Remove UTM source: google").click();
    wait_until("two parts", || address() == "/live/forms/frm_1?search=needle&utm_campaign=a%20b")
        .await;
    settle().await;
    button(&stage, "Remove Search: needle").click();
    wait_until("one part", || address() == "/live/forms/frm_1?utm_campaign=a%20b").await;
    settle().await;
    assert_eq!(value(&stage.one("input[type=search]")), "", "the search field follows the URL");
    assert_eq!(document().active_element().unwrap(), *stage.one("input[type=search]"));
    button(&stage, "Remove UTM campaign: a b").click();
    wait_until("no part", || address() == "/live/forms/frm_1").await;
    wait_until("no chip", || stage.all(".chip").is_empty()).await;
}

#[wasm_bindgen_test]
async fn days_use_viewer_time_zone() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    press_button(&stage, "Date").await;
    let days = stage.all("input[type=date]");
    type_into(&days[0], "2026-03-29");
    wait_until("a first day", || address().contains("date_from=")).await;
    settle().await;
    type_into(&days[1], "2026-03-29");
    wait_until("a last day", || address().contains("date_to=")).await;
    let day = parse_day("2026-03-29");
    let (from, to) = instant_bounds(day, day, start_of_day);
    let wanted = format!("/live/forms/frm_1?date_from={}&date_to={}", from.unwrap(), to.unwrap());
    assert_eq!(address(), wanted);
    assert_eq!((value(&days[0]), value(&days[1])), ("2026-03-29".into(), "2026-03-29".into()));
    let filter = dashboard::domain::filter::parse_filter(wanted.split_once('?').unwrap().1).filter;
    assert_eq!(days_of(&filter), (day, day));
    assert_eq!(day_of(from.unwrap()), day);
    type_into(&days[0], "");
    wait_until("no first day", || !address().contains("date_from=")).await;
}

#[wasm_bindgen_test]
async fn incomplete_day_keeps_filter_and_crossing_day_waits_for_blur() {
    let _network = Network::new(answer_as_gateway);
    let (first, last) = (parse_day("2026-03-02"), parse_day("2026-03-09"));
    let (from, to) = instant_bounds(first, last, start_of_day);
    let link = format!("/live/forms/frm_1?date_from={}&date_to={}", from.unwrap(), to.unwrap());
    let stage = open_rows(&link).await;
    press_button(&stage, "Date").await;
    let last = stage.all("input[type=date]")[1].clone();
    type_text(&last, "0202-03-09").await;
    assert_eq!(address(), link, "the year is still being typed");
    // An incomplete date has an empty value, but is invalid. Scripts cannot type one.
    let invalid = js_sys::Function::new_no_args("return false");
    js_sys::Reflect::set(&last, &"checkValidity".into(), &invalid).unwrap();
    type_text(&last, "").await;
    assert_eq!(address(), link, "the day is incomplete");
    dispatch_event(&last, "focusout");
    settle().await;
    assert_eq!((value(&last), address()), ("2026-03-09".into(), link.clone()));
    let valid = js_sys::Function::new_no_args("return true");
    js_sys::Reflect::set(&last, &"checkValidity".into(), &valid).unwrap();
    type_text(&last, "2026-01-09").await;
    assert_eq!(address(), link, "the first digit of the month is typed");
    dispatch_event(&last, "focusout");
    wait_until("no first day", || !address().contains("date_from=")).await;
    assert!(address().contains("date_to=2026-01-"), "{}", address());
    wait_until("the day", || value(&last) == "2026-01-09").await;
}

#[wasm_bindgen_test]
async fn invalid_link_parameter_is_ignored_with_notice() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1?date_from=yesterday&search=needle").await;
    assert!(stage.text(".notice").contains("`date_from`"));
    assert_eq!(text_of(&stage, ".page-count"), "25 submissions");
}

/// Returns the texts of the `mark` elements within a selector.
fn marked_texts(stage: &crate::stage::Stage, within: &str) -> Vec<String> {
    let marks = stage.all(&format!("{within} mark"));
    marks.iter().filter_map(|mark| mark.text_content()).collect()
}

#[wasm_bindgen_test]
async fn matches_are_highlighted_in_rows_and_card() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_dashboard("/live/forms/frm_1?search=needle");
    wait_until("marks", || !marked_texts(&stage, ".grid-row").is_empty()).await;
    let rows = stage.all(".grid-track .grid-row").len();
    assert_eq!(marked_texts(&stage, ".grid-row"), vec!["needle"; rows]);
    assert!(stage.all(".found").is_empty(), "no extra line for an answer with a column");
    stage.all(".grid-track .grid-row")[0].click();
    wait_until("the card", || !marked_texts(&stage, ".card").is_empty()).await;
    assert_eq!(marked_texts(&stage, ".card"), ["needle"]);
    // Without a search, nothing is highlighted.
    button(&stage, "Clear search").click();
    wait_until("no marks", || marked_texts(&stage, "").is_empty()).await;
    wait_until("all rows", || text_of(&stage, ".page-count") == "250 submissions").await;
}

#[wasm_bindgen_test]
async fn row_shows_match_in_hidden_answer() {
    let _network =
        Network::new(|asked| match crate::pages::query_parameter(&asked.url, "search") {
            Some(search) if search == "field" => crate::pages::list_page(&[3, 13], &asked.url),
            _ => answer_as_gateway(asked),
        });
    let stage = open_dashboard("/live/forms/frm_1?search=field");
    wait_until("the found answers", || stage.all(".found").len() == 2).await;
    assert_eq!(stage.all(".found")[0].text_content().unwrap(), "extra no field has this");
    assert_eq!(marked_texts(&stage, ".found"), ["field", "field"]);
}

#[wasm_bindgen_test]
async fn date_preset_is_applied_and_pressed() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    press_button(&stage, "Date").await;
    assert!(stage.all(".dates [aria-pressed=true]").is_empty());
    button(&stage, "Yesterday").click();
    wait_until("the filter", || address().contains("date_to=")).await;
    settle().await;
    assert_eq!(stage.text(".dates [aria-pressed=true]"), "Yesterday");
    let filter =
        dashboard::domain::filter::parse_filter(address().split_once('?').unwrap().1).filter;
    let (first, last) = days_of(&filter);
    assert_eq!(first, last);
    assert_eq!(last.and_then(|day| day.succ_opt()), dashboard::components::calendar::today());
    assert_eq!(stage.all(".dates [aria-selected=true]").len(), 1);
    button(&stage, "This year").click();
    wait_until("no end", || !address().contains("date_to=")).await;
}

/// Stops the clock at a local time until it is dropped.
struct StoppedClock;

impl StoppedClock {
    fn at(time: &str) -> Self {
        let stop = js_sys::Function::new_with_args(
            "time",
            "const now = new Date(time).getTime(); window.trueDate = Date; \
             window.Date = class extends Date { \
               constructor(...parts) { parts.length ? super(...parts) : super(now); } \
               static now() { return now; } \
             };",
        );
        stop.call1(&leptos::wasm_bindgen::JsValue::NULL, &time.into()).unwrap();
        Self
    }
}

impl Drop for StoppedClock {
    fn drop(&mut self) {
        js_sys::eval("window.Date = trueDate").unwrap();
    }
}

#[wasm_bindgen_test]
async fn only_clicked_preset_is_pressed() {
    let storage = window().local_storage().unwrap().unwrap();
    storage.remove_item("sheaf-views-frm_1").unwrap();
    let _network = Network::new(answer_as_foreign_gateway);
    let _clock = StoppedClock::at("2026-01-01T12:00:00");
    let stage = open_rows("/live/forms/frm_1").await;
    press_button(&stage, "Date").await;
    // On 1 January, "today", "this month" and "this year" are the same days.
    for name in ["Today", "This month", "This year", "Yesterday", "This month"] {
        press_button(&stage, name).await;
        assert_eq!(stage.text(".dates [aria-pressed=true]"), name);
    }
    drop(stage);
    let stage = open_rows(&address()).await;
    press_button(&stage, "Date").await;
    assert_eq!(stage.text(".dates [aria-pressed=true]"), "This month", "after a reload");
    press_button(&stage, "Views").await;
    assert!(text_of(&stage, ".views-save .field-hint").contains("This month"));
    type_into(&stage.one(".views-save input[type=text]"), "Month");
    press_button(&stage, "Save view").await;
    let stored = storage.get_item("sheaf-views-frm_1").unwrap();
    assert_eq!(stored.as_deref(), Some("\tmonth\tMonth\t\t"));
    for key in ["sheaf-views-frm_1", "sheaf-days"] {
        storage.remove_item(key).unwrap();
    }
}

#[wasm_bindgen_test]
async fn chip_text_edits_its_part() {
    let _network = Network::new(answer_as_gateway);
    let link = "/live/forms/frm_1?search=needle&date_from=2026-03-02T00:00:00Z&seconds_min=90";
    let stage = open_rows(link).await;
    let chips = stage.all(".chip-edit");
    assert_eq!(chips.len(), 3);
    assert_eq!(attr(&chips[0], "title").as_deref(), Some("Edit Search: needle"));
    chips[0].click();
    assert!(is_focused(&stage.one("input[type=search]")));
    click(&chips[1]).await;
    assert_eq!(stage.all(":popover-open .dates").len(), 1);
    chips[2].click();
    wait_until("the fields", || stage.all(":popover-open .filter-range input").len() == 2).await;
    settle().await;
    let fields = stage.all(".filter-range input");
    assert_eq!((value(&fields[0]), value(&fields[1])), ("90".into(), String::new()));
    assert!(is_focused(&fields[0]));
}
