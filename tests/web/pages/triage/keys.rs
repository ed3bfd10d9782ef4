//! Shortcuts for the triage of the open submission or the focused row.

use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::server::CardServer;
use super::{LIST, changes, open_card};
use crate::pages::shortcuts::{StoredShortcutSetting, press_ctrl};
use crate::pages::{address, open_rows, text_of, wait_for_text, wait_until};
use crate::stage::{Stage, body, is_focused, press_key, settle, type_key, type_text};

async fn open_list() -> Stage {
    let stage = open_rows(LIST).await;
    settle().await;
    stage
}

fn row(stage: &Stage, number: u32) -> HtmlElement {
    stage.one(&format!("[data-key=sub_{number}]"))
}

#[wasm_bindgen_test]
async fn keys_change_focused_row() {
    let network = CardServer::default().network();
    let stage = open_list().await;
    assert!(!press_key(&body(), "s"), "no row has the focus");
    row(&stage, 0).focus().unwrap();
    assert!(press_key(&row(&stage, 0), "s"));
    wait_until("the star", || !stage.all("[data-key=sub_0] .star").is_empty()).await;
    press_key(&row(&stage, 0), "3");
    wait_until("the status", || text_of(&stage, "[data-key=sub_0] .badge").contains("Done")).await;
    press_key(&row(&stage, 0), "4");
    wait_for_text(&stage, "[data-key=sub_0] .row-marks", "Waiting for reply").await;
    press_key(&row(&stage, 0), "s");
    wait_until("no star", || stage.all("[data-key=sub_0] .star").is_empty()).await;
    type_key(&row(&stage, 0), "9").await;
    assert_eq!(
        changes(&network),
        [
            json!({ "starred": true }),
            json!({ "status": "done" }),
            json!({ "status": "waiting" }),
            json!({ "starred": false }),
        ]
    );
    assert!(is_focused(&row(&stage, 0)), "the focus stays");
    assert!(text_of(&stage, "[role=status]").contains("Star removed"));
}

#[wasm_bindgen_test]
async fn keys_and_palette_change_open_submission() {
    let server = CardServer::default();
    let network = server.network();
    let stage = open_card(5).await;
    press_key(&stage.one(".drawer-title"), "2");
    wait_until("the change", || changes(&network).len() == 1).await;
    assert_eq!(server.triage.triage(5), json!({ "status": "in_progress" }));
    for (key, field) in [
        ("t", ".triage-tags input"),
        ("a", ".triage-assignee select"),
        ("m", ".triage-note textarea"),
    ] {
        assert!(press_key(&stage.one(".drawer-title"), key), "{key}");
        wait_until(field, || is_focused(&stage.one(field))).await;
    }
    let area = stage.one(".triage-note textarea");
    assert!(!press_key(&area, "s") && !press_key(&area, "1"), "keys are text in a field");
    settle().await;
    assert_eq!(changes(&network).len(), 1);
    area.blur().unwrap();
    assert!(press_ctrl("k"));
    settle().await;
    let input = stage.one("[role=combobox].command-input");
    type_text(&input, "set status to wait").await;
    assert_eq!(text_of(&stage, ".command-option .command-text"), "Set status to Waiting for reply");
    press_key(&input, "Enter");
    wait_until("the change", || changes(&network).len() == 2).await;
    assert_eq!(changes(&network)[1], json!({ "status": "waiting" }));
}

#[wasm_bindgen_test]
async fn focus_key_opens_focused_row() {
    let _network = CardServer::default().network();
    let stage = open_list().await;
    row(&stage, 2).focus().unwrap();
    assert!(press_key(&row(&stage, 2), "m"));
    wait_until("the card", || address() == format!("{LIST}/submissions/sub_2")).await;
    wait_until("the field", || stage.all(".triage-note textarea").first().is_some_and(is_focused))
        .await;
}

#[wasm_bindgen_test]
async fn keys_respect_shortcut_setting() {
    let _setting = StoredShortcutSetting::disable();
    let network = CardServer::default().network();
    let stage = open_card(5).await;
    for key in ["s", "1", "t", "a", "m"] {
        assert!(!press_key(&stage.one(".drawer-title"), key), "{key}");
    }
    settle().await;
    assert!(changes(&network).is_empty());
}
