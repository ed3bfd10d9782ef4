//! Starts `public/offline.js`, once the first view is done with, and tells it whose answers it may
//! keep. What it keeps, and for how long, is its own affair.

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration};

use crate::{
    stores::{offline::Offline, session::SessionStore, session::Standing},
    ui::react,
};

/// The script of the worker. Its name never changes, so that a browser finds the newer one.
const WORKER: &str = "/offline.js";

/// Returns whether this browser can keep anything here: only over TLS, or on its own machine.
pub fn is_possible() -> bool {
    let container = JsValue::from_str("serviceWorker");
    window().is_secure_context()
        && js_sys::Reflect::has(&window().navigator(), &container).unwrap_or(false)
}

/// Starts the worker and follows who is signed in, and what they chose. Shows nothing.
#[component]
pub fn Keeper() -> impl IntoView {
    let (session, offline) = (expect_context::<SessionStore>(), expect_context::<Offline>());
    if !is_possible() {
        return;
    }
    let container = window().navigator().service_worker();
    let starting = container.register(WORKER);
    spawn_local(async move {
        // Refused where the browser keeps nothing, as in some private windows.
        let _ = JsFuture::from(starting).await;
    });
    // What is not known yet changes nothing.
    let told = Memo::new(move |_| match session.standing().get() {
        Standing::SignedIn(session) => {
            let account = session.account.id.to_string();
            Some(if offline.keeps(&account) { account } else { String::new() })
        }
        Standing::SignedOut { .. } | Standing::TurnedAway(_) => Some(String::new()),
        Standing::Unknown | Standing::Failed(_) => None,
    });
    react(move || {
        if let Some(account) = told.get() {
            tell(container.clone(), account);
        }
    });
}

/// Tells the worker whose answers to keep; nobody's, where that is empty.
fn tell(container: ServiceWorkerContainer, account: String) {
    spawn_local(async move {
        let Ok(ready) = container.ready() else { return };
        let Ok(registration) = JsFuture::from(ready).await else { return };
        let registration = ServiceWorkerRegistration::from(registration);
        if let Some(worker) = registration.active() {
            // A text can always be sent.
            let _ = worker.post_message(&JsValue::from_str(&account));
        }
    });
}
