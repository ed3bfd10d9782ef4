//! The panels of the filter, which are loaded on demand.

use contract::{Filter, FormId};
use leptos::prelude::*;

use super::{dates::Dates, utm::UtmForm};
use crate::{
    components::{
        saved_views::panel::{Scene, ViewsPanel},
        value_suggestions::Held,
    },
    lazy_views,
};

lazy_views! {
    /// The panel of days.
    pub fn dates(filter: Signal<Filter>, on_change: Callback<Filter>) in filters
        => view! { <Dates filter on_change /> };
    /// The panel of UTM values.
    pub fn utm(
        filter: Signal<Filter>,
        on_change: Callback<Filter>,
        form: Signal<Option<FormId>>,
        held: Option<Held>
    ) in filters => view! { <UtmForm filter on_change form held /> };
    /// The panel of saved views.
    pub fn views(scene: Scene) in filters => view! { <ViewsPanel scene /> };
}
