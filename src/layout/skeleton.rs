//! What the page shows before there is a dashboard: the shapes in `index.html`. Here they are
//! taken away, as soon as it is known what takes their place. Rows that came with the page stay
//! until the dashboard has them too, which `public/first.js` sees. Nothing is shown here.

use leptos::prelude::*;

use crate::{
    state::session::{SessionStore, Standing},
    ui::react,
};

/// Takes the shapes away once it is known who is signed in, if anyone is.
pub(crate) fn leave(session: SessionStore) {
    react(move || {
        if session.standing().with(|standing| *standing == Standing::Unknown) {
            return;
        }
        if let Ok(Some(shapes)) = document().query_selector(".first:not([data-rows])") {
            shapes.remove();
        }
    });
}
