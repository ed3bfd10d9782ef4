//! Filters: typed, linked to, walked back to, cleared one by one.

use crate::harness::{Look, Server, curl, journey};
use serde_json::{Value, json};

/// The exact total that the API gives for a query.
fn total(server: &Server, key: &str, form: &str, query: &str) -> u64 {
    let (status, body) =
        curl(key, &format!("{}/v1/forms/{form}/submissions?{query}", server.url()));
    assert_eq!(status, 200);
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    page["pagination"]["total"].as_u64().expect("a total")
}

#[tokio::test]
async fn filters_live_in_the_address_and_agree_with_the_api() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 2000);
    let key = server.key("live");
    journey("filters", Look::DESK, server, async |world| {
        let page = &world.page;
        let found = async |query: &str| {
            let total = total(&world.server, &key, &form, query);
            let noun = if total == 1 { "submission" } else { "submissions" };
            assert!(total > 0 && total < 2000, "{query}: {total} is no test of a filter");
            page.sees(&format!("{total} {noun}")).await;
        };
        page.sign_in(&world.server.link()).await;
        let place = format!("/live/forms/{form}");
        page.open(&place).await;
        page.sees("2,000 submissions").await;

        page.fill("Search", "delivery").await;
        page.is_at(&format!("{place}?search=delivery")).await;
        found("search=delivery").await;

        page.click("button", "UTM").await;
        page.fill("Source", "google").await;
        page.click("button", "Apply").await;
        page.is_at(&format!("{place}?search=delivery&utm_source=google")).await;
        found("search=delivery&utm_source=google").await;

        page.reload().await;
        found("search=delivery&utm_source=google").await;
        page.click("button", "Remove Search").await;
        page.is_at(&format!("{place}?utm_source=google")).await;
        found("utm_source=google").await;

        page.open(&format!("{place}?utm_source=no-such-source")).await;
        page.sees("No submissions match").await;
        page.click("button", "Clear filters").await;
        page.is_at(&place).await;
        page.sees("2,000 submissions").await;
    })
    .await;
}

#[tokio::test]
async fn back_and_forward_restore_place_and_filter() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 2000);
    journey("back", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        let place = format!("/live/forms/{form}?utm_source=google");
        page.open(&place).await;
        page.sees("submissions").await;
        let top = "return document.querySelector('[role=grid]')?.scrollTop ?? null";
        page.wait_for("rows", "return document.querySelectorAll('[role=row][data-key]').length > 5", vec![]).await;
        page.eval("document.querySelector('[role=grid]').scrollTop = 1500", vec![]).await;
        // A person sees them before anything is clicked; until then the page has not heard of it.
        let rows = "return [...document.querySelectorAll('[role=row][data-key]')].some((row) => row.ariaRowIndex > 36)";
        page.wait_for("the rows of that place", rows, vec![]).await;
        page.click("link", "API keys").await;
        page.find("heading", "API keys").await;
        page.back().await;
        page.is_at(&place).await;
        page.wait_for("the old place", "const top = document.querySelector('[role=grid]')?.scrollTop; return top >= 1400 && top <= 1600", vec![]).await;
        page.forward().await;
        page.find("heading", "API keys").await;
        assert_eq!(page.eval(top, vec![]).await, json!(null));
    })
    .await;
}
