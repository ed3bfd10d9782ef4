//! An auth proxy's session ends while the dashboard is open, in each way that proxies use.

use std::time::Duration;

use crate::harness::{Ending, Page, Proxy, Server, Viewport, run_test};

const ENDED: &str = "Your session has ended. Reload to sign in again.";
const LOST: &str = "If your session has ended, reload to sign in again.";

/// Request timeout of the dashboard.
const LIMIT: Duration = Duration::from_secs(15);

/// Ways to end a session, and the dashboard's message for each.
const ENDINGS: [(Ending, &str); 5] = [
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
    run_test("ended", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open(&list).await;
        page.wait_for_text("300 submissions").await;
        for (way, sentence) in ENDINGS {
            check_search(page, &proxy, way, sentence).await;
        }
        check_export(page, &proxy).await;

        proxy.end_session(Some(Ending::Redirect));
        page.fill_text_field("Search", "delivery").await;
        page.wait_for_text(ENDED).await;
        page.check_appearance("ended").await;
        page.click("button", "Reload page").await;
        page.wait_for_text("Sign in to go on").await;
        // The browser logs the failed requests.
        page.take_console_errors().await;
    })
    .await;
}

async fn check_search(page: &Page, proxy: &Proxy, way: Ending, sentence: &str) {
    proxy.end_session(Some(way));
    page.fill_text_field("Search", "zzzzzz").await;
    page.wait_for_text_after(LIMIT, sentence).await;
    page.find("button", "Reload page").await;
    proxy.end_session(None);
    // The typed search stays, and is applied after the user has signed in again.
    page.wait_for_text("No matching submissions").await;
    page.wait_until_text_is_gone(sentence).await;
    page.click("button", "Clear filters").await;
    page.wait_for_text("300 submissions").await;
}

/// An export fails without a file, and resumes.
async fn check_export(page: &Page, proxy: &Proxy) {
    page.click("button", "Export").await;
    page.click("radio", "CSV").await;
    proxy.end_session(Some(Ending::Page));
    page.click("button", "Download").await;
    page.wait_for_text(ENDED).await;
    proxy.end_session(None);
    page.click("button", "Resume").await;
    let (_, bytes) = page.download().await;
    let file = String::from_utf8(bytes).expect("UTF-8");
    assert!(file.starts_with("submission_id,submitted_at,"), "{file:.300}");
    assert!(!file.contains("Sign in to go on"));

    page.click("button", "Export").await;
    page.click("radio", "JSON").await;
    proxy.end_session(Some(Ending::Silence));
    page.click("button", "Download").await;
    let silent = "No response for 15 s. If your session has ended, reload to sign in again.";
    page.wait_for_text_after(LIMIT, silent).await;
    proxy.end_session(None);
    let (_, bytes) = page.download().await;
    serde_json::from_slice::<serde_json::Value>(&bytes).expect("JSON");
}
