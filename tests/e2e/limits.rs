//! The rate limit: the list shows it, waits, and continues without a click.

use crate::harness::{Look, Page, Server, journey};
use crate::list::TOP;
use serde_json::json;

/// Uses up the plan's limit continuously, as another client would.
const SPEND: &str = "window.spending = setInterval(() => {
        for (let i = 0; i < 3; i++) fetch(arguments[0], { headers: { 'x-sheaf-csrf': '1' } });
    }, 100)";
const STOP: &str = "clearInterval(window.spending)";
/// Scrolls to a fraction of the list.
const LEAD: &str = "const grid = document.querySelector('[role=grid]');
    grid.scrollTop = grid.scrollHeight * arguments[0]";
/// Whether all visible rows are loaded.
const WHOLE: &str = "const rows = [...document.querySelectorAll('.grid-track [role=row]')];
    return rows.length > 0 && rows.every(row => row.dataset.key)";
const TOLD: &str = "return document.body.innerText.includes('Too many requests')";

/// Scrolls to rows that are not loaded, until the page shows the rate limit. If a request of the
/// list succeeds, the next position is tried.
async fn meet_the_limit(page: &Page) {
    let met = format!(
        "const isLimited = () => {{ {TOLD} }};
        const isLoaded = () => {{ {TOP} }};
        return isLimited() ? 'limited' : isLoaded() ? 'loaded' : false"
    );
    // Each position is the middle of a part of the list; the parts become smaller.
    for parts in (1..5).map(|n| 1 << n) {
        for part in 0..parts {
            page.eval(LEAD, vec![json!((f64::from(part) + 0.5) / f64::from(parts))]).await;
            if page.wait_for("rows, or the limit", &met, vec![]).await == "limited" {
                return;
            }
        }
    }
    panic!("the rate limit was never reached, or never shown");
}

#[tokio::test]
async fn rate_limited_list_retries_automatically() {
    // The limit is two requests a second. The list alone stays below it, so `SPEND` uses it up
    // here.
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
