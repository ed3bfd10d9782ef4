//! Saved views on a page: which one the filter is, and which one opens with the form. What manages
//! them is a part of the filter.

pub mod edit;
pub mod panel;

use contract::{Filter, FormId};
use leptos::prelude::*;

use super::calendar;
use crate::{
    domain::{
        saved_views::{SavedView, find},
        time::bounds,
    },
    state::saved_views::SavedViews,
    ui::focus,
};

/// Returns the filter of a view, as of today.
pub fn filter_of(view: &SavedView) -> Option<Filter> {
    let instants = |(first, last)| bounds(first, last, calendar::midnight);
    Some(view.filter(calendar::today()?, instants))
}

/// Returns the place of the view that a filter is. Tracked.
pub fn place(views: SavedViews, filter: &Filter) -> Option<usize> {
    let today = calendar::today()?;
    let pressed = views.pressed.preset();
    views.list().with(|views| {
        // Most forms have none, and days are not looked up for nothing.
        let days = (!views.is_empty()).then(|| calendar::days_of(filter))?;
        find(views, filter, (days, today), pressed)
    })
}

/// Returns the name of the view that a filter is, and whether it is the default; nothing where
/// nothing is filtered. Tracked.
pub fn name(views: SavedViews, filter: &Filter) -> Option<(String, bool)> {
    let place = place(views, filter).filter(|_| !filter.is_empty())?;
    views.list().with(|views| views.get(place).map(|view| (view.name.clone(), view.is_default)))
}

/// Returns the view that a form opens with, the first time that it is asked after the form was
/// opened.
pub fn opens_with(views: SavedViews, form: &FormId) -> Option<SavedView> {
    let opened = views.show(form);
    let default = |views: &Vec<SavedView>| views.iter().find(|view| view.is_default).cloned();
    if opened { views.list().with_untracked(default) } else { None }
}

/// Moves the focus to what will be there once the panel is drawn anew.
fn focus_later(selector: String) {
    leptos::task::spawn_local(async move {
        leptos::task::tick().await;
        if let Ok(Some(found)) = document().query_selector(&selector) {
            focus(&found);
        }
    });
}
