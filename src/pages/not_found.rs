//! The page for an unknown path.

use leptos::prelude::*;

use crate::{
    i18n,
    ui::{empty::Empty, icon::Glyph},
};

/// The message, and a link back. It is the only content of its page.
#[component]
pub fn NotFound(
    /// URL of the link back.
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
