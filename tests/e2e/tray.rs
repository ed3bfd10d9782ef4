//! Deleting without fear: one, many and all, undone and done, over a reload, at the Free plan's pace.

use crate::harness::{Look, PATIENCE, Page, Server, curl, journey};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use thirtyfour::Key;

/// Clicks the boxes of these rows, once they are there.
pub(crate) async fn select(page: &Page, rows: &[u64]) {
    let body = "const boxes = document.querySelectorAll('.grid-track .grid-row[data-key] input');
        if (boxes.length <= Math.max(...arguments[0])) return false;
        arguments[0].forEach(n => boxes[n].click()); return true";
    page.wait_for("rows", body, vec![json!(rows)]).await;
}

/// Whether a row has the focus.
const IN_ROW: &str = "return document.activeElement.matches('.grid-row')";

/// What the API lists, newest first.
fn listed(server: &Server, key: &str, form: &str) -> Vec<String> {
    let (_, body) = curl(key, &format!("{}/v1/forms/{form}/submissions?limit=100", server.url()));
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    let rows = page["data"].as_array().expect("rows");
    rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

const SHOWN: &str = "return Array.from(document.querySelectorAll('.grid-track [data-key]'))
    .map(row => row.dataset.key).slice(0, 5)";

#[tokio::test]
async fn many_wait_over_a_reload_come_back_and_go() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    let key = server.key("live");
    let before = listed(&server, &key, &form);
    journey("tray", Look::DESK, server, async |world| {
        let page = &world.page;
        let place = format!("/live/forms/{form}");
        page.sign_in(&world.server.link()).await;
        page.open(&place).await;
        page.sees("60 submissions").await;
        select(page, &[1, 3]).await;
        page.sees("2 selected").await;
        page.click("button", "Delete").await;
        page.sees("it cannot be undone").await;
        page.hold_clock().await;
        page.click("button", "Delete 2 submissions").await;
        page.sees("Deleting 2 submissions in").await;
        page.sees("58 submissions").await;
        page.reload().await;
        page.hold_clock().await;
        page.sees("Deleting 2 submissions in").await;
        page.sees("58 submissions").await;
        page.open("/settings/keys").await;
        page.hold_clock().await;
        page.sees("Deleting 2 submissions in").await;
        page.open(&place).await;
        page.sees("Deleting 2 submissions in").await;
        assert_eq!(listed(&world.server, &key, &form), before, "nothing has gone");
        page.press("u").await;
        page.sees("60 submissions").await;
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(before[..5]));
        select(page, &[1, 3]).await;
        page.press("#").await;
        page.click("button", "Delete 2 submissions").await;
        page.sees("2 submissions deleted").await;
        let after = listed(&world.server, &key, &form);
        assert_eq!(after.len(), 58);
        assert!(!after.contains(&before[1]) && !after.contains(&before[3]));
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(after[..5]));
        // Who has touched a page is asked before it is left; of others the browser notes that.
        let console = page.console().await;
        assert!(console.iter().all(|line| line.contains("beforeunload")), "{console:?}");
    })
    .await;
}

/// The answer to what was on its way reaches nobody, and the list comes only once it is gone.
#[tokio::test]
async fn a_reload_in_the_midst_of_it_leaves_the_count_right() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(60);
    let key = server.key("live");
    journey("tray-midst", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        delete_two(page).await;
        proxy.hold(Some("/api/live/v1/"));
        page.click("button", "Delete now").await;
        page.sees("of 2").await;
        page.reload().await;
        proxy.hold(Some("/api/live/v1/forms/"));
        left_by(&world.server, &key, &form, 59).await;
        proxy.hold(None);
        page.sees("Deleting 2 submissions in").await;
        page.sees("58 submissions").await;
        page.sees("2 submissions deleted").await;
        let after = listed(&world.server, &key, &form);
        assert_eq!(after.len(), 58);
        page.sees("58 submissions").await;
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(after[..5]));
        let counts = page.eval(COUNTS, vec![]).await;
        assert_eq!(counts, json!(["58 submissions", "58"]), "above the list, and in the side bar");
        // One was gone already; and who has touched a page is asked before it is left.
        let console = page.console().await;
        let is_expected = |line: &String| line.contains("404") || line.contains("beforeunload");
        assert!(console.iter().all(is_expected), "{console:?}");
    })
    .await;
}

/// What is said of how many there are.
const COUNTS: &str = "return ['.page-count', '.nav-count']
    .map(one => document.querySelector(one).textContent)";

/// Waits until the server has so many.
async fn left_by(server: &Server, key: &str, form: &str, count: usize) {
    let since = Instant::now();
    while listed(server, key, form).len() != count {
        assert!(since.elapsed() < PATIENCE, "waited in vain for {count} submissions");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What a pick does comes after the first view, and a person may be quicker than their line.
#[tokio::test]
async fn what_is_picked_before_its_code_came_is_what_is_asked_about() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(60);
    proxy.hold(Some("/split_tools-"));
    journey("tray-late", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        select(page, &[1, 3, 4]).await;
        page.press("#").await;
        page.rests().await;
        page.misses("it cannot be undone").await;
        proxy.hold(None);
        page.find("dialog", "Delete 3 submissions?").await;
    })
    .await;
}

#[tokio::test]
async fn all_that_match_go_and_nothing_else() {
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
    journey("tray-all", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}?search=the")).await;
        page.sees(&format!("{matching} submissions")).await;
        select(page, &[0]).await;
        // By itself the key is the browser's.
        page.wait_for("the focus in a row", IN_ROW, vec![]).await;
        page.press(Key::Control + "a").await;
        page.click("button", &format!("Select all {matching} that match")).await;
        page.sees(&format!("All {matching} that match are selected")).await;
        page.click("button", "Delete").await;
        page.sees("Answers contain “the”").await;
        page.fill(&format!("Type {matching} to confirm"), &matching.to_string()).await;
        page.click("button", &format!("Delete {matching} submissions")).await;
        page.sees("Nothing is left here").await;
        page.click("button", "Undo").await;
        page.sees(&format!("{matching} submissions")).await;
        assert_eq!(count(&world.server, "&search=the"), matching);
        select(page, &[0]).await;
        // By itself the key is the browser's.
        page.wait_for("the focus in a row", IN_ROW, vec![]).await;
        page.press(Key::Control + "a").await;
        page.click("button", &format!("Select all {matching} that match")).await;
        page.click("button", "Delete").await;
        page.fill(&format!("Type {matching} to confirm"), &matching.to_string()).await;
        page.click("button", &format!("Delete {matching} submissions")).await;
        page.click("button", "Delete now").await;
        page.sees(&format!("{matching} submissions deleted")).await;
        assert_eq!(count(&world.server, "&search=the"), 0);
        assert_eq!(count(&world.server, ""), 400 - matching);
    })
    .await;
}

#[tokio::test]
async fn two_tabs_have_one_tray_and_one_of_them_works() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    let key = server.key("live");
    let before = listed(&server, &key, &form);
    journey("tray-tabs", Look::DESK, server, async |world| {
        let page = &world.page;
        let place = format!("/live/forms/{form}");
        page.sign_in(&world.server.link()).await;
        page.open(&place).await;
        page.sees("60 submissions").await;
        let first = page.tab().await;
        let second = page.new_tab().await;
        page.open(&place).await;
        page.sees("60 submissions").await;

        // What is decided in one is seen, and taken back, in the other.
        delete_two(page).await;
        page.show(&first).await;
        page.sees("Deleting 2 submissions in").await;
        page.sees("58 submissions").await;
        page.click("button", "Undo").await;
        page.sees("60 submissions").await;
        page.show(&second).await;
        page.sees("60 submissions").await;
        page.misses("Deleting 2 submissions").await;
        assert_eq!(listed(&world.server, &key, &form), before, "nothing has gone");

        // One works, and both know what is gone.
        delete_two(page).await;
        page.click("button", "Delete now").await;
        // Whichever of the two works says that it is done.
        left_by(&world.server, &key, &form, 58).await;
        for tab in [&second, &first] {
            page.show(tab).await;
            page.misses("Deleting 2 submissions").await;
            page.sees("58 submissions").await;
        }

        // Where that one is closed, the other goes on.
        page.show(&second).await;
        delete_two(page).await;
        page.close_tab().await;
        page.show(&first).await;
        page.sees("Deleting 2 submissions in").await;
        // The message of the deletion before may still be shown.
        left_by(&world.server, &key, &form, 56).await;
        page.sees("2 submissions deleted").await;
        page.sees("56 submissions").await;
        let after = listed(&world.server, &key, &form);
        assert_eq!(after.len(), 56);
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(after[..5]));
    })
    .await;
}

/// Decides that two rows go.
async fn delete_two(page: &Page) {
    select(page, &[1, 3]).await;
    page.sees("2 selected").await;
    page.click("button", "Delete").await;
    page.click("button", "Delete 2 submissions").await;
    page.sees("Deleting 2 submissions in").await;
}

#[tokio::test]
async fn what_could_not_be_deleted_is_named_and_tried_again() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    let key = server.key("live");
    let before = listed(&server, &key, &form);
    journey("tray-failed", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        world.server.refuse_deletion(&before[3], true);
        delete_two(page).await;
        page.click("button", "Delete now").await;
        page.sees("1 submission could not be deleted").await;
        let body = "const link = document.querySelector('.tray-failures a');
            return link?.textContent && link.href.endsWith('/submissions/' + arguments[0])";
        page.wait_for("its title, which leads to it", body, vec![json!(before[3])]).await;
        page.sees("59 submissions").await;
        page.is_accessible("a deletion that failed").await;
        let after = listed(&world.server, &key, &form);
        assert!(after.contains(&before[3]) && !after.contains(&before[1]));
        assert_eq!(page.eval(SHOWN, vec![]).await, json!(after[..5]), "it is back in its place");

        world.server.refuse_deletion(&before[3], false);
        page.click("button", "Retry").await;
        page.sees("2 submissions deleted").await;
        page.sees("58 submissions").await;
        assert!(!listed(&world.server, &key, &form).contains(&before[3]));
        let noted = page.console().await;
        assert!(noted.iter().all(|line| line.contains("500")), "{noted:?}");
    })
    .await;
}

#[tokio::test]
async fn a_foreign_server_on_the_free_plan_loses_what_was_chosen_at_its_pace() {
    let service = Server::start_service("free");
    let form = service.sampled_form("Feedback", "live", 40);
    let key = service.key("live");
    let server = Server::start_gateway(&service.url(), &[("live", &key)]);
    journey("tray-free", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&world.server.link()).await;
        page.accept_link().await;
        page.fill("Form ID", &form).await;
        page.click("button", "Open form").await;
        page.sees("40 submissions").await;
        select(page, &[0, 2, 5]).await;
        page.click("button", "Delete").await;
        page.click("button", "Delete 3 submissions").await;
        page.click("button", "Delete now").await;
        page.sees("of 3").await;
        page.sees("3 submissions deleted").await;
        page.sees("37 submissions").await;
        // Were it faster than the plan, a refusal would stand in the console.
        assert_eq!(page.console().await, Vec::<String>::new());
    })
    .await;
    drop(service);
}
