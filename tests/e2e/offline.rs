//! A lost network, and a server that is down for a while: the list reports it, waits, and
//! continues.

use crate::harness::{Look, Page, Server, journey};
use serde_json::json;

/// Scrolls to a fraction of the list.
const LEAD: &str = "const grid = document.querySelector('[role=grid]');
    grid.scrollTop = grid.scrollHeight * arguments[0]";
/// Whether all visible rows are loaded.
const WHOLE: &str = "const rows = [...document.querySelectorAll('.grid-track [role=row]')];
    return rows.length > 0 && rows.every(row => row.dataset.key)";

/// Reads the console, and panics if it contains other errors than lost requests.
async fn forget_losses(page: &Page) {
    let noted = page.console().await;
    // Prefetched files are lost as well.
    let losses =
        ["ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "ERR_FAILED", "Failed to fetch"];
    let is_loss = |line: &String| losses.iter().any(|loss| line.contains(loss));
    assert!(noted.iter().all(is_loss), "{noted:?}");
}

#[tokio::test]
async fn list_recovers_from_lost_connection() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 3000);
    journey("offline-list", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("3,000 submissions").await;
        page.wait_for("the rows", WHOLE, vec![]).await;

        // In offline mode, Firefox still reaches a server on the same machine.
        if !page.is_firefox() {
            page.set_offline(true).await;
            page.eval(LEAD, vec![json!(0.5)]).await;
            page.sees("Could not load more.").await;
            page.sees("Check your connection").await;
            page.is_accessible("a list without a network").await;
            page.set_offline(false).await;
            page.wait_for("the rows", WHOLE, vec![]).await;
            page.misses("Could not load more.").await;
        }

        // After a crash and restart of the server, the session is still valid.
        world.server.stop();
        page.eval(LEAD, vec![json!(0.2)]).await;
        page.sees("Could not load more.").await;
        world.server.start_again();
        page.wait_for("the rows", WHOLE, vec![]).await;
        page.misses("Could not load more.").await;
        forget_losses(page).await;
    })
    .await;
}
