//! Filters by triage in lists, exports, summaries and moves.

use super::{SETTINGS, TriageFixture};
use crate::app::at;
use http::Method;
use serde_json::{Value, json};
use store::clock::Clock as _;

impl TriageFixture {
    fn v1(&self, rest: &str) -> String {
        format!("/v1/forms/{}/submissions{rest}", self.form.id)
    }

    /// Creates submissions with triage: `sub_000` and `sub_001` are done, `sub_001` and `sub_002`
    /// are starred, `sub_002` has the tags `a,b` and `none`, and `sub_003` has an assignee.
    async fn triaged() -> Self {
        let fixture = Self::with(6).await;
        for (ids, set) in [
            (vec!["sub_000", "sub_001"], json!({"status": "done"})),
            (vec!["sub_001", "sub_002"], json!({"starred": true})),
            (vec!["sub_002"], json!({"add_tags": ["a,b", "none"]})),
            (vec!["sub_003"], json!({"assignee": fixture.reader})),
        ] {
            assert_eq!(fixture.patch(&json!({"ids": ids, "set": set})).await, ids.len() as u64);
        }
        fixture
    }
}

#[tokio::test]
async fn lists_exports_summaries_and_updates_agree() {
    let fixture = TriageFixture::triaged().await;
    let assignee = format!("assignee={}", fixture.reader);
    for (query, expected) in [
        ("status=done", "1 0"),
        ("status=open", "5 4 3 2"),
        ("status=open,done", "5 4 3 2 1 0"),
        ("starred=true", "2 1"),
        ("starred=false", "5 4 3 0"),
        ("starred=true&status=done", "1"),
        (r"tag=a%5C,b", "2"),
        (r"tag=%5Cnone", "2"),
        ("tag=none", "5 4 3 1 0"),
        ("tag=none&starred=true", "1"),
        (&assignee, "3"),
        ("assignee=none&search=ada+4", "4"),
        ("assignee=none&status=done&date_from=2026-04-01T00:00:01Z", "1"),
        ("status=in_progress", ""),
    ] {
        let ids: Vec<String> = expected.split_whitespace().map(|n| format!("sub_00{n}")).collect();
        let list = fixture.app.get(&fixture.key, &fixture.v1(&format!("?{query}"))).await;
        assert_eq!(list.ids(), ids, "{query}");
        assert_eq!(list.json()["pagination"]["total"], ids.len(), "{query}");
        let path = fixture.v1(&format!("/export?format=json&{query}"));
        assert_eq!(fixture.app.get(&fixture.key, &path).await.ids(), ids, "{query}");
        let path = fixture.path(&format!("summary?{query}"));
        assert_eq!(fixture.data(Method::GET, &path, "").await["total"], ids.len(), "{query}");
        let body = json!({"filter": query, "count": ids.len(), "set": {"remove_tags": ["x"]}});
        assert_eq!(fixture.patch(&body).await, 0, "{query}");
    }
    let trash = fixture.path("trash?status=done&starred=false");
    assert_eq!(fixture.data(Method::POST, &trash, r#"{"count":1}"#).await["count"], 1);
    let spam = fixture.path("spam?tag=none&assignee=none");
    assert_eq!(fixture.data(Method::POST, &spam, r#"{"count":3}"#).await["count"], 3);
    assert_eq!(fixture.app.get(&fixture.key, &fixture.v1("")).await.ids(), ["sub_003", "sub_002"]);
}

#[tokio::test]
async fn summary_counts_triage() {
    let fixture = TriageFixture::triaged().await;
    let summary = fixture.data(Method::GET, &fixture.path("summary"), "").await;
    let values = |name: &str| summary[name]["values"].clone();
    let expected = json!([{"value": "open", "count": 4}, {"value": "done", "count": 2}]);
    assert_eq!(values("statuses"), expected);
    let expected = json!([{"value": "false", "count": 4}, {"value": "true", "count": 2}]);
    assert_eq!(values("starred"), expected);
    assert_eq!(summary["tags"]["missing"], 5);
    assert_eq!(values("assignees"), json!([{"value": fixture.reader, "count": 1}]));
}

#[tokio::test]
async fn summary_has_median_time_to_done() {
    let fixture = TriageFixture::with(4).await;
    let median = async |query: &str| {
        let path = fixture.path(&format!("summary?{query}"));
        fixture.data(Method::GET, &path, "").await["median_seconds_to_done"].clone()
    };
    assert_eq!(median("").await, Value::Null);
    // The submissions arrive in the first seconds of April.
    let start = at("2026-04-01T00:01:00Z").micros() - fixture.app.clock.now().micros();
    fixture.app.clock.advance_ms(start / 1000);
    let done = json!({"ids": ["sub_000", "sub_001"], "set": {"status": "done"}});
    assert_eq!(fixture.patch(&done).await, 2);
    fixture.app.clock.advance_ms(60_000);
    let done = json!({"ids": ["sub_001", "sub_002"], "set": {"status": "done"}});
    assert_eq!(fixture.patch(&done).await, 1);
    assert_eq!(median("").await, 60);
    assert_eq!(median("status=done,open&date_from=2026-04-01T00:00:01Z").await, 59);
    assert_eq!(median("status=open").await, Value::Null);
    let open = json!({"ids": ["sub_000", "sub_001"], "set": {"status": "in_progress"}});
    assert_eq!(fixture.patch(&open).await, 2);
    assert_eq!(median("").await, 118);
}

#[tokio::test]
async fn pages_continue_within_a_filter() {
    let fixture = TriageFixture::triaged().await;
    let first = fixture.v1("?status=open&limit=3");
    let page = fixture.app.get(&fixture.key, &first).await.json();
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap();
    let next = fixture.app.get(&fixture.key, &format!("{first}&cursor={cursor}")).await;
    assert_eq!(next.ids(), ["sub_002"]);
    let other = fixture.v1(&format!("?status=done&limit=3&cursor={cursor}"));
    assert_eq!(fixture.app.get(&fixture.key, &other).await.status, 400);
}

#[tokio::test]
async fn unknown_status_is_refused_and_named() {
    let fixture = TriageFixture::with(1).await;
    let query = "status=open,waiting";
    let problem = "`status` has the unknown status `waiting`; use a status of the account";
    let lists = [fixture.v1(&format!("?{query}")), fixture.v1(&format!("/export?{query}"))];
    for path in &lists {
        let answer = fixture.app.get(&fixture.key, path).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{path}");
        assert_eq!(answer.json()["message"], problem, "{path}");
    }
    let summary = fixture.path(&format!("summary?{query}"));
    assert_eq!(fixture.error(400, Method::GET, &summary, "").await, problem);
    for state in ["trash", "spam"] {
        let path = fixture.path(&format!("{state}?{query}"));
        assert_eq!(fixture.error(400, Method::POST, &path, r#"{"count":1}"#).await, problem);
    }
    fixture.data(Method::PUT, "triage", SETTINGS).await;
    for path in &lists {
        assert_eq!(fixture.app.get(&fixture.key, path).await.status, 200, "{path}");
    }
    assert_eq!(fixture.data(Method::GET, &summary, "").await["total"], 1);
}

#[tokio::test]
async fn responses_without_triage_parameters_are_unchanged() {
    let fixture = TriageFixture::with(3).await;
    let paths =
        [fixture.v1(""), fixture.v1("/export?format=csv"), "/v1/submissions/sub_000".to_owned()];
    let mut before = Vec::new();
    for path in &paths {
        before.push(fixture.app.get(&fixture.key, path).await.body);
    }
    let set = json!({
        "status": "done", "starred": true, "assignee": fixture.owner, "add_tags": ["marked"],
    });
    assert_eq!(fixture.patch(&json!({"filter": "", "count": 3, "set": set})).await, 3);
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(fixture.app.get(&fixture.key, path).await.body, before, "{path}");
    }
    let forms: Value = fixture.data(Method::GET, &format!("forms/{}", fixture.form.id), "").await;
    assert_eq!(forms["submission_count"], 3);
}
