//! Triage, notes, history and settings of a store with data of every kind.

use super::{HOSTILE, owner, person};
use contract::Filter;
use contract::triage::{Note, TriageSettings};
use store::Store;
use store::triage::{NoteOutcome, SettingsOutcome, UpdateOutcome};
use store_tests::fixtures::{self, at, form_id};
use store_tests::triage::{detail, filter, update_ids};

/// Changes listed submissions, and some that are moved to spam and trash later.
pub(super) async fn insert_triage(store: &dyn Store) {
    let json = r#"{"statuses":[{"id":"waiting","name":"Waiting \"é\""}],
                   "tags":[{"name":"VIP, 👩","color":"red"}]}"#;
    let settings: TriageSettings = serde_json::from_str(json).unwrap();
    let outcome = store.set_triage_settings(&owner(), None, settings).await.unwrap();
    assert_eq!(outcome, SettingsOutcome::Set);
    for (change, ids, micros) in [
        (r#"{"status":"waiting","add_tags":["VIP, 👩","\"x\\"]}"#, &["sub_18", "sub_12"][..], 30),
        (r#"{"starred":true,"assignee":"psn_r"}"#, &["sub_18", "sub_20", "sub_03"], 31),
        (r#"{"status":"done"}"#, &["sub_18", "sub_25"], 32),
        (r#"{"starred":false,"assignee":null}"#, &["sub_03"], 33),
        (r#"{"read":true}"#, &["sub_18", "sub_12", "sub_25"], 34),
    ] {
        let outcome = update_ids(store, ids, change, micros).await;
        assert_eq!(outcome, UpdateOutcome::changed(ids.len() as u64));
    }
    for (id, submission, author) in
        [("nte_1", "sub_18", "psn_1"), ("nte_2", "sub_20", "psn_r"), ("nte_3", "sub_18", "psn_r")]
    {
        let note = Note {
            id: id.parse().unwrap(),
            author: Some(author.parse().unwrap()),
            text: format!("{id} {HOSTILE}"),
            created_at: at(40),
            edited_at: (id == "nte_2").then(|| at(41)),
        };
        let submission = submission.parse().unwrap();
        let outcome = store.insert_note(&form_id(), &submission, note, Vec::new()).await.unwrap();
        assert_eq!(outcome, NoteOutcome::Done);
    }
}

/// Filters by triage and read state that match some of the submissions.
pub(super) fn filters() -> impl Iterator<Item = Filter> {
    let queries = [
        "starred=true",
        "status=done,waiting",
        "tag=VIP\\, 👩",
        "assignee=psn_r",
        "read=true",
        "read=false&starred=true",
    ];
    queries.into_iter().map(|query| {
        let reader = Some(fixtures::owner_as_reader());
        Filter { reader, ..filter(query) }
    })
}

/// Checks that restored submissions still have triage, notes and history, and that it continues.
pub(super) async fn check_continuation(store: &dyn Store) {
    let found = detail(store, "sub_18").await.unwrap();
    assert_eq!((found.triage.status.as_str(), found.triage.tags.len()), ("done", 2));
    assert_eq!((found.notes.len(), found.history.len()), (2, 3));
    assert_eq!(found.notes[0].text, format!("nte_1 {HOSTILE}"));
    assert_eq!(found.notes[0].author, Some(person()));
    let back = r#"{"status":"open"}"#;
    let outcome = update_ids(store, &["sub_18", "sub_12", "sub_25", "sub_03"], back, 50).await;
    assert_eq!(outcome, UpdateOutcome::changed(3));
    assert_eq!(detail(store, "sub_18").await.unwrap().history.len(), 4);
    let tagged = fixtures::list_page(store, &filter("tag=VIP\\, 👩&status=open"), None, 9).await;
    assert_eq!(tagged.unwrap().total, 2);
}
