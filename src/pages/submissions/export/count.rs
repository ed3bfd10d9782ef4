//! How many submissions a scope has that is not the list's: asked once at each opening of the
//! dialog, by the least request there is.

use contract::{ListQuery, RateLimit};
use leptos::{prelude::*, task::spawn_local};

use crate::{api, pages::submissions::list::Source, state::session::SessionStore};

/// What was asked, and answered; cheap to copy.
#[derive(Clone, Copy)]
pub struct Count {
    asked: StoredValue<Vec<Source>>,
    known: RwSignal<Vec<(Source, u64)>>,
    rate: RwSignal<Option<RateLimit>>,
    session: SessionStore,
}

impl Count {
    /// Returns one that knows nothing, owned by the present reactive owner.
    pub fn new(session: SessionStore) -> Self {
        Self {
            asked: StoredValue::new(Vec::new()),
            known: RwSignal::new(Vec::new()),
            rate: RwSignal::new(None),
            session,
        }
    }

    /// Forgets all of it: what is counted changes.
    pub fn reset(self) {
        self.asked.set_value(Vec::new());
        self.known.set(Vec::new());
        self.rate.set(None);
    }

    /// Returns how many match, once known. Tracked.
    pub fn of(self, source: &Source) -> Option<u64> {
        self.known.with(|known| known.iter().find(|one| one.0 == *source).map(|one| one.1))
    }

    /// Returns where the key stood when the last answer came. Tracked.
    pub fn rate(self) -> Option<RateLimit> {
        self.rate.get()
    }

    /// Asks how many match, unless that was asked already. Without an answer it is not known.
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
