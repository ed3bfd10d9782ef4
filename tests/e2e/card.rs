//! The card of a submission: open, previous and next, link, delete.

use crate::harness::{Page, Server, Viewport, call_api, run_test};
use serde_json::{Value, json};
use thirtyfour::Key;

fn newest_submissions(server: &Server, key: &str, form: &str) -> Vec<Value> {
    let (_, body) = call_api(key, &format!("{}/v1/forms/{form}/submissions?limit=5", server.url()));
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    page["data"].as_array().expect("rows").clone()
}

#[tokio::test]
async fn card_has_url_and_neighbours_and_is_deleted() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 60);
    let key = server.create_key("live");
    let rows = newest_submissions(&server, &key, &form);
    let id = |n: usize| rows[n]["id"].as_str().expect("an id");
    run_test("card", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let path = format!("/live/forms/{form}");
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&path).await;
        page.wait_for_text("60 submissions").await;
        page.press_keys("j").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_path(&format!("{path}/submissions/{}", id(0))).await;
        // The card's code may load a moment later; until then the list handles the keys.
        page.wait_for_text("Answers").await;
        page.press_keys("j").await;
        page.wait_for_path(&format!("{path}/submissions/{}", id(1))).await;
        page.click("button", "Previous").await;
        page.wait_for_path(&format!("{path}/submissions/{}", id(0))).await;
        page.press_keys(Key::Escape + "").await;
        page.wait_for_path(&path).await;
        page.open(&format!("{path}/submissions/{}", id(2))).await;
        let answers = rows[2]["answers"].as_object().expect("answers");
        for text in answers.values().filter_map(Value::as_str) {
            page.wait_for_text(text.lines().next().unwrap_or_default().trim()).await;
        }
        page.open(&format!("{path}/submissions/sub_unknown")).await;
        page.wait_for_text("Submission not found").await;
        page.take_console_errors().await;

        check_first_frame(page, &path).await;
        page.open(&format!("{path}/submissions/{}", id(0))).await;
        // Card and list load by separate requests. Click only when both are stable, as a user
        // would.
        page.wait_for_text("60 submissions").await;
        page.wait_for_text("Answers").await;
        page.wait_until_stable().await;
        page.click("button", "Delete").await;
        page.wait_for_text("59 submissions").await;
        page.wait_for_text("Moved to trash").await;
        page.wait_for_path(&format!("{path}/submissions/{}", id(1))).await;
        let deleted = format!("{}/v1/submissions/{}", context.server.url(), id(0));
        assert_eq!(call_api(&key, &deleted).0, 404);
        page.reload().await;
        page.wait_for_text("59 submissions").await;
    })
    .await;
}

/// Opens the first row. In the first frame with the card, returns by how much the list has
/// become narrower, and how far the page could scroll sideways, both in px.
const FIRST_FRAME: &str = r"
document.querySelector('[role=row][data-key]').click();
const right = selector => document.querySelector(selector).getBoundingClientRect().right;
return new Promise(done => {
  const look = () => {
    const main = document.querySelector('main');
    if (document.querySelector('.drawer-body dd')) {
      done([right('.split') - right('.split-list'), main.scrollWidth - main.clientWidth]);
    } else {
      requestAnimationFrame(look);
    }
  };
  requestAnimationFrame(look);
});";

/// Checks that a card is shown before the list becomes narrower.
async fn check_first_frame(page: &Page, path: &str) {
    page.open(path).await;
    page.wait_for_text("60 submissions").await;
    // The first time, a skeleton stays until the card's code is loaded.
    page.eval_async(FIRST_FRAME, vec![]).await;
    page.press_keys(Key::Escape + "").await;
    page.wait_for("the list alone", "return !document.querySelector('.drawer')", vec![]).await;
    assert_eq!(page.eval_async(FIRST_FRAME, vec![]).await, json!([0, 0]));
    let is_adjacent = "const edge = (selector, side) =>
            document.querySelector(selector).getBoundingClientRect()[side];
        return edge('.split-list', 'right') === edge('.drawer', 'left')";
    page.wait_for("the list next to the card", is_adjacent, vec![]).await;
}
