//! The export as a stream: bounded memory, a client that goes away, a database that breaks.

use crate::app::{App, Key, hostile};
use axum::body::Body;
use axum::response::Response;
use contract::{Environment, Form, Plan};
use http::{Method, Request};
use http_body_util::BodyExt;
use std::sync::Arc;
use tower::ServiceExt;

async fn set_up(count: usize) -> (App, Key, Form) {
    let app = App::start().await;
    let account = app.account(Plan::Enterprise).await;
    let key = app.key(&account, Environment::Live).await;
    let form = app.form(&account, Environment::Live, &["name", "note"]).await;
    app.submit(&form, hostile(&form, count)).await;
    (app, key, form)
}

/// Begins an export; the body is not read yet.
async fn begin(app: &App, key: &Key, form: &Form, query: &str) -> Response {
    let path = format!("/v1/forms/{}/submissions/export?{query}", form.id);
    let request = Request::get(path).header("x-api-key", &key.secret).body(Body::empty());
    app.public.clone().oneshot(request.unwrap()).await.unwrap()
}

#[tokio::test]
async fn comes_in_pieces_of_bounded_size() {
    let (app, key, form) = set_up(5000).await;
    for format in ["csv", "json"] {
        let mut body = begin(&app, &key, &form, &format!("format={format}")).await.into_body();
        let mut sizes = Vec::new();
        while let Some(frame) = body.frame().await {
            sizes.push(frame.unwrap().into_data().unwrap().len());
        }
        assert!(sizes.len() >= 20, "{} pieces", sizes.len());
        let (largest, whole) = (sizes.iter().max().unwrap(), sizes.iter().sum::<usize>());
        assert!(largest * 15 < whole, "a piece of {largest} bytes of {whole}");
    }
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_nothing_behind() {
    let (app, key, form) = set_up(2000).await;
    let mut response = begin(&app, &key, &form, "").await;
    response.body_mut().frame().await.unwrap().unwrap();
    // The use of the key is noted beside the request.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let App { store, service, public, account, .. } = app;
    drop((service, public, account));
    assert_eq!(Arc::strong_count(&store), 2, "the export holds on to the store");
    drop(response);
    assert_eq!(Arc::strong_count(&store), 1);
}

#[tokio::test]
async fn an_error_on_the_way_breaks_the_body_off() {
    for format in ["csv", "json"] {
        let (app, key, form) = set_up(2000).await;
        let mut body = begin(&app, &key, &form, &format!("format={format}")).await.into_body();
        body.frame().await.unwrap().unwrap();
        app.break_database();
        let mut last = body.frame().await;
        while let Some(Ok(_)) = last {
            last = body.frame().await;
        }
        assert!(last.expect("a clean end").is_err());
    }
}

#[tokio::test]
async fn head_tells_what_get_would_and_sends_no_body() {
    let (app, key, form) = set_up(10).await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    for path in [list.clone(), format!("{list}/export"), "/v1/submissions/sub_00001".to_owned()] {
        let head = app.call(Method::HEAD, &key, &path).await;
        let get = app.get(&key, &path).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        for name in ["content-type", "content-length", "content-disposition"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
        assert_ne!(head.header("content-length"), "0");
    }
    let head = app.call(Method::HEAD, &key, "/v1/submissions/sub_x").await;
    assert_eq!((head.status, head.body.as_str()), (404, ""));
}

#[tokio::test]
async fn answers_are_for_no_cache_and_no_browser() {
    let (app, key, form) = set_up(1).await;
    let list = format!("/v1/forms/{}/submissions", form.id);
    for path in [list.clone(), format!("{list}/export"), "/nowhere".to_owned()] {
        let answer = app.get(&key, &path).await;
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let policy = answer.header("content-security-policy");
        assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'", "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
    }
}
