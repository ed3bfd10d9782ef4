//! Exports: what the browser saves is, byte for byte, what the API gives.

use crate::harness::{Look, Server, curl, journey};
use serde_json::Value;

#[tokio::test]
async fn both_ways_to_export_give_the_bytes_of_the_api() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 1500);
    let key = server.key("live");
    journey("export", Look::DESK, server, async |world| {
        let page = &world.page;
        let api = |query: &str| {
            let url = format!("{}/v1/forms/{form}/submissions/export?{query}", world.server.url());
            let (status, body) = curl(&key, &url);
            assert_eq!(status, 200, "{query}");
            body
        };
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("1,500 submissions").await;

        // The whole form, by the server.
        export(page, "CSV").await;
        let (name, bytes) = page.download().await;
        assert!(name.starts_with("feedback-"), "{name}");
        assert!(bytes == api("safe=true"), "the whole form as CSV differs");
        export(page, "JSON").await;
        assert_same_json(&page.download().await.1, &api("format=json"));

        // The filtered list, by the browser.
        page.open(&format!("/live/forms/{form}?search=the&utm_source=google")).await;
        page.sees("submissions").await;
        export(page, "CSV").await;
        let filtered = page.download().await.1;
        assert!(
            filtered == api("safe=true&search=the&utm_source=google"),
            "the list as CSV differs"
        );
        assert!(filtered.len() > 10_000, "too little was filtered to prove much");
        export(page, "JSON").await;
        assert_same_json(
            &page.download().await.1,
            &api("format=json&search=the&utm_source=google"),
        );
    })
    .await;
}

async fn export(page: &crate::harness::Page, format: &str) {
    page.click("button", "Export").await;
    page.click("radio", format).await;
    page.click("button", "Download").await;
}

/// Equal but for the instant at which each was made.
fn assert_same_json(browser: &[u8], api: &[u8]) {
    let without_instant = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let whole: Value = serde_json::from_str(&text).expect("whole JSON");
        let at = whole["export"]["exported_at"].as_str().expect("an instant").to_owned();
        text.replace(&at, "")
    };
    assert!(without_instant(browser) == without_instant(api), "the JSON differs");
}
