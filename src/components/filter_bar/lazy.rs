//! Panels of the filter bar, loaded on demand.

use contract::Filter;
use leptos::prelude::*;

use super::{
    dates::Dates,
    panel::{FilterPanel, FilterPanelContext},
};
use crate::{
    components::saved_views::panel::{SavedViewsContext, ViewsPanel},
    lazy_views,
};

lazy_views! {
    /// Date panel.
    pub fn dates(filter: Signal<Filter>, on_change: Callback<Filter>) in filters
        => view! { <Dates filter on_change /> };
    /// Panel of properties.
    pub fn panel(context: FilterPanelContext) in filters => view! { <FilterPanel context /> };
    /// Panel of saved views.
    pub fn views(scene: SavedViewsContext) in filters => view! { <ViewsPanel scene /> };
}
