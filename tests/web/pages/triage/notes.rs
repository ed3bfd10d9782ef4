//! Notes about a submission.

use leptos::prelude::document;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, HtmlTextAreaElement};

use super::open_card;
use super::server::{CardServer, note};
use crate::network::Network;
use crate::pages::shortcuts::press_ctrl;
use crate::pages::{button, dialog_button, press_button, text_of, wait_for_text, wait_until};
use crate::stage::{Stage, dispatch_event, is_focused, settle, wait};

fn texts(stage: &Stage) -> Vec<String> {
    stage.texts(".note-text")
}

pub(super) fn write(area: &HtmlElement, text: &str) {
    area.unchecked_ref::<HtmlTextAreaElement>().set_value(text);
    dispatch_event(area, "input");
}

pub(super) fn content(area: &HtmlElement) -> String {
    area.unchecked_ref::<HtmlTextAreaElement>().value()
}

/// Installs a network that creates notes slowly.
fn slow_network(server: &CardServer) -> Network {
    let server = server.clone();
    Network::new(move |asked| {
        server.answer(asked).delayed(if asked.method == "POST" { 1_000 } else { 0 })
    })
}

#[wasm_bindgen_test]
async fn note_is_saved_with_ctrl_enter() {
    let network = CardServer::default().network();
    let stage = open_card(3).await;
    let area = stage.one(".triage-note textarea");
    area.focus().unwrap();
    assert!(press_ctrl("Enter"), "the key is handled");
    settle().await;
    assert!(network.requests("/notes").is_empty(), "a blank note is not sent");
    write(&area, " Called back.\nNo answer. ");
    settle().await;
    press_ctrl("Enter");
    wait_until("the note", || texts(&stage) == ["Called back.\nNo answer."]).await;
    settle().await;
    assert_eq!(content(&area), "");
    assert!(is_focused(&area));
    let sent = network.requests("/submissions/sub_3/notes").pop().unwrap();
    assert_eq!((sent.method.as_str(), sent.has_csrf_header), ("POST", true));
    wait_until("the author", || text_of(&stage, ".note-author") == "owner@example.org").await;
    assert!(text_of(&stage, "[role=status]").contains("Note saved"));
}

#[wasm_bindgen_test]
async fn note_that_was_not_saved_stays_in_field() {
    let server = CardServer::default();
    let _network = server.network();
    let stage = open_card(3).await;
    *server.is_failing.borrow_mut() = true;
    let area = stage.one(".triage-note textarea");
    write(&area, "Called back.");
    settle().await;
    button(&stage, "Save note").click();
    wait_for_text(&stage, ".triage-note .field-error", "The disk is full").await;
    assert_eq!(content(&area), "Called back.");
    write(&area, &"x".repeat(10_001));
    settle().await;
    press_button(&stage, "Save note").await;
    assert!(text_of(&stage, ".triage-note .field-error").contains("10,000 characters"));
}

#[wasm_bindgen_test]
async fn unsaved_note_survives_look_at_next_submission() {
    let _network = CardServer::default().network();
    let stage = open_card(3).await;
    wait_until("the row", || !stage.all("[data-key=sub_3]").is_empty()).await;
    write(&stage.one(".triage-note textarea"), "Called back.");
    settle().await;
    for (name, title, expected) in
        [("Next submission", "Person 4", ""), ("Previous submission", "Person 3", "Called back.")]
    {
        button(&stage, name).click();
        wait_until("the card", || text_of(&stage, ".drawer-title") == title).await;
        wait_until("the field", || !stage.all(".triage-note textarea").is_empty()).await;
        settle().await;
        assert_eq!(content(&stage.one(".triage-note textarea")), expected, "{title}");
    }
}

#[wasm_bindgen_test]
async fn note_that_is_saved_meanwhile_is_no_draft() {
    let server = CardServer::default();
    let _network = slow_network(&server);
    let stage = open_card(3).await;
    wait_until("the row", || !stage.all("[data-key=sub_3]").is_empty()).await;
    write(&stage.one(".triage-note textarea"), "Called back.");
    settle().await;
    button(&stage, "Save note").click();
    button(&stage, "Next submission").click();
    wait_until("the next card", || text_of(&stage, ".drawer-title") == "Person 4").await;
    wait(2_000).await;
    assert_eq!(server.notes.borrow().len(), 1);
    button(&stage, "Previous submission").click();
    wait_until("the card", || text_of(&stage, ".drawer-title") == "Person 3").await;
    wait_until("the field", || !stage.all(".triage-note textarea").is_empty()).await;
    settle().await;
    assert_eq!(content(&stage.one(".triage-note textarea")), "");
}

#[wasm_bindgen_test]
async fn text_that_is_typed_while_a_note_is_saved_stays() {
    let server = CardServer::default();
    let _network = slow_network(&server);
    let stage = open_card(3).await;
    write(&stage.one(".triage-note textarea"), "Called back.");
    settle().await;
    press_button(&stage, "Save note").await;
    write(&stage.one(".triage-note textarea"), "Nobody answered.");
    wait_until("the note", || server.notes.borrow().len() == 1).await;
    wait(2_000).await;
    assert_eq!(content(&stage.one(".triage-note textarea")), "Nobody answered.");
}

#[wasm_bindgen_test]
async fn own_note_is_edited_and_deleted_after_confirmation() {
    let server = CardServer::default();
    server.notes.borrow_mut().push(note("nte_1", "psn_1", "Call back"));
    server.notes.borrow_mut().push(note("nte_2", "psn_2", "By another member"));
    let network = server.network();
    let stage = open_card(3).await;
    wait_until("the buttons", || stage.all(".note-buttons").len() == 1).await;
    button(&stage, "Edit").click();
    wait_until("the field", || stage.all(".notes textarea").len() == 1).await;
    assert_eq!(content(&stage.one(".notes textarea")), "Call back");
    button(&stage, "Cancel").click();
    wait_until("the text", || texts(&stage).len() == 2).await;
    button(&stage, "Edit").click();
    wait_until("the field", || stage.all(".notes textarea").len() == 1).await;
    write(&stage.one(".notes textarea"), "Called back");
    settle().await;
    stage.one(".notes textarea").focus().unwrap();
    press_ctrl("Enter");
    wait_until("the new text", || texts(&stage) == ["Called back", "By another member"]).await;
    assert_eq!(stage.text(".note-edited"), "edited");
    assert_eq!(network.requests("/notes/nte_1").len(), 1);
    wait_until("the focus", || is_focused(&stage.one(".triage-note textarea"))).await;
    wait_until("the buttons", || stage.all(".note-buttons").len() == 1).await;
    let delete: HtmlElement = stage.all(".note-buttons button")[1].clone();
    assert_eq!(delete.text_content().as_deref(), Some("Delete"));
    delete.click();
    wait_until("the question", || text_of(&stage, "dialog[open]").contains("Delete note?")).await;
    let deletions = || network.sent("DELETE", "/notes/nte_1").len();
    assert_eq!(deletions(), 0);
    dialog_button(&stage, "Delete").click();
    wait_until("the deletion", || texts(&stage) == ["By another member"]).await;
    assert_eq!(deletions(), 1);
    wait_until("the focus", || is_focused(&stage.one(".triage-note textarea"))).await;
    assert!(document().query_selector("dialog[open]").unwrap().is_none());
}
