//! Where the focus goes when what was pressed is there no more.

use std::{cell::Cell, rc::Rc};

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{button, gateway, open, shown, until};
use super::failed::refusing;
use super::{delete, slow};
use crate::network::Network;
use crate::stage::{Stage, attr, focused, settle, wait};

/// Presses a button as a key does: it has the focus, and keeps it for as long as it is there.
async fn press_button(stage: &Stage, name: &str) {
    until("no dialog", || stage.all("dialog[open]").is_empty()).await;
    settle().await;
    let button = button(stage, name);
    button.focus().unwrap();
    assert!(focused(&button));
    button.click();
}

async fn comes_to(stage: &Stage, name: &str) {
    until(name, || {
        let active = document().active_element();
        active.is_some_and(|active| {
            active.text_content().as_deref().map(str::trim) == Some(name)
                && stage.all(".tray").iter().any(|tray| tray.contains(Some(&active)))
        })
    })
    .await;
}

async fn comes_to_the_heading(stage: &Stage) {
    until("no tray", || stage.all(".tray").is_empty()).await;
    settle().await;
    let active = document().active_element().map(|one| one.outer_html());
    assert!(focused(&stage.one("h1")), "{active:?}");
    assert_eq!(attr(&stage.one("h1"), "class").as_deref(), Some("page-title"));
}

#[wasm_bindgen_test]
async fn the_focus_stays_with_a_decision_and_goes_to_the_heading_with_its_end() {
    let _network = Network::new(slow);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    press_button(&stage, "Undo").await;
    comes_to_the_heading(&stage).await;
    delete(&stage, &[0, 1, 2]).await;
    press_button(&stage, "Delete now").await;
    comes_to(&stage, "Keep the rest").await;
    press_button(&stage, "Keep the rest").await;
    comes_to_the_heading(&stage).await;
    delete(&stage, &[0]).await;
    press_button(&stage, "Delete now").await;
    comes_to(&stage, "Keep the rest").await;
    until("the word", || shown(&stage, ".toasts").contains("deleted")).await;
    comes_to_the_heading(&stage).await;
}

#[wasm_bindgen_test]
async fn the_focus_stays_where_something_is_tried_again() {
    let refuses = Rc::new(Cell::new(true));
    let _network = refusing(&refuses, |number| number < 3);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1, 2]).await;
    button(&stage, "Delete now").click();
    until("the end", || shown(&stage, ".tray-text").contains("3 submissions could not")).await;
    refuses.set(false);
    press_button(&stage, "Try “Person 1” again").await;
    comes_to(&stage, "Not deleted: 2").await;
    until("the end", || shown(&stage, ".tray-text").contains("2 submissions could not")).await;
    refuses.set(true);
    press_button(&stage, "Retry").await;
    until("both acts", || stage.all(".tray-acts button").len() == 2).await;
    until("the end", || shown(&stage, ".tray-text").contains("2 submissions could not")).await;
    until("its acts", || {
        let active = document().active_element();
        active.is_some_and(|active| active.closest(".tray-acts").unwrap().is_some())
    })
    .await;
    wait(300).await;
    press_button(&stage, "Keep them").await;
    comes_to_the_heading(&stage).await;
}

#[wasm_bindgen_test]
async fn who_is_elsewhere_stays_there() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    until("no dialog", || stage.all("dialog[open]").is_empty()).await;
    settle().await;
    let search = stage.one("input[type=search]");
    search.focus().unwrap();
    button(&stage, "Delete now").click();
    until("the word", || shown(&stage, ".toasts").contains("deleted")).await;
    until("no tray", || stage.all(".tray").is_empty()).await;
    assert!(focused(&search));
}
