//! Empty state: replaces missing content with the reason and the next step.

use leptos::prelude::*;

use super::icon::{Glyph, Icon};

/// Centred note with an icon, a title, a sentence and, as children, an action.
#[component]
pub fn Empty(
    /// Icon that represents the missing content.
    icon: Glyph,
    /// State in a few words.
    #[prop(into)]
    title: Signal<String>,
    /// Reason or next step, in one sentence.
    #[prop(into, optional)]
    text: Signal<String>,
    /// Whether the note is the only content of its page. Its title is then the page's `<h1>`.
    #[prop(optional)]
    alone: bool,
    /// Action that resolves the state.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let heading = if alone {
        view! { <h1 class="empty-title">{title}</h1> }.into_any()
    } else {
        view! { <h2 class="empty-title">{title}</h2> }.into_any()
    };
    view! {
        <div class="empty">
            <span class="empty-icon">
                <Icon glyph=icon size=20 />
            </span>
            {heading}
            <p class="empty-text">{text}</p>
            {children.map(|children| view! { <div class="empty-action">{children()}</div> })}
        </div>
    }
}
