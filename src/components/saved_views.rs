//! Saved views on a page: the view that matches the filter, and the default view of a form. The
//! panel that manages them is loaded with the filter panels.

pub mod edit;
pub mod panel;
pub mod requests;
pub mod save;

use contract::{Environment, Filter, FormId};
use leptos::prelude::*;

use super::calendar;
use crate::{
    domain::{
        saved_views::{SavedView, find_default, find_view},
        time::instant_bounds,
    },
    state::{list_view::ViewStore, saved_views::SavedViews},
    ui::focus,
};

/// Data of the panel.
#[derive(Debug, Clone, Copy)]
pub struct SavedViewsContext {
    /// Saved views.
    pub views: SavedViews,
    /// Current form and its environment.
    pub form: Signal<Option<(Environment, FormId)>>,
    /// Current filter.
    pub filter: Signal<Filter>,
    /// Columns of the list.
    pub columns: ViewStore,
}

/// Returns the filter of a view, as of today.
pub fn filter_of(view: &SavedView) -> Option<Filter> {
    let instants = |(first, last)| instant_bounds(first, last, calendar::start_of_day);
    Some(view.filter(calendar::today()?, instants))
}

/// Returns the index of the view that matches a filter. Tracked.
pub fn matching_index(views: SavedViews, filter: &Filter) -> Option<usize> {
    let today = calendar::today()?;
    let pressed = views.last_preset.preset();
    views.list().with(|views| {
        // Most forms have no views: skip the date calculation then.
        let days = (!views.is_empty()).then(|| calendar::days_of(filter))?;
        find_view(views, filter, (days, today), pressed)
    })
}

/// Returns the name of the view that matches a filter, and whether it is the default. `None` for an
/// empty filter. Tracked.
pub fn matching_name(views: SavedViews, filter: &Filter) -> Option<(String, bool)> {
    let index = matching_index(views, filter).filter(|_| !filter.is_empty())?;
    views.list().with(|views| views.get(index).map(|view| (view.name.clone(), view.is_default)))
}

/// Returns the view that the form opens with.
pub fn default_view(views: SavedViews) -> Option<SavedView> {
    views.list().with_untracked(|views| find_default(views).cloned())
}

/// Focuses an element after the panel was rendered again.
fn focus_after_render(selector: String) {
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        if let Ok(Some(found)) = document().query_selector(&selector) {
            focus(&found);
        }
    });
}
