//! The menu to choose columns. Its panel is loaded on demand.

pub mod choice;

use leptos::prelude::*;

use crate::{
    i18n, lazy_views,
    ui::{icon::Glyph, lazy::LazyIdle, popover::Popover},
};
use choice::ColumnsPanel;

lazy_views! {
    /// The panel of the menu.
    fn lazy_choice() in tools => view! { <ColumnsPanel /> };
}

/// The menu for columns, their order, and the format of times.
#[component]
pub fn ColumnsMenu() -> impl IntoView {
    view! {
        <Popover label=i18n::column_names().columns icon=Glyph::Settings>
            <LazyIdle load=lazy_choice fills="form" />
        </Popover>
    }
}
