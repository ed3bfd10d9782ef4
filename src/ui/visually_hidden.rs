//! Small parts that mostly serve those who do not use a mouse: hidden text, skip link, keys.

use leptos::prelude::*;

/// Text for assistive technology only.
#[component]
pub fn VisuallyHidden(
    /// The text.
    children: Children,
) -> impl IntoView {
    view! { <span class="visually-hidden">{children()}</span> }
}

/// The first link of the page: jumps over the navigation to the element with the id `target`.
#[component]
pub fn SkipLink(
    /// The id to jump to, without `#`.
    target: &'static str,
    /// The words of the link.
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

/// A key of the keyboard, drawn as one.
#[component]
pub fn Kbd(
    /// What is printed on the key.
    #[prop(into)]
    key: String,
) -> impl IntoView {
    view! { <kbd class="kbd">{key}</kbd> }
}
