//! Panels of the filter bar, loaded on demand.

use contract::{Filter, FormId};
use leptos::prelude::*;

use super::{dates::Dates, utm::UtmForm};
use crate::{
    components::{
        saved_views::panel::{SavedViewsContext, ViewsPanel},
        value_suggestions::LoadedUtmValues,
    },
    lazy_views,
};

lazy_views! {
    /// Date panel.
    pub fn dates(filter: Signal<Filter>, on_change: Callback<Filter>) in filters
        => view! { <Dates filter on_change /> };
    /// UTM panel.
    pub fn utm(
        filter: Signal<Filter>,
        on_change: Callback<Filter>,
        form: Signal<Option<FormId>>,
        loaded_values: Option<LoadedUtmValues>
    ) in filters => view! { <UtmForm filter on_change form loaded_values /> };
    /// Panel of saved views.
    pub fn views(scene: SavedViewsContext) in filters => view! { <ViewsPanel scene /> };
}
