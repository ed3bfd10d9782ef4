//! What can be done on the page in view. A page offers its acts for as long as it lives; keys and
//! the palette run them. It knows no page, and does nothing by itself.

use leptos::prelude::*;

use crate::domain::commands::Command;

/// Commands that come and go together.
#[derive(Clone, Copy)]
struct Offer {
    id: u32,
    acts: &'static [Command],
    run: Callback<Command, bool>,
}

/// The store, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Commands {
    offers: RwSignal<Vec<Offer>>,
    next_id: StoredValue<u32>,
}

impl Default for Commands {
    fn default() -> Self {
        Self::new()
    }
}

impl Commands {
    /// Returns a store without acts, owned by the present reactive owner.
    pub fn new() -> Self {
        Self { offers: RwSignal::new(Vec::new()), next_id: StoredValue::new(0) }
    }

    /// Offers acts for as long as the present owner lives. `run` does one of them, and returns
    /// whether there was anything to do.
    pub fn offer(
        &self,
        acts: &'static [Command],
        run: impl Fn(Command) -> bool + Send + Sync + 'static,
    ) {
        let id = self.next_id.try_update_value(|next| {
            *next += 1;
            *next
        });
        let Some(id) = id else { return };
        self.offers.update(|offers| offers.push(Offer { id, acts, run: Callback::new(run) }));
        let offers = self.offers;
        on_cleanup(move || {
            offers.try_update(|offers| offers.retain(|offer| offer.id != id));
        });
    }

    /// Does what was offered last under this name. Returns whether anything was done.
    pub fn run(&self, act: Command) -> bool {
        let found = self.offers.try_with_untracked(|offers| {
            offers.iter().rev().find(|offer| offer.acts.contains(&act)).copied()
        });
        found.flatten().is_some_and(|offer| offer.run.run(act))
    }

    /// Returns what is offered, the nearest to the viewer first. Tracked.
    pub fn offered(&self) -> Vec<Command> {
        self.offers
            .with(|offers| offers.iter().rev().flat_map(|offer| offer.acts).copied().collect())
    }
}
