//! Read state: what each member has read.

use super::TriageFixture;
use contract::{PersonId, Role};
use http::Method;
use serde_json::{Value, json};

impl TriageFixture {
    /// Sends a member's request that must succeed, and returns its `data`.
    async fn data_as(&self, member: (&PersonId, Role), method: Method, path: &str) -> Value {
        let answer = self.send_as(member, method, path, "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()["data"].clone()
    }

    async fn unread(&self, member: (&PersonId, Role)) -> Value {
        self.data_as(member, Method::GET, "unread").await
    }
}

#[tokio::test]
async fn members_mark_what_they_have_read() {
    let fixture = TriageFixture::with(4).await;
    let (owner, reader) = ((&fixture.owner, Role::Owner), (&fixture.reader, Role::Reader));
    let counted = |unread: u64| json!([{"form_id": fixture.form.id, "unread": unread}]);
    assert_eq!(fixture.unread(owner).await, counted(4));
    let read = json!({"ids": ["sub_000", "sub_001", "sub_unknown"], "set": {"read": true}});
    assert_eq!(fixture.patch(&read).await, 2);
    assert_eq!(fixture.patch(&read).await, 0);
    assert_eq!(fixture.audit_page().await.total, 0, "an own read state is not audited");
    assert_eq!(fixture.unread(owner).await, counted(2));
    assert_eq!(fixture.unread(reader).await, counted(4));

    let body = json!({"ids": ["sub_001", "sub_002"], "set": {"read": true}}).to_string();
    let path = fixture.path("submissions");
    let answer = fixture.send_as(reader, Method::PATCH, &path, &body).await;
    assert_eq!((answer.status, &answer.json()["data"]["changed"]), (200, &json!(2)));
    let list = fixture.path("triage?ids=sub_000,sub_001,sub_002,sub_003");
    let read_by = async |member| -> Vec<String> {
        let listed = fixture.data_as(member, Method::GET, &list).await;
        let read = listed.as_array().unwrap().iter().filter(|it| it["read"] == true);
        read.map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(read_by(owner).await, ["sub_000", "sub_001"]);
    assert_eq!(read_by(reader).await, ["sub_001", "sub_002"]);
    let detail = |id: &str| fixture.path(&format!("submissions/{id}"));
    for (member, id, expected) in
        [(owner, "sub_000", json!(true)), (reader, "sub_000", Value::Null)]
    {
        let found = fixture.data_as(member, Method::GET, &detail(id)).await;
        assert_eq!(found["read"], expected);
        assert_eq!(found["updated_at"], Value::Null);
    }
}

#[tokio::test]
async fn read_state_and_triage_change_together() {
    let fixture = TriageFixture::with(5).await;
    let both = json!({"ids": ["sub_000", "sub_001"], "set": {"read": true, "status": "done"}});
    assert_eq!(fixture.patch(&both).await, 2);
    let (action, detail) = fixture.last_audit().await;
    assert_eq!((&*action, &detail["read"]), ("submission.updated", &json!(true)));
    let history = fixture.detail("sub_000").await["history"].clone();
    assert_eq!(history[0]["change"], json!({"status": "done"}));
    // The first is read already, but gets a star.
    let star = json!({"ids": ["sub_000", "sub_002"], "set": {"read": true, "starred": true}});
    assert_eq!(fixture.patch(&star).await, 2);

    let by = |filter: &str, count: u64, read: bool| json!({"filter": filter, "count": count, "set": {"read": read}});
    let path = fixture.path("submissions");
    let body = by("read=false", 3, true).to_string();
    let message = fixture.error(409, Method::PATCH, &path, &body).await;
    assert!(message.starts_with("2 submissions match the filter now"), "{message}");
    assert_eq!(fixture.patch(&by("read=false", 2, true)).await, 2);
    assert_eq!(fixture.data(Method::GET, "unread", "").await, json!([]));
    assert_eq!(fixture.patch(&by("read=true&status=done", 2, false)).await, 2);
    let summary = fixture.path("summary?read=false");
    assert_eq!(fixture.data(Method::GET, &summary, "").await["total"], 2);
    let trash = fixture.path("trash?read=true");
    assert_eq!(fixture.data(Method::POST, &trash, r#"{"count":3}"#).await["count"], 3);
}

#[tokio::test]
async fn api_keys_cannot_filter_by_read_state() {
    let fixture = TriageFixture::with(1).await;
    for path in ["submissions?read=false", "submissions/export?read=true"] {
        let path = format!("/v1/forms/{}/{path}", fixture.form.id);
        let answer = fixture.app.get(&fixture.key, &path).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()));
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("`read` needs a signed-in member"), "{message}");
    }
    let path = format!("/v1/forms/{}/submissions?read=true,false", fixture.form.id);
    assert_eq!(fixture.app.get(&fixture.key, &path).await.ids(), ["sub_000"]);
}
