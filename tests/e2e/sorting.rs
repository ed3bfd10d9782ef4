//! The list in other orders, as the API sorts it.

use crate::harness::{Page, Server, Viewport, call_api, run_test};
use crate::triage::focus_next_row;
use serde_json::{Value, json};
use thirtyfour::Key;

/// Returns the ids of all submissions of a sorted list, as the API lists them.
fn sorted_ids(server: &Server, key: &str, form: &str, sort: &str) -> Vec<Value> {
    let mut ids = Vec::new();
    let mut cursor = String::new();
    loop {
        let url =
            format!("{}/v1/forms/{form}/submissions?limit=100&sort={sort}{cursor}", server.url());
        let (status, body) = call_api(key, &url);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        let page: Value = serde_json::from_slice(&body).expect("JSON");
        let rows = page["data"].as_array().expect("a list");
        ids.extend(rows.iter().map(|row| row["id"].clone()));
        match page["pagination"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

/// Waits until the list shows these submissions first.
async fn wait_for_first_rows(page: &Page, ids: &[Value]) {
    let shown = "const rows = [...document.querySelectorAll('[role=row][data-key]')];
        rows.sort((one, other) => one.ariaRowIndex - other.ariaRowIndex);
        return arguments[0].every((id, index) => rows[index]?.dataset.key === id)";
    page.wait_for("the rows in this order", shown, vec![json!(ids[..10])]).await;
}

#[tokio::test]
async fn list_is_sorted_by_keyboard_and_on_phone() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 450);
    let key = server.create_key("live");
    let (_, body) = call_api(&key, &format!("{}/v1/forms/{form}", server.url()));
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let fields = body["data"]["fields"].as_array().expect("a list");
    let name = fields.iter().find(|field| field["name"] == "Name").expect("a field");
    let name = name["id"].as_str().expect("an id");
    run_test("sorting", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "450 submissions").await;
        let path = format!("/live/forms/{form}");
        let oldest = sorted_ids(&context.server, &key, &form, "%2Bsubmitted_at");
        page.find("button", "Submitted")
            .await
            .0
            .send_keys(Key::Enter + "")
            .await
            .expect("a button");
        page.wait_for_path(&format!("{path}?sort=%2Bsubmitted_at")).await;
        wait_for_first_rows(page, &oldest).await;

        let names = sorted_ids(&context.server, &key, &form, &format!("-{name}"));
        page.find("button", "Name").await.0.send_keys(Key::Enter + "").await.expect("a button");
        page.wait_for_path(&format!("{path}?sort={name}")).await;
        // The button keeps the focus.
        page.press_keys(Key::Enter + "").await;
        let sorted = format!("{path}?sort=-{name}");
        page.wait_for_path(&sorted).await;
        wait_for_first_rows(page, &names).await;
        page.check_appearance("sorted-list").await;

        // Scrolling loads every page: the last row is that of the API.
        let last = "document.querySelector('[role=grid]').scrollTop = 1e6;
            return document.querySelector('[aria-rowindex=\"451\"]')?.dataset.key ?? null";
        let last = page.wait_for("the last row", last, vec![]).await;
        assert_eq!(Some(&last), names.last());

        page.click("button", "Export").await;
        page.wait_for_text("In the order of the list").await;
        page.click("radio", "CSV").await;
        page.click("button", "Download").await;
        let (_, bytes) = page.download().await;
        let mut table = csv::Reader::from_reader(&bytes[..]);
        let written = table.records().map(|row| json!(row.expect("a row")[0]));
        assert_eq!(written.collect::<Vec<_>>(), names);

        // The card steps in the same order.
        page.open(&sorted).await;
        wait_for_first_rows(page, &names).await;
        focus_next_row(page, 0).await;
        page.press_keys(Key::Enter + "").await;
        let of = |id: &Value| {
            let id = id.as_str().expect("an id");
            format!("{path}/submissions/{id}?sort=-{name}")
        };
        page.wait_for_path(&of(&names[0])).await;
        // The list handles the keys until the card is shown.
        page.wait_for_text("Answers").await;
        page.press_keys("j").await;
        page.wait_for_path(&of(&names[1])).await;

        page.open(&sorted).await;
        page.click("button", "Views").await;
        page.fill_text_field("View name", "By name").await;
        page.click("button", "Save view").await;
        page.find("link", "By name").await;
        page.open(&path).await;
        page.click("button", "Views").await;
        page.click("link", "By name").await;
        page.wait_for_path(&sorted).await;
        wait_for_first_rows(page, &names).await;
        sort_on_phone(page, &path, &oldest).await;
    })
    .await;
}

/// The order may have changed meanwhile, so a sorted export cannot continue where it ended.
#[tokio::test]
async fn interrupted_sorted_export_starts_again() {
    let (server, proxy, form) = Server::start_signed_in_by_proxy(2000);
    let key = server.create_key("live");
    run_test("sorted-export", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open(&format!("/live/forms/{form}?sort=%2Bsubmitted_at")).await;
        page.wait_for_text("2,000 submissions").await;
        proxy.cut_response("/submissions/export", 100_000);
        page.click("button", "Export").await;
        page.click("radio", "NDJSON").await;
        page.click("button", "Download").await;
        let lines = String::from_utf8(page.download().await.1).expect("UTF-8");
        let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let ids: Vec<Value> = rows.map(|row| row["id"].clone()).collect();
        assert!(proxy.has_cut_response());
        let expected = sorted_ids(&context.server, &key, &form, "%2Bsubmitted_at");
        assert!(ids == expected, "{} and {} submissions", ids.len(), expected.len());
        let console_errors = page.take_console_errors().await;
        assert!(console_errors.iter().all(|line| line.contains("ERR_")), "{console_errors:?}");
    })
    .await;
}

/// Sorts a list by the columns panel of a phone.
async fn sort_on_phone(page: &Page, path: &str, oldest: &[Value]) {
    page.set_viewport(Viewport::PHONE_DARK).await;
    page.open(path).await;
    page.wait_for_text("450 submissions").await;
    page.click("button", "Columns").await;
    page.find("combobox", "Sort by").await.0.send_keys("Oldest").await.expect("a list");
    page.wait_for_path(&format!("{path}?sort=%2Bsubmitted_at")).await;
    page.check_appearance("sorted-phone").await;
    wait_for_first_rows(page, oldest).await;
}
