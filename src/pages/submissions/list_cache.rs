//! Lists that were left a moment ago, lists for Back and Forward, which lead back to the same rows
//! at the same place. A link leads to a fresh list.

use std::time::Duration;

use leptos::{ev, prelude::*};

use super::list::source::Source;
use crate::domain::list_model::ListModel;

/// Most lists that are lists.
const LISTS_MAX: usize = 4;
/// How soon after Back or Forward a list must ask for what was lists.
const ARRIVES: Duration = Duration::from_secs(2);

/// A list that was left.
pub struct CachedList {
    source: Source,
    /// Its rows.
    pub model: ListModel,
    /// Where it stood, as the table tells it.
    pub position: f64,
}

/// The cache, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct ListCache {
    lists: StoredValue<Vec<CachedList>>,
    /// The address that Back or Forward led to just now.
    came_to: StoredValue<Option<String>>,
}

impl ListCache {
    /// Returns an empty cache that hears of Back and Forward. Must be made before the router, whose
    /// pages ask it on the same event.
    pub fn listening() -> Self {
        let cache = Self { lists: StoredValue::new(Vec::new()), came_to: StoredValue::new(None) };
        let listener = window_event_listener(ev::popstate, move |_| {
            cache.came_to.try_set_value(window().location().href().ok());
            let forget = move || {
                cache.came_to.try_set_value(None);
            };
            set_timeout(forget, ARRIVES);
        });
        on_cleanup(move || listener.remove());
        cache
    }

    /// Keeps a list that is being left.
    pub fn keep(&self, source: Source, model: ListModel, position: f64) {
        if model.is_empty() || model.is_stale() {
            return;
        }
        self.lists.try_update_value(|lists| {
            lists.retain(|one| one.source != source);
            lists.push(CachedList { source, model, position });
            if lists.len() > LISTS_MAX {
                lists.remove(0);
            }
        });
    }

    /// Gives a list back, if Back or Forward led to it.
    pub fn take(&self, source: &Source) -> Option<CachedList> {
        let came_to = self.came_to.try_update_value(Option::take)??;
        if window().location().href().ok()? != came_to {
            return None;
        }
        self.lists.try_update_value(|lists| {
            let index = lists.iter().position(|one| one.source == *source)?;
            Some(lists.remove(index))
        })?
    }

    /// Returns whether Back or Forward led here just now.
    pub fn is_coming_back(&self) -> bool {
        let came_to = self.came_to.try_get_value().flatten();
        came_to.is_some() && came_to == window().location().href().ok()
    }

    /// Forgets every list: a row was deleted that others may still hold.
    pub fn clear(&self) {
        self.lists.try_update_value(Vec::clear);
    }
}
