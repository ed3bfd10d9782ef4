//! The trash: rows are deleted by keyboard, or all that match a filter. On a foreign server they
//! are deleted permanently.

use crate::foreign_server::open_foreign_form;
use crate::harness::{Page, Server, TestContext, Viewport, call_api, count_matches, run_test};
use serde_json::{Value, json};
use thirtyfour::Key;

/// Clicks the checkboxes of these rows when they are drawn.
pub(crate) async fn select_rows(page: &Page, rows: &[u64]) {
    let body = "const boxes = document.querySelectorAll('.grid-track .grid-row[data-key] input');
        if (boxes.length <= Math.max(...arguments[0])) return false;
        arguments[0].forEach(n => boxes[n].click()); return true";
    page.wait_for("rows", body, vec![json!(rows)]).await;
}

/// Whether a row has the focus.
const IN_ROW: &str = "return document.activeElement.matches('.grid-row')";

/// Ids of the first drawn rows.
const FIRST_ROW_IDS: &str = "return Array.from(document.querySelectorAll('.grid-track [data-key]'))
    .map(row => row.dataset.key).slice(0, 5)";

/// Returns the ids of the first page of the API's list, newest first.
fn list_ids(server: &Server, key: &str, form: &str) -> Vec<String> {
    let (_, body) =
        call_api(key, &format!("{}/v1/forms/{form}/submissions?limit=100", server.url()));
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    let rows = page["data"].as_array().expect("rows");
    rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn rows_are_deleted_restored_and_marked_as_spam() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 400);
    let key = server.create_key("live");
    let before = list_ids(&server, &key, &form);
    run_test("trash", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let count = || count_matches(&context.server, &key, &form, "");
        page.sign_in(&context.server.sign_in_link()).await;
        move_matching_rows(context, &key, &form).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("400 submissions").await;
        select_rows(page, &[1, 3]).await;
        page.wait_for_text("2 selected").await;
        page.click("button", "Delete").await;
        page.wait_for_text("2 submissions moved to trash").await;
        page.wait_for_text("398 submissions").await;
        assert_eq!(count(), 398);
        page.check_accessibility("a notice with a button").await;
        page.press_keys("u").await;
        page.wait_for_text("2 submissions restored").await;
        page.wait_for_text("400 submissions").await;
        assert_eq!((list_ids(&context.server, &key, &form), count()), (before.clone(), 400));
        let all_back = "return document.querySelectorAll('.grid-track [data-key]').length > 4";
        page.wait_for("the rows", all_back, vec![]).await;
        assert_eq!(page.eval(FIRST_ROW_IDS, vec![]).await, json!(before[..5]));

        select_rows(page, &[1, 3]).await;
        page.press_keys("#").await;
        page.wait_for_text("398 submissions").await;
        let after = list_ids(&context.server, &key, &form);
        assert_eq!(page.eval(FIRST_ROW_IDS, vec![]).await, json!(after[..5]));

        page.click("link", "Trash").await;
        page.wait_for_text("2 submissions in trash").await;
        page.check_accessibility("the trash").await;
        press_in_row(page, "Restore").await;
        page.wait_for_text("1 submission in trash").await;
        press_in_row(page, "Delete permanently").await;
        page.wait_for_text("This cannot be undone.").await;
        page.click("button", "Delete permanently").await;
        page.wait_for_text("Trash is empty").await;
        assert_eq!(count(), 399);
        mark_spam(page, &form).await;
    })
    .await;
}

/// Clicks a button of the first row of a table.
async fn press_in_row(page: &Page, word: &str) {
    let body = "const all = Array.from(document.querySelectorAll('tbody tr:first-child button'));
        const button = all.find(one => one.textContent.startsWith(arguments[0]));
        button?.click(); return Boolean(button)";
    page.wait_for("the button", body, vec![json!(word)]).await;
}

/// The code for selections loads after the first view, and a user may be faster than the network.
#[tokio::test]
async fn early_key_presses_act_on_selection() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(60);
    proxy.delay_files(Some("/split_tools-"));
    run_test("trash-late", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("60 submissions").await;
        select_rows(page, &[1, 3, 4]).await;
        page.press_keys("#").await;
        page.wait_until_stable().await;
        page.wait_until_text_is_gone("moved to trash").await;
        proxy.delay_files(None);
        page.wait_for_text("3 submissions moved to trash").await;
        page.wait_for_text("57 submissions").await;
    })
    .await;
}

/// Moves all submissions that match a filter to the trash, and restores them.
async fn move_matching_rows(context: &TestContext, key: &str, form: &str) {
    let page = &context.page;
    let count = |query: &str| count_matches(&context.server, key, form, query);
    let matching = count("search=the");
    assert!((101..400).contains(&matching), "{matching} of the samples match");
    page.open(&format!("/live/forms/{form}?search=the")).await;
    page.wait_for_text(&format!("{matching} submissions")).await;
    select_rows(page, &[0]).await;
    // Outside of a row, Ctrl+A belongs to the browser.
    page.wait_for("the focus in a row", IN_ROW, vec![]).await;
    page.press_keys(Key::Control + "a").await;
    page.click("button", &format!("Select all {matching} that match")).await;
    page.wait_for_text(&format!("All {matching} that match are selected")).await;
    page.click("button", "Delete").await;
    page.wait_for_text("Answers contain “the”").await;
    page.fill_text_field(&format!("Type {matching} to confirm"), &matching.to_string()).await;
    page.click("button", "Move to trash").await;
    page.wait_for_text(&format!("{matching} submissions moved to trash")).await;
    page.wait_for_text("No matching submissions").await;
    assert_eq!(count("search=the"), 0);
    assert_eq!(count(""), 400 - matching);
    page.click("button", "Undo").await;
    page.wait_for_text(&format!("{matching} submissions restored")).await;
    assert_eq!(count("search=the"), matching);
    assert_eq!(count(""), 400);
}

/// Marks rows of 399 submissions as spam.
async fn mark_spam(page: &Page, form: &str) {
    page.open(&format!("/live/forms/{form}")).await;
    page.wait_for_text("399 submissions").await;
    select_rows(page, &[0, 2]).await;
    page.click("button", "Mark as spam").await;
    page.wait_for_text("2 submissions marked as spam").await;
    page.wait_for_text("397 submissions").await;
    page.click("button", "Undo").await;
    page.wait_for_text("399 submissions").await;
    select_rows(page, &[0]).await;
    page.click("button", "Mark as spam").await;
    page.wait_for_text("398 submissions").await;
    page.open(&format!("/live/forms/{form}/settings/spam")).await;
    page.wait_for_text("Marked as spam").await;
}

#[tokio::test]
async fn foreign_server_deletes_within_rate_limit() {
    let service = Server::start_service("free");
    let form = service.create_sampled_form("Feedback", "live", 40);
    let key = service.create_key("live");
    let server = Server::start_gateway(&service.url(), &[("live", &key)]);
    run_test("trash-foreign", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        open_foreign_form(context, &form).await;
        page.wait_for_text("40 submissions").await;
        select_rows(page, &[0, 2, 5]).await;
        page.click("button", "Delete").await;
        page.wait_for_text("This cannot be undone.").await;
        page.click("button", "Delete permanently").await;
        page.wait_for_text("of 3").await;
        page.wait_for_text("3 submissions deleted").await;
        page.wait_for_text("37 submissions").await;
        // A deletion faster than the limit would leave a 429 in the console.
        let console = page.take_console_errors().await;
        assert!(console.iter().all(|line| line.contains("beforeunload")), "{console:?}");
    })
    .await;
    drop(service);
}
