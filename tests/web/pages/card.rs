//! Submission card: answers, metadata and insights, and navigation to the next submission.

mod copies;
mod fields;
mod walk;

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::triage::server::CardServer;
use super::{
    ROWS, address, answer_as_gateway, button, list_page_of, open_dashboard, open_rows,
    open_submission, submission, text_of, wait_until,
};
use crate::network::Network;
use crate::stage::{Stage, attr, is_focused, press_key, settle};

fn card_path(number: u32) -> String {
    format!("/live/forms/frm_1/submissions/sub_{number}")
}

fn answer_lines(stage: &Stage) -> Vec<String> {
    let text = |element: &web_sys::HtmlElement| element.text_content().unwrap_or_default();
    let names = stage.all(".answers-name");
    let values = stage.all(".answers-text");
    names
        .iter()
        .zip(&values)
        .map(|(name, value)| format!("{}: {}", text(name), text(value)))
        .collect()
}

#[wasm_bindgen_test]
async fn answers_follow_form_order_and_facts_filter_list() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_submission(&format!("{}?search=needle", card_path(3))).await;
    assert_eq!(
        answer_lines(&stage),
        [
            "Your name: Person 3",
            "What happened?: needle, \"quoted\"\n=1+1",
            "Phone: —",
            "extra: no field has this",
            "site: https://example.com/a",
            "bad: javascript:alert(1)",
        ]
    );
    let link = stage.one(".answers-text a");
    assert_eq!(attr(&link, "href").as_deref(), Some("https://example.com/a"));
    assert!(attr(&link, "rel").unwrap().contains("noopener"));
    assert_eq!(document().title(), "Person 3 · Sheaf");
    let titles: Vec<_> =
        stage.all(".fact-filter").iter().filter_map(|fact| attr(fact, "title")).collect();
    assert_eq!(
        titles,
        [
            "Filter by Sentiment: Neutral",
            "Filter by Category: Pricing",
            "Filter by Language: German",
            "Filter by Country: Germany",
            "Filter by Device: Desktop",
            "Filter by Browser: Firefox",
            "Filter by UTM source: google",
        ]
    );
    for (fact, filter) in [
        (0, "search=needle&sentiment=neutral"),
        (3, "search=needle&sentiment=neutral&country=DE"),
        (6, "search=needle&utm_source=google&sentiment=neutral&country=DE"),
    ] {
        stage.all(".fact-filter")[fact].click();
        let wanted = format!("{}?{filter}", card_path(3));
        wait_until("the filter", || address() == wanted).await;
        assert_eq!(text_of(&stage, ".drawer-title"), "Person 3");
    }
}

#[wasm_bindgen_test]
async fn metadata_and_insight_are_readable() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_submission(&card_path(4)).await;
    let facts = stage.text(".drawer-body");
    for words in ["Germany", "German", "2 min 10 s", "Desktop", "Pricing", "0.42"] {
        assert!(facts.contains(words), "{words} in {facts}");
    }
    // An unknown sentiment label appears as it is, in a neutral colour.
    let badge = stage.one(".drawer .badge:has(.icon)");
    assert_eq!(badge.text_content().unwrap(), "Thrilled");
    assert_eq!(attr(&badge, "data-tone").as_deref(), Some("neutral"));
    let share = stage.one(".facts-score").get_attribute("style").unwrap_or_default();
    assert!(share.contains("--share: 42%"), "{share}");
    assert_eq!(stage.text(".facts-score"), "0.42");
    let german = "{ value: ['de-DE'], configurable: true }";
    js_sys::eval(&format!("Object.defineProperty(navigator, 'languages', {german})")).unwrap();
    press_key(&document().body().unwrap(), "j");
    wait_until("the next card", || text_of(&stage, ".drawer-title") == "Person 5").await;
    js_sys::eval("delete navigator.languages").unwrap();
    assert_eq!(stage.text(".facts-score"), "0,42", "numbers have the viewer's format");
}

#[wasm_bindgen_test]
async fn link_opens_submission_outside_list() {
    let network = Network::new(answer_as_gateway);
    let stage = open_submission(&format!("{}?search=needle", card_path(1))).await;
    assert_eq!(text_of(&stage, ".drawer-title"), "Person 1");
    assert_eq!(network.requests("/v1/submissions/sub_1").len(), 1);
    let next = button(&stage, "Next submission");
    assert_eq!(attr(&next, "aria-disabled").as_deref(), Some("true"));
    press_key(&document().body().unwrap(), "Escape");
    wait_until("the list", || address() == "/live/forms/frm_1?search=needle").await;
}

#[wasm_bindgen_test]
async fn unknown_submission_shows_not_found() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_dashboard("/live/forms/frm_1/submissions/sub_unknown");
    wait_until("the message", || !stage.all(".drawer .empty").is_empty()).await;
    assert!(stage.text(".drawer .empty").contains("Submission not found"));
}

/// Returns a function that counts the changes of nodes in a drawer since its last call, without the
/// triage, which is loaded later.
fn watch_drawer_changes() -> impl Fn() -> Option<f64> {
    let script = "let seen = 0;
        new MutationObserver((list) => list.forEach(({ target }) => {
            const counts = target.nodeType === 1 && !target.closest('.triage');
            seen += counts && target.closest('.drawer-body') ? 1 : 0;
        })).observe(document.body, { subtree: true, childList: true });
        return () => { const now = seen; seen = 0; return now; };";
    let take_count = Function::new_no_args(script).call0(&JsValue::NULL).unwrap();
    let take_count: Function = take_count.unchecked_into();
    move || take_count.call0(&JsValue::NULL).unwrap().as_f64()
}

#[wasm_bindgen_test]
async fn card_is_rendered_once_and_navigation_adds_no_history() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    let changes = watch_drawer_changes();
    stage.all(".grid-track .grid-row")[0].click();
    wait_until("the first card", || address() == card_path(0)).await;
    wait_until("the answers", || !stage.all(".answers-text").is_empty()).await;
    settle().await;
    assert_eq!(changes(), Some(0.0), "the card is rendered once");
    let entries = window().history().unwrap().length().unwrap();
    let body = document().body().unwrap();
    assert_eq!(
        attr(&button(&stage, "Previous submission"), "aria-disabled").as_deref(),
        Some("true")
    );
    press_key(&body, "j");
    wait_until("the second card", || text_of(&stage, ".drawer-title") == "Person 1").await;
    settle().await;
    assert!(changes().is_some_and(|changes| changes > 0.0), "the observer sees changes");
    button(&stage, "Next submission").click();
    wait_until("the third card", || text_of(&stage, ".drawer-title") == "Person 2").await;
    press_key(&body, "k");
    wait_until("the second card again", || text_of(&stage, ".drawer-title") == "Person 1").await;
    assert_eq!(window().history().unwrap().length().unwrap(), entries);
    assert_eq!(attr(&stage.one("[data-key=sub_1]"), "aria-current").as_deref(), Some("true"));
}

#[wasm_bindgen_test]
async fn added_insights_appear_beside_an_unsaved_note() {
    let is_analyzed = Rc::new(Cell::new(false));
    let (server, has_insights) = (CardServer::default(), Rc::clone(&is_analyzed));
    let network = Network::new(move |asked| {
        if has_insights.get() && asked.url.starts_with("/api/live/v1/forms/frm_1/submissions?") {
            let analyzed = |number: u32| {
                let mut row = submission(number);
                row["ai_insights"] = submission(2)["ai_insights"].clone();
                row
            };
            return list_page_of(&(0..ROWS).collect::<Vec<_>>(), &asked.url, analyzed);
        }
        server.answer(asked)
    });
    let stage = open_dashboard(&card_path(1));
    wait_until("the stream", || network.streams.opened().len() == 1).await;
    wait_until("the row", || !stage.all("[data-key=sub_1]").is_empty()).await;
    wait_until("the note", || !stage.all(".triage-note textarea").is_empty()).await;
    settle().await;
    let facts = || text_of(&stage, ".drawer .facts");
    assert!(facts().contains("Not analysed"));
    let note = stage.one(".triage-note textarea");
    note.focus().unwrap();
    is_analyzed.set(true);
    network.streams.send("analyzed", r#"{"form_id":"frm_1","ids":["sub_1"]}"#);
    wait_until("the insights", || facts().contains("Pricing")).await;
    assert!(!facts().contains("Not analysed"));
    assert!(is_focused(&note), "the field of the note was rebuilt");
}
