//! Panels of the filter bar, loaded on demand.

use contract::Filter;
use leptos::prelude::*;

use super::{
    PropertyValue,
    dates::Dates,
    panel::{FilterPanel, FilterPanelContext},
    parts::property_value,
};
use crate::{
    components::saved_views::{SavedViewsContext, panel::ViewsPanel},
    lazy_actions, lazy_views,
};

lazy_actions! {
    /// Stores the function that returns the values of chips, with the names of the triage and the
    /// texts of criteria.
    pub fn load_values(values: RwSignal<Option<PropertyValue>>) in filters => {
        values.try_set(Some(property_value));
    };
}

lazy_views! {
    /// Date panel.
    pub fn dates(filter: Signal<Filter>, on_change: Callback<Filter>) in filters
        => view! { <Dates filter on_change /> };
    /// Panel of properties.
    pub fn panel(context: FilterPanelContext) in filters => view! { <FilterPanel context /> };
    /// Panel of saved views.
    pub fn views(scene: SavedViewsContext) in filters => view! { <ViewsPanel scene /> };
}
