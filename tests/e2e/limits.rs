//! The rate limit: told, waited out, and gone on from, without a click.

use crate::harness::{Look, Page, Server, journey};
use serde_json::json;
use std::time::{Duration, Instant};

/// Spends what the plan allows, again and again: somebody else at work.
const SPEND: &str = "window.spending = setInterval(() => {
        for (let i = 0; i < 3; i++) fetch(arguments[0], { headers: { 'x-sheaf-csrf': '1' } });
    }, 100)";
const STOP: &str = "clearInterval(window.spending)";
/// Leads to a share of the list.
const LEAD: &str = "const grid = document.querySelector('[role=grid]');
    grid.scrollTop = grid.scrollHeight * arguments[0]";
/// Whether all rows on view have come.
const WHOLE: &str = "const rows = [...document.querySelectorAll('.grid-track [role=row]')];
    return rows.length > 0 && rows.every(row => row.dataset.key)";
const TOLD: &str = "return document.body.innerText.includes('Too many requests')";

/// Leads to rows that have not come, until the limit is told. Now and then a request of the list
/// comes through; the next place is tried then.
async fn meet_the_limit(page: &Page) {
    for share in [0.5, 0.3, 0.7, 0.2, 0.8, 0.4, 0.6] {
        page.eval(LEAD, vec![json!(share)]).await;
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(5) {
            if page.eval(TOLD, vec![]).await == json!(true) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    panic!("the limit was never met, or never told");
}

#[tokio::test]
async fn a_spent_burst_counts_down_and_goes_on_by_itself() {
    // Two requests a second. The list keeps below them by itself, so somebody else spends them here:
    // it must meet the limit and outlive it.
    let server = Server::start("free");
    let form = server.sampled_form("Feedback", "live", 3000);
    journey("limit", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("3,000 submissions").await;
        let url = format!("/api/live/v1/forms/{form}/submissions?limit=1");
        page.eval(SPEND, vec![json!(url)]).await;
        meet_the_limit(page).await;
        page.eval(STOP, vec![]).await;
        page.wait_for("the rows", WHOLE, vec![]).await;
        page.misses("Too many requests").await;
        page.console().await;
    })
    .await;
}
