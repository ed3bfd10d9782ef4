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
    /// Whether it is all there is on its page: then its title is the page's.
    #[prop(optional)]
    alone: bool,
    /// The one act that helps.
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
