//! State of the triage: batches, and changes that appear before they are stored.

use std::cell::Cell;
use std::rc::Rc;

use contract::SubmissionId;
use contract::triage::TriageChange;
use dashboard::pages::submissions::triage::change::show_error;
use dashboard::state::{session::SessionStore, toasts::Toasts, triage::TriageState};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, owner, settle, wait};

/// Returns the state of a form for a user with this role.
fn state(role: &str) -> (TriageState, Toasts) {
    // The first mounted view starts the executor of the requests.
    drop(Stage::new(|| ()));
    let session = SessionStore::default();
    let signed_in = json!({
        "account": { "id": "acc_1", "email": "owner@example.org", "plan": "pro" },
        "role": role, "email": format!("{role}@example.org"), "modes": ["live"], "managed": true,
    });
    session.set_session(Ok(Some(serde_json::from_value(signed_in).unwrap())));
    let toasts = Toasts::default();
    let triage = TriageState::new(session, toasts);
    triage.show_form(Some(&"frm_1".parse().unwrap()));
    (triage, toasts)
}

fn ids(count: usize, width: usize) -> Vec<SubmissionId> {
    (0..count).map(|number| format!("sub_{number:0width$}").parse().unwrap()).collect()
}

fn change(value: &Value) -> TriageChange {
    serde_json::from_value(value.clone()).unwrap()
}

fn starred(triage: TriageState, id: &SubmissionId) -> bool {
    triage.with_marks(|marks| marks.get(id).starred)
}

/// Starts a change. An error appears in a toast.
fn start_change(triage: TriageState, id: &SubmissionId, json: &Value) {
    let (id, change) = (id.clone(), change(json));
    spawn_local(async move {
        if let Err(error) = triage.try_update_ids(&[id], &change).await {
            show_error(triage, &error);
        }
    });
}

fn empty_answer(asked: &RecordedRequest) -> Reply {
    match asked.method.as_str() {
        "PATCH" => Reply::ok(&json!({ "data": { "changed": 1 } })),
        _ => Reply::ok(&json!({ "data": [] })),
    }
}

#[wasm_bindgen_test]
async fn triage_is_loaded_in_batches() {
    let _owner = owner();
    let network = Network::new(empty_answer);
    let (triage, _) = state("owner");
    let loaded = Rc::new(Cell::new(0));
    for ids in [ids(150, 1), ids(150, 32)] {
        let loaded = Rc::clone(&loaded);
        spawn_local(async move {
            triage.load(&ids).await.unwrap();
            assert!(triage.with_marks(|marks| ids.iter().all(|id| marks.is_known(id))));
            loaded.set(loaded.get() + 1);
        });
    }
    settle().await;
    assert_eq!(loaded.get(), 2);
    let urls: Vec<String> =
        network.requests("/triage?ids=").into_iter().map(|asked| asked.url).collect();
    let mut counts: Vec<usize> = urls.iter().map(|url| url.matches("sub_").count()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [50, 74, 76, 100]);
    assert!(urls.iter().all(|url| url.len() < 4_096), "{urls:?}");
}

#[wasm_bindgen_test]
async fn refused_change_is_taken_back_with_toast() {
    let _owner = owner();
    let _network = Network::new(|asked| match asked.method.as_str() {
        "PATCH" => Reply::error(500, "internal", "the disk is full").delayed(1_000),
        _ => empty_answer(asked),
    });
    let (triage, toasts) = state("owner");
    let id = ids(1, 1).remove(0);
    let shown = triage.triage(&id);
    start_change(triage, &id, &json!({ "starred": true, "add_tags": ["a"] }));
    settle().await;
    assert!(shown.get_untracked().starred, "the change is shown before the answer");
    assert!(toasts.items().get_untracked().is_empty());
    wait(2_000).await;
    settle().await;
    assert!(shown.get_untracked().is_default(), "{:?}", shown.get_untracked());
    let text = toasts.items().get_untracked().pop().unwrap().text;
    assert!(text.contains("Could not change") && text.contains("The disk is full"), "{text}");
    assert_eq!(triage.update_count().get_untracked(), 0);
}

#[wasm_bindgen_test]
async fn changes_are_sent_one_after_another() {
    let _owner = owner();
    let network = Network::new(|asked| {
        if asked.body.contains("starred") {
            Reply::error(500, "internal", "failed").delayed(1_000)
        } else {
            empty_answer(asked)
        }
    });
    let (triage, _) = state("owner");
    let id = ids(1, 1).remove(0);
    for json in [json!({ "starred": true }), json!({ "status": "done" })] {
        start_change(triage, &id, &json);
    }
    settle().await;
    assert_eq!(network.requests("/submissions").len(), 1, "the second change waits");
    wait(2_000).await;
    settle().await;
    assert_eq!(network.requests("/submissions").len(), 2);
    assert!(!starred(triage, &id), "only the first change is taken back");
    assert_eq!(triage.with_marks(|marks| marks.get(&id).status.to_string()), "done");
}

#[wasm_bindgen_test]
async fn change_of_all_that_match_loads_marks_again() {
    let _owner = owner();
    let network = Network::new(empty_answer);
    let (triage, _) = state("owner");
    let id = ids(1, 1).remove(0);
    let known = id.clone();
    spawn_local(async move {
        triage.load(&[known]).await.unwrap();
        let change = change(&json!({ "status": "done" }));
        let changed = triage.update_matching("status=open".to_owned(), 3, change).await;
        assert_eq!(changed.unwrap().changed, 1);
    });
    settle().await;
    let body: Value = serde_json::from_str(&network.requests("/submissions")[0].body).unwrap();
    let expected =
        json!({ "filter": "status=open", "count": 3, "set": { "status": "done" }, "undo": true });
    assert_eq!(body, expected);
    assert!(!triage.with_marks(|marks| marks.is_known(&id)));
    assert_eq!(triage.update_count().get_untracked(), 1);
}

#[wasm_bindgen_test]
async fn read_state_is_changed_and_counted_at_once() {
    let _owner = owner();
    let network = Network::new(|asked| match asked.url.as_str() {
        "/account/unread" => {
            Reply::ok(&json!({ "data": [{ "form_id": "frm_1", "unread": 1_002 }] }))
        }
        _ if asked.body.contains(r#""read":false"#) => Reply::error(500, "internal", "failed"),
        _ => empty_answer(asked).delayed(1_000),
    });
    let (triage, _) = state("reader");
    let form = "frm_1".parse().unwrap();
    let ids = ids(4, 1);
    let known = ids.clone();
    spawn_local(async move { triage.load(&known).await.unwrap() });
    triage.reload_unread();
    wait(2_000).await;
    settle().await;
    assert_eq!(triage.unread_text(&form), "999+");
    assert_eq!(triage.read_state(&ids[0]), Some(false));
    for id in &ids {
        start_change(triage, id, &json!({ "read": true }));
    }
    settle().await;
    assert_eq!(triage.unread_text(&form), "998", "the changes are counted before the answers");
    wait(10_000).await;
    settle().await;
    assert_eq!(triage.read_state(&ids[0]), Some(true));
    assert_eq!(triage.update_count().get_untracked(), 0, "filtered lists keep their rows");
    assert_eq!(network.requests("/account/unread").len(), 1);
    start_change(triage, &ids[0], &json!({ "read": false }));
    wait(5_000).await;
    settle().await;
    assert_eq!(triage.read_state(&ids[0]), Some(true), "the error reverts it");
    assert_eq!(network.requests("/account/unread").len(), 2);
}

#[wasm_bindgen_test]
async fn numbers_are_requested_again_if_more_happens_meanwhile() {
    let _owner = owner();
    let network = Network::new(|asked| match asked.url.as_str() {
        "/account/unread" => {
            Reply::ok(&json!({ "data": [{ "form_id": "frm_1", "unread": 7 }] })).delayed(1_000)
        }
        _ => empty_answer(asked),
    });
    let (triage, _) = state("owner");
    for _ in 0..3 {
        triage.reload_unread();
    }
    settle().await;
    assert_eq!(network.requests("/account/unread").len(), 1, "one request runs at a time");
    // The state of the submission is unknown, so that only the server can count.
    start_change(triage, &ids(1, 1)[0], &json!({ "read": true }));
    wait(5_000).await;
    settle().await;
    assert_eq!(network.requests("/account/unread").len(), 2);
    assert_eq!(triage.unread_text(&"frm_1".parse().unwrap()), "7");
    triage.clear_unread();
    assert_eq!(triage.unread_text(&"frm_1".parse().unwrap()), "");
}

#[wasm_bindgen_test]
async fn names_come_from_account_and_members() {
    let _owner = owner();
    let network = Network::new(|_| {
        Reply::ok(&json!({ "data": {
            "statuses": [{ "id": "waiting", "name": "Waiting for reply" }],
            "members": [{ "id": "psn_1", "email": "owner@example.org" }], "person_id": "psn_1",
        }}))
    });
    let (triage, _) = state("owner");
    let (known, unknown) = ("psn_1".parse().unwrap(), "psn_2".parse().unwrap());
    let names = || {
        untrack(|| {
            let status = triage.status_name(&"waiting".parse().unwrap());
            (status, triage.assignee_name(&known), triage.assignee_name(&unknown))
        })
    };
    let own = |names: [&str; 3]| (names[0].to_owned(), names[1].to_owned(), names[2].to_owned());
    assert_eq!(names(), own(["waiting", "A member", "A member"]));
    settle().await;
    assert_eq!(names(), own(["Waiting for reply", "owner@example.org", "A member"]));
    assert_eq!(triage.own_id().unwrap(), known);
    assert_eq!(untrack(|| triage.status_name(&"in_progress".parse().unwrap())), "In progress");
    assert_eq!(network.requests("").len(), 1);
}

#[wasm_bindgen_test]
async fn reader_sees_members() {
    let _owner = owner();
    let _network = Network::new(|_| {
        Reply::ok(&json!({ "data": {
            "members": [{ "id": "psn_1", "email": "owner@example.org" }], "person_id": "psn_2",
        }}))
    });
    let (triage, _) = state("reader");
    let name = || untrack(|| triage.assignee_name(&"psn_1".parse().unwrap()));
    assert_eq!(name(), "A member");
    settle().await;
    assert_eq!(name(), "owner@example.org");
    assert!(untrack(|| triage.is_available() && !triage.can_edit()));
    let (triage, _) = state("editor");
    assert!(untrack(|| triage.can_edit()));
}
