//! The key that marks a submission as unread.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::steps::open_list;
use super::{LIST, cell_edges, change, is_unread, network, read_changes, row, unread_count};
use crate::pages::bulk_triage::server::TriageServer;
use crate::pages::shortcuts::press_ctrl;
use crate::pages::triage::server::CardServer;
use crate::pages::{address, button, open_dashboard, text_of, wait_for_text, wait_until};
use crate::stage::{is_focused, press_key, settle, type_text, wait};

#[wasm_bindgen_test]
async fn key_marks_focused_row_as_unread_and_narrow_row_keeps_its_cells() {
    let server = TriageServer::with_reads(0..250);
    let network = network(&server);
    let stage = open_list(&network, LIST).await;
    row(&stage, 3).focus().unwrap();
    assert!(press_key(&row(&stage, 3), "U"));
    wait_until("the row", || is_unread(&stage, 3)).await;
    wait_until("the change", || read_changes(&network) == [change("3", false)]).await;
    wait_for_text(&stage, "[role=status]", "Marked as unread").await;
    assert_eq!(unread_count(&stage), "1 unread");
    // The window is wide, so that the side bar of 224 px stays.
    stage.resize(390 + 224);
    settle().await;
    let before = cell_edges(&stage, 4);
    row(&stage, 4).focus().unwrap();
    press_key(&row(&stage, 4), "U");
    wait_until("the row", || is_unread(&stage, 4)).await;
    settle().await;
    assert_eq!(cell_edges(&stage, 4), before);
    let dot = window().get_computed_style_with_pseudo_elt(
        &stage.one("[data-key=sub_4] > .grid-check"),
        "::after",
    );
    let dot = dot.unwrap().unwrap();
    assert_eq!(dot.get_property_value("position").unwrap(), "absolute");
}

#[wasm_bindgen_test]
async fn open_submission_stays_unread_until_it_is_opened_again() {
    let server = TriageServer::default();
    let network = network(&server);
    let stage = open_dashboard(&format!("{LIST}/submissions/sub_3"));
    wait_until("the change", || read_changes(&network) == [change("3", true)]).await;
    wait_until("the card", || !stage.all(".triage-history").is_empty()).await;
    assert!(press_key(&stage.one(".drawer-title"), "U"));
    wait_until("the other change", || read_changes(&network).len() == 2).await;
    wait(2_000).await;
    settle().await;
    assert_eq!(read_changes(&network)[1..], [change("3", false)]);
    assert!(is_unread(&stage, 3) && !server.is_read(3));
    let body = document().body().unwrap();
    press_key(&body, "j");
    wait_until("the next one", || read_changes(&network).len() == 3).await;
    press_key(&body, "k");
    wait_until("the change", || read_changes(&network).len() == 4).await;
    assert_eq!(read_changes(&network)[2..], [change("4", true), change("3", true)]);
    settle().await;
    // The button of the card does the same.
    button(&stage, "Mark as unread").click();
    wait_until("the change by the button", || read_changes(&network).len() == 5).await;
    wait(2_000).await;
    settle().await;
    button(&stage, "Mark as read");
    assert_eq!(read_changes(&network).len(), 5);
    assert!(!server.is_read(3));
}

#[wasm_bindgen_test]
async fn key_before_state_is_known_wins() {
    let server = TriageServer::default();
    let answers = super::card_server(&server);
    let network = crate::network::Network::new(move |asked| {
        let is_triage = asked.url.contains("/triage") || asked.url.contains("/submissions/sub_3");
        let is_slow = is_triage && asked.url.starts_with("/account");
        answers.answer(asked).delayed(if is_slow { 3_000 } else { 0 })
    });
    let stage = open_dashboard(&format!("{LIST}/submissions/sub_3"));
    wait_until("the group", || !stage.all(".triage-group").is_empty()).await;
    assert!(press_key(&stage.one(".drawer-title"), "U"));
    wait_until("the change", || read_changes(&network) == [change("3", false)]).await;
    wait(8_000).await;
    settle().await;
    assert_eq!(read_changes(&network).len(), 1);
    assert!(is_unread(&stage, 3));
}

#[wasm_bindgen_test]
async fn submission_closed_before_its_card_is_loaded_is_read_when_opened_again() {
    let server = TriageServer::default();
    let answers = super::card_server(&server);
    let network = crate::network::Network::new(move |asked| {
        let is_card = asked.url.starts_with("/api/") && asked.url.contains("/submissions/sub_5");
        answers.answer(asked).delayed(if is_card { 5_000 } else { 0 })
    });
    let stage = open_dashboard(&format!("{LIST}/submissions/sub_5"));
    wait_until("rows", || !stage.all("[data-key]").is_empty()).await;
    settle().await;
    assert!(stage.all(".triage-group").is_empty(), "the card is not loaded yet");
    let body = document().body().unwrap();
    assert!(press_key(&body, "U"));
    wait_until("the change", || read_changes(&network) == [change("5", false)]).await;
    press_key(&body, "Escape");
    wait_until("the list", || address() == LIST).await;
    wait(6_000).await;
    row(&stage, 5).click();
    wait_until("the other change", || read_changes(&network).len() == 2).await;
    assert_eq!(read_changes(&network)[1], change("5", true));
}

/// Presses a letter, maybe with Shift and while Caps Lock is on.
fn press_letter(target: &HtmlElement, key: &str, has_shift: bool, has_caps_lock: bool) -> bool {
    let init = web_sys::KeyboardEventInit::new();
    init.set_key(key);
    init.set_modifier_caps_lock(has_caps_lock);
    init.set_shift_key(has_shift);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event =
        web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    !target.dispatch_event(&event).unwrap()
}

#[wasm_bindgen_test]
async fn step_to_unread_row_selects_nothing_and_ignores_caps_lock() {
    let server = TriageServer::with_reads((0..250).filter(|number| ![0, 4, 9].contains(number)));
    let network = network(&server);
    let stage = open_list(&network, LIST).await;
    for number in [0, 4] {
        let target = document().active_element().unwrap().unchecked_into::<HtmlElement>();
        assert!(press_letter(&target, "J", true, false));
        wait_until("the unread row", || is_focused(&row(&stage, number))).await;
    }
    let selected = document().query_selector(".grid-row input:checked").unwrap();
    assert!(selected.is_none(), "Shift extended the selection");
    let focused = |number: u32| is_focused(&row(&stage, number));
    let body = document().body().unwrap();
    assert!(press_letter(&body, "J", false, true));
    wait_until("the next row", || focused(5)).await;
    assert!(press_letter(&body, "j", true, true));
    wait_until("the unread row", || focused(9)).await;
}

#[wasm_bindgen_test]
async fn help_and_palette_name_keys_to_readers() {
    let server = super::card_server(&TriageServer::default());
    let _network = CardServer { is_reader: true, ..server }.network();
    let stage = open_dashboard(LIST);
    wait_until("rows", || !stage.all("[data-key=sub_1]").is_empty()).await;
    settle().await;
    press_key(&document().body().unwrap(), "?");
    let help = || text_of(&stage, "dialog[open]");
    wait_until("the help", || help().contains("Next unread submission")).await;
    let text: String = help().split_whitespace().collect();
    for line in [
        "ShiftJNextunreadsubmission",
        "ShiftKPreviousunreadsubmission",
        "ShiftUMarkopenorfocusedsubmissionasunread",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(text.contains("uUndolastaction"), "{text}");
    assert!(!text.contains("Setstatus"), "readers cannot change shared triage");
    press_key(&stage.one("dialog[open]"), "Escape");
    button(&stage, "Close").click();
    wait_until("no help", || stage.all("dialog[open]").is_empty()).await;
    row(&stage, 2).focus().unwrap();
    assert!(press_ctrl("k"));
    settle().await;
    type_text(&stage.one("[role=combobox].command-input"), "unread").await;
    let options = stage.all(".command-option .command-text");
    assert_eq!(options.len(), 3, "{:?}", text_of(&stage, ".command-option"));
}
