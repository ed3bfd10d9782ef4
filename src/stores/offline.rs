//! Whether what is read stays on this device, and whether what is shown comes from there. The
//! choice is an account's own, and off until it is made; `public/offline.js` does the keeping, and
//! `app/offline.rs` tells it of the choice.

use leptos::prelude::*;

use super::view::{put, read};
use crate::api;

/// The storage key of the account that wants what it reads to be kept.
pub const OFFLINE_KEY: &str = "sheaf-offline";

/// The store, to be provided as context by the app.
#[derive(Clone, Copy, Debug)]
pub struct Offline {
    /// The account that wants it.
    wanted_by: RwSignal<String>,
    since_ms: RwSignal<Option<f64>>,
}

impl Default for Offline {
    fn default() -> Self {
        Self::new()
    }
}

impl Offline {
    /// Returns what the browser's storage holds, before anyone is signed in.
    pub fn new() -> Self {
        let since_ms = RwSignal::new(None);
        api::tell_kept(since_ms);
        Self { wanted_by: RwSignal::new(read(OFFLINE_KEY)), since_ms }
    }

    /// Returns whether what an account reads is to be kept. Tracked.
    pub fn keeps(&self, account: &str) -> bool {
        self.wanted_by.with(|wanted| wanted == account)
    }

    /// Makes the choice for an account, and remembers it.
    pub fn choose(&self, account: &str, keep: bool) {
        let account = if keep { account } else { "" };
        put(OFFLINE_KEY, account);
        self.wanted_by.try_set(account.to_owned());
    }

    /// Returns since when what is shown was kept, in milliseconds since 1970; `None` while the
    /// server answers. Tracked.
    pub fn since_ms(&self) -> Option<f64> {
        self.since_ms.get()
    }
}
