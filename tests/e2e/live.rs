//! Live updates: what others do appears on an open page.

use crate::harness::{Page, Server, Viewport, run_test, submit};
use crate::offline::assert_only_lost_requests;
use crate::triage::{wait_for_list, wait_for_marks};
use serde_json::{Value, json};
use thirtyfour::Key;

/// Counts the streams of events that the server has begun, in `window.beganStreams`.
const COUNT_STREAMS: &str = "const realFetch = window.fetch;
    window.beganStreams = 0;
    window.fetch = async (request, options) => {
        const answer = await realFetch(request, options);
        if (answer.ok && answer.url.includes('/account/events')) window.beganStreams += 1;
        return answer;
    };";

async fn wait_for_stream(page: &Page, count: u64) {
    let has_begun = "return window.beganStreams >= arguments[0]";
    page.wait_for("the stream", has_begun, vec![json!(count)]).await;
}

/// Sends a request of the signed-in member, which the page does not know of.
async fn send(page: &Page, method: &str, path: &str, body: Option<Value>) {
    let send = "const [method, path, body] = arguments;
        const answer = await fetch(path, { method,
            headers: { 'content-type': 'application/json', 'x-sheaf-csrf': '1' },
            body: body && JSON.stringify(body) });
        return answer.status";
    let status = page.eval_async(send, vec![json!(method), json!(path), json!(body)]).await;
    assert!(status.as_u64().is_some_and(|status| status < 300), "{path}: {status}");
}

async fn star(page: &Page, form: &str, id: &str) {
    let body = json!({ "ids": [id], "set": { "starred": true } });
    send(page, "PATCH", &format!("/account/forms/{form}/submissions"), Some(body)).await;
}

#[tokio::test]
async fn open_page_shows_what_others_do() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("live", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.before_pages(COUNT_STREAMS).await;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        wait_for_list(page).await;
        wait_for_stream(page, 1).await;
        let ids = "return [...document.querySelectorAll('.grid-track [data-key]')]
            .slice(0, 3).map(row => row.dataset.key)";
        let ids = page.eval(ids, vec![]).await;
        let id = |row: usize| ids[row].as_str().expect("an id").to_owned();

        star(page, &form, &id(1)).await;
        wait_for_marks(page, &["", "Starred", ""]).await;
        page.press_keys("j").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Add note").await;
        let notes = format!("/account/forms/{form}/submissions/{}/notes", id(0));
        send(page, "POST", &notes, Some(json!({ "text": "Called her" }))).await;
        page.wait_for_text("Called her").await;
        page.click("button", "Close").await;

        // The regular checks would show neither of the two.
        let trash = json!({ "ids": [id(1)] });
        send(page, "POST", &format!("/account/forms/{form}/trash"), Some(trash)).await;
        page.wait_for_text("29 submissions").await;
        wait_for_marks(page, &["", "", ""]).await;

        submit(&format!("{}/f/{form}", context.server.url()), r#"{"comment":"Hello"}"#);
        page.wait_for_text("1 new").await;

        // A restarted server sends no events of before. The page requests what they changed.
        context.server.stop();
        context.server.start_again();
        star(page, &form, &id(0)).await;
        wait_for_stream(page, 2).await;
        wait_for_marks(page, &["Starred", "", ""]).await;
        assert_only_lost_requests(page).await;
    })
    .await;
}
