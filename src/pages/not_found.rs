//! The page for a path that leads nowhere.

use leptos::prelude::*;

use crate::ui::{empty::Empty, icon::Glyph};

/// Says so, and leads back. It stands in the page around it, as its only content.
#[component]
pub fn NotFound(
    /// Where the way back leads.
    #[prop(into)]
    home_href: String,
) -> impl IntoView {
    view! {
        <Empty
            alone=true
            icon=Glyph::Search
            title="Page not found"
            text="The link may be old or mistyped, or what it led to was deleted."
        >
            <a class="button" data-variant="primary" data-size="medium" href=home_href>
                "To your forms"
            </a>
        </Empty>
    }
}
