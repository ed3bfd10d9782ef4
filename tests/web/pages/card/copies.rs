//! A card is copied as a text, as JSON, or as the command that gets it.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::at;
use crate::network::Network;
use crate::pages::{button, foreign, gateway, open, shown, until};
use crate::stage::{Stage, attr, focused, press, settle};

/// Has the browser copy to where a test finds it.
fn clipboard() {
    let stub = Function::new_with_args("text", "window.copied = text; return Promise.resolve()");
    Reflect::set(&window().navigator().clipboard(), &"writeText".into(), &stub).unwrap();
}

/// Copies as what the item of this name says.
async fn copied(stage: &Stage, item: &str) -> String {
    stage.one(".drawer-actions [aria-haspopup=menu]").click();
    settle().await;
    button(stage, item).click();
    settle().await;
    Reflect::get(&window(), &"copied".into()).unwrap().as_string().unwrap()
}

#[wasm_bindgen_test]
async fn a_card_is_copied_as_text_as_json_and_as_the_command_that_gets_it() {
    let _network = Network::new(gateway);
    clipboard();
    let stage = open(&at(3));
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    let text = copied(&stage, "As text").await;
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
        "Sentiment: Neutral (0.42)\nCategories: Pricing\nLanguage: German\nId: sub_3\n\
         Country: Germany\nDevice: Desktop\nBrowser: Firefox\nCompleted in: 2 min 10 s\n\
         UTM source: google\nUTM medium: —\nUTM campaign: —\n"
    );
    let json = copied(&stage, "As JSON").await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["id"], "sub_3");
    assert_eq!(json["answers"]["site"], "https://example.com/a");
    let origin = window().location().origin().unwrap();
    let key = contract::Environment::Live.secret_prefix();
    assert_eq!(
        copied(&stage, "As curl").await,
        format!(
            "SHEAF_KEY='{key}…'\n\
             curl -H \"X-API-Key: $SHEAF_KEY\" '{origin}/v1/submissions/sub_3'"
        )
    );
}

#[wasm_bindgen_test]
async fn the_command_leaves_open_where_a_foreign_server_is() {
    let _network = Network::new(foreign);
    clipboard();
    let stage = open(&at(3));
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    let command = copied(&stage, "As curl").await;
    assert!(command.starts_with("SHEAF_URL='https://…'\nSHEAF_KEY='"), "{command}");
    let end = "\ncurl -H \"X-API-Key: $SHEAF_KEY\" \"$SHEAF_URL/v1/submissions/sub_3\"";
    assert!(command.ends_with(end), "{command}");
}

#[wasm_bindgen_test]
async fn the_menu_of_copies_works_by_keys_and_says_what_became_of_it() {
    let _network = Network::new(gateway);
    clipboard();
    let stage = open(&at(3));
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    let trigger = stage.one(".drawer-actions [aria-haspopup=menu]");
    assert_eq!(trigger.text_content().as_deref(), Some("Copy"));
    trigger.focus().unwrap();
    press(&trigger, "ArrowDown");
    settle().await;
    let items = stage.all(".drawer-actions [role=menuitem]");
    assert!(focused(&items[0]));
    // It opens where there is room: above the button at the foot.
    let panel = stage.one(".drawer-actions [role=menu]").get_bounding_client_rect();
    assert!(panel.bottom() <= trigger.get_bounding_client_rect().top(), "{}", panel.bottom());
    press(&items[0], "ArrowDown");
    press(&items[1], "ArrowDown");
    assert!(focused(&items[2]));
    // Keys that walk the cards are the menu's while it is open.
    press(&items[2], "j");
    settle().await;
    assert_eq!(shown(&stage, ".drawer-title"), "Person 3");
    items[2].click();
    settle().await;
    assert_eq!(attr(&trigger, "aria-expanded").as_deref(), Some("false"));
    assert!(focused(&trigger), "the focus is back at the button");
    assert_eq!(trigger.text_content().as_deref(), Some("Copied"));
    assert_eq!(stage.text(".drawer-actions [role=status]"), "Copied");
    let copied = Reflect::get(&window(), &"copied".into()).unwrap().as_string().unwrap();
    assert!(copied.contains("curl "), "{copied}");
}
