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

#[tokio::test]
async fn a_range_of_dates_is_exported_by_the_server() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 300);
    let key = server.key("live");
    let list = format!("{}/v1/forms/{form}/submissions", server.url());
    let newest: Value = serde_json::from_slice(&curl(&key, &format!("{list}?limit=100")).1)
        .expect("a page of the list");
    let at = |row: usize| newest["data"][row]["metadata"]["submitted_at"].as_str().expect("a time");
    let range = format!("date_from={}&date_to={}", at(90), at(20));
    let within: Value = serde_json::from_slice(&curl(&key, &format!("{list}?{range}")).1)
        .expect("a page of the list");
    let total = within["pagination"]["total"].as_u64().expect("a total");
    assert!((60..80).contains(&total), "{total}: a range of some 70 rows was meant");
    journey("export-range", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.network().await;
        page.open(&format!("/live/forms/{form}?{range}")).await;
        page.sees(&format!("{total} submissions")).await;
        export(page, "CSV").await;
        let api = curl(&key, &format!("{list}/export?safe=true&{range}")).1;
        assert!(page.download().await.1 == api, "the range as CSV differs");
        let asked = page.network().await;
        assert!(asked.iter().any(|one| one.contains("/submissions/export?")), "by the server");
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
