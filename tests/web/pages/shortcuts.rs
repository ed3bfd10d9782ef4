//! Command palette and keyboard help in the complete dashboard.

use dashboard::domain::commands::{Command, KEYS};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, KeyboardEvent, KeyboardEventInit};

use super::{gateway, open};
use crate::{
    network::Network,
    stage::{Stage, focused, press, settle, type_into, wait},
};

/// Presses Ctrl and a key on the focused element. Returns whether it was handled.
pub(super) fn with_ctrl(key: &str) -> bool {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_ctrl_key(true);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    !document().active_element().unwrap().dispatch_event(&event).unwrap()
}

async fn list() -> (Network, Stage) {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    settle().await;
    wait(200).await;
    (network, stage)
}

fn body() -> HtmlElement {
    document().body().unwrap()
}

#[wasm_bindgen_test]
async fn palette_lists_and_runs_page_commands() {
    let (_network, stage) = list().await;
    assert!(with_ctrl("k"));
    settle().await;
    let input = stage.one("[role=combobox].command-input");
    assert!(focused(&input));
    let texts = || {
        let texts = stage.all(".command-option .command-text");
        texts.into_iter().filter_map(|one| one.text_content()).collect::<Vec<_>>()
    };
    for text in ["Search", "Export", "Feedback: insights", "API keys", "Theme: Dark", "Sign out"] {
        assert!(texts().iter().any(|one| one == text), "{text} in {:?}", texts());
    }
    assert!(
        !texts().iter().any(|one| one == "Sandbox: settings"),
        "settings of other forms appear only in a search"
    );
    type_into(&input, "sandbox sett");
    settle().await;
    assert_eq!(texts(), ["Sandbox: settings"]);
    type_into(&input, "search");
    settle().await;
    press(&input, "Enter");
    settle().await;
    assert!(focused(&stage.one(".search-input")));
}

#[wasm_bindgen_test]
async fn palette_opens_other_pages() {
    let (_network, stage) = list().await;
    with_ctrl("k");
    settle().await;
    let input = stage.one("[role=combobox].command-input");
    type_into(&input, "all forms");
    settle().await;
    press(&input, "Enter");
    settle().await;
    wait(100).await;
    assert_eq!(window().location().pathname().unwrap(), "/settings/forms");
    with_ctrl("k");
    settle().await;
    type_into(&input, "create form");
    settle().await;
    press(&stage.one("[role=combobox].command-input"), "Enter");
    settle().await;
    let title = "dialog[open] .dialog-title";
    assert_eq!(stage.text(title), "Create form", "a command of this page");
}

#[wasm_bindgen_test]
async fn help_lists_every_key() {
    let (_network, stage) = list().await;
    assert!(press(&body(), "?"));
    settle().await;
    let names = stage.all("dialog[open] .facts-name");
    assert_eq!(names.len(), KEYS.len());
    let shown: Vec<_> = names.iter().filter_map(|one| one.text_content()).collect();
    for text in ["Ctrl K", "?", "Esc", "Enter", "Ctrl A"] {
        assert!(shown.iter().any(|one| one.trim() == text), "{text} in {shown:?}");
    }
    for words in stage.all("dialog[open] .facts-value") {
        assert_ne!(words.text_content().as_deref(), Some(""));
    }
    assert!(!with_ctrl("k"), "Ctrl+K was handled in a dialog");
    assert!(KEYS.iter().any(|key| key.act == Command::Palette));
}

#[wasm_bindgen_test]
async fn single_keys_are_ignored_while_typing() {
    let (_network, stage) = list().await;
    let search = stage.one(".search-input");
    search.focus().unwrap();
    assert!(!press(&search, "e") && !press(&search, "?"));
    assert!(!with_ctrl("f"), "in the search field, Ctrl+F is left to the browser");
    assert!(with_ctrl("k"), "the palette opens from the search field");
    settle().await;
    assert_eq!(stage.all("dialog.command[open]").len(), 1);
}

#[wasm_bindgen_test]
async fn single_key_shortcuts_can_be_disabled() {
    let (_kept, (_network, stage)) = (Kept, list().await);
    assert!(press(&body(), "?"));
    settle().await;
    let switch = || stage.one("dialog[open] input[type=checkbox]");
    assert!(switch().closest("label").unwrap().is_some());
    switch().click();
    settle().await;
    assert!(!names_of(&stage).contains(&"j".to_owned()), "{:?}", names_of(&stage));
    drop(stage);
    // The setting survives a reload.
    let (_network, stage) = (Network::new(gateway), super::open("/live/forms/frm_1"));
    super::until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    for key in ["j", "/", "e", "?", "u", "#"] {
        assert!(!press(&body(), key), "{key}");
    }
    let row = stage.all(".grid-track .grid-row")[0].clone();
    row.focus().unwrap();
    for key in ["x", "j", "k", "J"] {
        assert!(!press(&row, key), "{key} on a row");
    }
    settle().await;
    assert!(focused(&row) && stage.all("[aria-selected=true], dialog[open]").is_empty());
    assert!(press(&row, "ArrowDown"), "keys other than letters and signs still work");
    // The palette still has the setting, and shows no disabled key.
    assert!(with_ctrl("k"));
    settle().await;
    assert!(stage.all(".command-option kbd").iter().all(|key| key.text_content().unwrap() != "/"));
    type_into(&stage.one("[role=combobox].command-input"), "keyboard");
    settle().await;
    press(&stage.one("[role=combobox].command-input"), "Enter");
    settle().await;
    stage.one("dialog[open] input[type=checkbox]").click();
    settle().await;
    assert!(names_of(&stage).contains(&"j".to_owned()));
    assert_eq!(Kept::now(), None);
}

/// The stored shortcut setting. Dropping it removes the setting.
struct Kept;

impl Kept {
    fn now() -> Option<String> {
        let storage = window().local_storage().unwrap().unwrap();
        storage.get_item("sheaf-single-keys").unwrap()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let storage = window().local_storage().unwrap().unwrap();
        storage.remove_item("sheaf-single-keys").unwrap();
    }
}

fn names_of(stage: &Stage) -> Vec<String> {
    let names = stage.all("dialog[open] .facts-name");
    names.iter().filter_map(|one| Some(one.text_content()?.trim().to_owned())).collect()
}
