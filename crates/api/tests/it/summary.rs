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

#[tokio::test]
async fn distributions_follow_filter_and_field_types() {
    let app = App::start().await;
    let owner = app.account(Plan::Pro).await;
    let form = app.form(&owner, Environment::Live, &["comment", "guests"]).await;
    let fields = format!("/account/forms/{}/fields", form.id);
    let kinds = json!({"fields": [
        {"id": form.fields[0].id, "type": "long_text"}, {"id": form.fields[1].id, "type": "number"},
    ]});
    assert_eq!(app.act(&owner, Method::PUT, &fields, &kinds.to_string()).await.status, 200);
    let rows = [("2026-03-01", 2), ("2026-03-02", 4), ("2026-03-03", 9)].iter().enumerate();
    let rows = rows.map(|(n, (day, guests))| {
        let answers = json!({"comment": "The dinner was cold", "guests": guests});
        submission(&form, &n.to_string(), day, answers)
    });
    app.submit(&form, rows.collect()).await;
    let path = format!("/account/forms/{}/distributions", form.id);
    let (status, body) = get_summary(&app, &owner, &format!("{path}?date_to=2026-03-03")).await;
    assert_eq!(status, 200, "{body}");
    let range = |value: f64| json!({"from": value, "to": value, "count": 1});
    let expected = json!({
        "submissions": 2, "is_complete": true,
        "numbers": [{"id": form.fields[1].id, "answers": 2, "min": 2.0, "lower_quartile": 2.0,
            "median": 2.0, "upper_quartile": 4.0, "max": 4.0, "ranges": [range(2.0), range(4.0)]}],
        "texts": [{"id": form.fields[0].id, "answers": 2,
            "words": [{"value": "cold", "count": 2}, {"value": "dinner", "count": 2}]}],
    });
    assert_eq!(body["data"], expected);
    let other = app.account(Plan::Pro).await;
    assert_eq!(get_summary(&app, &other, &path).await.0, 404);
    let (status, body) = get_summary(&app, &owner, &format!("{path}?time_zone=UTC")).await;
    assert!(status == 400 && body["message"].as_str().unwrap().contains("`time_zone`"), "{body}");
}
