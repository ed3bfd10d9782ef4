//! Watches whether requests reach the gateway. An authentication proxy may have ended its session.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Reach},
    state::session::SessionStore,
    ui::{lazy, react},
};

/// Interval of the connection checks while requests do not reach the gateway, in milliseconds.
const AGAIN_MS: u32 = 10_000;

/// Keeps `SessionStore::reach` up to date. While requests do not reach the gateway, sends a request
/// regularly: the network may be back, or the user may have signed in in another tab.
pub(crate) fn watch(session: SessionStore) {
    api::observe(move |reach| session.set_reach(reach));
    // Loading a chunk is no API request, but it fails for the same reasons.
    lazy::on_missing(|| spawn_local(ask()));
    let is_cut_off = Memo::new(move |_| session.reach().get() != Reach::Fine);
    let is_asking = StoredValue::new(false);
    react(move || {
        if is_cut_off.get() && !is_asking.get_value() {
            is_asking.set_value(true);
            spawn_local(async move {
                while is_cut_off.try_get_untracked() == Some(true) {
                    TimeoutFuture::new(AGAIN_MS).await;
                    if !document().hidden() {
                        ask().await;
                    }
                }
                is_asking.try_set_value(false);
            });
        }
    });
}

/// Sends a request. Its outcome updates the store through the observer.
async fn ask() {
    // Only the observer's report matters, not the result.
    let _ = api::session().await;
}
