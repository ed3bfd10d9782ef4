//! The API page at `/docs`: Swagger UI, under a policy that allows no other host.

use crate::harness::{Look, Server, journey};
use serde_json::{Value, json};
use thirtyfour::Key;

/// URLs of resources that the page has loaded from other origins.
const FOREIGN: &str = "return performance.getEntriesByType('resource').map((one) => one.name)
    .filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:'))";
/// Number of operations on the page.
const LISTED: &str = "return document.querySelectorAll('.opblock').length";
/// Number of expanded operations.
const OPEN: &str = "return document.querySelectorAll('.opblock.is-open').length";
/// Number of visible buttons that would ask for a key or send a request.
const ASKS: &str =
    "return [...document.querySelectorAll('.authorize, .authorization__btn, .try-out, .execute')]
    .filter((one) => one.checkVisibility()).length";

/// Reads the page without an account and with the keyboard only.
async fn reads(name: &str, look: Look) {
    journey(name, look, Server::start("pro"), async |world| {
        let page = &world.page;
        page.open("/docs").await;
        let document: Value =
            page.eval_async("return (await fetch('/openapi.json')).json()", vec![]).await;
        let paths = document["paths"].as_object().expect("paths");
        let count: usize = paths.values().map(|it| it.as_object().expect("methods").len()).sum();
        page.sees("List submissions").await;
        assert_eq!(page.eval(LISTED, vec![]).await, json!(count));
        page.fits("the page of the API").await;
        page.eval("document.querySelector('.opblock-summary-control').focus()", vec![]).await;
        page.press(Key::Enter + "").await;
        page.sees("Newest first").await;
        assert_eq!(page.eval(OPEN, vec![]).await, json!(1));
        page.fits("an operation").await;
        assert_eq!(page.eval(ASKS, vec![]).await, json!(0));
        assert_eq!(page.eval(FOREIGN, vec![]).await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn api_page_lists_all_operations() {
    reads("api-page", Look::DESK).await;
}

#[tokio::test]
async fn api_page_fits_a_dark_phone() {
    reads("api-page-phone", Look::PHONE_DARK).await;
}
