//! The gateway and the dashboard in front of a server in another process. The browser must never
//! receive its API key.

use crate::harness::{Page, Server, TestContext, Viewport, call_api, run_test};
use crate::list::read_to_end;
use serde_json::{Value, json};
use thirtyfour::Key;

/// Signs the owner in before a foreign server, and opens a form by its id.
pub(crate) async fn open_foreign_form(context: &TestContext, form: &str) {
    let page = &context.page;
    page.open(&context.server.sign_in_link()).await;
    page.accept_link().await;
    page.fill_text_field("Form ID", form).await;
    page.click("button", "Open form").await;
}

#[tokio::test]
async fn key_of_foreign_server_stays_in_gateway() {
    let service = Server::start_service("enterprise");
    let form = service.create_sampled_form("Feedback", "live", 500);
    let key = service.create_key("live");
    let server = Server::start_gateway(&service.url(), &[("live", &key)]);
    run_test("foreign", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        open_foreign_form(context, &form).await;
        page.wait_for_path(&format!("/live/forms/{form}")).await;
        page.wait_for_text("500 submissions").await;
        page.fill_text_field("Search", "delivery").await;
        page.wait_for_path(&format!("/live/forms/{form}?search=delivery")).await;
        page.wait_for_text("submissions").await;
        // Marks and views are made by the browser; suggested UTM values come from the loaded rows.
        page.wait_for("marks", "return document.querySelector('mark') !== null", vec![]).await;
        page.click("button", "Filter").await;
        page.click("button", "UTM source").await;
        page.fill_text_field("UTM source", "google").await;
        page.find("option", "google").await;
        page.wait_for_text("loaded submissions").await;
        page.press_keys(Key::Escape + "").await;
        page.click("button", "Apply").await;
        page.wait_for_path(&format!("/live/forms/{form}?search=delivery&utm_source=google")).await;
        page.click("button", "Views").await;
        page.fill_text_field("View name", "From Google").await;
        page.click("button", "Save view").await;
        page.find("link", "From Google").await;
        page.open("/settings/keys").await;
        page.find("heading", "API keys").await;
        for path in ["/settings/forms".to_owned(), format!("/live/forms/{form}/settings/spam")] {
            page.open(&path).await;
            page.wait_for_text("Forms are managed on another server").await;
        }

        check_csv(page, &service, &key, &form).await;
        let secret = key.split_once("live_").expect("a key").1;
        for logged in page.take_network_log().await {
            assert!(!logged.contains(secret), "the key was sent to the browser: {logged}");
        }
        let script = "return document.documentElement.outerHTML + document.cookie + JSON.stringify([localStorage, sessionStorage])";
        let stored = page.eval(script, vec![]).await.to_string();
        assert!(!stored.contains(secret), "the key is in the page");
        assert_ne!(json!(stored), json!(""));
    })
    .await;
    drop(service);
}

/// Exports the form as CSV: first written by the browser, then unchanged from the server.
async fn check_csv(page: &Page, service: &Server, key: &str, form: &str) {
    let url = format!("{}/v1/forms/{form}/submissions/export", service.url());
    let complete = String::from_utf8(call_api(key, &format!("{url}?safe=true")).1).expect("UTF-8");
    assert!(call_api(key, &url).1 != complete.as_bytes(), "no sample tests the escapes");
    page.open(&format!("/live/forms/{form}")).await;
    page.wait_for_text("500 submissions").await;
    page.click("button", "Export").await;
    page.click("radio", "CSV").await;
    page.click("button", "Download").await;
    let text = String::from_utf8(page.download().await.1).expect("UTF-8");
    let rows = |text: &str| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.records().map(|row| row.expect("a row").len()).collect::<Vec<_>>()
    };
    assert_eq!(rows(&text), rows(&complete), "as many rows and columns as the server's");
    let first = |text: &str| text.lines().nth(1).map(|line| line[..30].to_owned());
    assert_eq!(first(&text), first(&complete));
    // CSV that the foreign server writes is saved unchanged.
    page.click("button", "Export").await;
    page.click("radio", "CSV").await;
    page.click("checkbox", "Escape spreadsheet formulas").await;
    page.wait_for_text("Uses 1 API request").await;
    page.click("button", "Download").await;
    assert!(page.download().await.1 == call_api(key, &url).1, "the server's own CSV differs");
}

#[tokio::test]
async fn dashboard_works_at_two_requests_per_second() {
    let service = Server::start_service("free");
    let form = service.create_sampled_form("Feedback", "live", 640);
    // A second key, because the requests of the test must not use up the limit of the gateway's
    // key.
    let key = service.create_key("live");
    let list = format!("{}/v1/forms/{form}/submissions", service.url());
    let get_list = |query: &str| -> Value {
        let (status, body) = call_api(&key, &format!("{list}?limit=5{query}"));
        assert_eq!(status, 200);
        serde_json::from_slice(&body).expect("JSON")
    };
    let rows = get_list("")["data"].clone();
    let id = |n: usize| rows[n]["id"].as_str().expect("an id").to_owned();
    let found = get_list("&search=delivery")["pagination"]["total"].as_u64().expect("a total");
    assert!((2..640).contains(&found), "{found} rows do not test a filter");
    let server = Server::start_gateway(&service.url(), &[("live", &service.create_key("live"))]);
    run_test("foreign-free", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let path = format!("/live/forms/{form}");
        open_foreign_form(context, &form).await;
        page.wait_for_text("640 submissions").await;
        assert_eq!(read_to_end(page, 640).await.0, 640);

        page.open(&format!("{path}/submissions/{}", id(0))).await;
        page.wait_for_text("Answers").await;
        page.wait_for_text("640 submissions").await;
        for n in [1, 2, 3] {
            page.press_keys("j").await;
            page.wait_for_path(&format!("{path}/submissions/{}", id(n))).await;
        }
        page.press_keys(Key::Escape + "").await;
        page.wait_for_path(&path).await;

        page.fill_text_field("Search", "delivery").await;
        page.wait_for_path(&format!("{path}?search=delivery")).await;
        page.wait_for_text(&format!("{found} submissions")).await;
        page.click("link", "Insights").await;
        page.wait_for_path(&format!("{path}/insights?search=delivery")).await;
        page.wait_for_text(&format!("{found} submissions")).await;
        page.find("heading", "UTM sources").await;
        page.find("heading", "Browsers").await;
        page.check_accessibility("insights of a foreign server").await;
        page.click("button", "Remove Search").await;
        page.wait_for_text("640 submissions").await;
        page.click("link", "Submissions").await;
        page.wait_for_path(&path).await;

        page.click("button", "Export").await;
        page.click("radio", "NDJSON").await;
        page.wait_for_text("Uses 7 API requests").await;
        page.click("button", "Download").await;
        let lines = String::from_utf8(page.download().await.1).expect("UTF-8");
        assert_eq!(lines.lines().count(), 640);
        page.wait_for_text("Exported 640 submissions").await;

        page.open(&format!("{path}/submissions/{}", id(0))).await;
        page.wait_for_text("640 submissions").await;
        page.wait_for_text("Answers").await;
        page.click("button", "Delete").await;
        page.click("button", "Delete permanently").await;
        page.wait_for_text("Submission deleted").await;
        page.wait_for_text("639 submissions").await;
        assert_eq!(get_list("")["data"][0]["id"], json!(id(1)));
        for line in page.take_console_errors().await {
            assert!(line.contains("429"), "the console is not clean: {line}");
        }
    })
    .await;
    drop(service);
}
