//! Command palette and keyboard help in the complete dashboard.

use dashboard::domain::commands::{Command, KEY_BINDINGS};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlDialogElement, HtmlElement};

use super::{answer_as_gateway, local_storage, open_dashboard, open_rows, text_of, wait_until};
use crate::{
    network::Network,
    stage::{
        Stage, body, click, is_focused, press_key, press_with, settle, type_key, type_text, wait,
    },
};

/// Presses Ctrl and a key on the focused element. Returns whether it was handled.
pub(super) fn press_ctrl(key: &str) -> bool {
    let active: HtmlElement = document().active_element().unwrap().unchecked_into();
    press_with(&active, key, false, true)
}

async fn open_list() -> (Network, Stage) {
    let network = Network::new(answer_as_gateway);
    let stage = open_dashboard("/live/forms/frm_1");
    settle().await;
    wait(200).await;
    (network, stage)
}

#[wasm_bindgen_test]
async fn palette_runs_commands_and_keys_are_text_while_typing() {
    let (_network, stage) = open_list().await;
    assert!(press_ctrl("k"));
    settle().await;
    let input = stage.one("[role=combobox].command-input");
    assert!(is_focused(&input));
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
    type_text(&input, "sandbox sett").await;
    assert_eq!(texts(), ["Sandbox: settings"]);
    type_text(&input, "search").await;
    type_key(&input, "Enter").await;
    assert!(is_focused(&stage.one(".search-input")));
    let search = stage.one(".search-input");
    assert!(!press_key(&search, "e") && !press_key(&search, "?"), "keys are text in a field");
    search.blur().unwrap();
    assert!(press_ctrl("f"), "Ctrl+F focuses the search field");
    assert!(is_focused(&search));
    assert!(!press_ctrl("f"), "in the search field, Ctrl+F is left to the browser");
    assert!(press_ctrl("k"), "the palette opens from the search field");
    settle().await;
    assert_eq!(stage.all("dialog.command[open]").len(), 1);
    let input = stage.one("[role=combobox].command-input");
    type_text(&input, "all forms").await;
    type_key(&input, "Enter").await;
    wait(100).await;
    assert_eq!(window().location().pathname().unwrap(), "/settings/forms");
    press_ctrl("k");
    settle().await;
    type_text(&input, "create form").await;
    type_key(&stage.one("[role=combobox].command-input"), "Enter").await;
    let title = "dialog[open] .dialog-title";
    assert_eq!(stage.text(title), "Create form", "a command of this page");
}

/// Opens the palette, and closes it again. Returns whether it offered to delete and to mark as
/// spam.
async fn palette_offers_moves(stage: &Stage) -> (bool, bool) {
    assert!(press_ctrl("k"));
    settle().await;
    let dialog = stage.one("dialog.command[open]");
    let text = text_of(stage, ".command-text");
    dialog.unchecked_ref::<HtmlDialogElement>().close();
    settle().await;
    (text.contains("Delete selected"), text.contains("Mark as spam"))
}

#[wasm_bindgen_test]
async fn palette_offers_moves_only_with_a_submission() {
    let (_network, stage) = open_list().await;
    assert_eq!(palette_offers_moves(&stage).await, (false, false));
    stage.all(".grid-track .grid-row")[0].focus().unwrap();
    assert_eq!(palette_offers_moves(&stage).await, (true, true), "a row has the focus");
    stage.one(".search-input").focus().unwrap();
    assert_eq!(palette_offers_moves(&stage).await, (false, false));
    stage.all(".grid-track .grid-row")[2].click();
    wait_until("the submission", || !stage.all(".answers-text").is_empty()).await;
    assert_eq!(palette_offers_moves(&stage).await, (true, true), "a submission is open");
}

#[wasm_bindgen_test]
async fn help_lists_every_key() {
    let (_network, stage) = open_list().await;
    assert!(press_key(&body(), "?"));
    settle().await;
    let names = stage.all("dialog[open] .facts-name");
    // The keys from 1 to 9 share a line. The arrow keys of the board and the click with Alt have
    // other ones.
    assert_eq!(names.len(), KEY_BINDINGS.len() - 8 + 2);
    let shown: Vec<_> = names.iter().filter_map(|one| one.text_content()).collect();
    for text in ["Ctrl K", "?", "Esc", "Enter", "Ctrl A", "s", "1 – 9", "← ↑ → ↓", "Alt click"]
    {
        assert!(shown.iter().any(|one| one.trim() == text), "{text} in {shown:?}");
    }
    for words in stage.all("dialog[open] .facts-value") {
        assert_ne!(words.text_content().as_deref(), Some(""));
    }
    assert!(!press_ctrl("k"), "Ctrl+K was handled in a dialog");
    assert!(KEY_BINDINGS.iter().any(|key| key.command == Command::Palette));
}

#[wasm_bindgen_test]
async fn single_key_shortcuts_can_be_disabled() {
    let (_stored, (_network, stage)) = (StoredShortcutSetting, open_list().await);
    assert!(press_key(&body(), "?"));
    settle().await;
    let switch = || stage.one("dialog[open] input[type=checkbox]");
    assert!(switch().closest("label").unwrap().is_some());
    click(&switch()).await;
    assert!(!help_key_names(&stage).contains(&"j".to_owned()), "{:?}", help_key_names(&stage));
    drop(stage);
    // The setting survives a reload.
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    for key in ["j", "/", "e", "?", "u", "#"] {
        assert!(!press_key(&body(), key), "{key}");
    }
    let row = stage.all(".grid-track .grid-row")[0].clone();
    row.focus().unwrap();
    for key in ["x", "j", "k", "J"] {
        assert!(!press_key(&row, key), "{key} on a row");
    }
    settle().await;
    assert!(is_focused(&row) && stage.all("[aria-selected=true], dialog[open]").is_empty());
    assert!(press_key(&row, "ArrowDown"), "keys other than letters and signs still work");
    // The palette still has the setting, and shows no disabled key.
    assert!(press_ctrl("k"));
    settle().await;
    assert!(stage.all(".command-option kbd").iter().all(|key| key.text_content().unwrap() != "/"));
    type_text(&stage.one("[role=combobox].command-input"), "keyboard").await;
    type_key(&stage.one("[role=combobox].command-input"), "Enter").await;
    click(&stage.one("dialog[open] input[type=checkbox]")).await;
    assert!(help_key_names(&stage).contains(&"j".to_owned()));
    assert_eq!(StoredShortcutSetting::stored(), None);
}

/// The stored shortcut setting. Dropping it removes the setting.
pub(super) struct StoredShortcutSetting;

impl StoredShortcutSetting {
    /// Disables single-key shortcuts.
    pub(super) fn disable() -> Self {
        local_storage().set_item("sheaf-single-keys", "off").unwrap();
        Self
    }

    fn stored() -> Option<String> {
        local_storage().get_item("sheaf-single-keys").unwrap()
    }
}

impl Drop for StoredShortcutSetting {
    fn drop(&mut self) {
        local_storage().remove_item("sheaf-single-keys").unwrap();
    }
}

fn help_key_names(stage: &Stage) -> Vec<String> {
    let names = stage.all("dialog[open] .facts-name");
    names.iter().filter_map(|one| Some(one.text_content()?.trim().to_owned())).collect()
}
