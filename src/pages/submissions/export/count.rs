//! Counts the submissions of a scope that differs from the list's. Sends one minimal request per
//! scope each time the dialog opens.

use contract::{ListQuery, RateLimit};
use leptos::{prelude::*, task::spawn_local};

use crate::{api, pages::submissions::list::ListSource, state::session::SessionStore};

/// Requested and received counts. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ScopeCounts {
    requested: StoredValue<Vec<ListSource>>,
    counts: RwSignal<Vec<(ListSource, u64)>>,
    rate: RwSignal<Option<RateLimit>>,
    session: SessionStore,
}

impl ScopeCounts {
    /// Returns an empty cache, owned by the current reactive owner.
    pub fn new(session: SessionStore) -> Self {
        Self {
            requested: StoredValue::new(Vec::new()),
            counts: RwSignal::new(Vec::new()),
            rate: RwSignal::new(None),
            session,
        }
    }

    /// Clears the counts, because the numbers may have changed.
    pub fn reset(self) {
        self.requested.set_value(Vec::new());
        self.counts.set(Vec::new());
        self.rate.set(None);
    }

    /// Returns the number of matching submissions, once it is loaded. Tracked.
    pub fn count_of(self, source: &ListSource) -> Option<u64> {
        self.counts.with(|known| known.iter().find(|entry| entry.0 == *source).map(|entry| entry.1))
    }

    /// Returns the rate limit in the last response. Tracked.
    pub fn rate(self) -> Option<RateLimit> {
        self.rate.get()
    }

    /// Requests the count, unless that was done already. After an error the count stays unknown.
    pub fn request_count(self, source: ListSource) {
        let is_asked = self.requested.with_value(|requested| requested.contains(&source));
        if is_asked {
            return;
        }
        self.requested.update_value(|requested| requested.push(source.clone()));
        let Some(form) = source.form.clone() else { return };
        spawn_local(async move {
            let query =
                ListQuery { filter: source.filter.clone(), limit: 1, cursor: None, sort: None };
            match api::list_submissions(source.environment, &form, &query, None).await {
                Ok(answer) => {
                    let total = answer.body.pagination.total;
                    self.rate.try_set(answer.rate);
                    self.counts.try_update(|known| known.push((source, total)));
                }
                Err(error) => self.session.handle_error(&error),
            }
        });
    }
}
