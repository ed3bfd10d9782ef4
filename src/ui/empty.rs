//! What stands in place of content that is not there: why, and what to do next.

use leptos::prelude::*;

use super::icon::{Glyph, Icon};

/// A centred note with an icon, a title, a sentence and, as children, an act.
#[component]
pub fn Empty(
    /// The picture of what is missing.
    icon: Glyph,
    /// What is the case, in a few words.
    #[prop(into)]
    title: Signal<String>,
    /// Why, or what to do, in a sentence.
    #[prop(into, optional)]
    text: Signal<String>,
    /// The one act that helps.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <span class="empty-icon">
                <Icon glyph=icon size=20 />
            </span>
            <h2 class="empty-title">{title}</h2>
            <p class="empty-text">{text}</p>
            {children.map(|children| view! { <div class="empty-action">{children()}</div> })}
        </div>
    }
}
