//! Triage of the selection: the menu of the selection bar, undo, and lists filtered by triage.

pub(crate) mod server;

use leptos::prelude::document;
use leptos::wasm_bindgen::JsCast;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::deletion::{row_keys, select_rows, wait_for_count};
use super::{
    button, open_dashboard, session_reply, text_of, wait_for_text, wait_for_toast, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, is_focused, press_key, press_with, settle, type_text};
use server::TriageServer;

const LIST: &str = "/live/forms/frm_1";

fn items(stage: &Stage) -> Vec<String> {
    stage.texts(".selection .filter-item")
}

/// Presses an item of the menu once it is there.
async fn press_item(stage: &Stage, name: &str) {
    wait_until(name, || items(stage).iter().any(|item| item == name)).await;
    settle().await;
    let item = stage.all(".selection .filter-item").into_iter();
    item.filter(|item| item.text_content().as_deref() == Some(name)).for_each(|item| item.click());
}

async fn open_menu(stage: &Stage) {
    button(stage, "Triage").click();
    wait_until("the actions", || items(stage).len() == 8).await;
}

/// Selects all submissions that match the filter.
pub(super) async fn select_all_of(stage: &Stage, count: u32) {
    wait_until("rows", || row_keys(stage).len() > 10).await;
    let row = &stage.all(".grid-track .grid-row")[0];
    row.focus().unwrap();
    press_with(row, "a", false, true);
    let offer = format!("Select all {count} that match");
    wait_until("the offer", || text_of(stage, ".selection").contains(&offer)).await;
    button(stage, &offer).click();
    let all = format!("All {count} that match are selected");
    wait_until("all", || text_of(stage, ".selection-count") == all).await;
    assert!(active().closest(".selection-acts").unwrap().is_some(), "the focus is lost");
}

fn active() -> HtmlElement {
    document().active_element().unwrap().unchecked_into()
}

#[wasm_bindgen_test]
async fn status_of_selection_is_set_with_undo_and_narrow_bar_fits() {
    let server = TriageServer::new([
        (2, r#"{"status":"done","starred":true}"#),
        (3, r#"{"status":"waiting"}"#),
    ]);
    let network = server.network();
    let stage = open_dashboard(LIST);
    select_rows(&stage, &[1, 2, 3]).await;
    open_menu(&stage).await;
    assert_eq!(
        items(&stage),
        [
            "Status",
            "Add star",
            "Remove star",
            "Mark as read",
            "Mark as unread",
            "Add tag",
            "Remove tag",
            "Assign",
        ]
    );
    press_item(&stage, "Status").await;
    let statuses = ["Open", "In progress", "Done", "Waiting for reply"];
    wait_until("the statuses", || items(&stage) == statuses).await;
    press_item(&stage, "In progress").await;
    wait_for_toast(&stage, "3 submissions changed").await;
    assert!(stage.all(":popover-open").is_empty(), "the menu stays open");
    assert_eq!(server.triage(1), json!({ "status": "in_progress" }));
    assert_eq!(server.triage(2), json!({ "status": "in_progress", "starred": true }));
    assert_eq!(text_of(&stage, ".selection-count"), "3 selected");
    let sent = network.sent("PATCH", "/submissions");
    assert_eq!(sent.len(), 1);
    let body = r#"{"ids":["sub_3","sub_2","sub_1"],"set":{"status":"in_progress"},"undo":true}"#;
    assert_eq!(sent[0].body, body);
    // The window is wide, so that the side bar of 224 px stays.
    for width in [390 + 224, 640 + 224, 1100] {
        stage.resize(width);
        settle().await;
        let end = stage.one(".selection").get_bounding_client_rect().right();
        let ends = stage.all(".selection-acts > button").into_iter().map(|control| {
            (control.text_content().unwrap(), control.get_bounding_client_rect().right())
        });
        let outside: Vec<_> = ends.filter(|(_, right)| *right > end + 0.5).collect();
        assert!(outside.is_empty(), "at {width} px the bar ends at {end}: {outside:?}");
    }
    button(&stage, "Undo").click();
    wait_for_toast(&stage, "3 submissions changed back").await;
    assert_eq!(server.triage(1), json!({ "status": "open" }));
    assert_eq!(server.triage(2), json!({ "status": "done", "starred": true }));
    assert_eq!(server.triage(3), json!({ "status": "waiting" }));
}

#[wasm_bindgen_test]
async fn unchanged_selection_offers_no_undo() {
    let _network = TriageServer::new([(1, r#"{"starred":true}"#)]).network();
    let stage = open_dashboard(LIST);
    select_rows(&stage, &[1]).await;
    open_menu(&stage).await;
    press_item(&stage, "Add star").await;
    wait_for_toast(&stage, "Nothing to change").await;
    assert!(!text_of(&stage, ".toasts").contains("Undo"));
}

#[wasm_bindgen_test]
async fn failed_change_is_explained() {
    let server = TriageServer::default();
    let _network = Network::new(move |asked| match asked.method.as_str() {
        "PATCH" => Reply::error(400, "validation_error", "there are too many tags"),
        _ => server.answer(asked),
    });
    let stage = open_dashboard(LIST);
    select_rows(&stage, &[1]).await;
    open_menu(&stage).await;
    press_item(&stage, "Add star").await;
    wait_for_toast(&stage, "Could not change the submissions. There are too many tags").await;
}

#[wasm_bindgen_test]
async fn change_of_all_that_match_is_confirmed_and_undone() {
    let server = TriageServer::new([(7, r#"{"status":"waiting"}"#)]);
    let network = server.network();
    let stage = open_dashboard(LIST);
    select_all_of(&stage, 250).await;
    open_menu(&stage).await;
    press_item(&stage, "Status").await;
    press_item(&stage, "Done").await;
    let dialog = || text_of(&stage, "dialog[open]");
    wait_until("the question", || dialog().contains("Change all 250 submissions that match?"))
        .await;
    assert!(dialog().contains("Status: Done.") && !dialog().contains("undone"));
    button(&stage, "Change").click();
    wait_for_toast(&stage, "250 submissions changed").await;
    assert_eq!(server.triage(249), json!({ "status": "done" }));
    let sent = network.sent("PATCH", "/submissions");
    assert_eq!(sent[0].body, r#"{"filter":"","count":250,"set":{"status":"done"},"undo":true}"#);
    button(&stage, "Undo").click();
    wait_for_toast(&stage, "250 submissions changed back").await;
    assert_eq!(server.triage(249), json!({ "status": "open" }));
    assert_eq!(server.triage(7), json!({ "status": "waiting" }));
}

#[wasm_bindgen_test]
async fn outdated_count_is_explained_and_list_reloaded() {
    let server = TriageServer::new((0..150).map(|number| (number, r#"{"status":"waiting"}"#)));
    let _network = server.network();
    let stage = open_dashboard(&format!("{LIST}?status=waiting"));
    wait_for_count(&stage, 150).await;
    select_all_of(&stage, 150).await;
    // Another user closes a submission meanwhile.
    server.marks.borrow_mut().remove(&7);
    open_menu(&stage).await;
    press_item(&stage, "Add star").await;
    wait_until("the question", || text_of(&stage, "dialog[open]").contains("Change all 150")).await;
    button(&stage, "Change").click();
    let problem = "The number of submissions changed. 149 submissions match the filter now";
    wait_until("the problem", || text_of(&stage, "dialog[open]").contains(problem)).await;
    wait_for_count(&stage, 149).await;
    assert_eq!(server.triage(0), json!({ "status": "waiting" }));
}

#[wasm_bindgen_test]
async fn filtered_list_loses_changed_rows_until_undo() {
    let server = TriageServer::new((0..20).map(|number| (number, r#"{"status":"waiting"}"#)));
    let _network = server.network();
    let stage = open_dashboard(&format!("{LIST}?status=waiting"));
    wait_for_count(&stage, 20).await;
    select_rows(&stage, &[0, 2]).await;
    open_menu(&stage).await;
    press_item(&stage, "Status").await;
    press_item(&stage, "Done").await;
    wait_for_count(&stage, 18).await;
    wait_until("the rows", || row_keys(&stage)[..2] == ["sub_1", "sub_3"]).await;
    assert!(stage.all(".selection").is_empty(), "rows that left the list are selected");
    wait_until("the focus", || active().closest(".grid-track").unwrap().is_some()).await;
    button(&stage, "Undo").click();
    wait_for_count(&stage, 20).await;
    wait_until("the rows", || row_keys(&stage)[..2] == ["sub_0", "sub_1"]).await;
}

#[wasm_bindgen_test]
async fn tags_and_assignee_are_set_by_keyboard() {
    let server = TriageServer::default();
    let _network = server.network();
    let stage = open_dashboard(LIST);
    select_rows(&stage, &[0]).await;
    open_menu(&stage).await;
    let first = stage.all(".selection .filter-item").remove(0);
    first.focus().unwrap();
    for _ in 0..5 {
        press_key(&active(), "ArrowDown");
    }
    assert_eq!(active().text_content().as_deref(), Some("Add tag"));
    active().click();
    wait_until("the field", || stage.all(".selection input").first().is_some_and(is_focused)).await;
    wait_until("the tags", || text_of(&stage, ".selection [role=option]") == "VIPbug").await;
    button(&stage, "Add").click();
    wait_for_text(&stage, ".selection .field-error", "1 to 50 characters").await;
    type_text(&stage.one(".selection input"), " new tag ").await;
    button(&stage, "Add").click();
    wait_until("the tag", || server.triage(0)["tags"] == json!(["new tag"])).await;

    open_menu(&stage).await;
    press_item(&stage, "Remove tag").await;
    wait_until("its focus", || stage.all(".selection input").first().is_some_and(is_focused)).await;
    // The new tag is one of the account now.
    wait_until("the tags", || text_of(&stage, ".selection [role=option]") == "VIPbugnew tag").await;
    stage.all(".selection [role=option]")[2].click();
    wait_until("no tag", || server.triage(0) == json!({ "status": "open" })).await;

    open_menu(&stage).await;
    press_item(&stage, "Assign").await;
    wait_until("the members", || items(&stage) == ["Nobody", "owner@example.org"]).await;
    wait_until("the focus", || active().text_content().as_deref() == Some("Nobody")).await;
    button(&stage, "Back to all actions").click();
    wait_until("the action", || active().text_content().as_deref() == Some("Assign")).await;
    press_item(&stage, "Assign").await;
    press_item(&stage, "owner@example.org").await;
    wait_until("the assignee", || server.triage(0)["assignee"] == "psn_1").await;
}

#[wasm_bindgen_test]
async fn readers_change_only_read_states() {
    let server = TriageServer::default();
    let answers = server.clone();
    let network = Network::new(move |asked| match asked.url.as_str() {
        "/session" => session_reply("reader"),
        _ => answers.answer(asked),
    });
    let stage = open_dashboard(LIST);
    select_rows(&stage, &[0, 4]).await;
    wait_until("the menu", || text_of(&stage, ".selection").contains("Triage")).await;
    button(&stage, "Triage").click();
    wait_until("the actions", || items(&stage) == ["Mark as read", "Mark as unread"]).await;
    press_item(&stage, "Mark as read").await;
    wait_for_toast(&stage, "2 submissions changed").await;
    assert!(server.is_read(0) && server.is_read(4) && !server.is_read(1));
    assert!(network.requests("/account/triage").is_empty());
}

#[wasm_bindgen_test]
async fn row_that_leaves_filtered_list_passes_focus_on() {
    let _network = TriageServer::default().network();
    let stage = open_dashboard(&format!("{LIST}?starred=false"));
    wait_for_count(&stage, 250).await;
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    press_key(&document().body().unwrap(), "j");
    wait_until("the focus", || active().get_attribute("data-key").as_deref() == Some("sub_0"))
        .await;
    press_key(&active(), "s");
    wait_for_count(&stage, 249).await;
    wait_until("the rows", || row_keys(&stage).first().map(String::as_str) == Some("sub_1")).await;
    wait_until("the focus", || active().get_attribute("data-key").as_deref() == Some("sub_1"))
        .await;
}
