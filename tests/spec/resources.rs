//! Specification, section 2 (Resources and their fields).

use crate::app::{App, submission};
use contract::Insight;
use serde_json::{Value, json};

#[tokio::test]
async fn ids_have_prefix_of_their_kind() {
    let (app, key, form) = App::with_form(&["name"]).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({"name": "A"}))]).await;
    let field = &form.fields[0].id;
    let path = format!("/v1/forms/{}/submissions/export?format=json&fields={field}", form.id);
    let export = app.get(&key, &path).await.json();
    assert!(export["data"][0]["id"].as_str().unwrap().starts_with("sub_"));
    assert!(export["data"][0]["form_id"].as_str().unwrap().starts_with("frm_"));
    assert!(export["export"]["fields"][0].as_str().unwrap().starts_with("fld_"));
}

#[tokio::test]
async fn submission_has_every_field_or_null() {
    let (app, key, form) = App::with_form(&["name", "age"]).await;
    let answers = json!({"name": "Ada", "age": 36});
    let mut stored = submission(&form, "known", "2026-02-01T10:20:30Z", answers);
    stored.metadata.ip_country = Some("GB".to_owned());
    stored.metadata.device = Some("desktop".to_owned());
    stored.metadata.browser = Some("Firefox".to_owned());
    stored.metadata.completion_time_seconds = Some(42);
    stored.metadata.utm_source = Some("google".to_owned());
    stored.metadata.utm_medium = Some("cpc".to_owned());
    stored.metadata.utm_campaign = Some("spring".to_owned());
    stored.ai_insights = Some(Insight {
        sentiment: Some("positive".to_owned()),
        sentiment_score: Some(0.75),
        categories: vec!["praise".to_owned()],
        language: Some("en".to_owned()),
    });
    let unknown = submission(&form, "unknown", "2026-02-01", json!({}));
    app.submit(&form, vec![stored, unknown]).await;

    let shown = async |id: &str| {
        let data = app.get(&key, &format!("/v1/submissions/{id}")).await.json()["data"].take();
        serde_json::to_string(&data).unwrap().replace(form.id.as_str(), "frm_…")
    };
    insta::assert_snapshot!(shown("sub_known").await, @r#"{"id":"sub_known","form_id":"frm_…","answers":{"name":"Ada","age":36},"metadata":{"submitted_at":"2026-02-01T10:20:30Z","ip_country":"GB","device":"desktop","browser":"Firefox","completion_time_seconds":42,"utm_source":"google","utm_medium":"cpc","utm_campaign":"spring"},"ai_insights":{"sentiment":"positive","sentiment_score":0.75,"categories":["praise"],"language":"en"}}"#);
    insta::assert_snapshot!(shown("sub_unknown").await, @r#"{"id":"sub_unknown","form_id":"frm_…","answers":{},"metadata":{"submitted_at":"2026-02-01T00:00:00Z","ip_country":null,"device":null,"browser":null,"completion_time_seconds":null,"utm_source":null,"utm_medium":null,"utm_campaign":null},"ai_insights":null}"#);
}

#[tokio::test]
async fn pagination_has_four_fields() {
    let (app, key, form) = App::with_form(&[]).await;
    let rows = (0..3).map(|n| submission(&form, &n.to_string(), "2026-02-01", json!({})));
    app.submit(&form, rows.collect()).await;
    let path = format!("/v1/forms/{}/submissions", form.id);

    let mut more = app.get(&key, &format!("{path}?limit=2")).await.json()["pagination"].take();
    let cursor = more["next_cursor"].take();
    assert!(cursor.as_str().is_some_and(|text| !text.is_empty()), "{cursor}");
    assert_eq!(more, json!({"total": 3, "limit": 2, "has_more": true, "next_cursor": null}));

    let last = app.get(&key, &path).await.json()["pagination"].take();
    assert_eq!(last, json!({"total": 3, "limit": 20, "has_more": false, "next_cursor": null}));
}

#[tokio::test]
async fn answers_are_returned_byte_for_byte() {
    let (app, key, form) = App::with_form(&["a", "b", "c"]).await;
    let answers: Value =
        serde_json::from_str(r#"{"b":"x\"\\\n","a":1.10,"c":123456789012345678901}"#).unwrap();
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", answers)]).await;
    let body = app.get(&key, "/v1/submissions/sub_1").await.body;
    assert!(
        body.contains(r#""answers":{"b":"x\"\\\n","a":1.10,"c":123456789012345678901}"#),
        "{body}"
    );
}
