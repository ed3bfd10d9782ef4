//! Small components for keyboard users: a skip link and a key.

use leptos::prelude::*;

/// First link of the page: skips the navigation and focuses the element with the id `target`.
#[component]
pub fn SkipLink(
    /// Id of the target, without `#`.
    target: &'static str,
    /// Text of the link.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    let jump = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        if let Some(element) = document().get_element_by_id(target) {
            super::focus(&element);
        }
    };
    view! {
        <a class="skip-link" href=format!("#{target}") on:click=jump>
            {text}
        </a>
    }
}

/// Keyboard key, drawn as a key cap.
#[component]
pub fn Kbd(
    /// Label of the key.
    #[prop(into)]
    key: String,
) -> impl IntoView {
    view! { <kbd class="kbd">{key}</kbd> }
}
