//! Code chunks that are loaded on demand: the list loads only those that it needs, and a page
//! reports a failed load.

use crate::harness::{Page, Server, Viewport, run_test};

/// Names of the fetched chunks, without the hash.
const FETCHED_CHUNKS: &str = "return performance.getEntriesByType('resource').map(one => \
    one.name.match(/split_(\\w+)-/)?.[1]).filter(Boolean)";

/// Fails every request for a chunk, as without a connection, until [`restore_chunk_requests`].
async fn fail_chunk_requests(page: &Page) {
    let cut = "window.whole = window.fetch; window.fetch = (what, how) => \
        /split_|shared_/.test(what.url ?? what) ? Promise.reject(new TypeError('gone')) \
        : window.whole(what, how); return true";
    page.eval(cut, vec![]).await;
}

async fn restore_chunk_requests(page: &Page) {
    page.eval("window.fetch = window.whole; return true", vec![]).await;
}

#[tokio::test]
async fn chunks_are_loaded_on_demand_and_again_after_failures() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("parts", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "30 submissions").await;
        let fetched = page.eval(FETCHED_CHUNKS, vec![]).await;
        let fetched = fetched.as_array().expect("a list");
        // These chunks are prefetched: the card with its triage, the marks of the rows, and the
        // contents of popovers and dialogs.
        let ahead = ["card", "triage", "row_marks", "tools"];
        let later = |part: &serde_json::Value| ahead.iter().any(|one| part == one);
        assert!(fetched.iter().all(later), "{fetched:?}");

        // Each request takes a round trip, and browsers send six at a time over HTTP/1.1.
        page.click("link", "API keys").await;
        page.find("button", "Create key").await;
        let count = "return performance.getEntriesByType('resource')\
            .filter(one => /(split|shared)_/.test(one.name)).length";
        let count = page.eval(count, vec![]).await.as_u64().expect("a count");
        assert!((1..=8).contains(&count), "{count} files");

        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;
        let card =
            format!("return ({}).includes('card')", FETCHED_CHUNKS.trim_start_matches("return "));
        page.wait_for("the card's code", &card, vec![]).await;
        page.click("button", "Export").await;
        page.wait_for_text("Export submissions").await;
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
        check_failed_chunks(page, &form).await;
    })
    .await;
}

/// Checks that a failed load is reported, and that a later attempt succeeds.
async fn check_failed_chunks(page: &Page, form: &str) {
    page.open(&format!("/live/forms/{form}")).await;
    page.wait_for_text("30 submissions").await;
    fail_chunk_requests(page).await;
    page.click("button", "Export").await;
    page.wait_for_text("Could not open.").await;
    page.click("link", "API keys").await;
    page.wait_for_text("Could not load this content").await;
    page.check_accessibility("a chunk that failed to load").await;
    restore_chunk_requests(page).await;
    page.click("button", "Retry").await;
    page.find("button", "Create key").await;
    page.back().await;
    page.click("button", "Export").await;
    page.wait_for_text("Export submissions").await;
    let errors = page.take_console_errors().await;
    assert!(errors.iter().any(|line| line.contains("gone")), "{errors:?}");
}
