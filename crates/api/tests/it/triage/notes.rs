//! Notes and history of submissions, and what moves and deletions do with them.

use super::TriageFixture;
use contract::triage::{NOTES_MAX, Note};
use contract::{Environment, Role};
use http::Method;
use serde_json::{Value, json};
use store::clock::Clock as _;
use store::triage::NoteOutcome;

const SUBMISSION: &str = "submissions/sub_000";

impl TriageFixture {
    /// Creates a note about `sub_000`, and returns it.
    async fn note(&self, text: &str) -> Value {
        let path = self.path(&format!("{SUBMISSION}/notes"));
        let answer = self.send(Method::POST, &path, &json!({ "text": text }).to_string()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["data"].clone()
    }

    fn note_path(&self, note: &Value) -> String {
        self.path(&format!("{SUBMISSION}/notes/{}", note["id"].as_str().unwrap()))
    }
}

#[tokio::test]
async fn note_is_created_edited_and_deleted_by_its_author() {
    let fixture = TriageFixture::with(1).await;
    let first = fixture.note(" two\nlines ").await;
    assert!(first["id"].as_str().unwrap().starts_with("nte_"), "{first}");
    let (author, text) = (&first["author"], &first["text"]);
    assert_eq!((author, text), (&json!(fixture.owner), &json!("two\nlines")));
    assert_eq!(
        (&first["created_at"], &first["edited_at"]),
        (&json!("2026-03-01T12:00:00Z"), &Value::Null)
    );
    let (action, detail) = fixture.last_audit().await;
    assert_eq!(action, "note.created");
    let expected = json!({"submission": "sub_000", "form": fixture.form.id, "name": "a form"});
    assert_eq!(detail, expected);
    fixture.app.clock.advance_ms(60_000);
    let second = fixture.note("second").await;
    let path = fixture.note_path(&first);
    let edited = fixture.data(Method::PUT, &path, r#"{"text":"new text"}"#).await;
    assert_eq!(edited["edited_at"], "2026-03-01T12:01:00Z");
    assert_eq!(edited["text"], "new text");
    assert_eq!(fixture.last_audit().await, ("note.edited".to_owned(), expected.clone()));
    let detail = fixture.detail("sub_000").await;
    assert_eq!(detail["notes"], json!([edited, second]));
    assert_eq!((&detail["status"], &detail["history"]), (&json!("open"), &json!([])));
    assert_eq!(detail["updated_at"], "2026-03-01T12:01:00Z");
    let listed = fixture.data(Method::GET, &fixture.path("triage?ids=sub_000"), "").await;
    assert_eq!(listed, json!([{"id": "sub_000", "status": "open", "notes_count": 2}]));
    let deleted = fixture.send(Method::DELETE, &path, "").await;
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(fixture.last_audit().await, ("note.deleted".to_owned(), expected));
    assert_eq!(fixture.detail("sub_000").await["notes"], json!([second]));
    fixture.error(404, Method::DELETE, &path, "").await;
    fixture.error(404, Method::PUT, &path, r#"{"text":"x"}"#).await;
}

#[tokio::test]
async fn other_member_cannot_change_note() {
    let fixture = TriageFixture::with(1).await;
    let note = fixture.note("mine").await;
    let path = fixture.note_path(&note);
    let other = (&fixture.reader, Role::Owner);
    for method in [Method::PUT, Method::DELETE] {
        let answer = fixture.send_as(other, method, &path, r#"{"text":"taken"}"#).await;
        assert_eq!(answer.error(), (403, "forbidden".to_owned()));
        assert!(answer.body.contains("only the author of a note"), "{}", answer.body);
    }
    assert_eq!(fixture.detail("sub_000").await["notes"], json!([note]));
    assert_eq!(fixture.last_audit().await.0, "note.created");
}

#[tokio::test]
async fn note_text_and_number_are_limited() {
    let fixture = TriageFixture::with(1).await;
    let path = fixture.path(&format!("{SUBMISSION}/notes"));
    let long = "é".repeat(10_001);
    for (text, problem) in [
        (" \n", "a note must have 1 to 10000 characters, but has 0"),
        (long.as_str(), "a note must have 1 to 10000 characters, but has 10001"),
    ] {
        let body = json!({ "text": text }).to_string();
        assert_eq!(fixture.error(400, Method::POST, &path, &body).await, problem);
    }
    fixture.error(400, Method::POST, &path, r#"{"text":"x","author":"psn_1"}"#).await;
    let submission = "sub_000".parse().unwrap();
    for n in 0..NOTES_MAX {
        let note = Note {
            id: format!("nte_{n}").parse().unwrap(),
            author: Some(fixture.owner.clone()),
            text: "x".to_owned(),
            created_at: fixture.app.clock.now(),
            edited_at: None,
        };
        let stored =
            fixture.app.store.insert_note(&fixture.form.id, &submission, note, Vec::new()).await;
        assert_eq!(stored.unwrap(), NoteOutcome::Done);
    }
    let message = fixture.error(409, Method::POST, &path, r#"{"text":"x"}"#).await;
    assert_eq!(message, "a submission may have at most 200 notes; delete one first");
    assert_eq!(fixture.detail("sub_000").await["notes"].as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn submission_of_other_form_is_not_found() {
    let fixture = TriageFixture::with(1).await;
    let note = fixture.note("x").await;
    let other = fixture.app.form(&fixture.account, Environment::Live, &[]).await;
    let wrong = format!("forms/{}/{SUBMISSION}", other.id);
    let note = format!("{wrong}/notes/{}", note["id"].as_str().unwrap());
    let text = r#"{"text":"x"}"#;
    fixture.error(404, Method::GET, &wrong, "").await;
    fixture.error(404, Method::POST, &format!("{wrong}/notes"), text).await;
    fixture.error(404, Method::PUT, &note, text).await;
    fixture.error(404, Method::DELETE, &note, "").await;
    let update = json!({"ids": ["sub_000"], "set": {"starred": true}}).to_string();
    let path = format!("forms/{}/submissions", other.id);
    assert_eq!(fixture.data(Method::PATCH, &path, &update).await["changed"], 0);
    let unknown = "forms/frm_unknown/submissions";
    fixture.error(404, Method::PATCH, unknown, &update).await;
    fixture.error(404, Method::GET, &fixture.path("submissions/sub_unknown"), "").await;
}

#[tokio::test]
async fn moves_keep_triage_and_deletion_removes_it() {
    let fixture = TriageFixture::with(1).await;
    fixture.note("about it").await;
    let set = json!({"status": "done", "starred": true, "add_tags": ["a"]});
    fixture.patch(&json!({"ids": ["sub_000"], "set": set})).await;
    let before = fixture.detail("sub_000").await;
    let detail = fixture.path(SUBMISSION);
    let ids = r#"{"ids":["sub_000"]}"#;
    for state in ["spam", "trash"] {
        fixture.data(Method::POST, &fixture.path(state), ids).await;
        fixture.error(404, Method::GET, &detail, "").await;
        fixture.data(Method::POST, &fixture.path(&format!("{state}/restore")), ids).await;
        assert_eq!(fixture.detail("sub_000").await, before, "{state}");
    }
    let path = "/v1/submissions/sub_000";
    let row = fixture.app.get(&fixture.key, path).await.json();
    assert_eq!(fixture.app.call(Method::DELETE, &fixture.key, path).await.status, 204);
    fixture.error(404, Method::GET, &detail, "").await;
    let row = serde_json::from_value(row["data"].clone()).unwrap();
    fixture.app.submit(&fixture.form, vec![row]).await;
    let again = fixture.detail("sub_000").await;
    let new = json!({"status": "open", "updated_at": null, "notes": [], "history": []});
    assert_eq!(again, new);
}
