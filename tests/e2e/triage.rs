//! The triage of submissions: by keyboard, by the card, and for a selection. It is stored, and the
//! filters of the API agree with it. Submissions are read by opening them.

use crate::harness::{OWNER, Page, Server, Viewport, WAIT_MAX, count_matches, run_test};
use crate::trash::select_rows;
use serde_json::json;
use std::time::{Duration, Instant};
use test_servers::SmtpReceiver;
use thirtyfour::Key;

const READER: &str = "reader@example.com";
/// Maximum time until an e-mail is received.
const MAIL_WAIT_MAX: Duration = Duration::from_mins(1);

/// Text of the marks of the first drawn rows.
const MARKS: &str = "return Array.from(document.querySelectorAll('.grid-track [data-key]'))
    .slice(0, 3).map(row => row.querySelector('.row-marks')?.textContent ?? '')";

pub(crate) async fn wait_for_marks(page: &Page, expected: &[&str]) {
    let body = format!(
        "const marks = (() => {{ {MARKS} }})();
        return JSON.stringify(marks) === JSON.stringify(arguments[0]) && marks"
    );
    page.wait_for(&format!("the marks {expected:?}"), &body, vec![json!(expected)]).await;
}

/// Waits until the app has replaced the first rows of the page, which know no shortcuts.
pub(crate) async fn wait_for_list(page: &Page) {
    page.wait_for_text("30 submissions").await;
    page.find("button", "Filter").await;
    page.wait_until_stable().await;
}

/// Moves the focus to the next row, and waits until the row with this index has it.
pub(crate) async fn focus_next_row(page: &Page, index: u64) {
    page.press_keys("j").await;
    let has_focus = "const rows = document.querySelectorAll('.grid-track [data-key]');
        return rows[arguments[0]] === document.activeElement";
    page.wait_for("the focus in the row", has_focus, vec![json!(index)]).await;
}

/// Writes a note that mentions the reader by keyboard, and waits for the e-mail about it.
async fn mention_reader(page: &Page, mails: &SmtpReceiver) {
    page.fill_text_field("Add note", "Please call, @rea").await;
    page.find("option", READER).await;
    page.check_accessibility("the card with offered members").await;
    page.press_keys(Key::Enter + "").await;
    page.press_keys("today").await;
    page.click("button", "Save note").await;
    let has_mark = "return document.querySelector('.note-text mark')?.textContent === arguments[0]";
    page.wait_for("the highlighted mention", has_mark, vec![json!(format!("@{READER}"))]).await;
    page.check_accessibility("the card with a mention").await;
    let raw = tokio::time::timeout(MAIL_WAIT_MAX, wait_for_mail(mails, READER)).await;
    let raw = raw.expect("an e-mail about the mention");
    assert!(raw.contains(&format!("Please call, @{READER} today")), "{raw}");
}

/// Waits for an e-mail to an address, and returns it without soft line breaks.
async fn wait_for_mail(mails: &SmtpReceiver, recipient: &str) -> String {
    let mut count = 1;
    loop {
        let received = mails.wait_for(count).await;
        if let Some(mail) = received.iter().find(|mail| mail.recipients == [recipient]) {
            return String::from_utf8_lossy(&mail.raw).replace("=\r\n", "");
        }
        count = received.len() + 1;
    }
}

#[tokio::test]
async fn triage_and_read_state_change_by_keyboard_card_and_selection() {
    let mails = SmtpReceiver::start().await;
    let server = Server::start_with_mail("enterprise", &mails.url());
    server.run_command(&["account", "add-member", "--account", OWNER, "--email", READER]);
    let form = server.create_sampled_form("Feedback", "live", 30);
    let key = server.create_key("live");
    run_test("triage", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let count = |query: &str| count_matches(&context.server, &key, &form, query);
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        wait_for_list(page).await;
        wait_for_marks(page, &["", "", ""]).await;
        focus_next_row(page, 0).await;
        page.press_keys("3").await;
        wait_for_marks(page, &["Done", "", ""]).await;
        focus_next_row(page, 1).await;
        page.press_keys("2").await;
        wait_for_marks(page, &["Done", "In progress", ""]).await;
        page.reload().await;
        wait_for_list(page).await;
        wait_for_marks(page, &["Done", "In progress", ""]).await;
        assert_eq!((count("status=done"), count("status=open")), (1, 28));

        focus_next_row(page, 0).await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text("Add note").await;
        page.fill_text_field("Add note", "Call her").await;
        page.click("button", "Save note").await;
        page.wait_for_text("owner@example.com").await;
        page.check_accessibility("the card with a note").await;
        mention_reader(page, &mails).await;
        page.click("button", "Close").await;

        select_rows(page, &[1, 2]).await;
        page.click("button", "Triage").await;
        page.click("button", "Add star").await;
        page.wait_for_text("2 submissions changed").await;
        assert_eq!(count("starred=true"), 2);
        page.press_keys("u").await;
        page.wait_for_text("2 submissions changed back").await;
        assert_eq!(count("starred=true"), 0);

        page.open(&format!("/live/forms/{form}?status=done,in_progress")).await;
        page.wait_for_text("2 submissions").await;
        wait_for_marks(page, &["Done", "In progress"]).await;
        read_submissions(page, &form).await;
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
    })
    .await;
}

/// More submissions than one request of an undo may name.
const MANY: usize = 1200;

#[tokio::test]
async fn change_of_all_that_match_is_undone() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", MANY);
    let key = server.create_key("live");
    run_test("triage-all", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let count = |query: &str| count_matches(&context.server, &key, &form, query);
        context.sign_in_to_list(&form, "1,200 submissions").await;
        page.find("button", "Filter").await;
        page.wait_until_stable().await;
        focus_next_row(page, 0).await;
        page.press_keys("2").await;
        wait_for_marks(page, &["In progress", "", ""]).await;
        select_rows(page, &[1]).await;
        page.press_keys(Key::Control + "a").await;
        page.click("button", "Select all 1,200 that match").await;
        page.click("button", "Triage").await;
        page.click("button", "Status").await;
        page.click("button", "Done").await;
        page.wait_for_text("Change all 1,200 submissions that match?").await;
        page.check_accessibility("the question whether to change all").await;
        page.click("button", "Change").await;
        page.wait_for_text("1,200 submissions changed").await;
        wait_for_marks(page, &["Done", "Done", "Done"]).await;
        assert_eq!(count("status=done"), 1200);
        page.click("button", "Undo").await;
        page.wait_for_text("1,200 submissions changed back").await;
        wait_for_marks(page, &["In progress", "", ""]).await;
        assert_eq!((count("status=in_progress"), count("status=open")), (1, 1199));
    })
    .await;
}

/// Waits until the side bar shows this number of unread submissions.
async fn wait_for_unread(page: &Page, count: u64) {
    let has_count = "const shown = document.querySelector('.nav-link .unread-count');
        return shown?.textContent === `${arguments[0]} unread`";
    page.wait_for(&format!("{count} unread"), has_count, vec![json!(count)]).await;
}

/// Marks all submissions of a form as unread by a request of the signed-in member.
async fn mark_all_unread(page: &Page, form: &str, count: u64) {
    let send = "const answer = await fetch(`/account/forms/${arguments[0]}/submissions`, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', 'x-sheaf-csrf': '1' },
            body: JSON.stringify({ filter: '', count: arguments[1], set: { read: false } }) });
        return answer.status";
    let status = page.eval_async(send, vec![json!(form), json!(count)]).await;
    assert_eq!(status, 200);
}

/// Reads submissions by opening them, by keyboard, and by a selection.
async fn read_submissions(page: &Page, form: &str) {
    // Samples are older than the member, so they count as read.
    mark_all_unread(page, form, 30).await;
    page.open(&format!("/live/forms/{form}")).await;
    wait_for_list(page).await;
    wait_for_unread(page, 30).await;
    page.check_accessibility("the list with unread submissions").await;
    focus_next_row(page, 0).await;
    page.press_keys(Key::Enter + "").await;
    page.wait_for_text("Mark as unread").await;
    wait_for_unread(page, 29).await;
    page.press_keys("J").await;
    wait_for_unread(page, 28).await;
    page.press_keys("U").await;
    page.wait_for_text("Mark as read").await;
    wait_for_unread(page, 29).await;
    page.click("button", "Close").await;

    select_rows(page, &[1, 2, 3]).await;
    page.click("button", "Triage").await;
    page.click("button", "Mark as read").await;
    page.wait_for_text("3 submissions changed").await;
    wait_for_unread(page, 26).await;

    page.open(&format!("/live/forms/{form}?read=false")).await;
    page.wait_for_text("26 submissions").await;
    wait_for_unread(page, 26).await;
}

/// Sets the status of all submissions of a list by keyboard: each second one is done. Each is
/// opened once.
async fn triage_each_submission(page: &Page, count: usize) {
    focus_next_row(page, 0).await;
    page.press_keys(Key::Enter + "").await;
    page.wait_for_text("Add note").await;
    for number in 1..=count {
        page.press_keys(if number % 2 == 0 { "3" } else { "2" }).await;
        if number == count {
            break;
        }
        let before = page.eval("return location.pathname", vec![]).await;
        page.press_keys("J").await;
        let is_next = "return location.pathname !== arguments[0]";
        page.wait_for("the next unread submission", is_next, vec![before]).await;
    }
}

#[tokio::test]
async fn fifty_submissions_are_triaged_by_keyboard() {
    const COUNT: u64 = 50;
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 50);
    let key = server.create_key("live");
    run_test("triage-fifty", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        mark_all_unread(page, &form, COUNT).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("50 submissions").await;
        page.find("button", "Filter").await;
        page.wait_until_stable().await;
        wait_for_unread(page, COUNT).await;
        triage_each_submission(page, 50).await;
        let none_unread = "return !document.querySelector('.nav-link .unread-count')?.textContent";
        page.wait_for("no unread submission", none_unread, vec![]).await;
        let count =
            |status: &str| count_matches(&context.server, &key, &form, &format!("status={status}"));
        let since = Instant::now();
        while (count("done"), count("in_progress")) != (25, 25) {
            assert!(since.elapsed() < WAIT_MAX, "{} are done", count("done"));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        page.check_appearance("triage-fifty-done").await;
        page.set_viewport(Viewport::PHONE_DARK).await;
        page.check_appearance("triage-fifty-done-phone").await;
    })
    .await;
}
