//! Watches whether requests reach the gateway. An authentication proxy may have ended its session.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ConnectionState},
    state::session::SessionStore,
    ui::{lazy, run_effect},
};

/// Interval of the connection checks while requests do not reach the gateway, in milliseconds.
const CHECK_INTERVAL_MS: u32 = 10_000;

/// Keeps `SessionStore::reach` up to date. While requests do not reach the gateway, sends a request
/// regularly: the network may be back, or the user may have signed in in another tab.
pub(crate) fn watch_connection(session: SessionStore) {
    api::set_observer(move |connection| session.set_connection(connection));
    // Loading a chunk is no API request, but it fails for the same reasons.
    lazy::set_on_load_error(|| spawn_local(check_connection()));
    let is_cut_off = Memo::new(move |_| session.connection().get() != ConnectionState::Online);
    let is_asking = StoredValue::new(false);
    run_effect(move || {
        if is_cut_off.get() && !is_asking.get_value() {
            is_asking.set_value(true);
            spawn_local(async move {
                while is_cut_off.try_get_untracked() == Some(true) {
                    TimeoutFuture::new(CHECK_INTERVAL_MS).await;
                    if !document().hidden() {
                        check_connection().await;
                    }
                }
                is_asking.try_set_value(false);
            });
        }
    });
}

/// Sends a request. Its outcome updates the store through the observer.
async fn check_connection() {
    // Only the observer's report matters, not the result.
    let _ = api::get_session().await;
}
