//! Insights: the charts agree with the list, and a click on a chart filters it.

use crate::harness::{Server, Viewport, run_test};
use thirtyfour::Key;

#[tokio::test]
async fn click_on_chart_filters_all_charts() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 400);
    run_test("insights", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "400 submissions").await;
        page.click("link", "Insights").await;
        let path = format!("/live/forms/{form}/insights");
        page.wait_for_path(&path).await;
        page.wait_for_text("400 submissions").await;
        page.find("heading", "UTM sources").await;
        page.check_accessibility("insights").await;

        page.click("button", ": Devices").await;
        let table = "const row = document.querySelector('.plot-table th[scope=row]');\
             return row && row.textContent === 'Mobile' || null";
        page.wait_for("the table of devices", table, vec![]).await;

        page.click("button", "google").await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
        page.find("button", "Remove UTM source: google").await;
        let count = "return document.querySelector('.page-count').textContent";
        let changed = "const text = document.querySelector('.page-count').textContent;\
             return text.startsWith('400') ? null : text";
        page.wait_for("the filtered count", changed, vec![]).await;
        let narrowed = page.eval(count, vec![]).await;
        page.click("link", "Submissions").await;
        page.wait_for_path(&format!("/live/forms/{form}?utm_source=google")).await;
        page.wait_for_text(narrowed.as_str().expect("a text")).await;
        page.back().await;
        page.wait_for_path(&format!("{path}?utm_source=google")).await;
        page.click("button", "Remove UTM source: google").await;
        page.wait_for_text("400 submissions").await;

        // All columns of a chart share one tab stop.
        let first = "document.querySelector('.column[tabindex=\"0\"]').focus(); return true";
        page.eval(first, vec![]).await;
        page.press_keys(Key::End + "").await;
        page.press_keys(Key::Enter + "").await;
        let filtered = "return location.search.includes('date_from=') || null";
        page.wait_for("a filter by days", filtered, vec![]).await;
        page.find("button", "Remove From").await;
    })
    .await;
}
