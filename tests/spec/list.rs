//! Specification, section 4.1 (List submissions).

use crate::app::{App, TestKey, TestResponse, hostile, submission};
use contract::{Environment, Form, Plan};
use http::Method;
use serde_json::json;

async fn list_submissions(app: &App, key: &TestKey, form: &Form, query: &str) -> TestResponse {
    app.get(key, &format!("/v1/forms/{}/submissions?{query}", form.id)).await
}

/// Follows the cursors of a list to its end and returns all ids in order.
async fn list_all_ids(app: &App, key: &TestKey, form: &Form, query: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = list_submissions(app, key, form, &format!("{query}{cursor}")).await;
        let found = page.ids();
        assert!(!found.is_empty() || cursor.is_empty(), "a cursor returned an empty page");
        ids.extend(found);
        match page.json()["pagination"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

async fn assert_query_is_refused(query: &str, names: &str) {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let answer = list_submissions(&app, &key, &form, query).await;
    assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{query}");
    let message = answer.json()["message"].take();
    assert!(message.as_str().unwrap().contains(&format!("`{names}`")), "{query}: {message}");
}

#[tokio::test]
async fn limit_is_1_to_100_with_default_20() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, hostile(&form, 101)).await;
    let empty = "limit=&cursor=&date_from=&date_to=&search=&utm_source=";
    for (query, count) in
        [("", 20), (empty, 20), ("limit=1", 1), ("limit=100", 100), ("limit=007", 7)]
    {
        let page = list_submissions(&app, &key, &form, query).await;
        assert_eq!(page.ids().len(), count, "{query}");
        assert_eq!(page.json()["pagination"]["limit"], count, "{query}");
    }
    for value in ["0", "101", "-1", "+1", "1.0", "1e1", "ten", "%20", "99999999999", "%31%30%30%30"]
    {
        assert_query_is_refused(&format!("limit={value}"), "limit").await;
    }
}

#[tokio::test]
async fn rule_1_rows_are_newest_first_then_by_id() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let rows = [
        ("b", "2026-02-01T10:00:00Z"),
        ("d", "2026-02-01T10:00:00.000001Z"),
        ("c", "2026-02-01T10:00:00Z"),
        ("a", "2026-02-02T00:00:00+14:00"),
    ];
    let rows = rows.map(|(id, time)| submission(&form, id, time, json!({})));
    app.submit(&form, rows.to_vec()).await;
    let ids = list_submissions(&app, &key, &form, "").await.ids();
    assert_eq!(ids, ["sub_d", "sub_c", "sub_b", "sub_a"]);
}

#[tokio::test]
async fn rule_2_filters_are_combined_with_and() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let mut both = submission(&form, "both", "2026-02-01", json!({"name": "Ada"}));
    both.metadata.utm_source = Some("google".to_owned());
    let mut source = submission(&form, "source", "2026-02-01", json!({"name": "Bob"}));
    source.metadata.utm_source = Some("google".to_owned());
    let search = submission(&form, "search", "2026-02-01", json!({"name": "Ada"}));
    app.submit(&form, vec![both, source, search]).await;
    let page = list_submissions(&app, &key, &form, "search=ada&utm_source=google").await;
    assert_eq!(
        (page.ids(), page.json()["pagination"]["total"].take()),
        (vec!["sub_both".to_owned()], json!(1))
    );
}

#[tokio::test]
async fn rule_3_body_has_only_data_and_pagination() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let answer = list_submissions(&app, &key, &form, "").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let names: Vec<_> = answer.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["data", "pagination"]);
    assert_eq!(answer.json()["data"], json!([]));
}

#[tokio::test]
async fn rule_4_pages_cover_each_row_once_in_order() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let mut rows = hostile(&form, 203);
    app.submit(&form, rows.clone()).await;
    rows.sort_by_key(|row| std::cmp::Reverse((row.metadata.submitted_at, row.id.clone())));
    let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    for limit in [1, 2, 7, 29, 100] {
        assert_eq!(
            list_all_ids(&app, &key, &form, &format!("limit={limit}")).await,
            ids,
            "limit {limit}"
        );
        app.clock.advance_ms(1000);
    }
}

#[tokio::test]
async fn rule_4_full_last_page_has_no_cursor() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, hostile(&form, 40)).await;
    let first = list_submissions(&app, &key, &form, "limit=20").await.json();
    let cursor = first["pagination"]["next_cursor"].as_str().unwrap();
    let last = list_submissions(&app, &key, &form, &format!("limit=20&cursor={cursor}")).await;
    assert_eq!(last.ids().len(), 20);
    assert_eq!(last.json()["pagination"]["has_more"], false);
    assert_eq!(last.json()["pagination"]["next_cursor"], json!(null));
}

#[tokio::test]
async fn rule_4_cursor_is_stable_under_changes() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let row = |n: u32| submission(&form, &n.to_string(), &format!("2026-02-0{n}"), json!({}));
    app.submit(&form, (1..=6).map(row).collect()).await;
    let first = list_submissions(&app, &key, &form, "limit=3").await;
    assert_eq!(first.ids(), ["sub_6", "sub_5", "sub_4"]);
    let first = first.json();
    let cursor = first["pagination"]["next_cursor"].as_str().unwrap();

    app.submit(&form, vec![row(7)]).await;
    app.call(Method::DELETE, &key, "/v1/submissions/sub_4").await;
    let second = list_submissions(&app, &key, &form, &format!("limit=2&cursor={cursor}")).await;
    assert_eq!(second.ids(), ["sub_3", "sub_2"], "also with another limit");
    assert_eq!(second.json()["pagination"]["total"], 6, "at the time of the request");
}

#[tokio::test]
async fn rule_4_cursor_of_other_list_is_refused() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    app.submit(&form, hostile(&form, 30)).await;
    let first = list_submissions(&app, &key, &form, "search=a&limit=1").await.json();
    let cursor = first["pagination"]["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(
        list_submissions(&app, &key, &form, &format!("search=a&cursor={cursor}")).await.status,
        200
    );

    let account = app.account(Plan::Enterprise).await;
    let other_key = app.key(&account, Environment::Live).await;
    let other_form = app.form(&account, Environment::Live, &[]).await;
    let mut tampered = cursor.clone();
    tampered.replace_range(9..10, if &cursor[9..10] == "A" { "B" } else { "A" });
    let list = async |query: String| list_submissions(&app, &key, &form, &query).await;
    let answers = [
        list(format!("cursor={cursor}")).await,
        list(format!("search=b&cursor={cursor}")).await,
        list(format!("search=a&utm_source=x&cursor={cursor}")).await,
        list(format!("search=a&date_to=2027-01-01&cursor={cursor}")).await,
        list(format!("search=a&cursor={tampered}")).await,
        list(format!("search=a&cursor={}", &cursor[1..])).await,
        list(format!("search=a&cursor={cursor}=")).await,
        list("search=a&cursor=eyJpZCI6MX0".to_owned()).await,
        list(format!("search=a&cursor={}", "A".repeat(2000))).await,
        list("search=a&cursor=%00%C3%A9".to_owned()).await,
        list_submissions(&app, &other_key, &other_form, &format!("search=a&cursor={cursor}")).await,
    ];
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(answer.error(), (400, "validation_error".to_owned()), "{n}");
        assert!(answer.json()["message"].as_str().unwrap().contains("`cursor`"), "{n}");
    }
}

#[tokio::test]
async fn rule_5_invalid_parameter_error_contains_its_name() {
    for (query, names) in [
        ("date_from=yesterday", "date_from"),
        ("date_from=2026-02-30", "date_from"),
        ("date_to=2026-13-01", "date_to"),
        ("date_to=20260101", "date_to"),
        ("date_from=2026-01-01T00:00:00+01:00", "%2B"),
        ("date_from=2026-02-02&date_to=2026-02-01", "date_from"),
        ("utm_src=x", "utm_src"),
        ("Limit=5", "Limit"),
        ("format=csv", "format"),
        ("offset=20", "offset"),
        ("limit=5&limit=5", "limit"),
        ("search=%FF", "search"),
    ] {
        assert_query_is_refused(query, names).await;
    }
    assert_query_is_refused(&format!("search={}", "x".repeat(201)), "search").await;
}

#[tokio::test]
async fn rule_6_unknown_form_returns_404() {
    let (app, key, _) = App::with_form(&["name", "note"]).await;
    for id in
        ["frm_unknown", "frm_", "sub_1", "x", "frm_%00", "frm_%FF", "frm_a%2Fb", "frm_..", "FRM_1"]
    {
        let answer = app.get(&key, &format!("/v1/forms/{id}/submissions")).await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{id}");
    }
}

#[tokio::test]
async fn date_range_is_half_open() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let times = [
        "2026-01-31T23:59:59.999999Z",
        "2026-02-01T00:00:00Z",
        "2026-02-01T23:30:00Z",
        "2026-02-02T00:00:00Z",
    ];
    let rows = times
        .iter()
        .enumerate()
        .map(|(n, time)| submission(&form, &n.to_string(), time, json!({})));
    app.submit(&form, rows.collect()).await;
    let check = async |query: &str, ids: &[&str]| {
        let found = list_submissions(&app, &key, &form, query).await.ids();
        assert_eq!(found, ids, "{query}");
    };
    check("date_from=2026-02-01&date_to=2026-02-02", &["sub_2", "sub_1"]).await;
    check("date_from=2026-02-02", &["sub_3"]).await;
    check("date_to=2026-02-01", &["sub_0"]).await;
    check("date_to=2026-02-01T00:00:00.0000001Z", &["sub_1", "sub_0"]).await;
    check("date_from=2026-02-02T00:30:00%2B01:00", &["sub_3", "sub_2"]).await;
    check("date_from=2026-02-01T23:30:00", &["sub_3", "sub_2"]).await;
    check("date_from=2026-02-01&date_to=2026-02-01", &[]).await;
    check("date_from=0000-01-01&date_to=9999-12-31", &["sub_3", "sub_2", "sub_1", "sub_0"]).await;
}

#[tokio::test]
async fn search_matches_answer_substring_ignoring_case() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let answers = [
        json!({"name": "Hauptstraße 1", "note": "50%_'\"*"}),
        json!({"name": 12.50, "note": "日本語"}),
        json!({"name": ["Red", true], "note": "a+b"}),
        json!({"name": "Zoe\u{308}", "note": "\u{1112}\u{1161}\u{11ab}"}),
    ];
    let rows = answers.into_iter().enumerate();
    let rows = rows.map(|(n, answers)| submission(&form, &n.to_string(), "2026-02-01", answers));
    app.submit(&form, rows.collect()).await;
    let check = async |text: &str, ids: &[&str]| {
        let query = format!("search={}", contract::query::percent_encode(text));
        assert_eq!(list_submissions(&app, &key, &form, &query).await.ids(), ids, "{text}");
    };
    check("STRASSE", &["sub_0"]).await;
    check("  straße  ", &["sub_0"]).await;
    check("%", &["sub_0"]).await;
    check("_'\"*", &["sub_0"]).await;
    check("2.5", &["sub_1"]).await;
    check("本", &["sub_1"]).await;
    check("rEd", &["sub_2"]).await;
    check("TRUE", &["sub_2"]).await;
    check("A+B", &["sub_2"]).await;
    check("ZOË", &["sub_3"]).await;
    check("zoe\u{308}", &["sub_3"]).await;
    check("zoe", &[]).await;
    check("한", &["sub_3"]).await;
    check("name", &[]).await;
    check("2026", &[]).await;
    check("1 50", &[]).await;
    check("", &["sub_3", "sub_2", "sub_1", "sub_0"]).await;
    check("   ", &["sub_3", "sub_2", "sub_1", "sub_0"]).await;
}

#[tokio::test]
async fn utm_filters_match_exactly() {
    let (app, key, form) = App::with_form(&["name", "note"]).await;
    let mut row = submission(&form, "1", "2026-02-01", json!({}));
    row.metadata.utm_source = Some("a b+c".to_owned());
    row.metadata.utm_medium = Some("Email".to_owned());
    row.metadata.utm_campaign = Some("été".to_owned());
    app.submit(&form, vec![row]).await;
    for (query, count) in [
        ("utm_source=a+b%2Bc", 1),
        ("utm_source=a%20b%2Bc&utm_medium=Email&utm_campaign=%C3%A9t%C3%A9", 1),
        ("utm_source=a+b", 0),
        ("utm_medium=email", 0),
        ("utm_source=&utm_medium=", 1),
    ] {
        let page = list_submissions(&app, &key, &form, query).await;
        assert_eq!(page.ids().len(), count, "{query}");
        assert_eq!(page.json()["pagination"]["total"], count, "{query}");
    }
}
