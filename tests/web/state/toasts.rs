//! Visible toasts.

use dashboard::state::toasts::Toasts;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::owner;

fn toast_texts(toasts: &Toasts) -> Vec<String> {
    toasts.items().get_untracked().into_iter().map(|item| item.text).collect()
}

#[wasm_bindgen_test]
fn toasts_are_capped_and_keep_failures() {
    let _owner = owner();
    let toasts = Toasts::default();
    toasts.show_error("f1");
    for act in ["a", "b", "c", "d"] {
        toasts.show_success(act);
    }
    assert_eq!(toast_texts(&toasts), ["f1", "b", "c", "d"]);
    let first = toasts.items().get_untracked()[0].id;
    toasts.dismiss(first);
    toasts.dismiss(first);
    assert_eq!(toast_texts(&toasts), ["b", "c", "d"]);
}
