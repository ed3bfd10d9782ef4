//! The rate limit: told, waited out, and gone on from, without a click.

use crate::harness::{Look, Page, Server, journey};
use crate::list::TOP;
use serde_json::json;

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
    let met = format!(
        "const isTold = () => {{ {TOLD} }};
        const isWhole = () => {{ {TOP} }};
        return isTold() ? 'told' : isWhole() ? 'whole' : false"
    );
    // Each place is the middle of a part of the list, and the parts grow smaller.
    for parts in (1..5).map(|n| 1 << n) {
        for part in 0..parts {
            page.eval(LEAD, vec![json!((f64::from(part) + 0.5) / f64::from(parts))]).await;
            if page.wait_for("rows, or the limit", &met, vec![]).await == "told" {
                return;
            }
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
