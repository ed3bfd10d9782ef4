//! Email to members: a user without their password requests a sign-in link, signs in, and sets a new
//! password; an owner invites a reader. A mail server on this machine records the e-mails.

use std::time::Duration;

use test_servers::SmtpReceiver;

use crate::harness::{OWNER, Server, TestContext, Viewport, run_test};

/// Maximum time until an e-mail is received.
const MAIL_WAIT_MAX: Duration = Duration::from_mins(1);
const NEW_PASSWORD: &str = "an even older stapler";
const NEUTRAL: &str = "If there is a member with this address, a link is on its way.";

/// Waits for an e-mail with a sign-in link to an address. Returns the path of the link, and the
/// e-mail without soft line breaks.
async fn wait_for_link(mails: &SmtpReceiver, recipient: &str) -> (String, String) {
    let waiting = async {
        let mut count = 1;
        loop {
            let received = mails.wait_for(count).await;
            count = received.len() + 1;
            let own = received.iter().filter(|mail| mail.recipients == [recipient]);
            for mail in own {
                let raw = String::from_utf8_lossy(&mail.raw).replace("=\r\n", "");
                let raw = raw.replace("=3D", "=");
                if let Some((_, rest)) = raw.split_once("/sign-in#token=") {
                    let token = rest.split(|c: char| c.is_whitespace() || c == '"').next();
                    let path = format!("/sign-in#token={}", token.unwrap_or_default());
                    return (path, raw);
                }
            }
        }
    };
    let result = tokio::time::timeout(MAIL_WAIT_MAX, waiting).await;
    result.unwrap_or_else(|_| panic!("{recipient} received no link"))
}

#[tokio::test]
async fn link_by_email_replaces_forgotten_password_and_invites() {
    let mails = SmtpReceiver::start().await;
    let server = Server::start_with_mail("enterprise", &mails.url());
    server.create_sampled_form("Feedback", "live", 30);
    run_test("email-link", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.open("/sign-in").await;
        page.find("button", "Email me a sign-in link").await;
        page.check_each_view("email-link-sign-in").await;
        page.click("button", "Email me a sign-in link").await;
        page.find("heading", "Sign in by email").await;
        page.fill_text_field("Email", "nobody@example.org").await;
        page.click("button", "Send link").await;
        page.wait_for_text(NEUTRAL).await;
        page.check_each_view("email-link-sent").await;
        page.fill_text_field("Email", OWNER).await;
        page.click("button", "Send link").await;
        let (link, raw) = wait_for_link(&mails, OWNER).await;
        assert!(raw.contains(&context.server.url()), "{raw}");
        assert!(mails.mails().iter().all(|mail| mail.recipients == [OWNER]));
        page.wait_for_text(NEUTRAL).await;
        page.sign_in(&link).await;

        page.open("/settings/account").await;
        page.wait_for_text("This device").await;
        page.check_each_view("email-link-reset").await;
        page.fill_text_field("New password", NEW_PASSWORD).await;
        page.click("button", "Change password").await;
        page.wait_for_text("Password saved.").await;
        page.find("textbox", "Current password").await;
        page.lose_session().await;
        page.open("/sign-in").await;
        page.fill_text_field("Email", OWNER).await;
        page.fill_text_field("Password", NEW_PASSWORD).await;
        page.click("button", "Sign in").await;
        page.wait_for_text("30 submissions").await;
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
        invite_reader(context, &mails).await;
    })
    .await;
}

/// An owner invites a reader, who signs in by the link of the e-mail.
async fn invite_reader(context: &TestContext, mails: &SmtpReceiver) {
    let page = &context.page;
    page.open("/settings/account").await;
    page.click("button", "Add member").await;
    page.wait_for_text("We send a sign-in link to this address.").await;
    page.fill_text_field("Email", "rea@example.com").await;
    page.click("button", "Add").await;
    page.wait_for_text("We sent the link to rea@example.com.").await;
    page.check_appearance("email-invitation").await;
    let (link, raw) = wait_for_link(mails, "rea@example.com").await;
    assert!(raw.contains(OWNER), "{raw}");
    page.lose_session().await;
    page.open("/sign-in").await;
    page.sign_in(&link).await;
    page.wait_for_text("30 submissions").await;
    page.take_console_errors().await;
}
