//! Combobox: suggests existing values, filters them, and accepts any text.

use dashboard::ui::field::{PickField, Suggestion, Suggestions};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{
    Stage, attr, dispatch_event, owner, press_key, settle, type_key, type_text, value,
};

fn loaded_picks() -> Suggestions {
    let pick =
        |value: &str, note: &str| Suggestion { value: value.to_owned(), note: note.to_owned() };
    let all = vec![pick("google", "1,204"), pick("newsletter", "77"), pick("Google Ads", "3")];
    Suggestions::Loaded(all, "Others can be typed".to_owned())
}

async fn mount_field(
    text: RwSignal<String>,
    picks: RwSignal<Suggestions>,
    asked: RwSignal<u32>,
) -> Stage {
    let stage = Stage::styled((320, 400), move || {
        view! {
            <PickField
                label="Source"
                value=text
                on_input=move |typed| text.set(typed)
                picks
                listing=RwSignal::new(String::new())
                on_retry=move |()| asked.update(|asked| *asked += 1)
                placeholder="google"
                length_max=200
            />
        }
    });
    settle().await;
    stage
}

fn option_texts(stage: &Stage) -> Vec<String> {
    stage.texts("[role=option] .pick-value")
}

#[wasm_bindgen_test]
async fn suggestions_are_listed_and_filtered() {
    let _owner = owner();
    let text = RwSignal::new(String::new());
    let picks = RwSignal::new(loaded_picks());
    let stage = mount_field(text, picks, RwSignal::new(0)).await;
    let input = stage.one("[role=combobox]");
    assert_eq!(attr(&stage.one("label"), "for"), attr(&input, "id"));
    assert_eq!(attr(&input, "aria-controls"), attr(&stage.one("[role=listbox]"), "id"));
    assert_eq!(attr(&input, "aria-expanded").as_deref(), Some("false"));
    input.focus().unwrap();
    dispatch_event(&input, "focus");
    settle().await;
    assert_eq!(attr(&input, "aria-expanded").as_deref(), Some("true"));
    assert_eq!(option_texts(&stage), ["google", "newsletter", "Google Ads"]);
    assert!(stage.all(".pick-option")[0].text_content().unwrap().ends_with("1,204"));
    assert_eq!(stage.text("[role=status]"), "Others can be typed");
    type_text(&input, "GOOGLE").await;
    assert_eq!(option_texts(&stage), ["google", "Google Ads"]);
    type_text(&input, "bing").await;
    assert!(option_texts(&stage).is_empty());
    let status = "No listed value matches. Others can be typed";
    assert_eq!(stage.text("[role=status]"), status);
    assert_eq!(text.get_untracked(), "bing", "any value may be typed");
}

#[wasm_bindgen_test]
async fn options_are_selected_with_the_keyboard() {
    let _owner = owner();
    let text = RwSignal::new(String::new());
    let picks = RwSignal::new(loaded_picks());
    let stage = mount_field(text, picks, RwSignal::new(0)).await;
    let input = stage.one("[role=combobox]");
    // Without an active option, Enter is left to the form.
    assert!(!press_key(&input, "Enter"));
    assert!(press_key(&input, "ArrowDown"), "opens the list");
    settle().await;
    let active = || {
        attr(&input, "aria-activedescendant").map(|id| stage.text(&format!("#{id} .pick-value")))
    };
    assert_eq!(active(), None);
    for (key, at) in [
        ("ArrowDown", "google"),
        ("ArrowDown", "newsletter"),
        ("ArrowUp", "google"),
        ("ArrowUp", "Google Ads"),
        ("ArrowDown", "google"),
        ("ArrowDown", "newsletter"),
    ] {
        assert!(press_key(&input, key));
        settle().await;
        assert_eq!(active().as_deref(), Some(at), "{key}");
    }
    assert!(press_key(&input, "Enter"));
    settle().await;
    assert_eq!(
        (text.get_untracked().as_str(), value(&input).as_str()),
        ("newsletter", "newsletter")
    );
    assert_eq!(attr(&input, "aria-expanded").as_deref(), Some("false"));
    type_key(&input, "ArrowDown").await;
    assert_eq!(option_texts(&stage).len(), 3, "the selected value does not filter the options");
    assert!(press_key(&input, "Escape"));
    settle().await;
    assert_eq!(attr(&input, "aria-expanded").as_deref(), Some("false"));
    assert!(!press_key(&input, "Escape"), "a second Escape is not handled");
}

#[wasm_bindgen_test]
async fn loading_and_errors_are_shown() {
    let _owner = owner();
    let picks = RwSignal::new(Suggestions::Loading);
    let asked = RwSignal::new(0);
    let stage = mount_field(RwSignal::new(String::new()), picks, asked).await;
    let input = stage.one("[role=combobox]");
    input.focus().unwrap();
    dispatch_event(&input, "focus");
    settle().await;
    assert_eq!(stage.text("[role=status]"), "Loading values");
    picks.set(Suggestions::Failed("The server is away.".to_owned()));
    settle().await;
    assert!(stage.text("[role=status]").starts_with("The server is away."));
    stage.one("button").click();
    assert_eq!(asked.get_untracked(), 1);
    picks.set(Suggestions::Loaded(Vec::new(), String::new()));
    settle().await;
    assert_eq!(stage.text("[role=status]"), "No values yet");
    // Without suggestions, the field is a plain text input.
    picks.set(Suggestions::None);
    settle().await;
    assert_eq!(stage.text("[role=status]"), "");
    assert_eq!(attr(&input, "aria-expanded").as_deref(), Some("false"));
}
