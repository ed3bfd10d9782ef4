//! The trash: rows are deleted by keyboard, or all that match a filter. On a foreign server they
//! are deleted permanently.

use crate::harness::{Look, Page, Server, curl, journey};
use serde_json::{Value, json};
use thirtyfour::Key;

/// Clicks the checkboxes of these rows when they are drawn.
pub(crate) async fn select(page: &Page, rows: &[u64]) {
    let body = "const boxes = document.querySelectorAll('.grid-track .grid-row[data-key] input');
        if (boxes.length <= Math.max(...arguments[0])) return false;
        arguments[0].forEach(n => boxes[n].click()); return true";
    page.wait_for("rows", body, vec![json!(rows)]).await;
}

/// Whether a row has the focus.
const IN_ROW: &str = "return document.activeElement.matches('.grid-row')";

/// Ids of the first drawn rows.
const SHOWN: &str = "return Array.from(document.querySelectorAll('.grid-track [data-key]'))
    .map(row => row.dataset.key).slice(0, 5)";

/// Returns the ids of the API's list, newest first.
fn listed(server: &Server, key: &str, form: &str) -> Vec<String> {
    let (_, body) = curl(key, &format!("{}/v1/forms/{form}/submissions?limit=100", server.url()));
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    let rows = page["data"].as_array().expect("rows");
    rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn deleted_rows_are_restored_or_deleted_permanently() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    let key = server.key("live");
    let before = listed(&server, &key, &form);
    journey("trash", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        select(page, &[1, 3]).await;
        page.sees("2 selected").await;
        page.click("button", "Delete").await;
        page.sees("2 submissions moved to trash").await;
        page.sees("58 submissions").await;
        assert_eq!(listed(&world.server, &key, &form).len(), 58);
        page.is_accessible("a notice with a button").await;
        page.press("u").await;
        page.sees("2 submissions restored").await;
        page.sees("60 submissions").await;
        assert_eq!(listed(&world.server, &key, &form), before);
        let all_back = "return document.querySelectorAll('.grid-track [data-key]').length > 4";
        page.wait_for("the rows", all_back, vec![]).await;
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(before[..5]));

        select(page, &[1, 3]).await;
        page.press("#").await;
        page.sees("58 submissions").await;
        let after = listed(&world.server, &key, &form);
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(after[..5]));

        page.click("link", "Trash").await;
        page.sees("2 submissions in trash").await;
        page.is_accessible("the trash").await;
        press_in_row(page, "Restore").await;
        page.sees("1 submission in trash").await;
        press_in_row(page, "Delete permanently").await;
        page.sees("This cannot be undone.").await;
        page.click("button", "Delete permanently").await;
        page.sees("Trash is empty").await;
        assert_eq!(listed(&world.server, &key, &form).len(), 59);
        assert_eq!(page.console().await, Vec::<String>::new());
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
    proxy.hold(Some("/split_tools-"));
    journey("trash-late", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        select(page, &[1, 3, 4]).await;
        page.press("#").await;
        page.rests().await;
        page.misses("moved to trash").await;
        proxy.hold(None);
        page.sees("3 submissions moved to trash").await;
        page.sees("57 submissions").await;
    })
    .await;
}

#[tokio::test]
async fn matching_rows_move_to_trash_and_back() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 400);
    let key = server.key("live");
    let count = |server: &Server, query: &str| {
        let url = format!("{}/v1/forms/{form}/submissions?limit=1{query}", server.url());
        let page: Value = serde_json::from_slice(&curl(&key, &url).1).expect("JSON");
        page["pagination"]["total"].as_u64().expect("a count")
    };
    let matching = count(&server, "&search=the");
    assert!((101..400).contains(&matching), "{matching} of the samples match");
    journey("trash-all", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}?search=the")).await;
        page.sees(&format!("{matching} submissions")).await;
        select(page, &[0]).await;
        // Outside of a row, Ctrl+A belongs to the browser.
        page.wait_for("the focus in a row", IN_ROW, vec![]).await;
        page.press(Key::Control + "a").await;
        page.click("button", &format!("Select all {matching} that match")).await;
        page.sees(&format!("All {matching} that match are selected")).await;
        page.click("button", "Delete").await;
        page.sees("Answers contain “the”").await;
        page.fill(&format!("Type {matching} to confirm"), &matching.to_string()).await;
        page.click("button", "Move to trash").await;
        page.sees(&format!("{matching} submissions moved to trash")).await;
        page.sees("No matching submissions").await;
        assert_eq!(count(&world.server, "&search=the"), 0);
        assert_eq!(count(&world.server, ""), 400 - matching);
        page.click("button", "Undo").await;
        page.sees(&format!("{matching} submissions restored")).await;
        assert_eq!(count(&world.server, "&search=the"), matching);
        assert_eq!(count(&world.server, ""), 400);
    })
    .await;
}

#[tokio::test]
async fn spam_mark_is_listed_and_undone() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    journey("trash-spam", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        select(page, &[0, 2]).await;
        page.click("button", "Mark as spam").await;
        page.sees("2 submissions marked as spam").await;
        page.sees("58 submissions").await;
        page.click("button", "Undo").await;
        page.sees("60 submissions").await;
        select(page, &[0]).await;
        page.click("button", "Mark as spam").await;
        page.sees("59 submissions").await;
        page.open(&format!("/live/forms/{form}/settings/spam")).await;
        page.sees("Marked as spam").await;
    })
    .await;
}

#[tokio::test]
async fn foreign_server_deletes_within_rate_limit() {
    let service = Server::start_service("free");
    let form = service.sampled_form("Feedback", "live", 40);
    let key = service.key("live");
    let server = Server::start_gateway(&service.url(), &[("live", &key)]);
    journey("trash-foreign", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&world.server.link()).await;
        page.accept_link().await;
        page.fill("Form ID", &form).await;
        page.click("button", "Open form").await;
        page.sees("40 submissions").await;
        select(page, &[0, 2, 5]).await;
        page.click("button", "Delete").await;
        page.sees("This cannot be undone.").await;
        page.click("button", "Delete permanently").await;
        page.sees("of 3").await;
        page.sees("3 submissions deleted").await;
        page.sees("37 submissions").await;
        // A deletion faster than the limit would leave a 429 in the console.
        let console = page.console().await;
        assert!(console.iter().all(|line| line.contains("beforeunload")), "{console:?}");
    })
    .await;
    drop(service);
}
