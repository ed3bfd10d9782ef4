//! The session and the forms of the account. The store sends no requests: callers pass the
//! responses.

use contract::account::KnownElsewhere;
use contract::{Environment, Form, FormId, Role, Session, Timestamp};
use leptos::prelude::*;

use crate::api::{ApiError, Backend, Capabilities, Reach, Remote};

/// Storage key of the forms that were opened by id.
const OPENED_KEY: &str = "sheaf-forms";
/// Minimum interval between two renewals of a session by a proxy, in milliseconds.
const AGAIN_MS: f64 = 30_000.0;
/// Maximum number of forms remembered by id.
const OPENED_MAX: usize = 50;

/// State of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
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
    TurnedAway(ApiError),
    /// The request for the session failed.
    Failed(ApiError),
}

/// The forms of the account, oldest first.
pub type Forms = Remote<Vec<Form>>;

/// The session and the forms; provided as context by the app.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore {
    standing: RwSignal<Standing>,
    forms: RwSignal<Forms>,
    /// Identity of the last signed-in user at a proxy.
    known: RwSignal<Option<KnownElsewhere>>,
    /// Time of the last renewal of the session by the proxy, in milliseconds.
    asked_at_ms: RwSignal<f64>,
    reach: RwSignal<Reach>,
}

impl Default for SessionStore {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionStore {
    /// Creates a store in the state [`Standing::Unknown`], owned by the current reactive owner.
    pub fn new() -> Self {
        Self {
            standing: RwSignal::new(Standing::Unknown),
            forms: RwSignal::new(Forms::Loading),
            known: RwSignal::new(None),
            asked_at_ms: RwSignal::new(f64::NEG_INFINITY),
            reach: RwSignal::new(Reach::Fine),
        }
    }

    /// Returns the state of the session.
    pub fn standing(&self) -> Signal<Standing> {
        self.standing.into()
    }

    /// Returns the forms of the account.
    pub fn forms(&self) -> Signal<Forms> {
        self.forms.into()
    }

    /// Returns whether requests reach the gateway.
    pub fn reach(&self) -> Signal<Reach> {
        self.reach.into()
    }

    /// Records whether the last request reached the gateway.
    pub fn set_reach(&self, reach: Reach) {
        if self.reach.try_get_untracked() != Some(reach) {
            self.reach.try_set(reach);
        }
    }

    /// Applies the response to the request for the session.
    pub fn arrive(&self, answer: Result<Option<Session>, ApiError>) {
        if let Ok(Some(session)) = &answer {
            self.known.try_set(session.known.clone());
        }
        self.standing.try_set(match answer {
            Ok(Some(session)) => Standing::SignedIn(session),
            Ok(None) => Standing::SignedOut { by_choice: false },
            Err(error) if is_turned_away(&error) => Standing::TurnedAway(error),
            Err(error) => Standing::Failed(error),
        });
    }

    /// Returns the identity of the last signed-in user at a proxy, if a proxy authenticated them.
    pub fn known_elsewhere(&self) -> Option<KnownElsewhere> {
        self.known.try_get_untracked().flatten()
    }

    /// Requests the session again if a proxy authenticates users: the proxy can renew an expired
    /// session without a sign-in. Returns `false` if there is no proxy, or if the last renewal was
    /// less than `AGAIN_MS` ago, because then something keeps ending the session.
    pub fn ask_elsewhere(&self, now_ms: f64) -> bool {
        let last = self.asked_at_ms.try_get_untracked();
        let may = last.is_some_and(|last| now_ms - last > AGAIN_MS);
        if self.known_elsewhere().is_none() || !may {
            return false;
        }
        self.asked_at_ms.try_set(now_ms);
        self.ask();
        true
    }

    /// Requests the session again.
    pub fn ask(&self) {
        self.standing.try_set(Standing::Unknown);
    }

    /// Ends the session, and discards its forms.
    pub fn end(&self, by_choice: bool) {
        self.forms.try_set(Forms::Loading);
        self.standing.try_set(Standing::SignedOut { by_choice });
    }

    /// Inspects the error of any request, and ends the session if the error is a 401.
    pub fn notice(&self, error: &ApiError) {
        if error.status() == Some(401) {
            self.end(false);
        }
    }

    /// Applies the response to the request for the forms.
    pub fn forms_arrive(&self, answer: Result<Vec<Form>, ApiError>) {
        self.forms.try_set(answer.into());
    }

    /// Requests the forms again.
    pub fn forms_ask(&self) {
        self.forms.try_set(Forms::Loading);
    }

    /// Returns the session of the signed-in user. Tracked.
    pub fn session(&self) -> Option<Session> {
        self.standing.with(|standing| match standing {
            Standing::SignedIn(session) => Some(session.clone()),
            _ => None,
        })
    }

    /// Returns the capabilities of the server; without a session, those of the specification.
    /// Tracked.
    pub fn capabilities(&self) -> Capabilities {
        let backend = self.standing.with(|standing| match standing {
            Standing::SignedIn(session) => Backend::of(session),
            _ => Backend::default(),
        });
        backend.capabilities()
    }

    /// Returns whether the signed-in user is an owner. Other roles can only view, search and
    /// export. Tracked.
    pub fn may_change(&self) -> bool {
        self.standing.with(|standing| {
            matches!(standing, Standing::SignedIn(Session { role: Role::Owner, .. }))
        })
    }

    /// Returns a form, if it is loaded. Tracked.
    pub fn form(&self, id: &FormId) -> Option<Form> {
        self.forms.with(|forms| match forms {
            Forms::Loaded(forms) => forms.iter().find(|form| form.id == *id).cloned(),
            Forms::Loading | Forms::Failed(_) => None,
        })
    }

    /// Returns the name of a form, or its id if the name is unknown. Tracked.
    pub fn form_name(&self, id: &FormId) -> String {
        self.form(id).map_or_else(|| id.to_string(), |form| form.name)
    }

    /// Adds a new form at the end, or replaces a changed one.
    pub fn form_arrives(&self, form: Form) {
        self.forms.try_update(|forms| {
            let Forms::Loaded(forms) = forms else { return };
            match forms.iter_mut().find(|known| known.id == form.id) {
                Some(known) => *known = form,
                None => forms.push(form),
            }
        });
    }

    /// Removes a deleted form.
    pub fn form_leaves(&self, id: &FormId) {
        self.forms.try_update(|forms| {
            if let Forms::Loaded(forms) = forms {
                forms.retain(|form| form.id != *id);
            }
        });
    }

    /// Returns the first form of an environment. Without an environment, live forms come first.
    /// Tracked.
    pub fn first_form(&self, environment: Option<Environment>) -> Option<(Environment, FormId)> {
        let wanted = environment.map_or(Environment::ALL.to_vec(), |one| vec![one]);
        self.forms.with(|forms| {
            let Forms::Loaded(forms) = forms else { return None };
            wanted.into_iter().find_map(|environment| {
                let form = forms.iter().find(|form| form.environment == environment)?;
                Some((environment, form.id.clone()))
            })
        })
    }

    /// Sets the number of a form's submissions, as reported by its unfiltered list.
    pub fn count(&self, id: &FormId, count: u64) {
        // Check without notifying first: an unchanged count must not re-run the subscribers.
        let Some(true) = self.forms.try_with_untracked(|forms| match forms {
            Forms::Loaded(forms) => {
                forms.iter().any(|form| form.id == *id && form.submission_count != count)
            }
            Forms::Loading | Forms::Failed(_) => false,
        }) else {
            return;
        };
        self.forms.try_update(|forms| {
            if let Forms::Loaded(forms) = forms
                && let Some(form) = forms.iter_mut().find(|form| form.id == *id)
            {
                form.submission_count = count;
            }
        });
    }

    /// Loads the remembered forms, for a server that does not list forms.
    pub fn recall(&self) {
        let opened = read_opened();
        self.forms.try_set(Forms::Loaded(opened.into_iter().map(unlisted).collect()));
    }

    /// Remembers a form opened by its id, newest first, if the server does not list it.
    pub fn remember(&self, environment: Environment, id: &FormId) {
        let listed = untrack(|| self.capabilities().form_management || self.form(id).is_some());
        if !listed {
            let mut opened = read_opened();
            opened.retain(|(_, known)| known != id);
            opened.insert(0, (environment, id.clone()));
            opened.truncate(OPENED_MAX);
            write_opened(&opened);
            self.recall();
        }
    }
}

/// Whether the error means that the user has no access. This happens only behind a proxy: without
/// one, a missing session is not an error.
fn is_turned_away(error: &ApiError) -> bool {
    matches!(error.status(), Some(400 | 401 | 403))
}

/// Creates a form from its id.
fn unlisted((environment, id): (Environment, FormId)) -> Form {
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

// A browser may refuse storage, or it may contain invalid data. Then no form is remembered.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn read_opened() -> Vec<(Environment, FormId)> {
    let text = storage().and_then(|storage| storage.get_item(OPENED_KEY).ok().flatten());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write_opened(opened: &[(Environment, FormId)]) {
    if let (Some(storage), Ok(text)) = (storage(), serde_json::to_string(opened)) {
        // Fails if storage is full. The form is not remembered, but opens.
        let _ = storage.set_item(OPENED_KEY, &text);
    }
}
