//! The account page: password, email address and sessions.

use crate::harness::{Look, OWNER, PASSWORD, Server, journey};
use std::process::Command;

/// User agent of the second browser, which is curl.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEXT: &str = "an even older stapler";

#[tokio::test]
async fn password_change_ends_other_sessions() {
    let server = Server::start("enterprise");
    journey("account", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        // A session in another browser.
        let elsewhere = |password| curl_session(&world.server.url(), password);
        let other = elsewhere(PASSWORD).expect("the password is accepted");

        page.open("/settings/account").await;
        page.sees("This device").await;
        page.is_accessible("the account").await;
        page.click("button", "Sign out Firefox, Desktop").await;
        page.sees("Signed out Firefox, Desktop").await;
        assert!(!is_in(&world.server.url(), &other), "the session is valid after the sign-out");

        let other = elsewhere(PASSWORD).expect("the password is accepted");
        page.fill("Current password", "not this one, surely").await;
        page.fill("New password", NEXT).await;
        page.click("button", "Change password").await;
        page.sees("The current password is incorrect").await;
        // The browser logs the refused request.
        page.console().await;
        assert!(is_in(&world.server.url(), &other));
        page.fill("Current password", PASSWORD).await;
        page.click("button", "Change password").await;
        page.sees("Password saved.").await;
        assert!(
            !is_in(&world.server.url(), &other),
            "the session is valid after the password change"
        );
        assert_eq!(elsewhere(PASSWORD), None, "the old password is still accepted");
        assert!(elsewhere(NEXT).is_some(), "the new password is refused");
        // The session that changed the password stays valid.
        page.reload().await;
        page.sees("This device").await;
    })
    .await;
}

#[tokio::test]
async fn email_change_ends_other_sessions() {
    let server = Server::start("enterprise");
    journey("account-email", Look::PHONE_DARK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        let url = world.server.url();
        let other = curl_session(&url, PASSWORD).expect("the password is accepted");
        world.server.forget_proofs();
        page.open("/settings/account").await;
        page.fill("New email address", "ada@example.net").await;
        page.click("button", "Change email").await;
        page.sees("Confirm your password").await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Continue").await;
        page.sees("You sign in as ada@example.net.").await;
        page.looks_right("account-email").await;
        assert!(!is_in(&url, &other), "the session is valid after the address change");
        assert_eq!(curl_session(&url, PASSWORD), None, "the old address is still accepted");
        let body = format!(r#"{{"email":"ada@example.net","password":"{PASSWORD}"}}"#);
        let said = curl(&["--include", "--json", &body, &format!("{url}/session")]);
        assert!(said.contains(" 200 "), "{said}");
        // The browser logs the request that needed re-authentication.
        page.console().await;
    })
    .await;
}

/// Signs in outside of the browser. Returns the cookie, or `None` if the sign-in is refused.
fn curl_session(url: &str, password: &str) -> Option<String> {
    let body = format!(r#"{{"email":"{OWNER}","password":"{password}"}}"#);
    let said = curl(&["--include", "--json", &body, &format!("{url}/session")]);
    let cookie = said.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
    cookie.split(';').next().map(str::to_owned)
}

/// Whether the session of a cookie is valid.
fn is_in(url: &str, cookie: &str) -> bool {
    let cookie = format!("cookie: {cookie}");
    curl(&["--include", "--header", &cookie, &format!("{url}/sessions")]).contains(" 200 ")
}

fn curl(words: &[&str]) -> String {
    let output = Command::new("curl")
        .args(["--silent", "--show-error", "--user-agent", AGENT])
        .args(["--header", "x-sheaf-csrf: 1"])
        .args(words)
        .output()
        .expect("curl is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
