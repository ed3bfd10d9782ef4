//! A cache of recently left lists. Back and Forward restore the same rows and scroll position. A
//! link loads the list again.

use std::time::Duration;

use leptos::{ev, prelude::*};

use super::list::source::ListSource;
use crate::domain::list_model::ListModel;

/// Maximum number of cached lists.
const LISTS_MAX: usize = 4;
/// How long after Back or Forward a cached list may be taken.
const RESTORE_WINDOW: Duration = Duration::from_secs(2);

/// A cached list.
pub struct CachedList {
    source: ListSource,
    /// The rows.
    pub model: ListModel,
    /// The scroll position of the table, in rows.
    pub position: f64,
}

/// The cache. The app provides it as context.
#[derive(Clone, Copy)]
pub struct ListCache {
    lists: StoredValue<Vec<CachedList>>,
    /// URL of the most recent Back or Forward navigation.
    navigated_to: StoredValue<Option<String>>,
}

impl ListCache {
    /// Returns an empty cache that listens to Back and Forward. Must be called before the router is
    /// created: on the same `popstate` event the router renders pages that use the cache.
    pub fn with_listener() -> Self {
        let cache =
            Self { lists: StoredValue::new(Vec::new()), navigated_to: StoredValue::new(None) };
        let listener = window_event_listener(ev::popstate, move |_| {
            cache.navigated_to.try_set_value(window().location().href().ok());
            let forget = move || {
                cache.navigated_to.try_set_value(None);
            };
            set_timeout(forget, RESTORE_WINDOW);
        });
        on_cleanup(move || listener.remove());
        cache
    }

    /// Stores a list that is being left. Empty and stale lists are ignored.
    pub fn store_list(&self, source: ListSource, model: ListModel, position: f64) {
        if model.is_empty() || model.is_stale() {
            return;
        }
        self.lists.try_update_value(|lists| {
            lists.retain(|list| list.source != source);
            lists.push(CachedList { source, model, position });
            if lists.len() > LISTS_MAX {
                lists.remove(0);
            }
        });
    }

    /// Removes and returns the list of `source`, if Back or Forward led to it.
    pub fn take_list(&self, source: &ListSource) -> Option<CachedList> {
        let came_to = self.navigated_to.try_update_value(Option::take)??;
        if window().location().href().ok()? != came_to {
            return None;
        }
        self.lists.try_update_value(|lists| {
            let index = lists.iter().position(|list| list.source == *source)?;
            Some(lists.remove(index))
        })?
    }

    /// Returns whether Back or Forward has just led to this URL.
    pub fn is_history_navigation(&self) -> bool {
        let came_to = self.navigated_to.try_get_value().flatten();
        came_to.is_some() && came_to == window().location().href().ok()
    }

    /// Removes all lists, for example because a deleted row may be in them.
    pub fn clear(&self) {
        self.lists.try_update_value(Vec::clear);
    }
}
