//! Who is signed in, and which forms they have. It is told; it never fetches.

use contract::account::KnownElsewhere;
use contract::{Environment, Form, FormId, Role, Session, Timestamp};
use leptos::prelude::*;

use crate::api::{ApiError, Backend, Capabilities, Reach, Remote};

/// The storage key of the forms that were opened by their id.
const OPENED_KEY: &str = "sheaf-forms";
/// A session that a proxy's word began, and that ends again sooner than this, is not begun again.
const AGAIN_MS: f64 = 30_000.0;
/// Most forms that are remembered so.
const OPENED_MAX: usize = 50;

/// What is known of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Not asked yet, or the answer is on its way.
    Unknown,
    /// Nobody is signed in, or no longer.
    SignedOut {
        /// Whether that was asked for: then there is no place to come back to.
        by_choice: bool,
    },
    /// Someone is.
    SignedIn(Session),
    /// A proxy in front says who comes, and whoever that is, or nobody, has no way in here.
    TurnedAway(ApiError),
    /// The question had no answer.
    Failed(ApiError),
}

/// The forms of the account, oldest first.
pub type Forms = Remote<Vec<Form>>;

/// The store of both, to be provided as context by the app.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore {
    standing: RwSignal<Standing>,
    forms: RwSignal<Forms>,
    /// How whoever was signed in last is known elsewhere, and when they were asked about again.
    known: RwSignal<Option<KnownElsewhere>>,
    asked_at_ms: RwSignal<f64>,
    reach: RwSignal<Reach>,
}

impl Default for SessionStore {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionStore {
    /// Returns a store that knows nothing yet, owned by the present reactive owner.
    pub fn new() -> Self {
        Self {
            standing: RwSignal::new(Standing::Unknown),
            forms: RwSignal::new(Forms::Loading),
            known: RwSignal::new(None),
            asked_at_ms: RwSignal::new(f64::NEG_INFINITY),
            reach: RwSignal::new(Reach::Fine),
        }
    }

    /// Returns what is known of the session.
    pub fn standing(&self) -> Signal<Standing> {
        self.standing.into()
    }

    /// Returns what is known of the forms.
    pub fn forms(&self) -> Signal<Forms> {
        self.forms.into()
    }

    /// Returns whether requests reach the gateway.
    pub fn reach(&self) -> Signal<Reach> {
        self.reach.into()
    }

    /// Takes in who answered the last request.
    pub fn set_reach(&self, reach: Reach) {
        if self.reach.try_get_untracked() != Some(reach) {
            self.reach.try_set(reach);
        }
    }

    /// Takes in whether someone is signed in.
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

    /// Returns how whoever was signed in last is known to a proxy in front, if to one.
    pub fn known_elsewhere(&self) -> Option<KnownElsewhere> {
        self.known.try_get_untracked().flatten()
    }

    /// Begins to ask anew who comes, where a proxy says so: a session that ended begins again by
    /// itself. Not twice in a row: then something keeps it from staying.
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

    /// Begins to ask anew.
    pub fn ask(&self) {
        self.standing.try_set(Standing::Unknown);
    }

    /// Takes in that the session is over, and forgets what belonged to it.
    pub fn end(&self, by_choice: bool) {
        self.forms.try_set(Forms::Loading);
        self.standing.try_set(Standing::SignedOut { by_choice });
    }

    /// Takes in an error of any request: one that says the session is over ends it here.
    pub fn notice(&self, error: &ApiError) {
        if error.status() == Some(401) {
            self.end(false);
        }
    }

    /// Takes in the forms. A failure says why.
    pub fn forms_arrive(&self, answer: Result<Vec<Form>, ApiError>) {
        self.forms.try_set(answer.into());
    }

    /// Begins to ask for the forms anew.
    pub fn forms_ask(&self) {
        self.forms.try_set(Forms::Loading);
    }

    /// Returns the session of who is signed in. Tracked.
    pub fn session(&self) -> Option<Session> {
        self.standing.with(|standing| match standing {
            Standing::SignedIn(session) => Some(session.clone()),
            _ => None,
        })
    }

    /// Returns what the server can do: without a session, what the specification asks. Tracked.
    pub fn capabilities(&self) -> Capabilities {
        let backend = self.standing.with(|standing| match standing {
            Standing::SignedIn(session) => Backend::of(session),
            _ => Backend::default(),
        });
        backend.capabilities()
    }

    /// Returns whether whoever is signed in may change anything: a reader looks, searches and
    /// exports. Tracked.
    pub fn may_change(&self) -> bool {
        self.standing.with(|standing| {
            matches!(standing, Standing::SignedIn(Session { role: Role::Owner, .. }))
        })
    }

    /// Returns a form, once it is known. Tracked.
    pub fn form(&self, id: &FormId) -> Option<Form> {
        self.forms.with(|forms| match forms {
            Forms::Loaded(forms) => forms.iter().find(|form| form.id == *id).cloned(),
            Forms::Loading | Forms::Failed(_) => None,
        })
    }

    /// Returns the name of a form, or its id where no name is known. Tracked.
    pub fn form_name(&self, id: &FormId) -> String {
        self.form(id).map_or_else(|| id.to_string(), |form| form.name)
    }

    /// Takes in a form that was created or changed. A new one stands behind the others.
    pub fn form_arrives(&self, form: Form) {
        self.forms.try_update(|forms| {
            let Forms::Loaded(forms) = forms else { return };
            match forms.iter_mut().find(|known| known.id == form.id) {
                Some(known) => *known = form,
                None => forms.push(form),
            }
        });
    }

    /// Takes in that a form was deleted.
    pub fn form_leaves(&self, id: &FormId) {
        self.forms.try_update(|forms| {
            if let Forms::Loaded(forms) = forms {
                forms.retain(|form| form.id != *id);
            }
        });
    }

    /// Returns the first form of an environment; of any, live first, where none is given. Tracked.
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

    /// Takes in how many submissions a form has, as its unfiltered list says.
    pub fn count(&self, id: &FormId, count: u64) {
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

    /// Takes in the forms that were opened by their id before, of a server that lists none.
    pub fn recall(&self) {
        let opened = read_opened();
        self.forms.try_set(Forms::Loaded(opened.into_iter().map(unlisted).collect()));
    }

    /// Remembers a form that was opened by its id, the newest first, where the server lists none.
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

/// Whether the answer to who is signed in is that somebody may not come in. Without a proxy in
/// front, that nobody is signed in is no error.
fn is_turned_away(error: &ApiError) -> bool {
    matches!(error.status(), Some(400 | 401 | 403))
}

/// A form of which only the id is known.
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

/// A browser may refuse storage, and what is in it may be anything: then nothing is remembered.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn read_opened() -> Vec<(Environment, FormId)> {
    let text = storage().and_then(|storage| storage.get_item(OPENED_KEY).ok().flatten());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write_opened(opened: &[(Environment, FormId)]) {
    if let (Some(storage), Ok(text)) = (storage(), serde_json::to_string(opened)) {
        // Refused where storage is full: then the form is not remembered, and still opens.
        let _ = storage.set_item(OPENED_KEY, &text);
    }
}
