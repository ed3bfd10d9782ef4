//! The page for a path that leads nowhere.

use leptos::prelude::*;

use crate::{
    i18n,
    ui::{empty::Empty, icon::Glyph},
};

/// Says so, and leads back. It stands in the page around it, as its only content.
#[component]
pub fn NotFound(
    /// Where the way back leads.
    #[prop(into)]
    home_href: String,
) -> impl IntoView {
    let texts = i18n::not_found();
    view! {
        <Empty
            alone=true
            icon=Glyph::Search
            title=texts.page_not_found
            text=texts.text
        >
            <a class="button" data-variant="primary" data-size="medium" href=home_href>
                {texts.to_forms}
            </a>
        </Empty>
    }
}
