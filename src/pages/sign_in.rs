//! The sign-in page: by password or by the token of a sign-in link; behind a proxy that
//! authenticates users, neither. Users can request a link by email, if the server sends email. A
//! link needs confirmation, because another person may have sent it. The password is only in its
//! field and in the sign-in request.

pub mod access_denied;
pub mod email_link;
pub mod link;

use contract::{CurrentSession, Session, SignIn as Credentials};
use leptos::{ev, prelude::*, task::spawn_local};
use leptos_router::{
    NavigateOptions,
    hooks::{use_navigate, use_url},
};
use wasm_bindgen::JsValue;

use crate::{
    api::{self, ApiError},
    components::page::{rescue_focus, use_title},
    domain::time::format_duration,
    i18n, routes,
    state::session::{SessionState, SessionStore},
    ui::{
        badge::StatusTone,
        button::{Button, ButtonVariant},
        field::{FieldKind, TextField},
        icon::Mark,
        notice::Notice,
    },
};

pub use access_denied::AccessDenied;
use access_denied::SignedOut;
use email_link::EmailLinkCard;
use link::{LinkCard, SignInLink};

/// Prefix of the URL fragment of a sign-in link.
const TOKEN_PREFIX: &str = "#token=";

/// The sign-in page.
#[component]
pub fn SignIn() -> impl IntoView {
    let session = expect_context::<SessionStore>();
    let navigate = use_navigate();
    let url = use_url();
    let load_session = Callback::new(move |()| {
        let navigate = navigate.clone();
        spawn_local(async move {
            let answer = api::get_session().await;
            // Not signed in: keep the sign-in form open.
            if let Ok(CurrentSession { data: None, email_links }) = answer {
                session.set_email_links(email_links);
            } else {
                session.set_current(answer);
            }
            if session.proxy_identity().is_some() && untrack(|| session.session()).is_some() {
                let next = url.try_with_untracked(|url| url.search_params().get("next")).flatten();
                let replace = NavigateOptions { replace: true, ..NavigateOptions::default() };
                navigate(routes::after_sign_in(next.as_deref()), replace);
            }
        });
    });
    let is_unknown = session.state().with_untracked(|state| matches!(state, SessionState::Unknown));
    if is_unknown {
        load_session.run(());
    }
    let denied = Memo::new(move |_| match session.state().get() {
        SessionState::NoAccess(error) => Some(error),
        _ => None,
    });
    move || match denied.get() {
        Some(error) => view! { <AccessDenied error on_retry=load_session /> }.into_any(),
        None if session.proxy_identity().is_some() => {
            view! { <SignedOut on_again=load_session /> }.into_any()
        }
        None => view! { <SignInForm session /> }.into_any(),
    }
}

/// State of a sign-in. Cheap to copy.
#[derive(Clone, Copy)]
struct SignInState {
    /// Sign-in link that waits for confirmation.
    link: RwSignal<Option<SignInLink>>,
    /// Whether the form that requests a link by email is open.
    by_email: RwSignal<bool>,
    /// Error of the sign-in, and what to do.
    error: RwSignal<Option<String>>,
    /// Whether a request is running.
    busy: RwSignal<bool>,
}

impl SignInState {
    fn new() -> Self {
        let error = RwSignal::new(None);
        let by_email = RwSignal::new(false);
        Self { link: RwSignal::new(None), by_email, error, busy: RwSignal::new(false) }
    }

    fn begin_request(self) {
        self.busy.set(true);
        self.error.set(None);
    }

    fn show_error(self, credentials: &Credentials, problem: &ApiError) {
        self.link.try_set(None);
        self.error.try_set(Some(explain_sign_in_error(credentials, problem)));
        self.busy.try_set(false);
    }

    /// Looks up the user of the sign-in link in the URL, if there is one.
    fn find_link(self) {
        let Some(token) = take_token() else { return };
        self.begin_request();
        spawn_local(async move {
            match api::get_link_email(&token).await {
                Ok(email) => {
                    self.link.try_set(Some(SignInLink { email, token }));
                    self.busy.try_set(false);
                }
                Err(problem) => self.show_error(&Credentials::Link { token }, &problem),
            }
        });
    }

    /// Signs in, and calls `go_on` with the new session.
    fn sign_in(self, credentials: Credentials, go_on: impl FnOnce(Session) + 'static) {
        self.begin_request();
        spawn_local(async move {
            match api::sign_in(&credentials).await {
                Ok(signed_in) => go_on(signed_in),
                Err(problem) => self.show_error(&credentials, &problem),
            }
        });
    }
}

/// Sign-in by password or link.
#[component]
fn SignInForm(session: SessionStore) -> impl IntoView {
    // If a session has ended, the focused element was removed together with its page.
    spawn_local(rescue_focus());
    let navigate = use_navigate();
    let url = use_url();
    let email = RwSignal::new(String::new());
    let password = RwSignal::new(String::new());
    let attempt = SignInState::new();
    let leave = navigate.clone();
    let submit_credentials = Callback::new(move |credentials: Credentials| {
        let navigate = navigate.clone();
        attempt.sign_in(credentials, move |signed_in| {
            let next = url.try_with_untracked(|url| url.search_params().get("next")).flatten();
            let next = routes::after_sign_in(next.as_deref());
            if untrack(|| session.session()).is_some() {
                // Another user was signed in: reload, so that their data does not stay in memory.
                let _ = window().location().replace(next);
                return;
            }
            session.set_session(Ok(Some(signed_in)));
            navigate(next, NavigateOptions { replace: true, ..NavigateOptions::default() });
        });
    });
    attempt.find_link();
    // A sign-in link that is opened on this page changes only the fragment, which is no navigation.
    let listener = window_event_listener(ev::hashchange, move |_| attempt.find_link());
    on_cleanup(move || listener.remove());
    let submit = move |()| {
        let email = email.get_untracked();
        let password = password.get_untracked();
        submit_credentials.run(Credentials::Password { email: email.trim().to_owned(), password });
    };
    let accept = move |token| submit_credentials.run(Credentials::Link { token });
    let cancel = Callback::new(move |()| {
        attempt.link.set(None);
        if untrack(|| session.session()).is_some() {
            leave(routes::after_sign_in(None), NavigateOptions::default());
        }
    });
    let current =
        Signal::derive(move || session.session().map(|session| session.person_email().to_owned()));
    let SignInState { link, by_email, error, busy } = attempt;
    let email_links = session.email_links();
    let on_email_link = move |()| by_email.set(true);
    let on_back = move |()| by_email.set(false);
    move || match link.get() {
        Some(link) => {
            view! { <LinkCard link current busy on_accept=accept on_cancel=cancel /> }.into_any()
        }
        None if by_email.get() => view! { <EmailLinkCard email on_back /> }.into_any(),
        None => {
            use_title(i18n::sign_in().sign_in.to_owned());
            view! {
                <SignInCard
                    email
                    password
                    error
                    busy
                    email_links
                    on_submit=submit
                    on_email_link
                />
            }
            .into_any()
        }
    }
}

/// Returns the token of a sign-in link, and removes it from the URL and the history.
fn take_token() -> Option<String> {
    let location = window().location();
    let token = location.hash().ok()?.strip_prefix(TOKEN_PREFIX)?.to_owned();
    let clean = location.pathname().and_then(|path| Ok(path + &location.search()?)).ok()?;
    if let Ok(history) = window().history() {
        // Fails only for a URL of another origin; this is a path.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&clean));
    }
    (!token.is_empty()).then_some(token)
}

/// Returns the explanation of a failed sign-in, and what to do.
fn explain_sign_in_error(credentials: &Credentials, error: &ApiError) -> String {
    match (error, credentials) {
        (ApiError::Status { status: 401, .. }, Credentials::Link { .. }) => {
            i18n::sign_in().link_used.to_owned()
        }
        (ApiError::Status { status: 401, .. }, Credentials::Password { .. }) => {
            i18n::sign_in().wrong.to_owned()
        }
        _ => explain_limit(error),
    }
}

/// Returns the explanation of a request that a limit may have refused.
fn explain_limit(error: &ApiError) -> String {
    match error {
        ApiError::Status { status: 429, retry_after_s: Some(seconds), .. } => {
            (i18n::sign_in().too_many)(&format_duration(*seconds))
        }
        _ => error.message(),
    }
}

/// Card for pages without a session, with the brand, a title and a text.
#[component]
fn GateCard(
    #[prop(into)] title: String,
    #[prop(into)] text: Signal<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <main class="gate" id="content" tabindex="-1">
            <div class="gate-card">
                <header>
                    <p class="brand">
                        <Mark />
                        "Sheaf"
                    </p>
                    <h1 class="page-title gate-title" tabindex="-1">
                        {title}
                    </h1>
                    <p class="gate-text">{text}</p>
                </header>
                {children()}
            </div>
        </main>
    }
}

/// The sign-in form with email and password.
#[component]
pub fn SignInCard(
    /// Content of the email field.
    email: RwSignal<String>,
    /// Content of the password field.
    password: RwSignal<String>,
    /// Error of the sign-in, and what to do.
    #[prop(into)]
    error: Signal<Option<String>>,
    /// Whether a request is running.
    #[prop(into)]
    busy: Signal<bool>,
    /// Whether users can request sign-in links by email.
    #[prop(into)]
    email_links: Signal<bool>,
    /// Called when the form is submitted.
    #[prop(into)]
    on_submit: Callback<()>,
    /// Called when the user wants a link by email.
    #[prop(into)]
    on_email_link: Callback<()>,
) -> impl IntoView {
    let texts = i18n::sign_in();
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if !busy.get_untracked() {
            on_submit.run(());
        }
    };
    let failure =
        move || error.get().map(|text| view! { <Notice tone=StatusTone::Negative>{text}</Notice> });
    view! {
        <GateCard title=texts.sign_in text=texts.text>
            <form class="form" on:submit=submit>
                {failure}
                <TextField
                    label=texts.email
                    kind=FieldKind::Email
                    name="email"
                    autocomplete="username"
                    required=true
                    value=email
                    on_input=move |text| email.set(text)
                />
                <TextField
                    label=texts.password
                    kind=FieldKind::Password
                    name="password"
                    autocomplete="current-password"
                    required=true
                    value=password
                    on_input=move |text| password.set(text)
                />
                <Button variant=ButtonVariant::Primary submit=true busy>
                    {texts.sign_in}
                </Button>
            </form>
            {move || password_help(email_links.get(), on_email_link)}
        </GateCard>
    }
}

/// Returns the help for users without a password: a button, or where a link comes from.
fn password_help(email_links: bool, on_email_link: Callback<()>) -> AnyView {
    let texts = i18n::sign_in();
    if email_links {
        return view! {
            <div class="form">
                <Button on_click=move |_| on_email_link.run(())>{texts.email_link}</Button>
            </div>
        }
        .into_any();
    }
    let (before, behind) = i18n::split_at_placeholder(texts.no_password);
    view! {
        <p class="gate-note">
            {before} <code class="id">"sheaf account sign-in-link"</code> {behind}
        </p>
    }
    .into_any()
}
