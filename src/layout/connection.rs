//! Whether requests reach the gateway: an auth proxy in front may have ended its session.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Reach},
    state::session::SessionStore,
    ui::{lazy, react},
};

/// How often it is asked whether requests reach the gateway again, in milliseconds.
const AGAIN_MS: u32 = 10_000;

/// Keeps the store up to date. While requests do not reach the gateway, asks again: the network
/// comes back, or a person has signed in in another tab.
pub(crate) fn watch(session: SessionStore) {
    api::observe(move |reach| session.set_reach(reach));
    // The code of a part is no request of the API, but fails for the same reasons.
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

/// Makes a request, so that the store learns who answers.
async fn ask() {
    // The answer itself is not needed.
    let _ = api::session().await;
}
