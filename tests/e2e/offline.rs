//! A lost network, and a server that is down for a while: the list reports it, waits, and
//! continues.

use crate::harness::{Page, Server, Viewport, run_test};
use serde_json::json;

/// Scrolls to a fraction of the list.
pub(crate) const SCROLL_TO_SHARE: &str = "const grid = document.querySelector('[role=grid]');
    grid.scrollTop = grid.scrollHeight * arguments[0]";
/// Whether all visible rows are loaded.
pub(crate) const ALL_ROWS_LOADED: &str =
    "const rows = [...document.querySelectorAll('.grid-track [role=row]')];
    return rows.length > 0 && rows.every(row => row.dataset.key)";

/// Reads the console, and panics if it contains other errors than lost requests.
pub(crate) async fn assert_only_lost_requests(page: &Page) {
    let console_errors = page.take_console_errors().await;
    // Prefetched files are lost as well, and a stream of events ends early.
    let losses = [
        "ERR_INTERNET_DISCONNECTED",
        "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED_ENCODING",
        "ERR_FAILED",
        "Failed to fetch",
    ];
    let is_loss = |line: &String| losses.iter().any(|loss| line.contains(loss));
    assert!(console_errors.iter().all(is_loss), "{console_errors:?}");
}

#[tokio::test]
async fn list_recovers_from_lost_connection() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 3000);
    run_test("offline-list", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "3,000 submissions").await;
        page.wait_for("the rows", ALL_ROWS_LOADED, vec![]).await;

        // In offline mode, Firefox still reaches a server on the same machine.
        if !page.is_firefox() {
            page.set_offline(true).await;
            page.eval(SCROLL_TO_SHARE, vec![json!(0.5)]).await;
            page.wait_for_text("Could not load more.").await;
            page.wait_for_text("Check your connection").await;
            page.check_accessibility("a list without a network").await;
            page.set_offline(false).await;
            page.wait_for("the rows", ALL_ROWS_LOADED, vec![]).await;
            page.wait_until_text_is_gone("Could not load more.").await;
        }

        // After a crash and restart of the server, the session is still valid.
        context.server.stop();
        page.eval(SCROLL_TO_SHARE, vec![json!(0.2)]).await;
        page.wait_for_text("Could not load more.").await;
        context.server.start_again();
        page.wait_for("the rows", ALL_ROWS_LOADED, vec![]).await;
        page.wait_until_text_is_gone("Could not load more.").await;
        assert_only_lost_requests(page).await;
    })
    .await;
}
