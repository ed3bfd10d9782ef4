//! Marking submissions as spam.

use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{Server, counts, keys, select, select_all};
use crate::pages::{address, button, foreign, open, shown, until};
use crate::{
    network::Network,
    pages::shortcuts::with_ctrl,
    stage::{Stage, press, settle, type_into},
};

/// Opens the palette, types "mark spam", and returns the commands found.
pub(super) async fn spam_commands(stage: &Stage) -> Vec<String> {
    assert!(with_ctrl("k"));
    until("the palette", || !stage.all("dialog.command[open]").is_empty()).await;
    settle().await;
    type_into(&stage.one(".command-input"), "mark spam");
    settle().await;
    let texts = stage.all(".command-option .command-text");
    texts.iter().filter_map(|text| text.text_content()).collect()
}

#[wasm_bindgen_test]
async fn selection_is_marked_as_spam_with_undo() {
    let server = Server::new(30);
    let moved = Rc::clone(&server.moved);
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1, 3]).await;
    button(&stage, "Mark as spam").click();
    counts(&stage, 248).await;
    until("the toast", || shown(&stage, ".toasts").contains("2 submissions marked as spam")).await;
    assert_eq!(*moved.borrow(), BTreeSet::from([1, 3]));
    assert_eq!(network.asked("/spam")[0].url, "/account/forms/frm_1/spam");
    button(&stage, "Undo").click();
    counts(&stage, 250).await;
    until("the restored rows", || keys(&stage)[..3] == ["sub_0", "sub_1", "sub_2"]).await;
    assert_eq!(network.asked("/spam/restore").len(), 1);
}

#[wasm_bindgen_test]
async fn card_is_marked_as_spam() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    stage.all(".grid-track .grid-row")[2].click();
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    button(&stage, "Mark as spam").click();
    until("the next", || address() == "/live/forms/frm_1/submissions/sub_3").await;
    until("the toast", || shown(&stage, ".toasts").contains("Marked as spam")).await;
}

#[wasm_bindgen_test]
async fn foreign_server_has_no_spam_button() {
    let _network = Network::new(foreign);
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    assert!(!shown(&stage, ".selection").contains("spam"));
}

#[wasm_bindgen_test]
async fn palette_marks_card_and_selection_as_spam() {
    let server = Server::new(30);
    let moved = Rc::clone(&server.moved);
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    stage.all(".grid-track .grid-row")[2].click();
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    assert_eq!(spam_commands(&stage).await, ["Mark as spam"]);
    press(&stage.one(".command-input"), "Enter");
    until("the next", || address() == "/live/forms/frm_1/submissions/sub_3").await;
    assert_eq!(*moved.borrow(), BTreeSet::from([2]));
    press(&document().body().unwrap(), "Escape");
    until("the list", || stage.all(".drawer").is_empty()).await;
    select(&stage, &[0, 1]).await;
    spam_commands(&stage).await;
    press(&stage.one(".command-input"), "Enter");
    counts(&stage, 247).await;
    assert_eq!(*moved.borrow(), BTreeSet::from([0, 1, 2]));
    assert_eq!(network.asked("/account/forms/frm_1/spam").len(), 2);
}

#[wasm_bindgen_test]
async fn moving_all_by_command_asks_for_confirmation() {
    let server = Server::new(30);
    let moved = Rc::clone(&server.moved);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select_all(&stage).await;
    spam_commands(&stage).await;
    press(&stage.one(".command-input"), "Enter");
    let asked = || shown(&stage, "dialog[open] .dialog-title");
    until("the confirmation", || asked() == "Mark all matching submissions as spam?").await;
    button(&stage, "Cancel").click();
    until("no confirmation", || asked().is_empty()).await;
    press(&document().body().unwrap(), "#");
    until("the confirmation", || asked() == "Move all matching submissions to trash?").await;
    assert!(moved.borrow().is_empty());
}

#[wasm_bindgen_test]
async fn foreign_server_has_no_spam_command() {
    let _network = Network::new(foreign);
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    assert!(spam_commands(&stage).await.is_empty());
}
