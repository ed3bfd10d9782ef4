//! Marking submissions as spam.

use std::collections::BTreeSet;

use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{FakeServer, row_keys, select_rows, wait_for_count};
use crate::pages::bulk_triage::select_all_of;
use crate::pages::{address, button, open_dashboard, text_of, wait_for_text, wait_until};
use crate::{
    pages::shortcuts::press_ctrl,
    stage::{Stage, press_key, settle, type_text},
};

/// Opens the palette, types "mark spam", and returns the commands found.
pub(crate) async fn spam_commands(stage: &Stage) -> Vec<String> {
    assert!(press_ctrl("k"));
    wait_until("the palette", || !stage.all("dialog.command[open]").is_empty()).await;
    settle().await;
    type_text(&stage.one(".command-input"), "mark spam").await;
    stage.texts(".command-option .command-text")
}

#[wasm_bindgen_test]
async fn selection_and_card_are_marked_as_spam() {
    let server = FakeServer::new(30);
    let network = server.network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_rows(&stage, &[1, 3]).await;
    button(&stage, "Mark as spam").click();
    wait_for_count(&stage, 248).await;
    wait_for_text(&stage, ".toasts", "2 submissions marked as spam").await;
    assert_eq!(*server.moved.borrow(), BTreeSet::from([1, 3]));
    assert_eq!(network.requests("/spam")[0].url, "/account/forms/frm_1/spam");
    button(&stage, "Undo").click();
    wait_for_count(&stage, 250).await;
    wait_until("the restored rows", || row_keys(&stage)[..3] == ["sub_0", "sub_1", "sub_2"]).await;
    assert_eq!(network.requests("/spam/restore").len(), 1);
    stage.all(".grid-track .grid-row")[2].click();
    wait_until("the card", || !stage.all(".answers-text").is_empty()).await;
    button(&stage, "Mark as spam").click();
    wait_until("the next", || address() == "/live/forms/frm_1/submissions/sub_3").await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Marked as spam")).await;
}

#[wasm_bindgen_test]
async fn palette_marks_card_and_selection_as_spam() {
    let server = FakeServer::new(30);
    let network = server.network();
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    stage.all(".grid-track .grid-row")[2].click();
    wait_until("the card", || !stage.all(".answers-text").is_empty()).await;
    assert_eq!(spam_commands(&stage).await, ["Mark as spam"]);
    press_key(&stage.one(".command-input"), "Enter");
    wait_until("the next", || address() == "/live/forms/frm_1/submissions/sub_3").await;
    assert_eq!(*server.moved.borrow(), BTreeSet::from([2]));
    press_key(&document().body().unwrap(), "Escape");
    wait_until("the list", || stage.all(".drawer").is_empty()).await;
    select_rows(&stage, &[0, 1]).await;
    spam_commands(&stage).await;
    press_key(&stage.one(".command-input"), "Enter");
    wait_for_count(&stage, 247).await;
    assert_eq!(*server.moved.borrow(), BTreeSet::from([0, 1, 2]));
    assert_eq!(network.requests("/account/forms/frm_1/spam").len(), 2);
}

#[wasm_bindgen_test]
async fn moving_all_by_command_asks_for_confirmation() {
    let server = FakeServer::new(30);
    let _network = server.network();
    let stage = open_dashboard("/live/forms/frm_1");
    select_all_of(&stage, 250).await;
    spam_commands(&stage).await;
    press_key(&stage.one(".command-input"), "Enter");
    let asked = || text_of(&stage, "dialog[open] .dialog-title");
    wait_until("the confirmation", || asked() == "Mark all matching submissions as spam?").await;
    button(&stage, "Cancel").click();
    wait_until("no confirmation", || asked().is_empty()).await;
    press_key(&document().body().unwrap(), "#");
    wait_until("the confirmation", || asked() == "Move all matching submissions to trash?").await;
    assert!(server.moved.borrow().is_empty());
}
