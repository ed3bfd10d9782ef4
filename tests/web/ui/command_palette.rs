//! Command palette: a combobox over a list that is always open, for the keyboard.

use dashboard::ui::{
    command_palette::{CommandDialog, CommandItem},
    icon::Glyph,
};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlDialogElement;

use crate::stage::{Stage, attr, is_focused, owner, press_key, settle, type_key, type_text};

struct PaletteSignals {
    open: RwSignal<bool>,
    chosen: RwSignal<Option<(usize, bool)>>,
}

fn mount_palette() -> (Stage, PaletteSignals) {
    let open = RwSignal::new(false);
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(None);
    let item = |text: &str, keys: &[&str]| CommandItem {
        text: text.to_owned(),
        note: "Here".to_owned(),
        keys: keys.iter().map(ToString::to_string).collect(),
        icon: Glyph::Form,
    };
    let all = [item("Search", &["/"]), item("Export", &["e"]), item("Sign out", &[])];
    let items = Signal::derive(move || {
        let typed = typed.get();
        all.iter().filter(|one| one.text.contains(&typed)).cloned().collect::<Vec<_>>()
    });
    let stage = Stage::styled((600, 400), move || {
        let is_open = || document().query_selector("dialog[open]").unwrap().is_some();
        view! {
            <button class="button">"Opener"</button>
            <CommandDialog
                open
                label="Commands"
                placeholder="Do"
                typed
                items
                status=Signal::derive(move || format!("{} fit", items.with(Vec::len)))
                on_choose=move |index| chosen.set(Some((index, is_open())))
            />
        }
    });
    (stage, PaletteSignals { open, chosen })
}

fn active_option(stage: &Stage) -> String {
    let id = attr(&stage.one("[role=combobox]"), "aria-activedescendant").unwrap_or_default();
    let option = document().get_element_by_id(&id);
    let selected = stage.all("[role=option][aria-selected=true]");
    assert!(selected.len() <= 1, "more than one option is selected");
    assert_eq!(selected.first().map(|one| one.id()), option.as_ref().map(web_sys::Element::id));
    option.and_then(|one| one.text_content()).unwrap_or_default()
}

#[wasm_bindgen_test]
async fn palette_is_a_labelled_combobox() {
    let _owner = owner();
    let (stage, signals) = mount_palette();
    signals.open.set(true);
    settle().await;
    let input = stage.one("[role=combobox]");
    assert!(is_focused(&input));
    assert_eq!(attr(&stage.one("dialog"), "aria-label").as_deref(), Some("Commands"));
    assert_eq!(attr(&input, "aria-label").as_deref(), Some("Commands"));
    assert_eq!(attr(&input, "aria-expanded").as_deref(), Some("true"));
    let list = stage.one("[role=listbox]");
    assert_eq!(attr(&input, "aria-controls"), Some(list.id()));
    assert_eq!(attr(&list, "aria-label").as_deref(), Some("Commands"));
    assert_eq!(stage.all("[role=option]").len(), 3);
    assert_eq!(stage.text("[role=status]"), "3 fit");
    assert_eq!(stage.all("kbd").len(), 2);
}

#[wasm_bindgen_test]
async fn arrows_wrap_and_typing_resets_selection() {
    let _owner = owner();
    let (stage, signals) = mount_palette();
    signals.open.set(true);
    settle().await;
    let input = stage.one("[role=combobox]");
    assert!(active_option(&stage).starts_with("Search"));
    assert!(press_key(&input, "ArrowUp"));
    settle().await;
    assert!(active_option(&stage).starts_with("Sign out"));
    press_key(&input, "ArrowDown");
    type_key(&input, "ArrowDown").await;
    assert!(active_option(&stage).starts_with("Export"));
    type_text(&input, "S").await;
    assert!(active_option(&stage).starts_with("Search"));
    type_text(&input, "nothing like it").await;
    assert_eq!(active_option(&stage), "");
    assert_eq!(stage.text(".command-none"), "0 fit");
    assert!(!press_key(&input, "Enter"), "no option is active");
    assert_eq!(signals.chosen.get_untracked(), None);
}

#[wasm_bindgen_test]
async fn command_runs_after_focus_is_restored() {
    let _owner = owner();
    let (stage, signals) = mount_palette();
    let opener = stage.one(".button");
    opener.focus().unwrap();
    signals.open.set(true);
    settle().await;
    type_text(&stage.one("[role=combobox]"), "Sign").await;
    press_key(&stage.one("[role=combobox]"), "Enter");
    assert_eq!(
        signals.chosen.get_untracked(),
        Some((0, false)),
        "the dialog closes before the command runs"
    );
    assert!(is_focused(&opener));
    settle().await;
    assert!(!signals.open.get_untracked());
    signals.open.set(true);
    settle().await;
    assert_eq!(stage.all("[role=option]").len(), 3, "the input is cleared");
    stage.all("[role=option]")[1].click();
    assert_eq!(signals.chosen.get_untracked(), Some((1, false)));
    assert!(!stage.one("dialog").unchecked_ref::<HtmlDialogElement>().open());
}
