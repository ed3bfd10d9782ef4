//! Columns of the triage in exports.

use super::{SETTINGS, TriageFixture};
use http::Method;
use serde_json::{Value, json};

const ALL: &str = "columns=notes_count,starred,assignee,tags,status";

impl TriageFixture {
    async fn export(&self, query: &str) -> String {
        let path = format!("/v1/forms/{}/submissions/export?{query}", self.form.id);
        let answer = self.app.get(&self.key, &path).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        answer.body
    }

    /// Creates submissions with triage, and one without.
    async fn with_exported_triage() -> Self {
        let fixture = Self::with(4).await;
        fixture.data(Method::PUT, "triage", SETTINGS).await;
        for (ids, set) in [
            (vec!["sub_000"], json!({"status": "waiting", "add_tags": ["=b", "a, c"]})),
            (vec!["sub_000", "sub_001"], json!({"starred": true})),
            (vec!["sub_002"], json!({"status": "done", "assignee": fixture.reader})),
        ] {
            assert_eq!(fixture.patch(&json!({"ids": ids, "set": set})).await, ids.len() as u64);
        }
        for _ in 0..2 {
            let path = fixture.path("submissions/sub_001/notes");
            fixture.data(Method::POST, &path, r#"{"text":"Call back"}"#).await;
        }
        fixture
    }
}

#[tokio::test]
async fn csv_columns_have_names_after_the_last_column() {
    let fixture = TriageFixture::with_exported_triage().await;
    let fields = format!("fields={}", fixture.form.fields[0].id);
    let csv = fixture.export(&format!("{fields}&{ALL}&safe=true")).await;
    assert_eq!(
        csv,
        "name,status,tags,assignee,starred,notes_count\r\n\
         Ada 3,open,,,false,0\r\n\
         Ada 2,done,,reader@example.com,false,0\r\n\
         Ada 1,open,,,true,2\r\n\
         Ada 0,Waiting for reply,\"'=b; a, c\",,true,0\r\n"
    );
    let csv = fixture.export(&format!("{fields}&columns=tags&status=waiting")).await;
    assert_eq!(csv, "name,tags\r\nAda 0,\"=b; a, c\"\r\n");
    let csv = fixture.export(ALL).await;
    assert!(
        csv.lines().next().unwrap().ends_with(",language,status,tags,assignee,starred,notes_count")
    );
}

#[tokio::test]
async fn json_export_equals_list_and_triage() {
    let fixture = TriageFixture::with_exported_triage().await;
    let exported = fixture.export(&format!("format=json&{ALL}")).await;
    let exported: Value = serde_json::from_str(&exported).unwrap();
    let path = format!("/v1/forms/{}/submissions", fixture.form.id);
    let mut expected = fixture.app.get(&fixture.key, &path).await.json()["data"].take();
    let path = fixture.path("triage?ids=sub_000,sub_001,sub_002,sub_003");
    let triage = fixture.data(Method::GET, &path, "").await;
    for row in expected.as_array_mut().unwrap() {
        let listed = triage.as_array().unwrap().iter().find(|listed| listed["id"] == row["id"]);
        let listed = listed.cloned().unwrap_or_default();
        let member = |name: &str, default: Value| listed.get(name).cloned().unwrap_or(default);
        row["triage"] = json!({
            "status": member("status", json!("open")), "tags": member("tags", json!([])),
            "assignee": member("assignee", Value::Null),
            "starred": member("starred", json!(false)),
            "notes_count": member("notes_count", json!(0)),
        });
    }
    assert_eq!(exported["data"], expected);
    let line = fixture.export("format=json&columns=starred,status&status=done").await;
    assert!(line.contains(r#","triage":{"status":"done","starred":false}}"#), "{line}");
}

#[tokio::test]
async fn other_columns_are_refused_and_none_changes_nothing() {
    let fixture = TriageFixture::with_exported_triage().await;
    for format in ["csv", "json"] {
        let plain = fixture.export(&format!("format={format}")).await;
        assert!(!plain.contains("triage") && !plain.contains("status"), "{plain}");
        assert_eq!(fixture.export(&format!("format={format}&columns=")).await, plain);
        let query = format!("format={format}&columns=tags,read");
        let path = format!("/v1/forms/{}/submissions/export?{query}", fixture.form.id);
        let answer = fixture.app.get(&fixture.key, &path).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()));
        let message = "`columns` names `read`, which is not a column; use `status`, `tags`, \
                       `assignee`, `starred`, `notes_count`";
        assert_eq!(answer.json()["message"], message);
    }
}
