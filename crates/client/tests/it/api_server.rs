//! Tests against the API's router on a socket, with a database.

use crate::app::{App, TestKey, hostile};
use client::Client;
use contract::{Environment, ExportFormat, ExportQuery, Form, ListQuery, Plan, Submission, Triage};
use futures_util::TryStreamExt as _;

/// Starts an API server with unusual submissions, and a client for it.
async fn start_api_server(count: usize) -> (App, TestKey, Form, Client) {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&account, Environment::Live, &["name", "note"]).await;
    app.submit(&form, hostile(&form, count)).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, app.public.clone()).into_future());
    let client = Client::new(&format!("http://{address}"), key.secret.as_str()).unwrap();
    (app, key, form, client)
}

#[tokio::test]
async fn submissions_are_streamed_in_order() {
    let (_app, _, form, client) = start_api_server(250).await;
    let submissions: Vec<Submission> =
        client.submissions(&form.id, &ListQuery::default()).try_collect().await.unwrap();
    assert_eq!(submissions.len(), 250);
    let position = |it: &Submission| (it.metadata.submitted_at, it.id.clone());
    assert!(submissions.windows(2).all(|pair| position(&pair[0]) > position(&pair[1])));

    let query = ListQuery { limit: 7, ..ListQuery::default() };
    let pages: Vec<_> = client.pages(&form.id, &query).try_collect().await.unwrap();
    assert_eq!(pages.len(), 36);
    assert!(pages.iter().all(|page| page.pagination.total == 250));
    let rows: Vec<_> = pages.into_iter().flat_map(|page| page.data).collect();
    assert_eq!(rows, submissions);
}

#[tokio::test]
async fn filters_are_applied() {
    let (_app, _, form, client) = start_api_server(250).await;
    for text in ["search=stra%C3%9Fe", "utm_source=Google&limit=3", "date_to=2026-01-02"] {
        let query = ListQuery::parse(text).unwrap();
        let submissions = client.submissions(&form.id, &ListQuery::default());
        let mut submissions: Vec<_> = submissions.try_collect().await.unwrap();
        submissions.retain(|submission| query.filter.matches(submission, &Triage::default()));
        let found: Vec<_> = client.submissions(&form.id, &query).try_collect().await.unwrap();
        assert_eq!(found, submissions, "{text}");
        assert!(!found.is_empty() && found.len() < 250, "{text}");
    }
}

#[tokio::test]
async fn forms_are_listed_page_by_page() {
    let (app, _, form, client) = start_api_server(0).await;
    app.clock.advance_ms(1);
    let owner = app.store.find_owner(&form.id).await.unwrap().unwrap();
    let second = app.form(&owner.account_id, owner.environment, &["b"]).await;
    let page = client.list_forms(1, None).await.unwrap();
    assert_eq!((page.data[0].id.as_str(), page.pagination.total), (form.id.as_str(), 2));
    let next = client.list_forms(1, page.pagination.next_cursor.as_deref()).await.unwrap();
    assert_eq!((&next.data[0].id, next.pagination.next_cursor), (&second.id, None));
    assert_eq!(client.get_form(&second.id).await.unwrap().fields[0].name, "b");
    let unknown = client.get_form(&"frm_none".parse().unwrap()).await.unwrap_err();
    assert_eq!(unknown.status(), Some(404));
}

#[tokio::test]
async fn submission_is_read_and_deleted() {
    let (_app, _, form, client) = start_api_server(3).await;
    let page = client.list(&form.id, &ListQuery::default()).await.unwrap();
    let first = &page.data[0];
    assert_eq!(client.get(&first.id).await.unwrap(), *first);
    assert_eq!(client.rate_limit().unwrap().limit, 50_000);
    assert_eq!(client.rate_limit().unwrap().remaining, 49_998);
    client.delete(&first.id).await.unwrap();
    let not_found = client.get(&first.id).await.unwrap_err();
    assert_eq!((not_found.status(), not_found.code()), (Some(404), Some("not_found")));
    // The first attempt already returned 404, so this call deleted nothing.
    assert_eq!(client.delete(&first.id).await.unwrap_err().status(), Some(404));
    let page = client.list(&form.id, &ListQuery::default()).await.unwrap();
    assert_eq!(page.pagination.total, 2);
}

#[tokio::test]
async fn export_equals_response_body() {
    let (app, key, form, client) = start_api_server(600).await;
    for (format, query) in [(ExportFormat::Csv, ""), (ExportFormat::Json, "?format=json")] {
        let asked = ExportQuery { format, ..ExportQuery::default() };
        let export = client.export(&form.id, &asked).await.unwrap();
        let name = format!("{}-20260301.{}", form.id, format.as_str());
        assert_eq!(export.file_name(), Some(name.as_str()));
        let pieces: Vec<_> = export.try_collect().await.unwrap();
        let path = format!("/v1/forms/{}/submissions/export{query}", form.id);
        assert_eq!(pieces.concat(), app.get(&key, &path).await.body.into_bytes());
    }
}

#[tokio::test]
async fn export_interrupted_by_server_is_an_error() {
    let (app, _, form, client) = start_api_server(60_000).await;
    let mut export = client.export(&form.id, &ExportQuery::default()).await.unwrap();
    export.try_next().await.unwrap().unwrap();
    app.break_database();
    let error = loop {
        match export.try_next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the export ended without an error"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, client::Error::Truncated { bytes, .. } if bytes > 0), "{error}");
}

#[tokio::test]
async fn error_contains_message_of_server() {
    let (app, _, form, client) = start_api_server(1).await;
    let query = ListQuery { cursor: Some("forged".to_owned()), ..ListQuery::default() };
    let error = client.list(&form.id, &query).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(400), Some("validation_error")));
    assert!(error.to_string().contains("`cursor` is not valid for this list"), "{error}");
    app.break_database();
    let error = client.list(&form.id, &ListQuery::default()).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(500), Some("internal_error")));
}
