//! The rate limit: told, waited out, and gone on from, without a click.

use crate::harness::{Look, Server, journey};
use std::time::Duration;

#[tokio::test]
async fn a_spent_burst_counts_down_and_goes_on_by_itself() {
    // Two requests a second. The list keeps below them by itself, so somebody else spends them here:
    // it must meet the limit and outlive it.
    let server = Server::start("free");
    let form = server.sampled_form("Feedback", "live", 1000);
    journey("limit", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("1,000 submissions").await;
        let end = "const g = document.querySelector('[role=grid]'); g.scrollTop = g.scrollHeight; return g.querySelector('[role=row][aria-rowindex=\"1001\"][data-key]') !== null";
        let spend = "for (let i = 0; i < 3; i++) fetch(arguments[0], { headers: { 'x-sheaf-csrf': '1' } })";
        let url = format!("/api/live/v1/forms/{form}/submissions?limit=1");
        let mut told = false;
        let since = std::time::Instant::now();
        while page.eval(end, vec![]).await == serde_json::json!(false) {
            let text = page.eval("return document.body.innerText", vec![]).await;
            if !told {
                page.eval(spend, vec![serde_json::json!(url)]).await;
            }
            told |= text.as_str().is_some_and(|text| text.contains("Too many requests"));
            assert!(since.elapsed() < Duration::from_mins(1), "the list did not go on");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(told, "the limit was never met, or never told");
        page.misses("Too many requests").await;
        page.console().await;
    })
    .await;
}
