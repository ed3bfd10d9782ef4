//! An auth proxy's session ends while the dashboard is open, in each way that proxies use.

use std::time::Duration;

use crate::harness::{Ending, Look, Page, Proxy, Server, journey};

const ENDED: &str = "Your session has ended. Reload to sign in again.";
const LOST: &str = "If your session has ended, reload to sign in again.";

/// Request timeout of the dashboard.
const LIMIT: Duration = Duration::from_secs(15);

/// Ways to end a session, and the dashboard's message for each.
const WAYS: [(Ending, &str); 5] = [
    (Ending::Redirect, ENDED),
    (Ending::Page, ENDED),
    (Ending::Refusal, ENDED),
    (Ending::Closed, LOST),
    (Ending::Silence, LOST),
];

#[tokio::test]
async fn ended_proxy_session_is_reported_without_loss() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(300);
    let list = format!("/live/forms/{form}");
    journey("ended", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&list).await;
        page.sees("300 submissions").await;
        for (way, sentence) in WAYS {
            search(page, &proxy, way, sentence).await;
        }
        export(page, &proxy).await;

        proxy.end_session(Some(Ending::Redirect));
        page.fill("Search", "delivery").await;
        page.sees(ENDED).await;
        page.looks_right("ended").await;
        page.click("button", "Reload page").await;
        page.sees("Sign in to go on").await;
        // The browser logs the failed requests.
        page.console().await;
    })
    .await;
}

async fn search(page: &Page, proxy: &Proxy, way: Ending, sentence: &str) {
    proxy.end_session(Some(way));
    page.fill("Search", "zzzzzz").await;
    page.sees_after(LIMIT, sentence).await;
    page.find("button", "Reload page").await;
    proxy.end_session(None);
    // The typed search stays, and is applied after the user has signed in again.
    page.sees("No matching submissions").await;
    page.misses(sentence).await;
    page.click("button", "Clear filters").await;
    page.sees("300 submissions").await;
}

/// An export fails without a file, and resumes.
async fn export(page: &Page, proxy: &Proxy) {
    page.click("button", "Export").await;
    page.click("radio", "CSV").await;
    proxy.end_session(Some(Ending::Page));
    page.click("button", "Download").await;
    page.sees(ENDED).await;
    proxy.end_session(None);
    page.click("button", "Try again").await;
    let (_, bytes) = page.download().await;
    let file = String::from_utf8(bytes).expect("UTF-8");
    assert!(file.starts_with("submission_id,submitted_at,"), "{file:.300}");
    assert!(!file.contains("Sign in to go on"));

    page.click("button", "Export").await;
    page.click("radio", "JSON").await;
    proxy.end_session(Some(Ending::Silence));
    page.click("button", "Download").await;
    let silent = "No response for 15 s. If your session has ended, reload to sign in again.";
    page.sees_after(LIMIT, silent).await;
    proxy.end_session(None);
    let (_, bytes) = page.download().await;
    serde_json::from_slice::<serde_json::Value>(&bytes).expect("JSON");
}
