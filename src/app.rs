//! The root component: routes and the contexts that every page shares. It requests only the
//! session.

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::{
    components::Router,
    hooks::use_url,
    location::{BrowserUrl, LocationProvider, Url},
};
use wasm_bindgen::JsValue;

use crate::{
    components::page::PageTitle,
    layout::{
        confirm::ConfirmSlot, connection, frame::Frame, reauthentication::ReauthenticationSlot,
        skeleton,
    },
    lazy,
    pages::{
        forms::{EnvironmentStart, FirstForm},
        not_found::NotFound,
        submissions::{self, Submissions, list_cache::ListCache},
    },
    routes::{self, Page},
    state::{
        changes::{Change, Changes},
        commands::Commands,
        confirm::Confirm,
        deletions::Deletions,
        exports::Exports,
        last_date_preset::LastDatePreset,
        reauthentication::Reauthentication,
        session::SessionStore,
        theme::Appearance,
        toasts::Toasts,
        triage::TriageState,
    },
    ui::{
        lazy::{FirstPaint, Lazy, LazyOverlay},
        run_effect,
        toast::ToastRegion,
    },
};

/// The whole dashboard.
#[component]
pub fn App() -> impl IntoView {
    let toasts = Toasts::default();
    let confirm = Confirm::default();
    provide_context(toasts);
    provide_context(confirm);
    provide_context(Reauthentication::default());
    provide_context(Commands::default());
    provide_context(Appearance::load());
    provide_context(LastDatePreset::load());
    let session = SessionStore::default();
    provide_context(session);
    provide_context(TriageState::new(session, toasts));
    skeleton::remove_when_known(session);
    connection::watch_connection(session);
    provide_context(PageTitle::default());
    let changes = Changes::default();
    let deletions = Deletions::default();
    provide_context(changes);
    provide_context(deletions);
    let exports = Exports::default();
    provide_context(exports.clone());
    provide_context(FirstPaint::with_listeners());
    // Before the router, so that its `popstate` listener runs before the router's.
    let list_cache = ListCache::with_listener();
    provide_context(list_cache);
    changes.listen(move |event| {
        // Rows have no triage. A change of it clears the cache in `triage_reload`.
        if !matches!(event.change, Change::Updated(_)) {
            list_cache.clear();
        }
    });
    // The lists of a person are not shown to the next one who signs in.
    let person = Memo::new(move |_| {
        let session = session.session()?;
        Some((session.account.id.clone(), session.person_email().to_owned()))
    });
    run_effect(move || {
        if person.get().is_some() {
            list_cache.clear();
        }
    });
    view! {
        <Router>
            <AddressGuard />
            <Pages />
        </Router>
        <div class="corner">
            <ToastRegion items=toasts.items() on_dismiss=move |id| toasts.dismiss(id) />
            // If the code of an export or a deletion failed to load, its dialog already reported
            // that.
            <LazyOverlay
                open=exports.was_needed()
                load=lazy::export_sign
                ahead=false
                on_missing=|_| {}
            />
            <LazyOverlay
                open=deletions.was_started()
                load=lazy::deletion
                ahead=false
                on_missing=|_| {}
            />
        </div>
        <ConfirmSlot />
        <ReauthenticationSlot />
    }
}

/// Renders the page of the current URL. Replaces the route table of `leptos_router`, which supports
/// arbitrary paths and async views, at an eighth of the code size.
#[component]
fn Pages() -> impl IntoView {
    let url = use_url();
    let history = use_context::<BrowserUrl>();
    let page = Memo::new(move |_| url.with(|url| routes::page_of_path(url.path())));
    // Separate memo, so that the frame is not rebuilt when only the page changes.
    let signing_in = Memo::new(move |_| page.get() == Page::SignIn);
    run_effect(move || {
        url.track();
        // The page is about to be rendered, so the router may update the address bar.
        history.iter().for_each(BrowserUrl::ready_to_complete);
    });
    let framed = ViewFn::from(move || framed_page(page));
    move || {
        if signing_in.get() {
            view! { <Lazy load=lazy::sign_in fills="page" /> }.into_any()
        } else {
            view! { <Frame page=framed.clone() /> }.into_any()
        }
    }
}

/// Renders a page within the frame. Less visited pages are lazy views.
fn framed_page(page: Memo<Page>) -> AnyView {
    let has_card = Memo::new(move |_| page.get() == Page::Card);
    // A submission card opens over its list, which stays mounted.
    let below = Memo::new(move |_| if has_card.get() { Page::List } else { page.get() });
    let card = move || {
        let card = || view! { <Lazy load=submissions::lazy::card fills="drawer" /> };
        has_card.get().then(card)
    };
    let show = move || match below.get() {
        Page::Start => view! { <FirstForm /> }.into_any(),
        Page::Forms => view! { <EnvironmentStart /> }.into_any(),
        Page::List | Page::Card => view! { <Submissions card=move || card /> }.into_any(),
        Page::Account => view! { <Lazy load=lazy::account fills="page" /> }.into_any(),
        Page::Activity => view! { <Lazy load=lazy::activity fills="page" /> }.into_any(),
        Page::Keys => view! { <Lazy load=lazy::api_keys fills="page" /> }.into_any(),
        Page::AllForms => view! { <Lazy load=lazy::all_forms fills="page" /> }.into_any(),
        Page::Settings => view! { <Lazy load=lazy::form_settings fills="page" /> }.into_any(),
        Page::Insights => view! { <Lazy load=lazy::insights fills="page" /> }.into_any(),
        Page::SignIn | Page::Unknown => view! { <UnknownPage /> }.into_any(),
    };
    show.into_any()
}

/// The page for an unknown path.
#[component]
fn UnknownPage() -> impl IntoView {
    crate::components::page::use_title(crate::i18n::not_found().not_found.to_owned());
    view! {
        <div class="page">
            <NotFound home_href=routes::HOME />
        </div>
    }
}

/// Keeps the address bar in sync with the router's URL.
///
/// The router skips the history entry of a navigation to the URL that it pushed last. After Back,
/// Forward or a replaced entry, the address bar can show a different URL. The page would then
/// change while the address does not.
#[component]
fn AddressGuard() -> impl IntoView {
    let url = use_url();
    Effect::new(move |_| {
        let target = url.with(url_with_query);
        let check_address = move || {
            let settled = url.try_with_untracked(|url| url_with_query(url) == target);
            let location = window().location();
            let shown = location.pathname().and_then(|path| Ok(path + &location.search()?));
            if settled == Some(true) && shown.is_ok_and(|shown| shown != target) {
                push_history_entry(&target);
            }
        };
        // The router updates the address a task or two after the page is rendered.
        set_timeout(check_address, ADDRESS_UPDATE_DELAY);
    });
}

/// Time within which the router updates the address.
const ADDRESS_UPDATE_DELAY: Duration = Duration::from_millis(100);

fn url_with_query(url: &Url) -> String {
    match url.search() {
        "" => url.path().to_owned(),
        query => format!("{}?{query}", url.path()),
    }
}

fn push_history_entry(address: &str) {
    if let Ok(history) = window().history() {
        // Fails only for a URL of another origin; this is a path.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(address));
    }
}
