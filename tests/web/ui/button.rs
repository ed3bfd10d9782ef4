//! Buttons: busy state, disabled reason and icon buttons.

use dashboard::ui::button::{Button, ButtonVariant, IconButton};
use dashboard::ui::icon::Glyph;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, owner, settle};

#[wasm_bindgen_test]
async fn busy_or_disabled_button_ignores_clicks() {
    let _owner = owner();
    let presses = RwSignal::new(0);
    let busy = RwSignal::new(false);
    let reason = RwSignal::new(None::<String>);
    let stage = Stage::new(move || {
        view! {
            <Button variant=ButtonVariant::Danger busy disabled_reason=reason on_click=move |_| presses.update(|n| *n += 1)>
                "Delete"
            </Button>
        }
    });
    let button = stage.one("button");
    assert_eq!(attr(&button, "data-variant").as_deref(), Some("danger"));
    assert_eq!(attr(&button, "type").as_deref(), Some("button"));
    button.click();
    assert_eq!(presses.get_untracked(), 1);

    busy.set(true);
    settle().await;
    button.click();
    assert_eq!(attr(&button, "aria-busy").as_deref(), Some("true"));
    assert_eq!(presses.get_untracked(), 1);

    busy.set(false);
    reason.set(Some("There is nothing to delete".to_owned()));
    settle().await;
    button.click();
    assert_eq!(attr(&button, "aria-disabled").as_deref(), Some("true"));
    assert_eq!(attr(&button, "aria-description").as_deref(), Some("There is nothing to delete"));
    assert_eq!(presses.get_untracked(), 1);
    // The button stays focusable, so that keyboard users can read the reason.
    assert!(!button.has_attribute("disabled"));

    reason.set(None);
    settle().await;
    button.click();
    assert_eq!(presses.get_untracked(), 2);
    assert_eq!(attr(&button, "aria-disabled"), None);
}

#[wasm_bindgen_test]
fn busy_submit_button_does_not_submit() {
    let _owner = owner();
    let sent = RwSignal::new(0);
    let busy = RwSignal::new(true);
    let stage = Stage::new(move || {
        view! {
            <form on:submit=move |event| {
                event.prevent_default();
                sent.update(|n| *n += 1);
            }>
                <Button submit=true busy>"Save"</Button>
            </form>
        }
    });
    stage.one("button").click();
    assert_eq!(sent.get_untracked(), 0);
    busy.set(false);
    stage.one("button").click();
    assert_eq!(sent.get_untracked(), 1);
}

#[wasm_bindgen_test]
fn icon_button_has_name_and_state() {
    let stage = Stage::new(|| {
        view! { <IconButton icon=Glyph::Menu label="Navigation" pressed=Some(false) /> }
    });
    let button = stage.one("button");
    assert_eq!(attr(&button, "title").as_deref(), Some("Navigation"));
    assert_eq!(attr(&button, "aria-label"), None, "a screen reader would read the name twice");
    assert_eq!(attr(&button, "aria-pressed").as_deref(), Some("false"));
}
