//! Deleting submissions: into the trash with undo on a Sheaf server, permanently on other servers.

mod foreign;
mod server;
mod spam;

use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::bulk_triage::select_all_of;
use super::{ROWS, button, form, open_dashboard, press_button, text_of, wait_for_text, wait_until};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, is_focused, press_key, type_into};
use server::FakeServer;
pub(super) use spam::spam_commands;

pub(super) fn row_keys(stage: &Stage) -> Vec<String> {
    let rows = stage.all(".grid-track .grid-row");
    rows.iter().filter_map(|row| attr(row, "data-key")).collect()
}

/// Selects rows by their check boxes.
pub(super) async fn select_rows(stage: &Stage, rows: &[usize]) {
    wait_until("rows", || row_keys(stage).len() > 10).await;
    for row in rows {
        stage.all(".grid-track .grid-check input")[*row].click();
    }
    wait_until("the bar", || !stage.all(".selection").is_empty()).await;
}

pub(super) async fn wait_for_count(stage: &Stage, count: u32) {
    let text = format!("{count} submissions");
    wait_until(&text, || text_of(stage, ".page-count") == text).await;
}

#[wasm_bindgen_test]
async fn deleted_rows_are_restored_by_undo() {
    let server = FakeServer::new(30);
    let network = server.network();
    let stage = open_dashboard("/live/forms/frm_1");
    for key in [true, false] {
        select_rows(&stage, &[1, 3]).await;
        button(&stage, "Delete").click();
        wait_for_count(&stage, 248).await;
        assert_eq!(row_keys(&stage)[..3], ["sub_0", "sub_2", "sub_4"]);
        assert!(stage.all("dialog[open]").is_empty(), "deletion with undo needs no confirmation");
        let toast = "2 submissions moved to trash";
        wait_until("the toast", || text_of(&stage, ".toasts").contains(toast)).await;
        assert_eq!(*server.moved.borrow(), BTreeSet::from([1, 3]));
        assert!(stage.all(".selection").is_empty(), "the selection is not cleared");
        if key {
            assert!(press_key(&document().body().unwrap(), "u"));
        } else {
            button(&stage, "Undo").click();
        }
        wait_for_count(&stage, 250).await;
        let restored = ["sub_0", "sub_1", "sub_2", "sub_3"];
        wait_until("the restored rows", || row_keys(&stage)[..4] == restored).await;
        wait_for_text(&stage, ".toasts", "2 submissions restored").await;
        assert!(!text_of(&stage, ".toasts").contains("Undo"));
    }
    assert!(network.requests("").iter().all(|asked| asked.method != "DELETE"));
}

#[wasm_bindgen_test]
async fn undo_keeps_the_scroll_position() {
    let _network = FakeServer::new(30).network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_rows(&stage, &[0, 2]).await;
    let grid = stage.one(".grid");
    grid.set_scroll_top(3_000);
    wait_until("the rows", || !stage.all("[data-key=sub_70]").is_empty()).await;
    button(&stage, "Delete").click();
    wait_for_count(&stage, 248).await;
    button(&stage, "Undo").click();
    wait_for_count(&stage, 250).await;
    wait_until("the same rows", || !stage.all("[data-key=sub_70]").is_empty()).await;
    assert!(stage.all("[data-key=sub_0]").is_empty());
}

#[wasm_bindgen_test]
async fn delete_key_opens_next_card() {
    let _network = FakeServer::new(30).network();
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    for (key, next) in [("#", 3), ("Delete", 4), ("Backspace", 5)] {
        if stage.all(".drawer").is_empty() {
            stage.all(".grid-track .grid-row")[2].click();
        }
        wait_until("the card", || !stage.all(".answers-text").is_empty()).await;
        press_key(&document().body().unwrap(), key);
        let at = format!("/live/forms/frm_1/submissions/sub_{next}");
        wait_until("the next card", || super::address() == at).await;
        wait_until("the toast", || text_of(&stage, ".toasts").contains("Moved to trash")).await;
    }
    wait_for_count(&stage, 247).await;
}

#[wasm_bindgen_test]
async fn move_is_completed_after_the_page_is_left() {
    let server = FakeServer::new(30);
    let moved = Rc::clone(&server.moved);
    let _network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("POST", "/account/forms/frm_1/trash") => server.answer(asked).delayed(5_000),
        ("GET", "/account/forms/frm_1") => {
            let mut form = form("frm_1", "Feedback", "live");
            form["submission_count"] = (ROWS as usize - server.moved.borrow().len()).into();
            Reply::ok(&json!({ "data": form }))
        }
        _ => server.answer(asked),
    });
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    let row = &stage.all(".grid-track .grid-row")[1];
    row.focus().unwrap();
    press_key(row, "#");
    wait_until("the request", || moved.borrow().contains(&1)).await;
    stage.one(".page-actions a[href*=insights]").click();
    wait_until("another page", || stage.all(".grid").is_empty()).await;
    assert!(!text_of(&stage, ".toasts").contains("Moved to trash"), "the response is late");
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Moved to trash")).await;
    wait_until("the count", || text_of(&stage, ".nav-count").contains("249")).await;
    button(&stage, "Undo").click();
    wait_until("the restored row", || moved.borrow().is_empty()).await;
    wait_until("the count", || text_of(&stage, ".nav-count").contains("250")).await;
}

#[wasm_bindgen_test]
async fn deletion_without_trash_asks_for_confirmation() {
    let server = FakeServer::new(0);
    let _network = server.network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_rows(&stage, &[1]).await;
    button(&stage, "Delete").click();
    wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    let text = text_of(&stage, "dialog[open]");
    assert!(text.contains("Delete 1 submission permanently?"), "{text}");
    assert!(text.contains("This cannot be undone."), "{text}");
    button(&stage, "Cancel").click();
    wait_until("no confirmation", || stage.all("dialog[open]").is_empty()).await;
    assert!(server.moved.borrow().is_empty());
    press_button(&stage, "Delete").await;
    button(&stage, "Delete permanently").click();
    wait_for_count(&stage, 249).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Submission deleted")).await;
    assert!(!text_of(&stage, ".toasts").contains("Undo"));
    wait_until("no confirmation", || stage.all("dialog[open]").is_empty()).await;
}

#[wasm_bindgen_test]
async fn failed_move_keeps_rows_and_shows_error() {
    let server = FakeServer::new(30);
    let _network = Network::new(move |asked| match asked.url.as_str() {
        "/account/forms/frm_1/trash" => Reply::error(503, "unavailable", "the disk is full"),
        _ => server.answer(asked),
    });
    let stage = open_dashboard("/live/forms/frm_1");
    select_rows(&stage, &[1]).await;
    button(&stage, "Delete").click();
    let why = "Could not delete. The disk is full";
    wait_until("the error", || text_of(&stage, ".toasts").contains(why)).await;
    assert_eq!(text_of(&stage, ".page-count"), "250 submissions");
    assert_eq!(text_of(&stage, ".selection-count"), "1 selected");
}

#[wasm_bindgen_test]
async fn moving_all_requires_typing_the_count() {
    let server = FakeServer::new(30);
    let network = server.network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_all_of(&stage, 250).await;
    button(&stage, "Delete").click();
    wait_for_text(&stage, "dialog[open]", "all submissions").await;
    let text = text_of(&stage, "dialog[open]");
    assert!(text.contains("Move all matching submissions to trash?"), "{text}");
    assert!(text.contains("250 submissions of Feedback"), "{text}");
    assert!(text.contains("restore them from the trash for 30 days"), "{text}");
    type_into(&stage.one("dialog[open] input"), "25");
    press_button(&stage, "Move to trash").await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("Type 250"));
    // Another row is deleted meanwhile.
    server.moved.borrow_mut().insert(7);
    type_into(&stage.one("dialog[open] input"), "250");
    button(&stage, "Move to trash").click();
    let changed = "The number of submissions changed. 249 submissions match";
    wait_for_text(&stage, "dialog[open] .field-error", changed).await;
    wait_for_count(&stage, 249).await;
    type_into(&stage.one("dialog[open] input"), "249");
    button(&stage, "Move to trash").click();
    wait_for_text(&stage, ".toasts", "249 submissions moved to trash").await;
    wait_until("none", || stage.all(".grid-track .grid-row").is_empty()).await;
    wait_until("no dialog", || stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Undo").click();
    wait_for_count(&stage, 250).await;
    let sent = network.requests("/account/forms/frm_1/trash");
    assert_eq!(sent[0].body, r#"{"count":250}"#);
    assert!(network.requests("").iter().all(|asked| asked.method != "DELETE"));
}

#[wasm_bindgen_test]
async fn remaining_rows_are_moved_by_further_requests() {
    let network = FakeServer { most: 100, ..FakeServer::new(30) }.network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_all_of(&stage, 250).await;
    button(&stage, "Delete").click();
    wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    type_into(&stage.one("dialog[open] input"), "250");
    button(&stage, "Move to trash").click();
    wait_for_text(&stage, ".toasts", "250 submissions moved to trash").await;
    let sent: Vec<_> = network.requests("/trash").into_iter().map(|asked| asked.body).collect();
    assert_eq!(sent, [r#"{"count":250}"#, r#"{"count":150}"#, r#"{"count":50}"#]);
}

#[wasm_bindgen_test]
async fn focused_undo_toast_stays() {
    let _network = FakeServer::new(30).network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_rows(&stage, &[1]).await;
    button(&stage, "Delete").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Moved to trash")).await;
    crate::stage::wait(10_000).await;
    let undo = button(&stage, "Undo");
    undo.focus().unwrap();
    crate::stage::wait(20_000).await;
    assert!(is_focused(&undo));
    undo.blur().unwrap();
    wait_until("no toast", || stage.all(".toast").is_empty()).await;
}
