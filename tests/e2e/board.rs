//! The board: submissions are moved from status to status, by keyboard and with the mouse.

use crate::harness::{Page, Server, Viewport, count_matches, run_test, submit};
use serde_json::json;
use thirtyfour::Key;

/// Sends submissions to a form, and returns its id.
fn send_submissions(server: &Server) -> String {
    let form = server.create_form("Feedback", "live");
    let url = format!("{}/f/{form}", server.url());
    for number in 0..30 {
        let name = format!("Person {number}");
        let answers = json!({ "name": name, "message": format!("Message {number}") });
        submit(&url, &answers.to_string());
    }
    form
}

/// Waits until the columns have these names and numbers.
async fn wait_for_columns(page: &Page, columns: &[&str]) {
    let shown = "const heads = [...document.querySelectorAll('.board-head')];
        return heads.map(head => head.innerText.replace(/\\s+/g, ' ').trim()).join()
            === arguments[0].join()";
    page.wait_for(&format!("the columns {columns:?}"), shown, vec![json!(columns)]).await;
}

/// Waits until a card is the focused one, and in this column.
async fn wait_for_focus(page: &Page, title: &str, column: &str) {
    let is_focused = "const card = document.activeElement;
        return card.matches('.board-card') && card.innerText.startsWith(arguments[0])
            && card.closest('section').innerText.startsWith(arguments[1])";
    let arguments = vec![json!(title), json!(column)];
    page.wait_for(&format!("{title} in {column}"), is_focused, arguments).await;
}

#[tokio::test]
async fn submissions_move_from_status_to_status() {
    let server = Server::start("enterprise");
    let form = send_submissions(&server);
    let key = server.create_key("live");
    run_test("board", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let board = format!("/live/forms/{form}/board");
        page.sign_in(&context.server.sign_in_link()).await;
        check_phone(page, &board).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;
        page.click("link", "Board").await;
        page.wait_for_path(&board).await;
        wait_for_columns(page, &["Open 30", "In progress 0", "Done 0"]).await;

        // The focus follows the cards. `j` first goes to the first card.
        page.press_keys("j").await;
        wait_for_focus(page, "Person 29", "Open").await;
        page.press_keys(Key::Down + "").await;
        wait_for_focus(page, "Person 28", "Open").await;
        page.press_keys("2").await;
        wait_for_focus(page, "Person 28", "In progress").await;
        wait_for_columns(page, &["Open 29", "In progress 1", "Done 0"]).await;
        page.press_keys("3").await;
        wait_for_focus(page, "Person 28", "Done").await;
        page.press_keys("u").await;
        wait_for_focus(page, "Person 28", "In progress").await;
        page.press_keys("s").await;
        page.press_keys(Key::Left + "").await;
        wait_for_focus(page, "Person 29", "Open").await;
        page.check_appearance("board").await;

        // The card opens over the board, and the focus comes back.
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Message 29").await;
        page.press_keys(Key::Escape + "").await;
        page.wait_for_path(&board).await;
        wait_for_focus(page, "Person 29", "Open").await;

        if page.is_firefox() {
            // The actions of its driver do not drag.
            page.press_keys("3").await;
        } else {
            page.drag(("link", "Person 29"), ("heading", "Done")).await;
        }
        wait_for_focus(page, "Person 29", "Done").await;
        wait_for_columns(page, &["Open 28", "In progress 1", "Done 1"]).await;
        page.reload().await;
        wait_for_columns(page, &["Open 28", "In progress 1", "Done 1"]).await;
        let counts = ["status=done", "status=in_progress&starred=true"]
            .map(|query| count_matches(&context.server, &key, &form, query));
        assert_eq!(counts, [1, 1]);

        // A submission of another sender appears.
        let url = format!("{}/f/{form}", context.server.url());
        submit(&url, r#"{"name": "Late sender", "message": "Hello"}"#);
        wait_for_columns(page, &["Open 29", "In progress 1", "Done 1"]).await;
        page.wait_for_text("Late sender").await;
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
    })
    .await;
}

/// Checks the board of 30 open submissions on a phone.
async fn check_phone(page: &Page, board: &str) {
    page.set_viewport(Viewport::PHONE_DARK).await;
    page.open(board).await;
    wait_for_columns(page, &["Open 30", "In progress 0", "Done 0"]).await;
    page.wait_for_text("Message 29").await;
    page.check_appearance("board-phone").await;
    let scrolls = "const board = document.querySelector('.board');
        board.scrollLeft = board.scrollWidth;
        const last = [...board.querySelectorAll('section')].at(-1).getBoundingClientRect();
        return last.left >= 0 && last.right <= innerWidth";
    page.wait_for("the last column", scrolls, vec![]).await;
    page.set_viewport(Viewport::DESKTOP).await;
}
