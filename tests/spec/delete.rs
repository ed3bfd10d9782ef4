//! Specification, section 4.3 (Delete a submission).

use crate::app::{App, submission};
use contract::{Environment, Plan};
use http::Method;
use serde_json::json;

#[tokio::test]
async fn delete_returns_204_with_empty_body() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&account, Environment::Live, &[]).await;
    app.submit(&form, vec![submission(&form, "1", "2026-02-01", json!({}))]).await;
    let answer = app.call(Method::DELETE, &key, "/v1/submissions/sub_1").await;
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    assert_eq!(answer.header("content-type"), "");
}

#[tokio::test]
async fn delete_unknown_submission_returns_404() {
    let app = App::start().await;
    let account = app.account(Plan::Pro).await;
    let key = app.key(&account, Environment::Live).await;
    let answer = app.call(Method::DELETE, &key, "/v1/submissions/sub_1").await;
    assert_eq!(answer.error(), (404, "not_found".to_owned()));
}

#[tokio::test]
async fn concurrent_deletes_return_204_and_404() {
    let (app, key, form) = App::with_form(&[]).await;
    for n in 0..20 {
        let row = submission(&form, &n.to_string(), "2026-02-01", json!({}));
        app.submit(&form, vec![row]).await;
        let path = format!("/v1/submissions/sub_{n}");
        let delete = || app.call(Method::DELETE, &key, &path);
        let (first, second) = tokio::join!(delete(), delete());
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 404]);
    }
}
