//! Deleting submissions: into the trash with undo on a Sheaf server, permanently on other servers.

mod foreign;
mod server;
mod spam;

use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{button, open, shown, until};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, focused, press, settle, type_into};
use server::Server;

pub(super) fn keys(stage: &Stage) -> Vec<String> {
    let rows = stage.all(".grid-track .grid-row");
    rows.iter().filter_map(|row| attr(row, "data-key")).collect()
}

/// Selects rows by their check boxes.
pub(super) async fn select(stage: &Stage, rows: &[usize]) {
    until("rows", || keys(stage).len() > 10).await;
    for row in rows {
        stage.all(".grid-track .grid-check input")[*row].click();
    }
    until("the bar", || !stage.all(".selection").is_empty()).await;
}

pub(super) async fn counts(stage: &Stage, count: u32) {
    let text = format!("{count} submissions");
    until(&text, || shown(stage, ".page-count") == text).await;
}

async fn select_all(stage: &Stage) {
    until("rows", || keys(stage).len() > 10).await;
    let row = &stage.all(".grid-track .grid-row")[0];
    row.focus().unwrap();
    crate::pages::selection::press_with(row, "a", false, true);
    until("the offer", || shown(stage, ".selection").contains("Select all 250 that match")).await;
    button(stage, "Select all 250 that match").click();
    until("all", || shown(stage, ".selection-count").starts_with("All 250")).await;
}

#[wasm_bindgen_test]
async fn deleted_rows_are_restored_by_undo() {
    let server = Server::new(30);
    let answers = server.clone();
    let network = Network::new(move |asked| answers.answer(asked));
    let stage = open("/live/forms/frm_1");
    for key in [true, false] {
        select(&stage, &[1, 3]).await;
        button(&stage, "Delete").click();
        counts(&stage, 248).await;
        assert_eq!(keys(&stage)[..3], ["sub_0", "sub_2", "sub_4"]);
        assert!(stage.all("dialog[open]").is_empty(), "deletion with undo needs no confirmation");
        let toast = "2 submissions moved to trash";
        until("the toast", || shown(&stage, ".toasts").contains(toast)).await;
        assert_eq!(*server.moved.borrow(), BTreeSet::from([1, 3]));
        assert!(stage.all(".selection").is_empty(), "the selection is not cleared");
        if key {
            assert!(press(&document().body().unwrap(), "u"));
        } else {
            button(&stage, "Undo").click();
        }
        counts(&stage, 250).await;
        until("the restored rows", || keys(&stage)[..4] == ["sub_0", "sub_1", "sub_2", "sub_3"])
            .await;
        until("the toast", || shown(&stage, ".toasts").contains("2 submissions restored")).await;
        assert!(!shown(&stage, ".toasts").contains("Undo"));
    }
    assert!(network.asked("").iter().all(|asked| asked.method != "DELETE"));
}

#[wasm_bindgen_test]
async fn undo_keeps_the_scroll_position() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select(&stage, &[0, 2]).await;
    let grid = stage.one(".grid");
    grid.set_scroll_top(3_000);
    until("the rows", || !stage.all("[data-key=sub_70]").is_empty()).await;
    button(&stage, "Delete").click();
    counts(&stage, 248).await;
    button(&stage, "Undo").click();
    counts(&stage, 250).await;
    until("the same rows", || !stage.all("[data-key=sub_70]").is_empty()).await;
    assert!(stage.all("[data-key=sub_0]").is_empty());
}

#[wasm_bindgen_test]
async fn delete_key_opens_next_card() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    for (key, next) in [("#", 3), ("Delete", 4), ("Backspace", 5)] {
        if stage.all(".drawer").is_empty() {
            stage.all(".grid-track .grid-row")[2].click();
        }
        until("the card", || !stage.all(".answers-text").is_empty()).await;
        press(&document().body().unwrap(), key);
        let at = format!("/live/forms/frm_1/submissions/sub_{next}");
        until("the next card", || super::address() == at).await;
        until("the toast", || shown(&stage, ".toasts").contains("Moved to trash")).await;
    }
    counts(&stage, 247).await;
}

#[wasm_bindgen_test]
async fn deletion_without_trash_asks_for_confirmation() {
    let server = Server::new(0);
    let moved = Rc::clone(&server.moved);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    button(&stage, "Delete").click();
    until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    let text = shown(&stage, "dialog[open]");
    assert!(text.contains("Delete 1 submission permanently?"), "{text}");
    assert!(text.contains("This cannot be undone."), "{text}");
    button(&stage, "Cancel").click();
    until("no confirmation", || stage.all("dialog[open]").is_empty()).await;
    assert!(moved.borrow().is_empty());
    button(&stage, "Delete").click();
    settle().await;
    button(&stage, "Delete permanently").click();
    counts(&stage, 249).await;
    until("the toast", || shown(&stage, ".toasts").contains("Submission deleted")).await;
    assert!(!shown(&stage, ".toasts").contains("Undo"));
    until("no confirmation", || stage.all("dialog[open]").is_empty()).await;
}

#[wasm_bindgen_test]
async fn failed_move_keeps_rows_and_shows_error() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| match asked.url.as_str() {
        "/account/forms/frm_1/trash" => Reply::error(503, "unavailable", "the disk is full"),
        _ => server.answer(asked),
    });
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    button(&stage, "Delete").click();
    let why = "Could not delete. The disk is full";
    until("the error", || shown(&stage, ".toasts").contains(why)).await;
    assert_eq!(shown(&stage, ".page-count"), "250 submissions");
    assert_eq!(shown(&stage, ".selection-count"), "1 selected");
}

#[wasm_bindgen_test]
async fn moving_all_requires_typing_the_count() {
    let server = Server::new(30);
    let (answers, moved) = (server.clone(), Rc::clone(&server.moved));
    let network = Network::new(move |asked| answers.answer(asked));
    let stage = open("/live/forms/frm_1");
    select_all(&stage).await;
    button(&stage, "Delete").click();
    until("the confirmation", || shown(&stage, "dialog[open]").contains("all submissions")).await;
    let text = shown(&stage, "dialog[open]");
    assert!(text.contains("Move all matching submissions to trash?"), "{text}");
    assert!(text.contains("250 submissions of Feedback"), "{text}");
    assert!(text.contains("restore them from the trash for 30 days"), "{text}");
    type_into(&stage.one("dialog[open] input"), "25");
    button(&stage, "Move to trash").click();
    settle().await;
    assert!(shown(&stage, "dialog[open] .field-error").contains("Type 250"));
    // Another row is deleted meanwhile.
    moved.borrow_mut().insert(7);
    type_into(&stage.one("dialog[open] input"), "250");
    button(&stage, "Move to trash").click();
    let changed = "The number of submissions changed. 249 submissions match";
    until("the error", || shown(&stage, "dialog[open] .field-error").contains(changed)).await;
    counts(&stage, 249).await;
    type_into(&stage.one("dialog[open] input"), "249");
    button(&stage, "Move to trash").click();
    until("the toast", || shown(&stage, ".toasts").contains("249 submissions moved to trash"))
        .await;
    until("none", || stage.all(".grid-track .grid-row").is_empty()).await;
    until("no dialog", || stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Undo").click();
    counts(&stage, 250).await;
    let sent = network.asked("/account/forms/frm_1/trash");
    assert_eq!(sent[0].body, r#"{"count":250}"#);
    assert!(network.asked("").iter().all(|asked| asked.method != "DELETE"));
}

#[wasm_bindgen_test]
async fn remaining_rows_are_moved_by_further_requests() {
    let server = Server { most: 100, ..Server::new(30) };
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select_all(&stage).await;
    button(&stage, "Delete").click();
    until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    type_into(&stage.one("dialog[open] input"), "250");
    button(&stage, "Move to trash").click();
    until("the toast", || shown(&stage, ".toasts").contains("250 submissions moved to trash"))
        .await;
    let sent: Vec<_> = network.asked("/trash").into_iter().map(|asked| asked.body).collect();
    assert_eq!(sent, [r#"{"count":250}"#, r#"{"count":150}"#, r#"{"count":50}"#]);
}

#[wasm_bindgen_test]
async fn reader_cannot_delete_or_mark_spam() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| match asked.url.as_str() {
        "/session" => {
            let mut session = super::session();
            session["data"]["role"] = "reader".into();
            Reply::ok(&session)
        }
        _ => server.answer(asked),
    });
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    let bar = shown(&stage, ".selection");
    assert!(!bar.contains("Delete") && !bar.contains("spam"), "{bar}");
    press(&document().body().unwrap(), "#");
    settle().await;
    counts(&stage, 250).await;
    assert!(stage.all("dialog[open]").is_empty());
    assert!(spam::spam_commands(&stage).await.is_empty());
}

#[wasm_bindgen_test]
async fn focused_undo_toast_stays() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    button(&stage, "Delete").click();
    until("the toast", || shown(&stage, ".toasts").contains("Moved to trash")).await;
    crate::stage::wait(10_000).await;
    let undo = button(&stage, "Undo");
    undo.focus().unwrap();
    crate::stage::wait(20_000).await;
    assert!(focused(&undo));
    undo.blur().unwrap();
    until("no toast", || stage.all(".toast").is_empty()).await;
}
