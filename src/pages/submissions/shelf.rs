//! Lists that were left a moment ago, kept for Back and Forward, which lead back to the same rows
//! at the same place. A link leads to a fresh list.

use std::time::Duration;

use leptos::{ev, prelude::*};

use super::list::Source;
use crate::domain::feed::Feed;

/// Most lists that are kept.
const KEPT_MAX: usize = 4;
/// How soon after Back or Forward a list must ask for what was kept.
const ARRIVES: Duration = Duration::from_secs(2);

/// A list that was left.
pub struct Kept {
    source: Source,
    /// Its rows.
    pub feed: Feed,
    /// Where it stood, as the table tells it.
    pub position: f64,
}

/// The shelf, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Shelf {
    kept: StoredValue<Vec<Kept>>,
    /// The address that Back or Forward led to just now.
    came_to: StoredValue<Option<String>>,
}

impl Shelf {
    /// Returns an empty shelf that hears of Back and Forward. Must be made before the router, whose
    /// pages ask it on the same event.
    pub fn listening() -> Self {
        let shelf = Self { kept: StoredValue::new(Vec::new()), came_to: StoredValue::new(None) };
        let listener = window_event_listener(ev::popstate, move |_| {
            shelf.came_to.try_set_value(window().location().href().ok());
            let forget = move || {
                shelf.came_to.try_set_value(None);
            };
            set_timeout(forget, ARRIVES);
        });
        on_cleanup(move || listener.remove());
        shelf
    }

    /// Keeps a list that is being left.
    pub fn keep(&self, source: Source, feed: Feed, position: f64) {
        if feed.is_empty() || feed.is_stale() {
            return;
        }
        self.kept.try_update_value(|kept| {
            kept.retain(|one| one.source != source);
            kept.push(Kept { source, feed, position });
            if kept.len() > KEPT_MAX {
                kept.remove(0);
            }
        });
    }

    /// Gives a list back, if Back or Forward led to it.
    pub fn take(&self, source: &Source) -> Option<Kept> {
        let came_to = self.came_to.try_update_value(Option::take)??;
        if window().location().href().ok()? != came_to {
            return None;
        }
        self.kept.try_update_value(|kept| {
            let index = kept.iter().position(|one| one.source == *source)?;
            Some(kept.remove(index))
        })?
    }

    /// Returns whether Back or Forward led here just now.
    pub fn is_coming_back(&self) -> bool {
        let came_to = self.came_to.try_get_value().flatten();
        came_to.is_some() && came_to == window().location().href().ok()
    }

    /// Forgets every list: a row was deleted that others may still hold.
    pub fn clear(&self) {
        self.kept.try_update_value(Vec::clear);
    }
}
