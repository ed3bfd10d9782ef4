//! Filters by the answers to a field in lists, exports, summaries, updates and moves.

use super::TriageFixture;
use crate::app::submission;
use contract::{Environment, FieldType, Plan};
use http::Method;
use serde_json::{Value, json};

/// A form with submissions `sub_000` to `sub_004`, and the ids of its fields `name`, `stars` and
/// `day`.
async fn answered() -> (TriageFixture, [String; 3]) {
    let mut fixture = TriageFixture::with(0).await;
    let mut form =
        fixture.app.form(&fixture.account, Environment::Live, &["name", "stars", "day"]).await;
    (form.fields[1].kind, form.fields[2].kind) = (FieldType::Rating, FieldType::Date);
    let before = fixture.app.store.find_form(&form.id).await.unwrap().unwrap().form.fields;
    let after = form.fields.clone();
    assert!(fixture.app.store.replace_fields(&form.id, before, after).await.unwrap());
    let answers = [
        json!({"name": " Straße ", "stars": 5, "day": "2026-03-01"}),
        json!({"name": "Strasse 7", "stars": "1.50", "day": "2026-03-02T10:00"}),
        json!({"name": ["x", "STRASSE"], "stars": 3}),
        json!({"name": "  ", "stars": "many", "day": "soon"}),
        json!({}),
    ];
    let rows = answers.into_iter().enumerate().map(|(n, answers)| {
        submission(&form, &format!("{n:03}"), &format!("2026-04-01T00:00:0{n}Z"), answers)
    });
    fixture.app.submit(&form, rows.collect()).await;
    let ids = [0, 1, 2].map(|field: usize| form.fields[field].id.to_string());
    fixture.form = form;
    (fixture, ids)
}

fn v1(fixture: &TriageFixture, rest: &str) -> String {
    format!("/v1/forms/{}/submissions{rest}", fixture.form.id)
}

#[tokio::test]
async fn all_endpoints_and_pages_select_the_same_submissions() {
    let (fixture, [name, stars, day]) = answered().await;
    for (query, expected) in [
        (format!("{name}=eq:strasse"), "2 0"),
        (format!("{name}=ne:strasse"), "4 3 1"),
        (format!("{name}=contains:STRASSE&{stars}=lte:3.0"), "2 1"),
        (format!("{name}=empty"), "4 3"),
        (format!("{name}=filled&{name}=contains:7"), "1"),
        (format!("{stars}=gte:1.5&{stars}=lte:3"), "2 1"),
        (format!("{stars}=ne:3&search=many"), "3"),
        (format!("{day}=gte:2026-03-02"), "1"),
        (format!("{day}=eq:2026-03-01&status=open"), "0"),
        (format!("{day}=&{stars}=eq:5&date_to=2026-04-01T00:00:01Z"), "0"),
        (format!("{stars}=eq:4"), ""),
    ] {
        let ids: Vec<String> = expected.split_whitespace().map(|n| format!("sub_00{n}")).collect();
        let list = fixture.app.get(&fixture.key, &v1(&fixture, &format!("?{query}"))).await;
        assert_eq!(list.ids(), ids, "{query}");
        assert_eq!(list.json()["pagination"]["total"], ids.len(), "{query}");
        let path = v1(&fixture, &format!("/export?format=json&{query}"));
        assert_eq!(fixture.app.get(&fixture.key, &path).await.ids(), ids, "{query}");
        let path = fixture.path(&format!("summary?{query}"));
        assert_eq!(fixture.data(Method::GET, &path, "").await["total"], ids.len(), "{query}");
        let body = json!({"filter": query, "count": ids.len(), "set": {"remove_tags": ["x"]}});
        assert_eq!(fixture.patch(&body).await, 0, "{query}");
    }
    let path = fixture.path(&format!("summary?field={name}&{stars}=gte:1"));
    let counted = fixture.data(Method::GET, &path, "").await["fields"].clone();
    let one = |value: &str| json!({"value": value, "count": 1});
    let values = [" Straße ", "STRASSE", "Strasse 7", "x"].map(one);
    assert_eq!(counted, json!([{"id": name, "values": values, "others": 0, "missing": 0}]));
    let first = v1(&fixture, &format!("?{name}=ne:strasse&limit=2"));
    let page = fixture.app.get(&fixture.key, &first).await.json();
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap();
    let next = fixture.app.get(&fixture.key, &format!("{first}&cursor={cursor}")).await;
    assert_eq!(next.ids(), ["sub_001"]);
    let other = v1(&fixture, &format!("?{name}=eq:strasse&limit=2&cursor={cursor}"));
    assert_eq!(fixture.app.get(&fixture.key, &other).await.status, 400);
    let trash = fixture.path(&format!("trash?{name}=empty"));
    assert_eq!(fixture.data(Method::POST, &trash, r#"{"count":2}"#).await["count"], 2);
    let spam = fixture.path(&format!("spam?{stars}=gte:3"));
    assert_eq!(fixture.data(Method::POST, &spam, r#"{"count":2}"#).await["count"], 2);
    assert_eq!(fixture.app.get(&fixture.key, &v1(&fixture, "")).await.ids(), ["sub_001"]);
}

#[tokio::test]
async fn invalid_criteria_are_named() {
    let (fixture, [name, stars, day]) = answered().await;
    let deleted = json!({"fields": [{"id": name}, {"id": stars}, {"id": day, "delete": true}]});
    fixture.data(Method::PUT, &fixture.path("fields"), &deleted.to_string()).await;
    let many = vec![format!("{name}=eq:x"); 11];
    let many: Vec<String> = many.iter().enumerate().map(|(n, it)| format!("{it}{n}")).collect();
    for (query, problem) in [
        (format!("{day}=filled"), format!("`{day}` is not a field of this form; leave it out")),
        (
            format!("{stars}=eq:good"),
            format!("`{stars}` must compare with a number such as `0.5`, but is `eq:good`"),
        ),
        (
            format!("{name}=gte:3"),
            format!(
                "`{name}` is `gte:3`, but only number, rating and date fields support `gte`; the \
                 type of this field is `text`"
            ),
        ),
        (
            many.join("&"),
            format!("`{name}` exceeds the limit of 10 criteria for fields; leave some out"),
        ),
    ] {
        for path in [v1(&fixture, &format!("?{query}")), v1(&fixture, &format!("/export?{query}"))]
        {
            let answer = fixture.app.get(&fixture.key, &path).await;
            assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{path}");
            assert_eq!(answer.json()["message"], problem, "{path}");
        }
        let summary = fixture.path(&format!("summary?{query}"));
        assert_eq!(fixture.error(400, Method::GET, &summary, "").await, problem);
        for state in ["trash", "spam"] {
            let path = fixture.path(&format!("{state}?{query}"));
            assert_eq!(fixture.error(400, Method::POST, &path, r#"{"count":1}"#).await, problem);
        }
        let body = json!({"filter": query, "count": 1, "set": {"starred": true}}).to_string();
        let path = fixture.path("submissions");
        let message = fixture.error(400, Method::PATCH, &path, &body).await;
        assert_eq!(message, format!("in `filter`, {problem}"));
    }
    let summary = fixture.path(&format!("summary?field={day}"));
    let problem = format!("`field` must be the id of a field of this form, but is `{day}`");
    assert_eq!(fixture.error(400, Method::GET, &summary, "").await, problem);
    // Access is checked before fields.
    let error = async |form: &str, key| {
        let path = format!("/v1/forms/{form}/submissions?fld_none=filled");
        let answer = fixture.app.get(key, &path).await;
        (answer.status, answer.json()["error"].clone())
    };
    let not_found = (404, Value::from("not_found"));
    assert_eq!(error("frm_none", &fixture.key).await, not_found);
    let form = fixture.form.id.as_str();
    let test_key = fixture.app.key(&fixture.account, Environment::Test).await;
    assert_eq!(error(form, &test_key).await.0, 403);
    let other = fixture.app.account(Plan::Pro).await;
    let other_key = fixture.app.key(&other, Environment::Live).await;
    assert_eq!(error(form, &other_key).await, not_found);
}

#[tokio::test]
async fn sorted_pages_follow_each_other() {
    let (fixture, [name, stars, day]) = answered().await;
    // The clock is before the submissions.
    assert_eq!(fixture.patch(&json!({"ids": ["sub_003"], "set": {"starred": true}})).await, 1);
    let notes = fixture.path("submissions/sub_001/notes");
    fixture.data(Method::POST, &notes, r#"{"text":"x"}"#).await;
    for (sort, expected) in [
        ("updated_at".to_owned(), "3 1 0 2 4"),
        ("-updated_at".to_owned(), "4 2 0 3 1"),
        (stars.clone(), "1 2 0 4 3"),
        (format!("-{stars}"), "0 2 1 4 3"),
        (format!("-{stars}&{name}=filled"), "0 2 1"),
        (format!("+{name}&search=str"), "0 1 2"),
        (format!("%2B{day}"), "0 1 4 3 2"),
        ("+submitted_at".to_owned(), "0 1 2 3 4"),
        ("%2Bsubmitted_at".to_owned(), "0 1 2 3 4"),
        ("sentiment_score".to_owned(), "4 3 2 1 0"),
    ] {
        let first = v1(&fixture, &format!("?limit=2&sort={sort}"));
        let mut path = first.clone();
        let mut ids = Vec::new();
        loop {
            let page = fixture.app.get(&fixture.key, &path).await;
            ids.extend(page.ids());
            let pagination = page.json()["pagination"].clone();
            assert_eq!(pagination["total"], expected.split(' ').count(), "{sort}");
            let Some(cursor) = pagination["next_cursor"].as_str() else { break };
            path = format!("{first}&cursor={cursor}");
        }
        let expected: Vec<String> = expected.split(' ').map(|n| format!("sub_00{n}")).collect();
        assert_eq!(ids, expected, "{sort}");
        let export = format!("/export?format=json&columns=starred,notes_count&sort={sort}");
        let export = fixture.app.get(&fixture.key, &v1(&fixture, &export)).await;
        assert_eq!(export.ids(), expected, "{sort}");
        let export = export.json();
        assert_eq!(export["export"]["count"], expected.len(), "{sort}");
        for row in export["data"].as_array().unwrap() {
            let notes = u64::from(row["id"] == "sub_001");
            let triage = json!({"starred": row["id"] == "sub_003", "notes_count": notes});
            assert_eq!(row["triage"], triage, "{sort}");
        }
        let summary = fixture.path(&format!("summary?sort={sort}"));
        let total = fixture.data(Method::GET, &summary, "").await["total"].clone();
        assert_eq!(total, expected.len(), "{sort}");
    }
    let csv = fixture.app.get(&fixture.key, &v1(&fixture, &format!("/export?sort=-{stars}"))).await;
    let ids: Vec<_> = csv.body.lines().skip(1).map(|line| line[..7].to_owned()).collect();
    assert_eq!(ids, ["sub_000", "sub_002", "sub_001", "sub_004", "sub_003"]);
}

#[tokio::test]
async fn sort_of_the_default_order_changes_nothing() {
    let (fixture, [_, stars, _]) = answered().await;
    let list = async |query: &str| fixture.app.get(&fixture.key, &v1(&fixture, query)).await;
    let plain = list("?limit=2").await.json();
    for sort in ["", "submitted_at", "-submitted_at"] {
        assert_eq!(list(&format!("?limit=2&sort={sort}")).await.json(), plain, "{sort}");
    }
    let cursor = plain["pagination"]["next_cursor"].as_str().unwrap();
    assert_eq!(list(&format!("?cursor={cursor}&sort={stars}")).await.status, 400);
    let sorted = list(&format!("?limit=2&sort={stars}")).await.json();
    let cursor = sorted["pagination"]["next_cursor"].as_str().unwrap();
    for other in [String::new(), format!("&sort=-{stars}"), format!("&sort={stars}&search=x")] {
        assert_eq!(list(&format!("?cursor={cursor}{other}")).await.status, 400, "{other}");
    }
}

#[tokio::test]
async fn other_sorts_are_refused_by_name() {
    let (fixture, [_, stars, _]) = answered().await;
    let message = async |path: &str| {
        let answer = fixture.app.get(&fixture.key, path).await;
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{path}");
        answer.json()["message"].as_str().unwrap().to_owned()
    };
    for path in ["", "/export"] {
        let unknown = message(&v1(&fixture, &format!("{path}?sort=-browser"))).await;
        assert!(unknown.starts_with("`sort` must be") && unknown.ends_with("`-browser`"));
        let unknown = message(&v1(&fixture, &format!("{path}?sort=fld_none"))).await;
        assert_eq!(unknown, "`sort` names `fld_none`, which is not a field of this form");
    }
    for sort in ["-browser", "fld_none"] {
        let summary = fixture.path(&format!("summary?sort={sort}"));
        assert!(fixture.error(400, Method::GET, &summary, "").await.contains("`sort`"), "{sort}");
    }
    let twice = message(&v1(&fixture, &format!("?sort={stars}&sort={stars}"))).await;
    assert!(twice.starts_with("`sort` is given more than once"), "{twice}");
    message("/v1/forms?sort=%2Bsubmitted_at").await;
    for list in ["spam", "trash"] {
        let path = fixture.path(&format!("{list}?sort=%2Bsubmitted_at"));
        fixture.error(400, Method::GET, &path, "").await;
    }
}

#[tokio::test]
async fn long_sorted_export_has_each_submission_once() {
    let fixture = TriageFixture::with(1100).await;
    let export = async |query: &str| -> Vec<(String, String)> {
        let path = v1(&fixture, &format!("/export?format=json{query}"));
        let export = fixture.app.get(&fixture.key, &path).await.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let row = |row: &Value| (text(&row["metadata"]["submitted_at"]), text(&row["id"]));
        export["data"].as_array().unwrap().iter().map(row).collect()
    };
    let mut expected = export("").await;
    assert_eq!(expected.len(), 1100);
    // Submissions of the same time keep their order.
    expected.sort_by(|left, right| left.0.cmp(&right.0));
    assert!(export("&sort=%2Bsubmitted_at").await == expected);
    assert!(export("&sort=%2Bsubmitted_at&search=nothing").await.is_empty());
}
