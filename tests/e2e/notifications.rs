//! Notifications of a form: an owner adds addresses, receives the e-mail of a submission, sends a
//! test, edits and deletes an address, and switches on the auto-reply. A reader confirms an address.
//! A mail server on this machine records the e-mails.

use std::time::Duration;

use serde_json::json;
use test_servers::{ReceivedMail, SmtpReceiver};
use thirtyfour::Key;

use crate::harness::{OWNER, PASSWORD, Page, Server, Viewport, run_test, submit};
use crate::webhooks::click_in_dialog;

/// Maximum time until an e-mail is received.
const MAIL_WAIT_MAX: Duration = Duration::from_mins(1);
/// Address of a reader outside the account.
const READER: &str = "reader@example.org";
/// Address of the sender of a submission.
const SENDER: &str = "grace@example.org";

/// Waits until an address receives an e-mail with `text`, and returns it without soft line breaks.
async fn wait_for_mail(mails: &SmtpReceiver, recipient: &str, text: &str) -> String {
    let waiting = async {
        let mut count = 1;
        loop {
            let received = mails.wait_for(count).await;
            let to_recipient =
                |mail: &&ReceivedMail| mail.recipients.iter().any(|known| known == recipient);
            let raws = received.iter().filter(to_recipient);
            let mut raws = raws.map(|mail| String::from_utf8_lossy(&mail.raw).replace("=\r\n", ""));
            if let Some(raw) = raws.find(|raw| raw.contains(text)) {
                return raw;
            }
            count = received.len() + 1;
        }
    };
    let result = tokio::time::timeout(MAIL_WAIT_MAX, waiting).await;
    result.unwrap_or_else(|_| panic!("{recipient} did not receive {text:?}"))
}

/// Returns the path of the link to confirm in an e-mail.
fn confirmation_path(raw: &str) -> String {
    let (before, _) = raw.split_once("/confirm").expect("a link");
    let at = before.rfind("/n/").expect("a link");
    format!("{}/confirm", &before[at..])
}

/// Waits until the item of an address contains `text`.
async fn wait_for_item(page: &Page, address: &str, text: &str) {
    let body = "const all = [...document.querySelectorAll('main li .group')];
        return all.some(one => arguments.every(text => one.innerText.includes(text)))";
    page.wait_for(&format!("{address}: {text}"), body, vec![json!(address), json!(text)]).await;
}

/// Waits until no dialog is open.
async fn wait_for_closed_dialog(page: &Page) {
    let body = "return !document.querySelector('dialog[open]')";
    page.wait_for("the closed dialog", body, vec![]).await;
}

#[tokio::test]
async fn addresses_and_senders_receive_emails() {
    let mails = SmtpReceiver::start().await;
    let server = Server::start_with_mail("enterprise", &mails.url());
    let form = server.create_form("Contact", "live");
    let intake = format!("{}/f/{form}", server.url());
    let tab = format!("/live/forms/{form}/settings/notifications");
    run_test("notifications", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&tab).await;
        page.wait_for_text("No addresses yet").await;
        page.click("button", "Add my address").await;
        page.find("dialog", "Add address").await;
        page.check_each_view("notifications-add").await;
        click_in_dialog(page, "Add").await;
        wait_for_item(page, OWNER, "Active").await;
        submit(&intake, r#"{"Name":"Ada"}"#);
        let raw = wait_for_mail(&mails, OWNER, "Subject: New submission: Contact").await;
        assert!(raw.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{raw}");

        page.click("button", "Add address").await;
        page.fill_text_field("Email address", READER).await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_text(&format!("We sent a link to {READER}")).await;
        wait_for_item(page, READER, "Waiting for confirmation").await;
        wait_for_closed_dialog(page).await;
        page.check_each_view("notifications-list").await;
        let raw = wait_for_mail(&mails, READER, "/confirm").await;
        page.open(&confirmation_path(&raw)).await;
        page.check_each_view("notifications-confirm").await;
        page.click("button", "Confirm address").await;
        page.wait_for_text("Address confirmed").await;
        page.open(&tab).await;
        wait_for_item(page, READER, "Active").await;
        page.click("button", &format!("Send test {READER}")).await;
        page.wait_for_text(&format!("Test email sent to {READER}")).await;
        wait_for_mail(&mails, READER, "Subject: [Test] New submission: Contact").await;

        context.server.expire_authentications();
        page.click("button", &format!("Disable {READER}")).await;
        page.fill_text_field("Password", PASSWORD).await;
        page.press_keys(Key::Enter + "").await;
        wait_for_item(page, READER, "Disabled").await;
        wait_for_closed_dialog(page).await;
        page.click("button", &format!("Delete {READER}")).await;
        page.wait_for_text("This cannot be undone.").await;
        click_in_dialog(page, "Delete notification").await;
        page.wait_for_text(&format!("Deleted {READER}")).await;
        let logged = page.take_console_errors().await;
        assert!(logged.iter().all(|line| line.contains("403")), "{logged:?}");
        page.open(&tab).await;
        check_auto_reply(page, &mails, &intake).await;
    })
    .await;
}

/// Switches the auto-reply on. The sender of a submission receives it.
async fn check_auto_reply(page: &Page, mails: &SmtpReceiver, intake: &str) {
    page.click("checkbox", "Send auto-reply").await;
    page.fill_text_field("Subject", "Thanks from {form}").await;
    page.wait_for_text("Thanks from Contact").await;
    page.check_appearance("auto-reply").await;
    page.click("button", "Save auto-reply").await;
    page.wait_for_text("Auto-reply saved").await;
    submit(intake, &format!(r#"{{"Name":"Grace","_replyto":"{SENDER}"}}"#));
    wait_for_mail(mails, SENDER, "Subject: Thanks from Contact").await;
}
