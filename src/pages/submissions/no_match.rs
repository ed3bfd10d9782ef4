//! The hint for a filter without matches.

use leptos::prelude::*;

use crate::{
    i18n,
    ui::{button::Button, empty::Empty, icon::Glyph},
};

/// The hint for a filter without matches.
#[component]
pub fn NoMatch(
    /// Clears the filter.
    on_clear: Callback<()>,
) -> impl IntoView {
    view! {
        <Empty
            icon=Glyph::Filter
            title=i18n::common().no_submissions_match
            text=i18n::list().none_match
        >
            <Button on_click=move |_| on_clear.run(())>{i18n::common().clear_filters}</Button>
        </Empty>
    }
}
