//! The routes, and what every page shares. Nothing is fetched here but who is signed in.

pub mod frame;

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::{
    components::{ParentRoute, Route, Router, Routes},
    hooks::use_url,
    location::Url,
    path,
};
use wasm_bindgen::JsValue;

use crate::{
    page::Title,
    pages::{
        api_keys::ApiKeys,
        forms::{FirstForm, FormsOf},
        insights::Insights,
        not_found::NotFound,
        sign_in::SignIn,
        submissions::{Submissions, card::Card, shelf::Shelf},
    },
    paths,
    stores::{confirm::Confirm, session::SessionStore, theme::Appearance, toasts::Toasts},
    ui::{dialog::ConfirmDialog, toast::ToastRegion},
};
use frame::Frame;

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    let (toasts, confirm) = (Toasts::new(), Confirm::new());
    provide_context(toasts);
    provide_context(confirm);
    provide_context(Appearance::load());
    provide_context(SessionStore::new());
    provide_context(Title::new());
    // Before the router, so that it hears of Back and Forward first.
    provide_context(Shelf::listening());
    view! {
        <Router>
            <AddressGuard />
            <Routes fallback=Nowhere>
                <Route path=path!("/sign-in") view=SignIn />
                <ParentRoute path=path!("") view=Frame>
                    <Route path=path!("/") view=FirstForm />
                    <Route path=path!("/settings/keys") view=ApiKeys />
                    <Route path=path!("/:mode/forms") view=FormsOf />
                    <Route path=path!("/:mode/forms/:form/insights") view=Insights />
                    <ParentRoute path=path!("/:mode/forms/:form") view=Submissions>
                        <Route path=path!("") view=|| () />
                        <Route path=path!("/submissions/:id") view=Card />
                    </ParentRoute>
                    <Route path=path!("/*any") view=Nowhere />
                </ParentRoute>
            </Routes>
        </Router>
        <ToastRegion items=toasts.items() on_dismiss=move |id| toasts.dismiss(id) />
        <ConfirmDialog
            open=confirm.open()
            title=confirm.title()
            confirm=confirm.verb()
            busy=confirm.busy()
            error=confirm.error()
            on_confirm=move |()| confirm.act()
            on_close=move |()| confirm.close()
        >
            <p>{confirm.text()}</p>
        </ConfirmDialog>
    }
}

/// A path of no page.
#[component]
fn Nowhere() -> impl IntoView {
    crate::page::use_title("Not found".to_owned());
    view! {
        <div class="page">
            <NotFound home_href=paths::HOME />
        </div>
    }
}

/// Keeps the address bar true.
///
/// The router leaves out the history entry of a navigation whose URL is the last that it pushed.
/// After Back and Forward, or after a replaced entry, that is not the URL in the address bar, and
/// the page would change while its address stays.
#[component]
fn AddressGuard() -> impl IntoView {
    let url = use_url();
    Effect::new(move |_| {
        let wanted = url.with(address);
        let look = move || {
            let settled = url.try_with_untracked(|url| address(url) == wanted);
            let location = window().location();
            let shown = location.pathname().and_then(|path| Ok(path + &location.search()?));
            if settled == Some(true) && shown.is_ok_and(|shown| shown != wanted) {
                push(&wanted);
            }
        };
        // The router writes the address once the page is there, a task or two later.
        set_timeout(look, ADDRESS_SETTLES);
    });
}

/// How long the router may take to write the address.
const ADDRESS_SETTLES: Duration = Duration::from_millis(100);

fn address(url: &Url) -> String {
    match url.search() {
        "" => url.path().to_owned(),
        query => format!("{}?{query}", url.path()),
    }
}

fn push(address: &str) {
    if let Ok(history) = window().history() {
        // Refused only for another origin, which a path is not.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(address));
    }
}
