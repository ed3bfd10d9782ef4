//! Session store and its forms.

use contract::account::ExternalIdentity;
use contract::{Account, Environment, Form, Plan, Role, Session, Timestamp};
use dashboard::{
    api::ApiError,
    state::session::{Forms, SessionState, SessionStore},
};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::owner;

/// A proxy session that ends again within this time is not restarted.
const RECHECK_INTERVAL_MS: f64 = 30_000.0;

fn form(id: &str, environment: Environment) -> Form {
    Form {
        id: id.parse().unwrap(),
        name: id.to_owned(),
        environment,
        analysis: true,
        fields: Vec::new(),
        created_at: Timestamp::MIN,
        submission_count: 0,
        last_submission_at: None,
        trash_days: contract::trash::DAYS_DEFAULT,
    }
}

fn status_error(status: u16) -> ApiError {
    let code = String::new();
    let message = String::new();
    ApiError::Status { status, code, message, retry_after_s: None }
}

fn signed_in(store: &SessionStore) {
    let account =
        Account { id: "acc_1".parse().unwrap(), email: "a@b.co".to_owned(), plan: Plan::Free };
    store.set_session(Ok(Some(session(account, Role::Owner))));
}

fn session(account: Account, role: Role) -> Session {
    Session { account, role, email: None, environments: Vec::new(), managed: true, known: None }
}

#[wasm_bindgen_test]
fn proxy_session_recheck_is_rate_limited() {
    let _owner = owner();
    let store = SessionStore::default();
    assert!(!store.renew_by_proxy(0.0), "no session yet");
    signed_in(&store);
    store.end_session(false);
    assert!(!store.renew_by_proxy(0.0), "signed in with a password");
    let account =
        Account { id: "acc_1".parse().unwrap(), email: "a@b.co".to_owned(), plan: Plan::Free };
    let known = ExternalIdentity {
        issuer: "header:x-auth-email".to_owned(),
        subject: "a".to_owned(),
        sign_out_url: None,
    };
    let session = Session { known: Some(known.clone()), ..session(account, Role::Owner) };
    store.set_session(Ok(Some(session)));
    store.end_session(false);
    assert_eq!(store.proxy_identity(), Some(known));
    assert!(store.renew_by_proxy(1.0));
    assert_eq!(store.state().get_untracked(), SessionState::Unknown);
    store.end_session(false);
    assert!(!store.renew_by_proxy(RECHECK_INTERVAL_MS), "within 30 seconds");
    assert!(store.renew_by_proxy(RECHECK_INTERVAL_MS + 2.0));
}

#[wasm_bindgen_test]
fn session_errors_400_401_403_deny_access() {
    let _owner = owner();
    let store = SessionStore::default();
    for (status, is_away) in [(400, true), (401, true), (403, true), (404, false), (500, false)] {
        store.set_session(Err(status_error(status)));
        let standing = store.state().get_untracked();
        assert_eq!(matches!(standing, SessionState::NoAccess(_)), is_away, "{status}");
    }
}

#[wasm_bindgen_test]
fn roles_allow_certain_changes() {
    let _owner = owner();
    let store = SessionStore::default();
    assert!(!store.is_owner() && !store.can_triage(), "no session");
    signed_in(&store);
    let Some(owned) = store.session() else { panic!("no session") };
    for (role, allowed) in
        [(Role::Owner, (true, true)), (Role::Editor, (false, true)), (Role::Reader, (false, false))]
    {
        store.set_session(Ok(Some(Session { role, ..owned.clone() })));
        assert_eq!((store.is_owner(), store.can_triage()), allowed, "{role}");
        assert!(store.capabilities().form_management);
    }
}

#[wasm_bindgen_test]
fn first_form_prefers_live_environment() {
    let _owner = owner();
    let store = SessionStore::default();
    assert_eq!(store.first_form(None), None);
    store.set_forms(Ok(vec![
        form("frm_t", Environment::Test),
        form("frm_l", Environment::Live),
        form("frm_m", Environment::Live),
    ]));
    let first = |environment| store.first_form(environment).map(|(_, id)| id.to_string());
    assert_eq!(first(None).as_deref(), Some("frm_l"));
    assert_eq!(first(Some(Environment::Test)).as_deref(), Some("frm_t"));
}

#[wasm_bindgen_test]
fn only_status_401_ends_session() {
    let _owner = owner();
    let store = SessionStore::default();
    signed_in(&store);
    store.set_forms(Ok(vec![form("frm_1", Environment::Live)]));
    for status in [403, 404, 429, 500] {
        store.handle_error(&status_error(status));
        assert!(store.capabilities().form_management, "{status}");
    }
    store.handle_error(&status_error(401));
    assert_eq!(store.state().get_untracked(), SessionState::SignedOut { by_choice: false });
    assert_eq!(
        store.forms().get_untracked(),
        Forms::Loading,
        "the forms of the ended session remain"
    );
}

#[wasm_bindgen_test]
fn late_error_does_not_end_session_again() {
    let _owner = owner();
    let store = SessionStore::default();
    signed_in(&store);
    store.end_session(true);
    // Forms of the session before are ignored.
    store.set_forms(Ok(vec![form("frm_1", Environment::Live)]));
    assert_eq!(store.first_form(None), None);
    store.handle_error(&status_error(401));
    assert_eq!(store.state().get_untracked(), SessionState::SignedOut { by_choice: true });
}

#[wasm_bindgen_test]
fn changed_form_is_replaced_new_form_appended() {
    let _owner = owner();
    let store = SessionStore::default();
    store.upsert_form(form("frm_1", Environment::Live));
    assert_eq!(store.forms().get_untracked(), Forms::Loading, "the list is not loaded yet");
    let both = ["frm_1", "frm_2"].map(|id| form(id, Environment::Live));
    store.set_forms(Ok(both.to_vec()));
    store.upsert_form(Form { name: "New".to_owned(), ..form("frm_1", Environment::Live) });
    store.upsert_form(form("frm_3", Environment::Test));
    let Forms::Loaded(forms) = store.forms().get_untracked() else {
        panic!("the forms are not loaded")
    };
    let names: Vec<_> = forms.iter().map(|form| form.name.as_str()).collect();
    assert_eq!(names, ["New", "frm_2", "frm_3"]);
}

#[wasm_bindgen_test]
fn form_count_follows_list() {
    let _owner = owner();
    let store = SessionStore::default();
    store.set_forms(Ok(vec![form("frm_1", Environment::Live)]));
    let id = "frm_1".parse().unwrap();
    store.set_submission_count(&id, 7);
    assert_eq!(store.form(&id).map(|form| form.submission_count), Some(7));
}
