//! Without a network, and with a server that is gone for a while: said, waited out, gone on from.

use crate::harness::{Look, Page, Server, journey};
use serde_json::json;

/// Leads to a share of the list.
const LEAD: &str = "const grid = document.querySelector('[role=grid]');
    grid.scrollTop = grid.scrollHeight * arguments[0]";
/// Whether all rows on view have come.
const WHOLE: &str = "const rows = [...document.querySelectorAll('.grid-track [role=row]')];
    return rows.length > 0 && rows.every(row => row.dataset.key)";

/// Reads what the browser notes of requests that were lost.
async fn forget_losses(page: &Page) {
    let noted = page.console().await;
    // What is fetched ahead of being wanted is lost as well.
    let losses =
        ["ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "ERR_FAILED", "Failed to fetch"];
    let is_loss = |line: &String| losses.iter().any(|loss| line.contains(loss));
    assert!(noted.iter().all(is_loss), "{noted:?}");
}

#[tokio::test]
async fn the_list_says_so_and_goes_on_by_itself() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 3000);
    journey("offline-list", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("3,000 submissions").await;
        page.wait_for("the rows", WHOLE, vec![]).await;

        // Without a network, Firefox still reaches the machine that it runs on.
        if !page.is_firefox() {
            page.set_offline(true).await;
            page.eval(LEAD, vec![json!(0.5)]).await;
            page.sees("More could not be loaded").await;
            page.sees("Check your connection").await;
            page.is_accessible("a list without a network").await;
            page.set_offline(false).await;
            page.wait_for("the rows", WHOLE, vec![]).await;
            page.misses("More could not be loaded").await;
        }

        // A server that fails and is started again is no loss either, nor is the session.
        world.server.stop();
        page.eval(LEAD, vec![json!(0.2)]).await;
        page.sees("More could not be loaded").await;
        world.server.start_again();
        page.wait_for("the rows", WHOLE, vec![]).await;
        page.misses("More could not be loaded").await;
        forget_losses(page).await;
    })
    .await;
}
