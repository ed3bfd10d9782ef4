//! The card: opened, walked, copied, linked to, deleted.

use crate::harness::{Look, Server, curl, journey};
use serde_json::{Value, json};
use thirtyfour::Key;

fn newest(server: &Server, key: &str, form: &str) -> Vec<Value> {
    let (_, body) = curl(key, &format!("{}/v1/forms/{form}/submissions?limit=5", server.url()));
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    page["data"].as_array().expect("rows").clone()
}

#[tokio::test]
async fn a_card_has_its_own_address_and_neighbours() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    let key = server.key("live");
    let rows = newest(&server, &key, &form);
    let id = |n: usize| rows[n]["id"].as_str().expect("an id");
    journey("card", Look::DESK, server, async |world| {
        let page = &world.page;
        let place = format!("/live/forms/{form}");
        page.sign_in(&world.server.link()).await;
        page.open(&place).await;
        page.sees("60 submissions").await;
        page.press("j").await;
        page.press(Key::Enter + "").await;
        page.is_at(&format!("{place}/submissions/{}", id(0))).await;
        // The card's code may come a moment later, and keys are the list's until then.
        page.sees("Answers").await;
        page.press("j").await;
        page.is_at(&format!("{place}/submissions/{}", id(1))).await;
        page.click("button", "Previous").await;
        page.is_at(&format!("{place}/submissions/{}", id(0))).await;
        page.press(Key::Escape + "").await;
        page.is_at(&place).await;
        page.open(&format!("{place}/submissions/{}", id(2))).await;
        let answers = rows[2]["answers"].as_object().expect("answers");
        for text in answers.values().filter_map(Value::as_str) {
            page.sees(text.lines().next().unwrap_or_default().trim()).await;
        }
        page.open(&format!("{place}/submissions/sub_unknown")).await;
        page.sees("This submission does not exist").await;
        page.console().await;
    })
    .await;
}

/// Opens the first row, and returns of the first frame that has its card how much room the list has
/// made for it, and how far the page could be scrolled sideways, both in px.
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

#[tokio::test]
async fn a_card_comes_before_the_list_makes_room_for_it() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    journey("card-first", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("60 submissions").await;
        // The first time, shapes stand for it until its code has come.
        page.eval_async(FIRST_FRAME, vec![]).await;
        page.press(Key::Escape + "").await;
        page.wait_for("the list alone", "return !document.querySelector('.drawer')", vec![]).await;
        assert_eq!(page.eval_async(FIRST_FRAME, vec![]).await, json!([0, 0]));
        let beside = "const edge = (selector, side) =>
                document.querySelector(selector).getBoundingClientRect()[side];
            return edge('.split-list', 'right') === edge('.drawer', 'left')";
        page.wait_for("the list beside the card", beside, vec![]).await;
    })
    .await;
}

#[tokio::test]
async fn deleting_moves_to_the_trash_and_leads_to_the_next() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 60);
    let key = server.key("live");
    let rows = newest(&server, &key, &form);
    let first = rows[0]["id"].as_str().expect("an id").to_owned();
    journey("delete", Look::DESK, server, async |world| {
        let page = &world.page;
        let place = format!("/live/forms/{form}");
        let api = format!("{}/v1/submissions/{first}", world.server.url());
        page.sign_in(&world.server.link()).await;
        page.open(&format!("{place}/submissions/{first}")).await;
        // Card and list come by requests of their own; a person clicks when both stand still.
        page.sees("60 submissions").await;
        page.sees("Answers").await;
        page.rests().await;
        page.click("button", "Delete").await;
        page.sees("59 submissions").await;
        page.sees("Moved to trash").await;
        let next = rows[1]["id"].as_str().expect("an id");
        page.is_at(&format!("{place}/submissions/{next}")).await;
        assert_eq!(curl(&key, &api).0, 404);
        page.reload().await;
        page.sees("59 submissions").await;
    })
    .await;
}
