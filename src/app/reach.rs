//! Whether requests reach the gateway: an auth proxy in front may have ended its session.

use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, Reach},
    stores::session::SessionStore,
    ui::{later, react},
};

/// How often it is asked whether requests reach the gateway again, in milliseconds.
const AGAIN_MS: u32 = 10_000;

/// Tells the store what requests meet. While they do not reach the gateway, asks again: the network
/// comes back, or a person has signed in in another tab.
pub(super) fn watch(session: SessionStore) {
    api::observe(move |reach| session.meets(reach));
    // The code of a part is no request of the API, but fails for the same reasons.
    later::on_missing(|| spawn_local(ask()));
    let is_cut_off = Memo::new(move |_| session.reach().get() != Reach::Fine);
    react(move || {
        if is_cut_off.get() {
            spawn_local(async move {
                while is_cut_off.try_get_untracked() == Some(true) {
                    TimeoutFuture::new(AGAIN_MS).await;
                    if !document().hidden() {
                        ask().await;
                    }
                }
            });
        }
    });
}

/// Makes a request for what it meets.
async fn ask() {
    // The answer itself tells nothing that is needed here.
    let _ = api::session().await;
}
