//! The rate limit: the list shows it, waits, and continues without a click.

use crate::harness::{Page, Server, Viewport, run_test};
use crate::list::TOP_ROW;
use crate::offline::{ALL_ROWS_LOADED, SCROLL_TO_SHARE};
use serde_json::json;

/// Uses up the plan's limit continuously, as another client would.
const START_SPENDING: &str = "window.spending = setInterval(() => {
        for (let i = 0; i < 3; i++) fetch(arguments[0], { headers: { 'x-sheaf-csrf': '1' } });
    }, 100)";
const STOP_SPENDING: &str = "clearInterval(window.spending)";
const SHOWS_RATE_LIMIT: &str = "return document.body.innerText.includes('Too many requests')";

/// Scrolls to rows that are not loaded, until the page shows the rate limit. If a request of the
/// list succeeds, the next position is tried.
async fn scroll_until_rate_limited(page: &Page) {
    let met = format!(
        "const isLimited = () => {{ {SHOWS_RATE_LIMIT} }};
        const isLoaded = () => {{ {TOP_ROW} }};
        return isLimited() ? 'limited' : isLoaded() ? 'loaded' : false"
    );
    // Each position is the middle of a part of the list; the parts become smaller.
    for parts in (1..5).map(|n| 1 << n) {
        for part in 0..parts {
            page.eval(SCROLL_TO_SHARE, vec![json!((f64::from(part) + 0.5) / f64::from(parts))])
                .await;
            if page.wait_for("rows, or the limit", &met, vec![]).await == "limited" {
                return;
            }
        }
    }
    panic!("the rate limit was never reached, or never shown");
}

#[tokio::test]
async fn rate_limited_list_retries_automatically() {
    // The limit is two requests a second. The list alone stays below it, so `START_SPENDING` uses
    // it up here.
    let server = Server::start("free");
    let form = server.create_sampled_form("Feedback", "live", 3000);
    run_test("limit", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "3,000 submissions").await;
        let url = format!("/api/live/v1/forms/{form}/submissions?limit=1");
        page.eval(START_SPENDING, vec![json!(url)]).await;
        scroll_until_rate_limited(page).await;
        page.eval(STOP_SPENDING, vec![]).await;
        page.wait_for("the rows", ALL_ROWS_LOADED, vec![]).await;
        page.wait_until_text_is_gone("Too many requests").await;
        page.take_console_errors().await;
    })
    .await;
}
