//! What the page shows before there is a dashboard: the shapes in `index.html`. Here they are
//! taken away, as soon as it is known what takes their place. Rows that came with the page stay
//! until the dashboard has them too, which `public/first.js` sees. Nothing is shown here.

use js_sys::{Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::{
    stores::session::{SessionStore, Standing},
    ui::react,
};

/// Where the script leaves word of the frame that showed the rows.
const SHOWN: &str = "sheafShown";

/// Waits until rows that came with the page were on screen for a frame; not at all where none came.
pub async fn shown() {
    let promise = Reflect::get(&js_sys::global(), &SHOWN.into()).ok();
    if let Some(promise) = promise.and_then(|it| it.dyn_into::<Promise>().ok()) {
        // Never rejected.
        let _ = JsFuture::from(promise).await;
    }
}

/// Takes the shapes away once it is known who is signed in, if anyone is.
pub(super) fn leave(session: SessionStore) {
    react(move || {
        if session.standing().with(|standing| *standing == Standing::Unknown) {
            return;
        }
        if let Ok(Some(shapes)) = document().query_selector(".first:not([data-rows])") {
            shapes.remove();
        }
    });
}
