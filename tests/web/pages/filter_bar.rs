//! The filter bar: what is typed, chosen and taken away stands in the URL, and the other way round.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use dashboard::components::calendar::{day_of, days_of, midnight};
use dashboard::domain::time::{bounds, parse_day};

use super::{address, button, foreign, gateway, open, shown, until};
use crate::{
    network::{Network, Reply},
    stage::{send, settle, type_into, value},
};

#[wasm_bindgen_test]
async fn a_search_follows_every_key_that_is_not_too_close_to_another() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    let history = window().history().unwrap();
    let places = history.length().unwrap();
    let field = stage.one("input[type=search]");
    for text in ["n", "ne", "nee", "needle"] {
        type_into(&field, text);
    }
    until("the first key", || address() == "/live/forms/frm_1?search=n").await;
    until("the filter", || address() == "/live/forms/frm_1?search=needle").await;
    until("its rows", || shown(&stage, ".page-count") == "25 submissions").await;
    assert_eq!(network.asked("search=").len(), 2, "the first key, and what came with it");
    assert_eq!(history.length().unwrap(), places, "a filter is no step of history");
    assert_eq!(stage.text(".chip-value"), "needle");
}

#[wasm_bindgen_test]
async fn a_shared_link_sets_everything_and_chips_clear_it_one_by_one() {
    let _network = Network::new(gateway);
    let link = "/live/forms/frm_1?search=needle&utm_source=google&utm_campaign=a%20b";
    let stage = open(link);
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert_eq!(value(&stage.one("input[type=search]")), "needle");
    assert_eq!(stage.all(".chip").len(), 3);
    button(&stage, "Remove Source: google").click();
    until("two parts", || address() == "/live/forms/frm_1?search=needle&utm_campaign=a%20b").await;
    settle().await;
    button(&stage, "Remove Search: needle").click();
    until("one part", || address() == "/live/forms/frm_1?utm_campaign=a%20b").await;
    settle().await;
    assert_eq!(value(&stage.one("input[type=search]")), "", "the box follows the URL");
    assert_eq!(document().active_element().unwrap(), *stage.one("input[type=search]"));
    button(&stage, "Remove Campaign: a b").click();
    until("no part", || address() == "/live/forms/frm_1").await;
    until("no chip", || stage.all(".chip").is_empty()).await;
}

#[wasm_bindgen_test]
async fn utm_values_are_applied_together() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "UTM").click();
    settle().await;
    let fields = stage.all(".popover form input");
    type_into(&fields[0], "google");
    type_into(&fields[1], "cpc");
    settle().await;
    assert_eq!(address(), "/live/forms/frm_1");
    button(&stage, "Apply").click();
    let wanted = "/live/forms/frm_1?utm_source=google&utm_medium=cpc";
    until("the filter", || address() == wanted).await;
    assert!(stage.all(":popover-open").is_empty());
}

#[wasm_bindgen_test]
async fn days_are_the_viewers_and_the_last_one_is_whole() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "Date").click();
    settle().await;
    let days = stage.all("input[type=date]");
    type_into(&days[0], "2026-03-29");
    until("a first day", || address().contains("date_from=")).await;
    settle().await;
    type_into(&days[1], "2026-03-29");
    until("a last day", || address().contains("date_to=")).await;
    let day = parse_day("2026-03-29");
    let (from, to) = bounds(day, day, midnight);
    let wanted = format!("/live/forms/frm_1?date_from={}&date_to={}", from.unwrap(), to.unwrap());
    assert_eq!(address(), wanted);
    assert_eq!((value(&days[0]), value(&days[1])), ("2026-03-29".into(), "2026-03-29".into()));
    let filter = dashboard::domain::filter::read(wanted.split_once('?').unwrap().1).filter;
    assert_eq!(days_of(&filter), (day, day));
    assert_eq!(day_of(from.unwrap()), day);
    type_into(&days[0], "");
    until("no first day", || !address().contains("date_from=")).await;
}

#[wasm_bindgen_test]
async fn a_broken_link_opens_and_says_what_was_left_out() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1?date_from=yesterday&search=needle");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert!(stage.text(".notice").contains("`date_from`"));
    assert_eq!(shown(&stage, ".page-count"), "25 submissions");
}

/// Texts of all marks below what matches.
fn marked(stage: &crate::stage::Stage, within: &str) -> Vec<String> {
    let marks = stage.all(&format!("{within} mark"));
    marks.iter().filter_map(|mark| mark.text_content()).collect()
}

#[wasm_bindgen_test]
async fn what_a_search_found_is_marked_in_rows_and_on_the_card() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1?search=needle");
    until("marks", || !marked(&stage, ".grid-row").is_empty()).await;
    let rows = stage.all(".grid-track .grid-row").len();
    assert_eq!(marked(&stage, ".grid-row"), vec!["needle"; rows]);
    assert!(stage.all(".found").is_empty(), "a column shows it");
    stage.all(".grid-track .grid-row")[0].click();
    until("the card", || !marked(&stage, ".card").is_empty()).await;
    assert_eq!(marked(&stage, ".card"), ["needle"]);
    // Without a search, nothing is marked.
    button(&stage, "Clear search").click();
    until("no marks", || marked(&stage, "").is_empty()).await;
    until("all rows", || shown(&stage, ".page-count") == "250 submissions").await;
}

#[wasm_bindgen_test]
async fn a_row_says_in_which_hidden_answer_a_search_found_it() {
    let _network = Network::new(|asked| match crate::pages::parameter(&asked.url, "search") {
        Some(search) if search == "field" => crate::pages::page(&[3, 13], &asked.url),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1?search=field");
    until("a word on it", || stage.all(".found").len() == 2).await;
    assert_eq!(stage.all(".found")[0].text_content().unwrap(), "extra no field has this");
    assert_eq!(marked(&stage, ".found"), ["field", "field"]);
}

#[wasm_bindgen_test]
async fn a_range_is_one_press_and_tells_that_it_is_on() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "Date").click();
    settle().await;
    assert!(stage.all(".dates [aria-pressed=true]").is_empty());
    button(&stage, "Yesterday").click();
    until("the filter", || address().contains("date_to=")).await;
    settle().await;
    assert_eq!(stage.text(".dates [aria-pressed=true]"), "Yesterday");
    let filter = dashboard::domain::filter::read(address().split_once('?').unwrap().1).filter;
    let (first, last) = days_of(&filter);
    assert_eq!(first, last);
    assert_eq!(last.and_then(|day| day.succ_opt()), dashboard::components::calendar::today());
    assert_eq!(stage.all(".dates [aria-selected=true]").len(), 1);
    button(&stage, "This year").click();
    until("no end", || !address().contains("date_to=")).await;
}

/// A clock that stands at an instant of local time, until it is dropped.
struct Still;

impl Still {
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

impl Drop for Still {
    fn drop(&mut self) {
        js_sys::eval("window.Date = trueDate").unwrap();
    }
}

#[wasm_bindgen_test]
async fn of_ranges_that_mean_the_same_days_only_the_pressed_one_reads_as_pressed() {
    let storage = window().local_storage().unwrap().unwrap();
    storage.remove_item("sheaf-views-frm_1").unwrap();
    let _network = Network::new(gateway);
    let _clock = Still::at("2026-01-01T12:00:00");
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "Date").click();
    settle().await;
    // On this day, "today", "this month" and "this year" are the same.
    for name in ["Today", "This month", "This year", "Yesterday", "This month"] {
        button(&stage, name).click();
        settle().await;
        assert_eq!(stage.text(".dates [aria-pressed=true]"), name);
    }
    drop(stage);
    let stage = super::open(&address());
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "Date").click();
    settle().await;
    assert_eq!(stage.text(".dates [aria-pressed=true]"), "This month", "also after a reload");
    button(&stage, "Views").click();
    settle().await;
    assert!(shown(&stage, ".views-save .field-hint").contains("This month"));
    type_into(&stage.one(".views-save input[type=text]"), "Month");
    button(&stage, "Save view").click();
    settle().await;
    let kept = storage.get_item("sheaf-views-frm_1").unwrap();
    assert_eq!(kept.as_deref(), Some("\tmonth\tMonth\t\t"));
    for key in ["sheaf-views-frm_1", "sheaf-days"] {
        storage.remove_item(key).unwrap();
    }
}

#[wasm_bindgen_test]
async fn utm_values_that_do_not_come_may_be_typed_all_the_same() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "UTM").click();
    settle().await;
    assert!(network.asked("/summary").is_empty(), "nothing is asked before it is wanted");
    let field = stage.all(".popover form input")[0].clone();
    send(&field, "focus");
    send(&field, "focusin");
    until("why", || shown(&stage, ".pick-said").contains("could not be loaded")).await;
    button(&stage, "Retry").click();
    until("another try", || network.asked("/summary").len() == 2).await;
    type_into(&field, "typed");
    settle().await;
    button(&stage, "Apply").click();
    until("the filter", || address() == "/live/forms/frm_1?utm_source=typed").await;
}

/// A summary whose UTM values are these, and nothing else.
fn summary(utm: [&[(&str, u64)]; 3]) -> Reply {
    let values = |values: &[(&str, u64)]| {
        let one = |(value, count): &(&str, u64)| json!({ "value": value, "count": count });
        let values: Vec<_> = values.iter().map(one).collect();
        json!({ "values": values, "others": 0, "missing": 0 })
    };
    let none = values(&[]);
    let [sources, mediums, campaigns] = utm.map(values);
    Reply::ok(&json!({ "data": {
        "total": 9, "times": { "unit": "day", "earlier": 0, "buckets": [] },
        "sentiments": none, "categories": none, "languages": none, "countries": none,
        "devices": none, "browsers": none, "utm_sources": sources, "utm_mediums": mediums,
        "utm_campaigns": campaigns, "durations": [], "fields": [],
    }}))
}

/// Goes to a field of the open panel, and returns what it offers there.
async fn offered(stage: &crate::stage::Stage, place: usize) -> Vec<String> {
    let field = stage.all(".popover form input")[place].clone();
    send(&field, "focus");
    send(&field, "focusin");
    settle().await;
    let lists = stage.all(".pick-list");
    let nodes = lists[place].query_selector_all(".pick-option").unwrap();
    (0..nodes.length()).map(|at| nodes.get(at).unwrap().text_content().unwrap()).collect()
}

#[wasm_bindgen_test]
async fn utm_values_are_counted_under_the_other_two() {
    let network = Network::new(|asked| {
        if !asked.url.starts_with("/account/forms/frm_1/summary") {
            return gateway(asked);
        }
        match super::parameter(&asked.url, "utm_source").as_deref() {
            None => summary([&[("google", 6), ("bing", 3)], &[("never", 9)], &[("never", 9)]]),
            Some(_) => summary([&[("never", 9)], &[("cpc", 4), ("mail", 2)], &[("spring", 5)]]),
        }
    });
    let stage = open("/live/forms/frm_1?utm_source=google");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "UTM").click();
    settle().await;
    assert_eq!(offered(&stage, 0).await, ["google6", "bing3"]);
    assert_eq!(offered(&stage, 1).await, ["cpc4", "mail2"]);
    assert_eq!(offered(&stage, 2).await, ["spring5"]);
    assert_eq!(network.asked("/summary").len(), 2, "once for each rest of the filter");
    // What is offered is not all that may be typed.
    type_into(&stage.all(".popover form input")[2], "rare");
    settle().await;
    button(&stage, "Apply").click();
    let wanted = "/live/forms/frm_1?utm_source=google&utm_campaign=rare";
    until("the filter", || address() == wanted).await;
}

#[wasm_bindgen_test]
async fn a_server_that_tells_no_utm_values_has_those_of_the_rows_offered() {
    let network = Network::new(|asked| match asked.url.as_str() {
        url if url.contains("/submissions?") => {
            let reply = gateway(asked);
            let body = reply.body.replacen("\"google\"", "\"bing\"", 30);
            Reply { body, ..Reply::ok(&json!(null)) }
        }
        _ => foreign(asked),
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "UTM").click();
    settle().await;
    assert_eq!(offered(&stage, 0).await, ["google70", "bing30"]);
    let said = shown(&stage, ".pick-said");
    assert_eq!(said, "Among the 100 submissions that are loaded");
    assert_eq!(offered(&stage, 1).await, Vec::<String>::new());
    assert!(network.asked("/summary").is_empty());
}
