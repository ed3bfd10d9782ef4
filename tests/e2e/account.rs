//! The account page: password, email address and sessions.

use crate::harness::{OWNER, PASSWORD, Server, TestContext, Viewport, run_test};
use std::process::Command;

/// User agent of the second browser, which is curl.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEW_PASSWORD: &str = "an even older stapler";

#[tokio::test]
async fn password_and_email_change_end_other_sessions() {
    let server = Server::start("enterprise");
    run_test("account", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        // A session in another browser.
        let other_session = |password| curl_session(&context.server.url(), password);
        let other = other_session(PASSWORD).expect("the password is accepted");

        page.open("/settings/account").await;
        page.wait_for_text("This device").await;
        page.check_accessibility("the account").await;
        page.click("button", "Sign out Firefox, Desktop").await;
        page.wait_for_text("Signed out Firefox, Desktop").await;
        assert!(
            !is_session_valid(&context.server.url(), &other),
            "the session is valid after the sign-out"
        );

        let other = other_session(PASSWORD).expect("the password is accepted");
        page.fill_text_field("Current password", "not this one, surely").await;
        page.fill_text_field("New password", NEW_PASSWORD).await;
        page.click("button", "Change password").await;
        page.wait_for_text("The current password is incorrect").await;
        // The browser logs the refused request.
        page.take_console_errors().await;
        assert!(is_session_valid(&context.server.url(), &other));
        page.fill_text_field("Current password", PASSWORD).await;
        page.click("button", "Change password").await;
        page.wait_for_text("Password saved.").await;
        assert!(
            !is_session_valid(&context.server.url(), &other),
            "the session is valid after the password change"
        );
        assert_eq!(other_session(PASSWORD), None, "the old password is still accepted");
        assert!(other_session(NEW_PASSWORD).is_some(), "the new password is refused");
        // The session that changed the password stays valid.
        page.reload().await;
        page.wait_for_text("This device").await;
        assert_eq!(page.take_console_errors().await, Vec::<String>::new());
        change_email(context).await;
    })
    .await;
}

/// Changes the email address, which ends the session of another browser.
async fn change_email(context: &TestContext) {
    let page = &context.page;
    let url = context.server.url();
    let other = curl_session(&url, NEW_PASSWORD).expect("the password is accepted");
    context.server.expire_authentications();
    page.fill_text_field("New email address", "ada@example.net").await;
    page.click("button", "Change email").await;
    page.wait_for_text("Confirm your password").await;
    page.fill_text_field("Password", NEW_PASSWORD).await;
    page.click("button", "Continue").await;
    page.wait_for_text("You sign in as ada@example.net.").await;
    page.check_each_view("account-email").await;
    assert!(!is_session_valid(&url, &other), "the session is valid after the address change");
    assert_eq!(curl_session(&url, NEW_PASSWORD), None, "the old address is still accepted");
    let body = format!(r#"{{"email":"ada@example.net","password":"{NEW_PASSWORD}"}}"#);
    let response = run_curl(&["--include", "--json", &body, &format!("{url}/session")]);
    assert!(response.contains(" 200 "), "{response}");
    // The browser logs the request that needed re-authentication.
    page.take_console_errors().await;
}

/// Signs in outside of the browser. Returns the cookie, or `None` if the sign-in is refused.
fn curl_session(url: &str, password: &str) -> Option<String> {
    let body = format!(r#"{{"email":"{OWNER}","password":"{password}"}}"#);
    let said = run_curl(&["--include", "--json", &body, &format!("{url}/session")]);
    let cookie = said.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
    cookie.split(';').next().map(str::to_owned)
}

/// Whether the session of a cookie is valid.
fn is_session_valid(url: &str, cookie: &str) -> bool {
    let cookie = format!("cookie: {cookie}");
    run_curl(&["--include", "--header", &cookie, &format!("{url}/sessions")]).contains(" 200 ")
}

fn run_curl(arguments: &[&str]) -> String {
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--user-agent", AGENT])
        .args(["--header", "x-sheaf-csrf: 1"])
        .args(arguments)
        .output()
        .expect("curl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
