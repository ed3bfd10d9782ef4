//! The API page at `/docs`: Swagger UI, under a policy that allows no other host.

use crate::harness::{Page, Server, Viewport, run_test};
use serde_json::{Value, json};
use thirtyfour::Key;

/// URLs of resources that the page has loaded from other origins.
const FOREIGN_RESOURCES: &str =
    "return performance.getEntriesByType('resource').map((one) => one.name)
    .filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:'))";
/// Number of operations on the page.
const OPERATION_COUNT: &str = "return document.querySelectorAll('.opblock').length";
/// Number of expanded operations.
const EXPANDED_COUNT: &str = "return document.querySelectorAll('.opblock.is-open').length";
/// Number of visible buttons that would ask for a key or send a request.
const REQUEST_BUTTON_COUNT: &str =
    "return [...document.querySelectorAll('.authorize, .authorization__btn, .try-out, .execute')]
    .filter((one) => one.checkVisibility()).length";

#[tokio::test]
async fn api_page_lists_all_operations() {
    run_test("api-page", Viewport::DESKTOP, Server::start("pro"), async |context| {
        check_page(&context.page).await;
        context.page.set_viewport(Viewport::PHONE_DARK).await;
        check_page(&context.page).await;
    })
    .await;
}

/// Reads the page without an account and with the keyboard only.
async fn check_page(page: &Page) {
    page.open("/docs").await;
    let document: Value =
        page.eval_async("return (await fetch('/openapi.json')).json()", vec![]).await;
    let paths = document["paths"].as_object().expect("paths");
    let count: usize = paths.values().map(|it| it.as_object().expect("methods").len()).sum();
    page.wait_for_text("List submissions").await;
    assert_eq!(page.eval(OPERATION_COUNT, vec![]).await, json!(count));
    page.assert_fits_width("the page of the API").await;
    page.eval("document.querySelector('.opblock-summary-control').focus()", vec![]).await;
    page.press_keys(Key::Enter + "").await;
    page.wait_for_text("Newest first").await;
    assert_eq!(page.eval(EXPANDED_COUNT, vec![]).await, json!(1));
    page.assert_fits_width("an operation").await;
    assert_eq!(page.eval(REQUEST_BUTTON_COUNT, vec![]).await, json!(0));
    assert_eq!(page.eval(FOREIGN_RESOURCES, vec![]).await, json!([]));
}
