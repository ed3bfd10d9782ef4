//! Toasts: successes disappear after a time, failures stay, and both are announced.

use dashboard::{state::toasts::Toasts, ui::toast::ToastRegion};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, click, dispatch_event, owner, settle, wait};

fn mount_region(toasts: Toasts) -> Stage {
    Stage::new(move || {
        view! { <ToastRegion items=toasts.items() on_dismiss=move |id| toasts.dismiss(id) /> }
    })
}

#[wasm_bindgen_test]
async fn failures_are_alerts_and_can_be_dismissed() {
    let _owner = owner();
    let toasts = Toasts::default();
    let stage = mount_region(toasts);
    // Both live regions exist before they have content.
    assert_eq!((stage.text("[role=status]"), stage.text("[role=alert]")), Default::default());
    toasts.show_success("Submission deleted");
    toasts.show_error("Not deleted");
    settle().await;
    assert_eq!(stage.text("[role=status] .toast-text"), "Submission deleted");
    assert_eq!(stage.text("[role=alert] .toast-text"), "Not deleted");
    click(&stage.one("[role=alert] button")).await;
    assert!(stage.all("[role=alert] .toast").is_empty());
}

#[wasm_bindgen_test]
async fn toast_disappears_after_six_seconds_unless_hovered() {
    let _owner = owner();
    let toasts = Toasts::default();
    let stage = mount_region(toasts);
    toasts.show_success("first");
    toasts.show_success("hovered");
    toasts.show_error("failure");
    settle().await;
    dispatch_event(&stage.all("[role=status] .toast")[1], "mouseenter");
    wait(5000).await;
    assert_eq!(stage.all(".toast").len(), 3);
    wait(1500).await;
    assert_eq!(stage.text("[role=status] .toast-text"), "hovered");
    assert_eq!(stage.text("[role=alert] .toast-text"), "failure");
}
