//! The group of the card: fields, history, and what a reader sees.

use leptos::wasm_bindgen::JsCast;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, HtmlSelectElement};

use super::server::{CardServer, history_entry, note};
use super::{changes, open_card};
use crate::pages::{button, open_dashboard, press_button, text_of, wait_for_text, wait_until};
use crate::stage::{Stage, attr, dispatch_event, is_focused, settle, type_key, type_text, value};

fn select(stage: &Stage, index: usize) -> HtmlSelectElement {
    stage.all(".triage-fields select")[index].clone().unchecked_into()
}

fn choose(stage: &Stage, index: usize, value: &str) {
    let list = select(stage, index);
    list.set_value(value);
    dispatch_event(list.unchecked_ref(), "change");
}

fn options(stage: &Stage, index: usize) -> Vec<String> {
    let options = stage.all(".triage-fields select")[index].query_selector_all("option").unwrap();
    (0..options.length()).filter_map(|at| options.get(at)?.text_content()).collect()
}

fn tags(stage: &Stage) -> Vec<String> {
    stage.texts(".triage-tags .tag-text")
}

#[wasm_bindgen_test]
async fn fields_show_and_change_triage() {
    let server = CardServer::new([(3, r#"{"status":"in_progress"}"#)]);
    let network = server.network();
    let stage = open_card(3).await;
    wait_until("the settings", || options(&stage, 0).len() == 4).await;
    assert_eq!(options(&stage, 0), ["Open", "In progress", "Done", "Waiting for reply"]);
    assert_eq!(select(&stage, 0).value(), "in_progress");
    wait_until("the members", || options(&stage, 1).len() == 3).await;
    assert_eq!(options(&stage, 1), ["Nobody", "owner@example.org", "reader@example.org"]);
    choose(&stage, 0, "waiting");
    choose(&stage, 1, "psn_2");
    let star = button(&stage, "Star");
    assert_eq!(attr(&star, "aria-pressed").as_deref(), Some("false"));
    star.click();
    wait_until("the changes", || changes(&network).len() == 3).await;
    settle().await;
    assert_eq!(attr(&star, "aria-pressed").as_deref(), Some("true"));
    choose(&stage, 1, "");
    wait_until("the last change", || changes(&network).len() == 4).await;
    assert_eq!(
        changes(&network),
        [
            json!({ "status": "waiting" }),
            json!({ "assignee": "psn_2" }),
            json!({ "starred": true }),
            json!({ "assignee": null }),
        ]
    );
    assert_eq!(server.triage.triage(3), json!({ "status": "waiting", "starred": true }));
    wait_for_text(&stage, "[role=status]", "Unassigned").await;
}

#[wasm_bindgen_test]
async fn row_shows_change_of_card_and_refused_change_is_taken_back() {
    let server = CardServer::default();
    let _network = server.network();
    let stage = open_card(3).await;
    wait_until("the row", || !stage.all("[data-key=sub_3]").is_empty()).await;
    choose(&stage, 0, "done");
    wait_until("the badge", || text_of(&stage, "[data-key=sub_3] .row-marks") == "Done").await;
    choose(&stage, 0, "open");
    wait_until("no badge", || stage.all("[data-key=sub_3] .row-marks").is_empty()).await;
    *server.is_failing.borrow_mut() = true;
    choose(&stage, 0, "done");
    wait_until("the message", || text_of(&stage, ".toasts").contains("The disk is full")).await;
    settle().await;
    assert_eq!(select(&stage, 0).value(), "open");
}

#[wasm_bindgen_test]
async fn tags_are_added_and_removed() {
    let network = CardServer::new([(3, r#"{"tags":["bug"]}"#)]).network();
    let stage = open_card(3).await;
    wait_until("the tag", || tags(&stage) == ["bug"]).await;
    let input = stage.one(".triage-tags input");
    input.focus().unwrap();
    let suggested = || stage.texts(".triage-tags [role=option] .pick-value");
    wait_until("the suggestions", || suggested() == ["VIP"]).await;
    stage.all(".triage-tags [role=option]")[0].click();
    wait_until("the tag", || tags(&stage) == ["VIP", "bug"]).await;
    assert_eq!(value(&input), "");
    type_text(&input, " new tag ").await;
    button(&stage, "Add").click();
    wait_until("the new tag", || tags(&stage) == ["VIP", "bug", "new tag"]).await;
    type_text(&input, "  ").await;
    press_button(&stage, "Add").await;
    button(&stage, "Remove tag bug").click();
    wait_until("the removal", || tags(&stage) == ["VIP", "new tag"]).await;
    wait_until("the focus", || is_focused(&stage.one(".triage-tags input"))).await;
    assert_eq!(
        changes(&network),
        [
            json!({ "add_tags": ["VIP"] }),
            json!({ "add_tags": ["new tag"] }),
            json!({ "remove_tags": ["bug"] }),
        ]
    );
}

#[wasm_bindgen_test]
async fn twenty_tags_are_the_limit() {
    let tags: Vec<String> = (0..20).map(|number| format!("tag {number:02}")).collect();
    let json: &'static str = Box::leak(json!({ "tags": tags }).to_string().into_boxed_str());
    let network = CardServer::new([(3, json)]).network();
    let stage = open_card(3).await;
    wait_until("the tags", || self::tags(&stage).len() == 20).await;
    type_text(&stage.one(".triage-tags input"), "one more").await;
    button(&stage, "Add").click();
    wait_for_text(&stage, ".triage-tags .field-error", "at most 20 tags").await;
    assert!(changes(&network).is_empty());
}

#[wasm_bindgen_test]
async fn history_is_collapsed_and_follows_changes() {
    let server = CardServer::default();
    *server.history.borrow_mut() = vec![
        history_entry(None, &json!({ "assignee": "psn_2" })),
        history_entry(Some("psn_1"), &json!({ "status": "in_progress", "add_tags": ["a", "b"] })),
    ];
    let network = server.network();
    let stage = open_card(3).await;
    assert!(stage.all(".history-line").is_empty());
    let details = stage.one(".triage-history");
    details.query_selector("summary").unwrap().unwrap().unchecked_into::<HtmlElement>().click();
    let lines = || stage.texts(".history-text");
    wait_until("the history", || lines().len() == 3).await;
    wait_until("the names", || lines()[1].ends_with("owner@example.org")).await;
    assert_eq!(
        lines(),
        [
            "Assigned to reader@example.org by A former member",
            "Status changed from Open to In progress by owner@example.org",
            "Added tags: a, b by owner@example.org",
        ]
    );
    let entry = history_entry(Some("psn_1"), &json!({ "starred": true }));
    server.history.borrow_mut().insert(0, entry);
    button(&stage, "Star").click();
    wait_until("the change", || lines().len() == 4).await;
    assert_eq!(lines()[0], "Starred by owner@example.org");
    assert_eq!(changes(&network).len(), 1);
}

#[wasm_bindgen_test]
async fn reader_sees_triage_without_controls() {
    let marks = r#"{"status":"done","starred":true,"tags":["VIP"],"assignee":"psn_1"}"#;
    let server = CardServer { is_reader: true, ..CardServer::new([(3, marks)]) };
    server.notes.borrow_mut().push(note("nte_1", "psn_1", "Asked for the number."));
    let network = server.network();
    let stage = open_card(3).await;
    wait_until("the assignee", || text_of(&stage, ".triage .facts").contains("owner@")).await;
    let text = stage.text(".triage");
    for words in ["Done", "Yes", "VIP", "owner@example.org", "Asked for the number."] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let controls = stage.texts(".triage :is(input, select, textarea, button)");
    assert_eq!(controls, ["Mark as unread"], "only the read state is the reader's own");
    type_key(&stage.one(".drawer-title"), "s").await;
    assert!(changes(&network).is_empty());
}

#[wasm_bindgen_test]
async fn notes_that_fail_to_load_can_be_requested_again() {
    let server = CardServer::default();
    let failures = std::cell::Cell::new(0);
    let _network = crate::network::Network::new(move |asked| {
        let is_detail = asked.url.starts_with("/account/forms/frm_1/submissions/");
        if is_detail && failures.replace(failures.get() + 1) == 0 {
            return crate::network::Reply::error(500, "internal", "failed");
        }
        server.answer(asked)
    });
    let stage = open_dashboard("/live/forms/frm_1/submissions/sub_3");
    wait_until("the error", || !stage.all(".triage .empty").is_empty()).await;
    assert_eq!(stage.all(".triage-fields select").len(), 2, "the fields work without notes");
    button(&stage, "Retry").click();
    wait_until("the notes", || !stage.all(".triage-note textarea").is_empty()).await;
}
