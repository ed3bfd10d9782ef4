//! Copying a card as text, as JSON, or as a `curl` command.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::card_path;
use crate::network::Network;
use crate::pages::{
    answer_as_foreign_gateway, answer_as_gateway, open_submission, press_button, text_of,
};
use crate::stage::{Stage, attr, click, is_focused, press_key, type_key};

/// Replaces the clipboard by the variable `window.copied`.
fn stub_clipboard() {
    let stub = Function::new_with_args("text", "window.copied = text; return Promise.resolve()");
    Reflect::set(&window().navigator().clipboard(), &"writeText".into(), &stub).unwrap();
}

fn copied_text() -> String {
    Reflect::get(&window(), &"copied".into()).unwrap().as_string().unwrap()
}

/// Copies with this menu item, and returns the copied text.
async fn copy_with_item(stage: &Stage, item: &str) -> String {
    click(&stage.one(".drawer-actions [aria-haspopup=menu]")).await;
    press_button(stage, item).await;
    copied_text()
}

#[wasm_bindgen_test]
async fn card_is_copied_in_each_format_also_by_keyboard() {
    let _network = Network::new(answer_as_gateway);
    stub_clipboard();
    let stage = open_submission(&card_path(3)).await;
    let trigger = stage.one(".drawer-actions [aria-haspopup=menu]");
    assert_eq!(trigger.text_content().as_deref(), Some("Copy"));
    let actions = stage.one(".drawer-actions");
    actions.set_attribute("style", "position: fixed; bottom: 0").unwrap();
    trigger.focus().unwrap();
    type_key(&trigger, "ArrowDown").await;
    let items = stage.all(".drawer-actions [role=menuitem]");
    assert!(is_focused(&items[0]));
    // At the bottom of the window, the menu opens above its button.
    let panel = stage.one(".drawer-actions [role=menu]").get_bounding_client_rect();
    assert!(panel.bottom() <= trigger.get_bounding_client_rect().top(), "{}", panel.bottom());
    press_key(&items[0], "ArrowDown");
    press_key(&items[1], "ArrowDown");
    assert!(is_focused(&items[2]));
    // While the menu is open, it handles the keys that navigate between cards.
    type_key(&items[2], "j").await;
    assert_eq!(text_of(&stage, ".drawer-title"), "Person 3");
    click(&items[2]).await;
    assert_eq!(attr(&trigger, "aria-expanded").as_deref(), Some("false"));
    assert!(is_focused(&trigger), "the button did not get the focus back");
    assert_eq!(trigger.text_content().as_deref(), Some("Copied"));
    assert_eq!(stage.text(".drawer-actions [role=status]"), "Copied");
    let origin = window().location().origin().unwrap();
    let key = contract::Environment::Live.secret_prefix();
    let curl = format!(
        "SHEAF_KEY='{key}…'\n\
         curl -H \"X-API-Key: $SHEAF_KEY\" '{origin}/v1/submissions/sub_3'"
    );
    assert_eq!(copied_text(), curl);
    let text = copy_with_item(&stage, "As text").await;
    let (answers, facts) = text.split_once("\n\nSubmitted: ").unwrap();
    assert_eq!(
        answers,
        "Person 3\n\n\
         Your name\nPerson 3\n\n\
         What happened?\nneedle, \"quoted\"\n=1+1\n\n\
         Phone\n—\n\n\
         extra\nno field has this\n\n\
         site\nhttps://example.com/a\n\n\
         bad\njavascript:alert(1)"
    );
    let (when, facts) = facts.split_once('\n').unwrap();
    assert!(when.contains("2026"), "{when}");
    assert_eq!(
        facts,
        "Sentiment: Neutral (0.42)\nCategories: Pricing\nLanguage: German\nID: sub_3\n\
         Country: Germany\nDevice: Desktop\nBrowser: Firefox\nCompletion time: 2 min 10 s\n\
         UTM source: google\nUTM medium: —\nUTM campaign: —\n"
    );
    let json = copy_with_item(&stage, "As JSON").await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["id"], "sub_3");
    assert_eq!(json["answers"]["site"], "https://example.com/a");
}

#[wasm_bindgen_test]
async fn curl_command_of_foreign_server_has_placeholder() {
    let _network = Network::new(answer_as_foreign_gateway);
    stub_clipboard();
    let stage = open_submission(&card_path(3)).await;
    let command = copy_with_item(&stage, "As curl").await;
    assert!(command.starts_with("SHEAF_URL='https://…'\nSHEAF_KEY='"), "{command}");
    let end = "\ncurl -H \"X-API-Key: $SHEAF_KEY\" \"$SHEAF_URL/v1/submissions/sub_3\"";
    assert!(command.ends_with(end), "{command}");
}
