//! The session and the forms of the account. The store sends no requests: callers pass the
//! responses.

use contract::account::ExternalIdentity;
use contract::{CurrentSession, Environment, Form, FormId, Role, Session, Timestamp};
use leptos::prelude::*;

use crate::{
    api::{ApiError, Backend, Capabilities, ConnectionState, Remote},
    domain::filter::{ParsedFilter, parse_filter},
    ui::{
        set_if_changed,
        storage::{read_storage, write_storage},
    },
};

/// Storage key of the forms that were opened by id.
const OPENED_KEY: &str = "sheaf-forms";
/// Minimum interval between two renewals of a session by a proxy, in milliseconds.
const RENEWAL_INTERVAL_MS: f64 = 30_000.0;
/// Maximum number of forms remembered by id.
const OPENED_MAX: usize = 50;

/// State of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionState {
    /// Not requested yet, or the request is in flight.
    Unknown,
    /// No user is signed in, or the session has ended.
    SignedOut {
        /// Whether the user signed out. Then there is no page to return to after the next sign-in.
        by_choice: bool,
    },
    /// A user is signed in.
    SignedIn(Session),
    /// A proxy authenticates users, and the current one, if any, has no access.
    NoAccess(ApiError),
    /// The request for the session failed.
    Failed(ApiError),
}

/// The forms of the account, oldest first.
pub type Forms = Remote<Vec<Form>>;

/// The session and the forms; provided as context by the app.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore {
    state: RwSignal<SessionState>,
    forms: RwSignal<Forms>,
    /// Identity of the last signed-in user at a proxy.
    proxy_identity: RwSignal<Option<ExternalIdentity>>,
    /// Time of the last renewal of the session by the proxy, in milliseconds.
    renewed_at_ms: RwSignal<f64>,
    /// Whether users can request sign-in links by email.
    email_links: RwSignal<bool>,
    connection: RwSignal<ConnectionState>,
}

impl Default for SessionStore {
    fn default() -> Self {
        Self {
            state: RwSignal::new(SessionState::Unknown),
            forms: RwSignal::new(Forms::Loading),
            proxy_identity: RwSignal::new(None),
            renewed_at_ms: RwSignal::new(f64::NEG_INFINITY),
            email_links: RwSignal::new(false),
            connection: RwSignal::new(ConnectionState::Online),
        }
    }
}

impl SessionStore {
    /// Returns the state of the session.
    pub fn state(&self) -> Signal<SessionState> {
        self.state.into()
    }

    /// Returns the forms of the account.
    pub fn forms(&self) -> Signal<Forms> {
        self.forms.into()
    }

    /// Returns whether requests reach the gateway.
    pub fn connection(&self) -> Signal<ConnectionState> {
        self.connection.into()
    }

    /// Records whether the last request reached the gateway.
    pub fn set_connection(&self, connection: ConnectionState) {
        set_if_changed(self.connection, connection);
    }

    /// Returns whether users can request sign-in links by email. It is known from the first
    /// response on, and stays known after the session has ended.
    pub fn email_links(&self) -> Signal<bool> {
        self.email_links.into()
    }

    /// Records whether users can request sign-in links by email.
    pub fn set_email_links(&self, available: bool) {
        self.email_links.try_set(available);
    }

    /// Applies the response to `GET /session`.
    pub fn set_current(&self, answer: Result<CurrentSession, ApiError>) {
        if let Ok(current) = &answer {
            self.set_email_links(current.email_links);
        }
        self.set_session(answer.map(|current| current.data));
    }

    /// Applies a new session, or the error of the request for it.
    pub fn set_session(&self, answer: Result<Option<Session>, ApiError>) {
        if let Ok(Some(session)) = &answer {
            self.proxy_identity.try_set(session.known.clone());
        }
        self.state.try_set(match answer {
            Ok(Some(session)) => SessionState::SignedIn(session),
            Ok(None) => SessionState::SignedOut { by_choice: false },
            Err(error) if is_access_denied(&error) => SessionState::NoAccess(error),
            Err(error) => SessionState::Failed(error),
        });
    }

    /// Returns the identity of the last signed-in user at a proxy, if a proxy authenticated them.
    pub fn proxy_identity(&self) -> Option<ExternalIdentity> {
        self.proxy_identity.try_get_untracked().flatten()
    }

    /// Requests the session again if a proxy authenticates users: the proxy can renew an expired
    /// session without a sign-in. Returns `false` if there is no proxy, or if the last renewal was
    /// less than `RENEWAL_INTERVAL_MS` ago, because then something keeps ending the session.
    pub fn renew_by_proxy(&self, now_ms: f64) -> bool {
        let last = self.renewed_at_ms.try_get_untracked();
        let may = last.is_some_and(|last| now_ms - last > RENEWAL_INTERVAL_MS);
        if self.proxy_identity().is_none() || !may {
            return false;
        }
        self.renewed_at_ms.try_set(now_ms);
        self.reload_session();
        true
    }

    /// Requests the session again.
    pub fn reload_session(&self) {
        self.state.try_set(SessionState::Unknown);
    }

    /// Ends the session, and discards its forms.
    pub fn end_session(&self, by_choice: bool) {
        self.forms.try_set(Forms::Loading);
        self.state.try_set(SessionState::SignedOut { by_choice });
    }

    /// Inspects the error of any request, and ends the session if the error is a 401. Does nothing
    /// if the session has already ended.
    pub fn handle_error(&self, error: &ApiError) {
        if error.status() == Some(401) && self.may_continue() {
            self.end_session(false);
        }
    }

    /// Applies the response to the request for the forms, unless the session has ended meanwhile.
    pub fn set_forms(&self, answer: Result<Vec<Form>, ApiError>) {
        if self.may_continue() {
            self.forms.try_set(answer.into());
        }
    }

    /// Returns whether the session has not ended yet.
    fn may_continue(&self) -> bool {
        let has_ended = |state: &SessionState| matches!(state, SessionState::SignedOut { .. });
        self.state.try_with_untracked(has_ended) == Some(false)
    }

    /// Requests the forms again.
    pub fn reload_forms(&self) {
        self.forms.try_set(Forms::Loading);
    }

    /// Returns the session of the signed-in user. Tracked.
    pub fn session(&self) -> Option<Session> {
        self.read_session(Session::clone)
    }

    /// Calls `read` with the session of the signed-in user, if any. Tracked.
    fn read_session<T>(&self, read: impl FnOnce(&Session) -> T) -> Option<T> {
        self.state.with(|state| match state {
            SessionState::SignedIn(session) => Some(read(session)),
            _ => None,
        })
    }

    /// Returns the capabilities of the server; without a session, those of the specification.
    /// Tracked.
    pub fn capabilities(&self) -> Capabilities {
        self.read_session(Backend::from_session).unwrap_or_default().capabilities()
    }

    /// Parses the filter in the query of a URL. Parts that the server does not support are removed
    /// and reported. Tracked.
    pub fn parse_filter(&self, query: &str) -> ParsedFilter {
        let parsed = parse_filter(query);
        // Keeps the filter when the session ends, so that no list without it is requested.
        let is_supported = self
            .read_session(Backend::from_session)
            .is_none_or(|backend| backend.capabilities().filters_properties);
        if is_supported { parsed } else { parsed.without_properties() }
    }

    /// Returns whether the signed-in user is an owner, who can do everything. Tracked.
    pub fn is_owner(&self) -> bool {
        self.has_role(|role| role == Role::Owner)
    }

    /// Returns whether the signed-in user is an owner or editor. Readers can only view, search and
    /// export. Tracked.
    pub fn can_triage(&self) -> bool {
        self.has_role(Role::can_triage)
    }

    fn has_role(&self, is_allowed: impl Fn(Role) -> bool) -> bool {
        self.read_session(|session| is_allowed(session.role)) == Some(true)
    }

    /// Returns a form, if it is loaded. Tracked.
    pub fn form(&self, id: &FormId) -> Option<Form> {
        self.forms.with(|forms| forms.loaded()?.iter().find(|form| form.id == *id).cloned())
    }

    /// Returns the name of a form, or its id if the name is unknown. Tracked.
    pub fn form_name(&self, id: &FormId) -> String {
        self.form(id).map_or_else(|| id.to_string(), |form| form.name)
    }

    /// Adds a new form at the end, or replaces a changed one.
    pub fn upsert_form(&self, form: Form) {
        self.forms.try_update(|forms| {
            let Forms::Loaded(forms) = forms else { return };
            match forms.iter_mut().find(|known| known.id == form.id) {
                Some(known) => *known = form,
                None => forms.push(form),
            }
        });
    }

    /// Removes a deleted form.
    pub fn remove_form(&self, id: &FormId) {
        self.forms.try_update(|forms| {
            if let Forms::Loaded(forms) = forms {
                forms.retain(|form| form.id != *id);
            }
        });
    }

    /// Returns the first form of an environment. Without an environment, live forms come first.
    /// Tracked.
    pub fn first_form(&self, environment: Option<Environment>) -> Option<(Environment, FormId)> {
        let environments = environment.map_or(Environment::ALL.to_vec(), |selected| vec![selected]);
        self.forms.with(|forms| {
            let forms = forms.loaded()?;
            environments.into_iter().find_map(|environment| {
                let form = forms.iter().find(|form| form.environment == environment)?;
                Some((environment, form.id.clone()))
            })
        })
    }

    /// Sets the number of a form's submissions, as reported by its unfiltered list.
    pub fn set_submission_count(&self, id: &FormId, count: u64) {
        // An unchanged count must not re-run the subscribers.
        self.forms.try_maybe_update(|forms| {
            if let Forms::Loaded(forms) = forms
                && let Some(form) = forms.iter_mut().find(|form| form.id == *id)
            {
                return (std::mem::replace(&mut form.submission_count, count) != count, ());
            }
            (false, ())
        });
    }

    /// Loads the remembered forms, for a server that does not list forms.
    pub fn load_remembered_forms(&self) {
        let opened = read_opened();
        self.forms.try_set(Forms::Loaded(opened.into_iter().map(form_from_id).collect()));
    }

    /// Remembers a form opened by its id, newest first, if the server does not list it.
    pub fn remember_form(&self, environment: Environment, id: &FormId) {
        let listed = untrack(|| self.capabilities().form_management || self.form(id).is_some());
        if !listed {
            let mut opened = read_opened();
            opened.retain(|(_, known)| known != id);
            opened.insert(0, (environment, id.clone()));
            opened.truncate(OPENED_MAX);
            write_opened(&opened);
            self.load_remembered_forms();
        }
    }
}

/// Whether the error means that the user has no access. This happens only behind a proxy: without
/// one, a missing session is not an error.
fn is_access_denied(error: &ApiError) -> bool {
    matches!(error.status(), Some(400 | 401 | 403))
}

/// Creates a form from its id.
fn form_from_id((environment, id): (Environment, FormId)) -> Form {
    Form {
        name: id.to_string(),
        id,
        environment,
        analysis: true,
        fields: Vec::new(),
        created_at: Timestamp::MIN,
        submission_count: 0,
        last_submission_at: None,
        trash_days: contract::trash::DAYS_DEFAULT,
    }
}

/// Returns the remembered forms; none if the stored text is invalid.
fn read_opened() -> Vec<(Environment, FormId)> {
    serde_json::from_str(&read_storage(OPENED_KEY)).unwrap_or_default()
}

fn write_opened(opened: &[(Environment, FormId)]) {
    if let Ok(text) = serde_json::to_string(opened) {
        // If the browser refuses, the form is not remembered, but opens.
        write_storage(OPENED_KEY, &text);
    }
}
