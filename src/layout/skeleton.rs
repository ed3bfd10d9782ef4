//! Removes the loading skeleton of `index.html` once the dashboard has content to show. Rows that
//! the gateway sent with the page stay until the dashboard has rendered its own; `public/first.js`
//! removes them.

use leptos::prelude::*;

use crate::{
    state::session::{SessionState, SessionStore},
    ui::run_effect,
};

/// Removes the skeleton once the session state is known.
pub(crate) fn remove_when_known(session: SessionStore) {
    run_effect(move || {
        if session.state().with(|state| *state == SessionState::Unknown) {
            return;
        }
        if let Ok(Some(shapes)) = document().query_selector(".first:not([data-rows])") {
            shapes.remove();
        }
    });
}
