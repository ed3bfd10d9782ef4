//! Summary over HTTP: access, invalid parameters, and time zones.

use crate::app::{App, submission};
use contract::{Environment, Plan};
use http::Method;
use serde_json::{Value, json};

async fn get_summary(app: &App, owner: &contract::AccountId, path: &str) -> (u16, Value) {
    let answer = app.act(owner, Method::GET, path, "").await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn summary_days_follow_time_zone() {
    let app = App::start().await;
    let owner = app.account(Plan::Pro).await;
    let form = app.form(&owner, Environment::Live, &["name"]).await;
    let at = ["2026-03-28T22:30:00Z", "2026-03-28T23:30:00Z", "2026-03-29T21:59:59Z"];
    let last = "2026-03-29T22:00:00Z";
    let instants = at.iter().chain([&last]).enumerate();
    let rows = instants.map(|(n, at)| submission(&form, &n.to_string(), at, json!({"name": "x"})));
    app.submit(&form, rows.collect()).await;
    let path = format!("/account/forms/{}/summary", form.id);
    let days = async |query: &str| {
        let (status, body) = get_summary(&app, &owner, &format!("{path}?{query}")).await;
        assert_eq!(status, 200, "{body}");
        let buckets = body["data"]["times"]["buckets"].as_array().unwrap().clone();
        let text = |bucket: &Value| format!("{} {}", bucket["first_day"], bucket["total"]);
        buckets.iter().map(text).collect::<Vec<_>>().join(", ").replace('"', "")
    };
    assert_eq!(days("").await, "2026-03-28 2, 2026-03-29 2");
    let berlin = "time_zone=Europe%2FBerlin";
    assert_eq!(days(berlin).await, "2026-03-28 1, 2026-03-29 2, 2026-03-30 1");
    let day = "date_from=2026-03-28T23:00:00Z&date_to=2026-03-29T22:00:00Z";
    assert_eq!(days(&format!("{berlin}&{day}")).await, "2026-03-29 2");
    assert_eq!(days("search=nothing").await, "");
}

#[tokio::test]
async fn summary_rejects_other_accounts_and_unknown_parameters() {
    let app = App::start().await;
    let owner = app.account(Plan::Pro).await;
    let other = app.account(Plan::Pro).await;
    let form = app.form(&owner, Environment::Test, &[]).await;
    let path = format!("/account/forms/{}/summary", form.id);
    assert_eq!(get_summary(&app, &other, &path).await.0, 404);
    assert_eq!(get_summary(&app, &owner, "/account/forms/frm_none/summary").await.0, 404);
    let (status, body) = get_summary(&app, &owner, &path).await;
    assert_eq!((status, &body["data"]["total"]), (200, &json!(0)));
    for (query, expected) in
        [("limit=5", "`limit`"), ("time_zone=Mars", "`Mars`"), ("utm_src=x", "`utm_src`")]
    {
        let (status, body) = get_summary(&app, &owner, &format!("{path}?{query}")).await;
        assert_eq!(status, 400);
        assert!(body["message"].as_str().unwrap().contains(expected), "{body}");
    }
}
