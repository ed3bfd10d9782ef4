//! Saved views on a page: the view that matches the filter, and the default view of a form. The
//! panel that manages them is loaded with the filter panels.

pub mod edit;
pub mod panel;
pub mod requests;
pub mod save;

use contract::{Environment, FormId, ListQuery};
use leptos::prelude::*;

use super::calendar;
use crate::{
    domain::{
        saved_views::{SavedView, find_default, find_view},
        time::instant_bounds,
    },
    routes::ListLayout,
    state::{list_view::ViewStore, saved_views::SavedViews},
};

/// Data of the panel.
#[derive(Debug, Clone, Copy)]
pub struct SavedViewsContext {
    /// Saved views.
    pub views: SavedViews,
    /// Current form and its environment.
    pub form: Signal<Option<(Environment, FormId)>>,
    /// Whether the views open in the list or the board.
    pub layout: Signal<ListLayout>,
    /// Current filter and order.
    pub list: Signal<ListQuery>,
    /// Columns of the list.
    pub columns: ViewStore,
}

/// Returns the filter and order of a view, as of today.
pub fn list_of(view: &SavedView) -> Option<ListQuery> {
    let instants = |(first, last)| instant_bounds(first, last, calendar::start_of_day);
    Some(view.list(calendar::today()?, instants))
}

/// Returns the index of the view of a list. Tracked.
pub fn matching_index(views: SavedViews, list: &ListQuery) -> Option<usize> {
    let today = calendar::today()?;
    let pressed = views.last_preset.preset();
    views.list().with(|views| {
        // Most forms have no views: skip the date calculation then.
        let days = (!views.is_empty()).then(|| calendar::days_of(&list.filter))?;
        find_view(views, list, (days, today), pressed)
    })
}

/// Returns the name of the view of a list, and whether it is the default. `None` for all
/// submissions, newest first. Tracked.
pub fn matching_name(views: SavedViews, list: &ListQuery) -> Option<(String, bool)> {
    let index = matching_index(views, list).filter(|_| *list != ListQuery::default())?;
    views.list().with(|views| views.get(index).map(|view| (view.name.clone(), view.is_default)))
}

/// Returns the view that the form opens with.
pub fn default_view(views: SavedViews) -> Option<SavedView> {
    views.list().with_untracked(|views| find_default(views).cloned())
}
