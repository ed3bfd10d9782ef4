//! The routes, and what every page shares. Nothing is fetched here but who is signed in.

pub mod dialogs;
mod first;
pub mod frame;
pub mod habits;
pub mod offline;
mod parts;
pub mod tray;

use std::{sync::Arc, time::Duration};

use leptos::prelude::*;
use leptos_router::{
    PossibleRouteMatch,
    components::{ParentRoute, Route, Router, Routes},
    hooks::use_url,
    location::Url,
    path,
};
use wasm_bindgen::JsValue;

use crate::{
    page::Title,
    pages::{
        forms::{FirstForm, FormsOf},
        not_found::NotFound,
        submissions::{self, Submissions, shelf::Shelf},
    },
    paths,
    stores::{
        acts::Acts, confirm::Confirm, offline::Offline, session::SessionStore, theme::Appearance,
        toasts::Toasts, tray::Tray,
    },
    ui::{
        later::{Later, Over, Settled},
        toast::ToastRegion,
    },
};
use dialogs::ConfirmSlot;
use frame::Frame;
use tray::TraySlot;

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    let (toasts, confirm) = (Toasts::new(), Confirm::new());
    provide_context(toasts);
    provide_context(confirm);
    provide_context(Acts::new());
    provide_context(Appearance::load());
    let session = SessionStore::new();
    provide_context(session);
    first::leave(session);
    provide_context(Title::new());
    provide_context(Tray::new());
    provide_context(Offline::new());
    // Pages that most visits do not need come when one goes there.
    let sign_in: Page = || view! { <Later load=parts::sign_in fills="page" /> }.into_any();
    let api_keys: Page = || view! { <Later load=parts::api_keys fills="page" /> }.into_any();
    let insights: Page = || view! { <Later load=parts::insights fills="page" /> }.into_any();
    let all_forms: Page = || view! { <Later load=parts::all_forms fills="page" /> }.into_any();
    let settings: Page = || view! { <Later load=parts::form_settings fills="page" /> }.into_any();
    let card: Page = || view! { <Later load=submissions::parts::card fills="drawer" /> }.into_any();
    let (frame, nothing): (Page, Page) = (|| Frame().into_any(), || ().into_any());
    let (first_form, forms_of): (Page, Page) = (|| FirstForm().into_any(), || FormsOf().into_any());
    let (submissions, nowhere): (Page, Page) =
        (|| Submissions().into_any(), || Nowhere().into_any());
    provide_context(Settled::listening());
    // Before the router, so that it hears of Back and Forward first.
    provide_context(Shelf::listening());
    view! {
        <Router>
            <AddressGuard />
            <Routes fallback=Nowhere>
                <Route path=at(path!("/sign-in")) view=sign_in />
                <ParentRoute path=at(path!("")) view=frame>
                    <Route path=at(path!("/")) view=first_form />
                    <Route path=at(path!("/settings/keys")) view=api_keys />
                    <Route path=at(path!("/settings/forms")) view=all_forms />
                    <Route path=at(path!("/:mode/forms")) view=forms_of />
                    <Route path=at(path!("/:mode/forms/:form/settings/:tab?")) view=settings />
                    <Route path=at(path!("/:mode/forms/:form/insights")) view=insights />
                    <ParentRoute path=at(path!("/:mode/forms/:form")) view=submissions>
                        <Route path=at(path!("")) view=nothing />
                        <Route path=at(path!("/submissions/:id")) view=card />
                    </ParentRoute>
                    <Route path=at(path!("/*any")) view=nowhere />
                </ParentRoute>
            </Routes>
        </Router>
        // Where it does not come, the next visit tries again.
        <Over open=Signal::stored(false) load=parts::keeper on_missing=|_| {} />
        <div class="corner">
            <ToastRegion items=toasts.items() on_dismiss=move |id| toasts.dismiss(id) />
            <TraySlot />
        </div>
        <ConfirmSlot />
    }
}

/// What a route shows. A function of one type, like the path: the router is compiled once, not
/// once a route, for a kilobyte each.
type Page = fn() -> AnyView;

fn at(
    path: impl PossibleRouteMatch + Send + Sync + 'static,
) -> Arc<dyn PossibleRouteMatch + Send + Sync> {
    Arc::new(path)
}

/// A path of no page.
#[component]
fn Nowhere() -> impl IntoView {
    crate::page::use_title(crate::texts::not_found().not_found.to_owned());
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
