//! The inbox: the submissions of all forms, read and worked through by keyboard.

use crate::harness::{Page, Server, Viewport, count_matches, run_test, submit};
use serde_json::json;
use thirtyfour::Key;

/// Sends submissions to two forms in turn, and returns the ids of the forms.
fn send_submissions(server: &Server) -> [String; 2] {
    let forms = ["Feedback", "Jobs"].map(|name| server.create_form(name, "live"));
    for number in 0..12 {
        let url = format!("{}/f/{}", server.url(), forms[number % 2]);
        let name = format!("Person {number}");
        let answers = json!({ "name": name, "message": format!("Message {number}") });
        submit(&url, &answers.to_string());
    }
    forms
}

/// Waits until the list shows these titles first, in this order.
async fn wait_for_titles(page: &Page, titles: &[&str]) {
    let shown = "const rows = [...document.querySelectorAll('.grid-track [data-key]')];
        rows.sort((one, other) => one.ariaRowIndex - other.ariaRowIndex);
        return arguments[0].every((title, index) => rows[index]?.textContent.includes(title))";
    page.wait_for(&format!("the rows {titles:?}"), shown, vec![json!(titles)]).await;
}

/// Waits until the link to the inbox shows this number of unread submissions.
async fn wait_for_unread(page: &Page, count: u64) {
    let has_count = "const link = document.querySelector('.side-bar a[href*=inbox]');
        return link.querySelector('.unread-count')?.textContent === `${arguments[0]} unread`";
    page.wait_for(&format!("{count} unread"), has_count, vec![json!(count)]).await;
}

#[tokio::test]
async fn inbox_is_worked_through_by_keyboard() {
    let server = Server::start("enterprise");
    let [feedback, jobs] = send_submissions(&server);
    let key = server.create_key("live");
    run_test("inbox", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let count = |form: &str, query: &str| count_matches(&context.server, &key, form, query);
        page.sign_in(&context.server.sign_in_link()).await;
        check_phone(page).await;
        page.open("/").await;
        wait_for_unread(page, 12).await;
        page.click("link", "Inbox").await;
        page.wait_for_path("/live/inbox?read=false").await;
        wait_for_titles(page, &["Person 11", "Person 10", "Person 9"]).await;
        page.wait_for_text("12 submissions").await;
        page.check_appearance("inbox").await;

        // The card opens over the inbox, and marks as read. The keys change submissions of both
        // forms.
        page.press_keys("j").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Message 11").await;
        wait_for_unread(page, 11).await;
        page.press_keys("3").await;
        page.press_keys("j").await;
        page.wait_for_text("Message 10").await;
        wait_for_unread(page, 10).await;
        page.press_keys("s").await;
        page.wait_for_text("History").await;
        page.check_accessibility("the card over the inbox").await;
        page.press_keys(Key::Escape + "").await;
        page.wait_for_path("/live/inbox?read=false").await;
        let stored = "return document.querySelectorAll('.grid-track .star').length === 1
            && document.querySelectorAll('.row-marks .badge[data-tone=positive]').length > 0";
        page.wait_for("the marks", stored, vec![]).await;
        page.reload().await;
        wait_for_titles(page, &["Person 9", "Person 8"]).await;
        page.wait_for_text("10 submissions").await;
        assert_eq!((count(&jobs, "status=done"), count(&feedback, "starred=true")), (1, 1));
        assert_eq!(count(&feedback, "status=done"), 0);

        // A submission of another sender is announced.
        submit(
            &format!("{}/f/{jobs}", context.server.url()),
            r#"{"name": "Late sender", "message": "Hello"}"#,
        );
        page.click("button", "1 new").await;
        wait_for_titles(page, &["Late sender", "Person 9"]).await;

        page.click("link", "All").await;
        page.wait_for_path("/live/inbox").await;
        page.wait_for_text("13 submissions").await;
        wait_for_titles(page, &["Late sender", "Person 11"]).await;
        page.click("link", "Assigned to me").await;
        page.wait_for_text("No submissions assigned to you").await;
        page.click("link", "All").await;
        wait_for_titles(page, &["Late sender", "Person 11"]).await;
        assign_tag_and_note_by_keyboard(page).await;
        assert_eq!((count(&jobs, "assignee=none"), count(&jobs, "tag=urgent")), (6, 1));
        page.click("link", "Assigned to me").await;
        page.wait_for_text("1 submission").await;
        wait_for_titles(page, &["Late sender"]).await;
        page.check_accessibility("the assigned submissions").await;
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
    })
    .await;
}

/// Assigns the first submission to the user, adds a tag and writes a note, with the keys for them.
async fn assign_tag_and_note_by_keyboard(page: &Page) {
    let field_has_focus = async |field: &str| {
        let script = "return document.activeElement?.closest(arguments[0]) != null";
        page.wait_for(&format!("the focus in {field}"), script, vec![json!(field)]).await;
    };
    // The keys act on a row once the card is closed and the row has the focus.
    let close_card = async || {
        page.click("button", "Close").await;
        page.wait_for_path("/live/inbox").await;
        field_has_focus(".grid-track [data-key]").await;
    };
    page.press_keys("j").await;
    field_has_focus(".grid-track [data-key]").await;
    page.press_keys("a").await;
    field_has_focus(".triage-assignee").await;
    // The list of members selects the entry that begins with the letter.
    page.press_keys("o").await;
    page.wait_for_text("Assigned to owner@example.com").await;
    close_card().await;
    page.press_keys("t").await;
    field_has_focus(".triage-tags").await;
    page.press_keys(format!("urgent{}", Key::Enter.value())).await;
    page.wait_for_text("Added tags: urgent").await;
    close_card().await;
    page.press_keys("m").await;
    field_has_focus(".triage-note").await;
    page.press_keys("Call back today").await;
    page.click("button", "Save note").await;
    page.wait_for("the note", "return document.querySelector('.note-text') !== null", vec![]).await;
    close_card().await;
}

/// Checks the inbox on a phone.
async fn check_phone(page: &Page) {
    page.set_viewport(Viewport::PHONE_DARK).await;
    page.open("/live/inbox").await;
    wait_for_titles(page, &["Person 11", "Person 10"]).await;
    page.wait_for_text("Feedback").await;
    page.check_appearance("inbox-phone").await;
    page.click("link", "Unread").await;
    page.wait_for_path("/live/inbox?read=false").await;
    page.set_viewport(Viewport::DESKTOP).await;
}
