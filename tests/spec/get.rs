//! Specification, section 4.2 (Get a submission).

use crate::app::{App, hostile, submission};
use contract::{Environment, Plan, Submission};
use serde_json::json;

#[tokio::test]
async fn get_returns_submission_unchanged() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let rows = hostile(&form, 40);
    app.submit(&form, rows.clone()).await;
    for row in rows {
        let answer = app.get(&key, &format!("/v1/submissions/{}", row.id)).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
        let mut json = answer.json();
        assert_eq!(json.as_object().unwrap().len(), 1);
        let found: Submission = serde_json::from_value(json["data"].take()).unwrap();
        assert_eq!(found, row);
    }
}

#[tokio::test]
async fn get_unknown_submission_returns_404() {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    for id in ["sub_unknown", "sub_", "frm_1", "x", "sub_%00", "sub_%FF", "sub_a%2Fb", "%2e%2e"] {
        let answer = app.get(&key, &format!("/v1/submissions/{id}")).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{id}");
    }
}

#[tokio::test]
async fn get_foreign_submission_returns_404() {
    let app = App::start().await;
    let (account, other) = (app.account(Plan::Pro).await, app.account(Plan::Pro).await);
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&other, Environment::Live, &[]).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({}))]).await;
    let foreign = app.get(&key, "/v1/submissions/sub_1").await;
    let unknown = app.get(&key, "/v1/submissions/sub_2").await;
    assert_eq!(foreign.error(), (404, "not_found".to_owned()));
    assert_eq!(
        foreign.body, unknown.body,
        "the response must not reveal that the submission exists"
    );
}
