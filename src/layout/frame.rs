//! The frame of every signed-in page: loads the session and the forms, connects the shell to the
//! stores, and navigates to the sign-in page when the session ends.

use contract::{Environment, Filter, Form, FormId};
use export_worker::{EXPORT_DATABASE, EXPORT_FOLDER};
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
    components::page::{Failure, PageTitle},
    domain::commands::Command,
    i18n::{self, number},
    layout::{NavLink, Owner, Shell, lazy::follow_unread, shortcuts::Shortcuts},
    lazy,
    routes::{self, RouteParams},
    state::{
        commands::Commands,
        deletions::Deletions,
        session::{Forms, SessionState, SessionStore},
        theme::Appearance,
        toasts::Toasts,
        triage::TriageState,
    },
    ui::{
        icon::Glyph,
        lazy::{Lazy, LazyOverlay},
        run_effect,
    },
};

/// The frame.
#[component]
pub fn Frame(
    /// The page inside the frame.
    #[prop(into)]
    page: ViewFn,
) -> impl IntoView {
    let session = expect_context::<SessionStore>();
    if session.state().with_untracked(|state| *state == SessionState::Unknown) {
        load_session(session);
    }
    load_forms(session);
    redirect_to_sign_in(session);
    let retry = move |()| {
        session.reload_session();
        load_session(session);
    };
    // Compares only the kind of state: a new count of keys or forms must not rebuild the page.
    let kind = Memo::new(move |_| {
        session.state().with(|state| match state {
            SessionState::SignedIn(_) => FrameView::SignedIn,
            SessionState::Unknown | SessionState::SignedOut { .. } => FrameView::Empty,
            SessionState::NoAccess(error) => FrameView::AccessDenied(error.clone()),
            SessionState::Failed(error) => FrameView::Failed(error.clone()),
        })
    });
    let retry = Callback::new(retry);
    move || match kind.get() {
        FrameView::SignedIn => view! { <SignedIn session page=page.clone() /> }.into_any(),
        FrameView::Empty => ().into_any(),
        FrameView::AccessDenied(error) => {
            let load = move || lazy::turned_away(error.clone(), retry);
            view! { <Lazy load fills="page" /> }.into_any()
        }
        FrameView::Failed(error) => view! {
            <main class="page">
                <Failure error object="Sheaf" on_retry=retry />
            </main>
        }
        .into_any(),
    }
}

/// The view to render for a session state.
#[derive(Clone, PartialEq)]
enum FrameView {
    SignedIn,
    Empty,
    AccessDenied(ApiError),
    Failed(ApiError),
}

fn load_session(session: SessionStore) {
    spawn_local(async move { session.set_current(api::get_session().await) });
}

/// Loads the forms after every sign-in, and again when a reload is requested.
fn load_forms(session: SessionStore) {
    let form = Memo::new(move |_| {
        let loading = session.forms().with(|forms| *forms == Forms::Loading);
        session.session().filter(|_| loading).map(|session| Backend::from_session(&session))
    });
    run_effect(move || {
        let Some(backend) = form.get() else { return };
        spawn_local(async move {
            // Without a list of forms, use those that were opened by id before.
            let Some(answer) = backend.list_forms().await else {
                return session.load_remembered_forms();
            };
            if let Err(error) = &answer {
                session.handle_error(error);
            }
            session.set_forms(answer);
        });
    });
}

/// Navigates to the sign-in page when the session ends. It returns to the current page after
/// sign-in, unless the user signed out.
fn redirect_to_sign_in(session: SessionStore) {
    let navigate = use_navigate();
    let url = use_url();
    run_effect(move || {
        let SessionState::SignedOut { by_choice } = session.state().get() else { return };
        let proxy_sign_out_url = session.proxy_identity().and_then(|known| known.sign_out_url);
        if let Some(url) = proxy_sign_out_url.filter(|_| by_choice) {
            // Fails only for an invalid URL, which the server rejects at startup.
            let _ = window().location().set_href(&url);
            return;
        }
        // Behind a proxy the gateway can start a new session without a sign-in page.
        if !by_choice && session.renew_by_proxy(js_sys::Date::now()) {
            load_session(session);
            return;
        }
        let current_url = url.with_untracked(|url| match url.search() {
            "" => url.path().to_owned(),
            query => format!("{}?{query}", url.path()),
        });
        let back_to = if by_choice { routes::HOME } else { &current_url };
        let replace = NavigateOptions { replace: !by_choice, ..NavigateOptions::default() };
        navigate(&routes::sign_in_url(back_to), replace);
    });
}

#[component]
fn SignedIn(session: SessionStore, page: ViewFn) -> impl IntoView {
    let title = expect_context::<PageTitle>();
    let appearance = expect_context::<Appearance>();
    let triage = expect_context::<TriageState>();
    let url = use_url();
    let route = Memo::new(move |_| url.with(|url| routes::parse_path(url.path())));
    // The account-wide settings pages have no environment: keep the previous one.
    let environment = Memo::new(move |before: Option<&Environment>| {
        route.with(|params| params.environment).or(before.copied()).unwrap_or(Environment::Live)
    });
    let forms = Signal::derive(move || {
        // Read `route` before `environment`, which is derived from it. A memo that re-runs without
        // changing marks its sources as clean, so a later read of `route` would not be notified.
        let current_form = route.with(|params| params.form.clone());
        let counts = session.capabilities().form_management;
        let link = |form: &Form| NavLink {
            href: routes::list_url(form.environment, &form.id, &Filter::default()),
            label: form.name.clone(),
            count: if counts { number(form.submission_count) } else { String::new() },
            unread: triage.unread_text(&form.id),
            current: current_form.as_ref() == Some(&form.id),
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
    let inbox = Signal::derive(move || inbox_link(session, triage, environment.get(), route));
    let settings =
        Signal::derive(move || url.with(|url| settings_links(url.path(), session.is_owner())));
    let commands = expect_context::<Commands>();
    let owner = owner_of_session(session);
    commands.register(&[Command::SignOut], move |_| {
        owner.on_sign_out.run(());
        true
    });
    let toasts = expect_context::<Toasts>();
    let can_undo = Memo::new(move |_| toasts.has_action());
    run_effect(move || {
        if can_undo.get() {
            commands.register(&[Command::Undo], move |_| toasts.run_last_action());
        }
    });
    view! {
        <Shell
            test=Signal::derive(move || environment.get() == Environment::Test)
            live_href=routes::start_url(Environment::Live)
            test_href=routes::start_url(Environment::Test)
            home_href=routes::HOME
            inbox
            forms
            settings
            connection=session.connection()
            owner
            appearance
            on_palette=move |()| {
                commands.run(Command::Palette);
            }
            announcement=title.text()
        >
            {page.run()}
        </Shell>
        <Shortcuts />
        // Never opens: it is loaded after the first view. If that fails, there are no numbers.
        {untrack(|| triage.is_available())
            .then(|| {
                view! {
                    <LazyOverlay
                        open=Signal::stored(false)
                        load=follow_unread
                        on_missing=|_| {}
                    />
                }
            })}
    }
}

/// Returns the signed-in user and the sign-out action.
fn owner_of_session(session: SessionStore) -> Owner {
    let email = move || {
        let session = session.session();
        session.map(|session| session.person_email().to_owned()).unwrap_or_default()
    };
    Owner { email: Signal::derive(email), on_sign_out: Callback::new(sign_out(session)) }
}

/// Returns the sign-out action. It cancels a running deletion.
fn sign_out(session: SessionStore) -> impl Fn(()) + Send + Sync + 'static {
    let toasts = expect_context::<Toasts>();
    let deletions = expect_context::<Deletions>();
    move |()| {
        spawn_local(async move {
            match api::sign_out().await {
                Err(error) if error.status() != Some(401) => {
                    toasts.show_error((i18n::sign_out().failed)(&error.message()));
                }
                _ => {
                    deletions.clear();
                    session.end_session(true);
                    delete_export_files().await;
                }
            }
        });
    }
}

/// Returns the link to the inbox, with its unread submissions, if the server has an inbox. Tracked.
fn inbox_link(
    session: SessionStore,
    triage: TriageState,
    environment: Environment,
    route: Memo<RouteParams>,
) -> Option<NavLink> {
    if !session.capabilities().inbox {
        return None;
    }
    let has_form = |id: &FormId| {
        let is_form = |form: &Form| form.id == *id && form.environment == environment;
        session.forms().with(|forms| forms.loaded().is_some_and(|forms| forms.iter().any(is_form)))
    };
    Some(NavLink {
        href: routes::unread_inbox_url(environment),
        label: i18n::inbox().title.to_owned(),
        unread: triage.unread_text_of(has_form),
        current: route.with(|params| params.is_inbox),
        ..NavLink::default()
    })
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
async fn delete_export_files() {
    let storage = window().navigator().storage();
    let options = FileSystemRemoveOptions::new();
    options.set_recursive(true);
    for wait_ms in [250, 500, 1000, 2000, 4000] {
        // Without this storage there are no files.
        let Ok(disk) = JsFuture::from(storage.get_directory()).await else { break };
        let disk: FileSystemDirectoryHandle = disk.unchecked_into();
        match JsFuture::from(disk.remove_entry_with_options(EXPORT_FOLDER, &options)).await {
            Err(error) if is_in_use(&error) => TimeoutFuture::new(wait_ms).await,
            _ => break,
        }
    }
    if let Ok(Some(databases)) = window().indexed_db() {
        let _ = databases.delete_database(EXPORT_DATABASE);
    }
}

fn is_in_use(error: &JsValue) -> bool {
    let error = error.dyn_ref::<DomException>();
    error.is_some_and(|error| error.code() == DomException::NO_MODIFICATION_ALLOWED_ERR)
}
