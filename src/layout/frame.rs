//! The frame of every signed-in page: loads the session and the forms, connects the shell to the
//! stores, and navigates to the sign-in page when the session ends.

use contract::{Environment, Form};
use export_worker::{DATABASE, FOLDER};
use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DomException, FileSystemDirectoryHandle, FileSystemRemoveOptions};

use crate::{
    api::{self, ApiError, Backend},
    components::page::{Failure, Title},
    domain::commands::Command,
    i18n::{self, number},
    layout::{NavLink, Owner, Shell, shortcuts::Habits},
    lazy, routes,
    state::{
        commands::Commands,
        deletions::Deletions,
        session::{Forms, SessionStore, Standing},
        theme::Appearance,
        toasts::Toasts,
    },
    ui::{icon::Glyph, lazy::Lazy, react},
};

/// The frame.
#[component]
pub fn Frame(
    /// The page inside the frame.
    #[prop(into)]
    page: ViewFn,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    if session.standing().with_untracked(|standing| *standing == Standing::Unknown) {
        ask(session);
    }
    load_forms(session);
    lead_to_sign_in(session);
    let retry = move |()| {
        session.ask();
        ask(session);
    };
    // Compares only the kind of state: a new count of keys or forms must not rebuild the page.
    let kind = Memo::new(move |_| {
        session.standing().with(|standing| match standing {
            Standing::SignedIn(_) => Kind::SignedIn,
            Standing::Unknown | Standing::SignedOut { .. } => Kind::Nothing,
            Standing::TurnedAway(error) => Kind::TurnedAway(error.clone()),
            Standing::Failed(error) => Kind::Failed(error.clone()),
        })
    });
    let retry = Callback::new(retry);
    move || match kind.get() {
        Kind::SignedIn => view! { <SignedIn session page=page.clone() /> }.into_any(),
        Kind::Nothing => ().into_any(),
        Kind::TurnedAway(error) => {
            let load = move || lazy::turned_away(error.clone(), retry);
            view! { <Lazy load fills="page" /> }.into_any()
        }
        Kind::Failed(error) => view! {
            <main class="page">
                <Failure error what="Sheaf" on_retry=retry />
            </main>
        }
        .into_any(),
    }
}

/// The view to render for a session state.
#[derive(Clone, PartialEq)]
enum Kind {
    SignedIn,
    Nothing,
    TurnedAway(ApiError),
    Failed(ApiError),
}

fn ask(session: SessionStore) {
    spawn_local(async move { session.arrive(api::session().await) });
}

/// Loads the forms after every sign-in, and again when a reload is requested.
fn load_forms(session: SessionStore) {
    let wanted = Memo::new(move |_| {
        let loading = session.forms().with(|forms| *forms == Forms::Loading);
        session.session().filter(|_| loading).map(|session| Backend::of(&session))
    });
    react(move || {
        let Some(backend) = wanted.get() else { return };
        spawn_local(async move {
            // Without a list of forms, use those that were opened by id before.
            let Some(answer) = backend.forms().await else { return session.recall() };
            if let Err(error) = &answer {
                session.notice(error);
            }
            session.forms_arrive(answer);
        });
    });
}

/// Navigates to the sign-in page when the session ends. It returns to the current page after
/// sign-in, unless the user signed out.
fn lead_to_sign_in(session: SessionStore) {
    let (navigate, url) = (use_navigate(), use_url());
    react(move || {
        let Standing::SignedOut { by_choice } = session.standing().get() else { return };
        let elsewhere = session.known_elsewhere().and_then(|known| known.sign_out_url);
        if let Some(url) = elsewhere.filter(|_| by_choice) {
            // Fails only for an invalid URL, which the server rejects at startup.
            let _ = window().location().set_href(&url);
            return;
        }
        // Behind a proxy the gateway can start a new session without a sign-in page.
        if !by_choice && session.ask_elsewhere(js_sys::Date::now()) {
            ask(session);
            return;
        }
        let here = url.with_untracked(|url| match url.search() {
            "" => url.path().to_owned(),
            query => format!("{}?{query}", url.path()),
        });
        let back_to = if by_choice { routes::HOME } else { &here };
        let replace = NavigateOptions { replace: !by_choice, ..NavigateOptions::default() };
        navigate(&routes::sign_in(back_to), replace);
    });
}

#[component]
fn SignedIn(session: SessionStore, page: ViewFn) -> impl IntoView {
    let (title, appearance) = (expect_context::<Title>(), expect_context::<Appearance>());
    let url = use_url();
    let place = Memo::new(move |_| url.with(|url| routes::place(url.path())));
    // The account-wide settings pages have no environment: keep the previous one.
    let environment = Memo::new(move |before: Option<&Environment>| {
        place.with(|place| place.environment).or(before.copied()).unwrap_or(Environment::Live)
    });
    let forms = Signal::derive(move || {
        // Read `place` before `environment`, which is derived from it. A memo that re-runs without
        // changing marks its sources as clean, so a later read of `place` would not be notified.
        let here = place.with(|place| place.form.clone());
        let counts = session.capabilities().form_management;
        let link = |form: &Form| NavLink {
            href: routes::list(form.environment, &form.id, &contract::Filter::default()),
            label: form.name.clone(),
            count: if counts { number(form.submission_count) } else { String::new() },
            current: here.as_ref() == Some(&form.id),
            icon: None,
        };
        session.forms().with(|forms| match forms {
            Forms::Loading => None,
            Forms::Loaded(forms) => {
                let shown = environment.get();
                let forms = forms.iter().filter(|form| form.environment == shown);
                Some(forms.map(link).collect())
            }
            Forms::Failed(_) => Some(Vec::new()),
        })
    });
    let settings =
        Signal::derive(move || url.with(|url| settings_links(url.path(), session.may_change())));
    let acts = expect_context::<Commands>();
    let owner = owner(session);
    acts.offer(&[Command::SignOut], move |_| {
        owner.on_sign_out.run(());
        true
    });
    let toasts = expect_context::<Toasts>();
    let can_undo = Memo::new(move |_| toasts.have_action());
    react(move || {
        if can_undo.get() {
            acts.offer(&[Command::Undo], move |_| toasts.act_on_last());
        }
    });
    view! {
        <Shell
            test=Signal::derive(move || environment.get() == Environment::Test)
            live_href=routes::forms(Environment::Live)
            test_href=routes::forms(Environment::Test)
            home_href=routes::HOME
            forms
            settings
            reach=session.reach()
            owner
            appearance
            on_palette=move |()| {
                acts.run(Command::Palette);
            }
            announcement=title.text()
        >
            {page.run()}
        </Shell>
        <Habits />
    }
}

/// Returns the signed-in user and the sign-out action.
fn owner(session: SessionStore) -> Owner {
    let email = move || {
        let session = session.session();
        session.map(|session| session.person_email().to_owned()).unwrap_or_default()
    };
    Owner { email: Signal::derive(email), on_sign_out: Callback::new(sign_out(session)) }
}

/// Returns the sign-out action. It cancels a running deletion.
fn sign_out(session: SessionStore) -> impl Fn(()) + Send + Sync + 'static {
    let (toasts, deletions) = (expect_context::<Toasts>(), expect_context::<Deletions>());
    move |()| {
        spawn_local(async move {
            match api::sign_out().await {
                Err(error) if error.status() != Some(401) => {
                    toasts.failed((i18n::sign_out().failed)(&error.message()));
                }
                _ => {
                    deletions.clear();
                    session.end(true);
                    forget_exports().await;
                }
            }
        });
    }
}

/// Returns links to the settings pages. API keys and activity are only for the owner.
fn settings_links(path: &str, may_change: bool) -> Vec<NavLink> {
    let link = |href: &str, label: &str, icon| NavLink {
        href: href.to_owned(),
        label: label.to_owned(),
        current: path == href,
        icon,
        ..NavLink::default()
    };
    let texts = i18n::frame();
    let mut links = vec![link(routes::FORMS, texts.all_forms, Some(Glyph::Form))];
    if may_change {
        links.push(link(routes::KEYS, texts.api_keys, None));
        links.push(link(routes::ACTIVITY, texts.activity, Some(Glyph::Clock)));
    }
    links.push(link(routes::ACCOUNT, texts.account, Some(Glyph::Account)));
    links
}

/// Deletes the export files in the browser's storage, because they belong to the user who signed
/// out. Retries for some seconds while a worker has a file open.
async fn forget_exports() {
    let storage = window().navigator().storage();
    let all = FileSystemRemoveOptions::new();
    all.set_recursive(true);
    for wait_ms in [250, 500, 1000, 2000, 4000] {
        // Without this storage there are no files.
        let Ok(disk) = JsFuture::from(storage.get_directory()).await else { break };
        let disk: FileSystemDirectoryHandle = disk.unchecked_into();
        match JsFuture::from(disk.remove_entry_with_options(FOLDER, &all)).await {
            Err(error) if is_in_use(&error) => TimeoutFuture::new(wait_ms).await,
            _ => break,
        }
    }
    if let Ok(Some(databases)) = window().indexed_db() {
        let _ = databases.delete_database(DATABASE);
    }
}

fn is_in_use(error: &JsValue) -> bool {
    let error = error.dyn_ref::<DomException>();
    error.is_some_and(|error| error.code() == DomException::NO_MODIFICATION_ALLOWED_ERR)
}
