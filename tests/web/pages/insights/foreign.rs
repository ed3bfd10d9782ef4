//! Insights of a server without summaries: the pages of the list are added up, status 429 is waited
//! for, and a failure keeps the sum so far.

use std::cell::Cell;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{INSIGHTS_PATH, answer_as_foreign_gateway, clear_stored_forms};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{
    ROWS, button, open_dashboard, query_parameter, submission, text_of, wait_until,
};
use crate::stage::settle;

fn is_list(asked: &RecordedRequest) -> bool {
    asked.url.starts_with("/api/")
}

#[wasm_bindgen_test]
async fn pages_are_added_up_as_they_load() {
    let network = Network::new(|asked| Reply { delay_ms: 30, ..answer_as_foreign_gateway(asked) });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("the first page", || text_of(&stage, ".page-count") == "100 of 250 counted").await;
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    assert_eq!((network.requests("/summary").len(), network.requests("/api/").len()), (0, 3));
    assert!(text_of(&stage, ".bar-label").contains("Firefox"));
    let is_filter = |bar: &web_sys::HtmlElement| bar.text_content().unwrap().starts_with("Firefox");
    assert!(!stage.all("button.bar").iter().any(is_filter), "the server has no such filter");
    assert!(!text_of(&stage, ".plot-title").contains("Status"), "the server has no triage");
    assert!(network.requests("/triage").is_empty() && network.requests("/people").is_empty());
    clear_stored_forms();
}

#[wasm_bindgen_test]
async fn status_429_on_first_page_counts_down() {
    let was_refused = Cell::new(false);
    let network = Network::new(move |asked| {
        if is_list(asked) && !was_refused.replace(true) {
            return Reply::too_many(1);
        }
        answer_as_foreign_gateway(asked)
    });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("the refusal", || text_of(&stage, ".empty-title") == "Too many requests").await;
    assert_eq!(stage.all("[role=timer]").len(), 1);
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(network.requests("/api/").len(), 4);
    clear_stored_forms();
}

#[wasm_bindgen_test]
async fn status_429_later_keeps_figures() {
    let refused = Cell::new(false);
    let _network = Network::new(move |asked| {
        if is_list(asked) && asked.url.contains("cursor") && !refused.replace(true) {
            return Reply::too_many(1);
        }
        answer_as_foreign_gateway(asked)
    });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("the wait", || stage.all("[role=timer]").len() == 1).await;
    assert_eq!(text_of(&stage, ".page-count"), "100 of 250 counted");
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(stage.all("[role=timer]").len(), 0);
    clear_stored_forms();
}

#[wasm_bindgen_test]
async fn transient_failure_is_retried() {
    let failures = Cell::new(0);
    let network = Network::new(move |asked| {
        if is_list(asked) && asked.url.contains("cursor=200") && failures.get() < 1 {
            failures.set(failures.get() + 1);
            return Reply { lost: true, ..Reply::default() };
        }
        answer_as_foreign_gateway(asked)
    });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("the second page", || text_of(&stage, ".page-count") == "200 of 250 counted").await;
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    assert_eq!((network.requests("/api/").len(), stage.all(".notice").len()), (4, 0));
    clear_stored_forms();
}

#[wasm_bindgen_test]
async fn retry_continues_from_failed_page() {
    let is_well = std::rc::Rc::new(Cell::new(false));
    let well = is_well.clone();
    let network = Network::new(move |asked| {
        if is_list(asked) && asked.url.contains("cursor=200") && !well.get() {
            return Reply::error(503, "unavailable", "we are moving");
        }
        answer_as_foreign_gateway(asked)
    });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("the second page", || text_of(&stage, ".page-count") == "200 of 250 counted").await;
    // Retries after one, two and three seconds.
    wait_until("the notice", || !stage.all(".notice").is_empty()).await;
    let says = stage.text(".notice");
    assert!(says.starts_with("Some charts could not be loaded. we are moving"), "{says}");
    assert_eq!(text_of(&stage, ".page-count"), "200 of 250 counted");
    assert!(text_of(&stage, ".bar-label").contains("Firefox"), "the plots disappeared");
    assert_eq!(network.requests("cursor=200").len(), 4, "one request and three retries");
    is_well.set(true);
    button(&stage, "Retry").click();
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    assert_eq!(stage.all(".notice").len(), 0);
    let begun = network.requests("/api/").iter().filter(|it| !it.url.contains("cursor")).count();
    assert_eq!(begun, 1, "the sum started again");
    clear_stored_forms();
}

#[wasm_bindgen_test]
async fn answers_that_look_like_choices_are_plotted() {
    let row = |number: u32| -> Value {
        let mut row = submission(number);
        let plan = if number.is_multiple_of(2) { "Free" } else { "Pro" };
        row["answers"] = json!({
            "stars": number % 5 + 1, "plan": plan,
            "name": format!("Person {number}"),
        });
        row
    };
    let _network = Network::new(move |asked| {
        if !is_list(asked) {
            return answer_as_foreign_gateway(asked);
        }
        let start: u32 = query_parameter(&asked.url, "cursor").map_or(0, |it| it.parse().unwrap());
        let end = (start + 100).min(ROWS);
        let next = (end < ROWS).then(|| end.to_string());
        Reply::ok(&json!({
            "data": (start..end).map(row).collect::<Vec<_>>(),
            "pagination": { "total": ROWS, "limit": 100, "has_more": next.is_some(),
                "next_cursor": next },
        }))
    });
    let stage = open_dashboard(INSIGHTS_PATH);
    wait_until("all of it", || text_of(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    let titles = stage.texts(".plot-title");
    assert!(titles.contains(&"stars".to_owned()) && titles.contains(&"plan".to_owned()));
    assert!(!titles.contains(&"name".to_owned()), "{titles:?}");
    let bars = text_of(&stage, ".bar");
    assert!(bars.contains("150250350450550") && bars.contains("Free125Pro125"), "{bars}");
    clear_stored_forms();
}
