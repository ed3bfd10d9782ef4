//! Counts the submissions of a scope that differs from the list's. Sends one minimal request per
//! scope each time the dialog opens.

use contract::{ListQuery, RateLimit};
use leptos::{prelude::*, task::spawn_local};

use crate::{api, pages::submissions::list::Source, state::session::SessionStore};

/// Requested and received counts. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Count {
    asked: StoredValue<Vec<Source>>,
    known: RwSignal<Vec<(Source, u64)>>,
    rate: RwSignal<Option<RateLimit>>,
    session: SessionStore,
}

impl Count {
    /// Returns an empty cache, owned by the current reactive owner.
    pub fn new(session: SessionStore) -> Self {
        Self {
            asked: StoredValue::new(Vec::new()),
            known: RwSignal::new(Vec::new()),
            rate: RwSignal::new(None),
            session,
        }
    }

    /// Clears the counts, because the numbers may have changed.
    pub fn reset(self) {
        self.asked.set_value(Vec::new());
        self.known.set(Vec::new());
        self.rate.set(None);
    }

    /// Returns the number of matching submissions, once it is loaded. Tracked.
    pub fn of(self, source: &Source) -> Option<u64> {
        self.known.with(|known| known.iter().find(|one| one.0 == *source).map(|one| one.1))
    }

    /// Returns the rate limit in the last response. Tracked.
    pub fn rate(self) -> Option<RateLimit> {
        self.rate.get()
    }

    /// Requests the count, unless that was done already. After an error the count stays unknown.
    pub fn ask(self, source: Source) {
        let is_asked = self.asked.with_value(|asked| asked.contains(&source));
        if is_asked {
            return;
        }
        self.asked.update_value(|asked| asked.push(source.clone()));
        spawn_local(async move {
            let query = ListQuery { filter: source.filter.clone(), limit: 1, cursor: None };
            match api::list(source.environment, &source.form, &query, None).await {
                Ok(answer) => {
                    let total = answer.body.pagination.total;
                    self.rate.try_set(answer.rate);
                    self.known.try_update(|known| known.push((source, total)));
                }
                Err(error) => self.session.notice(&error),
            }
        });
    }
}
