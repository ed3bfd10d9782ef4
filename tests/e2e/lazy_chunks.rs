//! Code chunks that are loaded on demand: the list loads only those that it needs, and a page
//! reports a failed load.

use crate::harness::{Page, Server, Viewport, run_test};

/// Names of the fetched chunks, without the hash.
const FETCHED_CHUNKS: &str = "return performance.getEntriesByType('resource').map(one => \
    one.name.match(/split_(\\w+)-/)?.[1]).filter(Boolean)";

/// Fails every request for a chunk, as without a connection, until [`restore_chunk_requests`].
async fn fail_chunk_requests(page: &Page) {
    let cut = "window.whole = window.fetch; window.fetch = (what, how) => \
        /split_|chunk_/.test(what.url ?? what) ? Promise.reject(new TypeError('gone')) \
        : window.whole(what, how); return true";
    page.eval(cut, vec![]).await;
}

async fn restore_chunk_requests(page: &Page) {
    page.eval("window.fetch = window.whole; return true", vec![]).await;
}

#[tokio::test]
async fn list_loads_no_unneeded_chunks() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("parts", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;
        let fetched = page.eval(FETCHED_CHUNKS, vec![]).await;
        let fetched = fetched.as_array().expect("a list");
        // These chunks are prefetched: the card with its triage, the marks of the rows, and the
        // contents of popovers and dialogs.
        let ahead = ["card", "triage", "row_marks", "tools"];
        let later = |part: &serde_json::Value| ahead.iter().any(|one| part == one);
        assert!(fetched.iter().all(later), "{fetched:?}");
        let card =
            format!("return ({}).includes('card')", FETCHED_CHUNKS.trim_start_matches("return "));
        page.wait_for("the card's code", &card, vec![]).await;
        page.click("button", "Export").await;
        page.wait_for_text("Export submissions").await;
    })
    .await;
}

#[tokio::test]
async fn failed_chunk_is_reported_and_retried() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("parts-gone", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
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
    })
    .await;
}

/// Counts the requests for chunk files, and the maximum number in one task of the page.
const COUNT_CHUNK_REQUESTS: &str = "const [breaks, whole] = [new MessageChannel(), window.fetch];
    let now = 0;
    breaks.port1.onmessage = () => { now = 0; };
    window.asked = { all: 0, most: 0 };
    window.fetch = (what, how) => {
        if (/split_|chunk_/.test(what.url ?? what)) {
            if (now === 0) breaks.port2.postMessage(0);
            now += 1;
            asked.all += 1;
            asked.most = Math.max(asked.most, now);
        }
        return whole(what, how);
    };
    return true";

/// A chunk has many small files, and requesting all of them at once makes a phone unresponsive.
#[tokio::test]
async fn chunk_files_are_requested_in_small_batches() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("parts-in-turns", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;
        page.eval(COUNT_CHUNK_REQUESTS, vec![]).await;
        page.click("link", "API keys").await;
        page.find("button", "Create key").await;
        let asked = page.eval("return [asked.all, asked.most]", vec![]).await;
        let [all, most] = [0, 1].map(|at| asked[at].as_u64().expect("a count"));
        assert!(all > 8, "{all} files are too few for this test");
        assert!(most <= 4, "{most} of {all} files were requested at once");
    })
    .await;
}
