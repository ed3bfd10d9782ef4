//! The account: a password, and the sign-ins that have not ended.

use crate::harness::{Look, OWNER, PASSWORD, Server, journey};
use std::process::Command;

/// How another browser calls itself.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEXT: &str = "an even older stapler";

#[tokio::test]
async fn an_owner_sets_a_password_and_signs_out_everywhere_else() {
    let server = Server::start("enterprise");
    journey("account", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        // Another browser, which nobody here sees.
        let elsewhere = |password| curl_session(&world.server.url(), password);
        let other = elsewhere(PASSWORD).expect("the password opens");

        page.open("/settings/account").await;
        page.sees("This one").await;
        page.is_accessible("the account").await;
        page.click("button", "Sign out Firefox, Desktop").await;
        page.sees("Signed out Firefox, Desktop").await;
        assert!(!is_in(&world.server.url(), &other), "it was signed out");

        let other = elsewhere(PASSWORD).expect("the password opens");
        page.fill("Current password", "not this one, surely").await;
        page.fill("New password", NEXT).await;
        page.click("button", "Change password").await;
        page.sees("This is not the password so far").await;
        // The browser writes down that it was refused.
        page.console().await;
        assert!(is_in(&world.server.url(), &other));
        page.fill("Current password", PASSWORD).await;
        page.click("button", "Change password").await;
        page.sees("The password is set").await;
        assert!(!is_in(&world.server.url(), &other), "a new password ended it");
        assert_eq!(elsewhere(PASSWORD), None, "the old password opens");
        assert!(elsewhere(NEXT).is_some(), "the new one does not");
        // Whoever changed it goes on.
        page.reload().await;
        page.sees("This one").await;
    })
    .await;
}

#[tokio::test]
async fn an_owner_changes_the_address_to_sign_in_with() {
    let server = Server::start("enterprise");
    journey("account-email", Look::PHONE_DARK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        let url = world.server.url();
        let other = curl_session(&url, PASSWORD).expect("the password opens");
        world.server.forget_proofs();
        page.open("/settings/account").await;
        page.fill("New email address", "ada@example.net").await;
        page.click("button", "Change address").await;
        page.sees("Is it still you?").await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Go on").await;
        page.sees("You sign in as ada@example.net.").await;
        page.looks_right("account-email").await;
        assert!(!is_in(&url, &other), "the new address ended it");
        assert_eq!(curl_session(&url, PASSWORD), None, "the old address opens");
        let body = format!(r#"{{"email":"ada@example.net","password":"{PASSWORD}"}}"#);
        let said = curl(&["--include", "--json", &body, &format!("{url}/session")]);
        assert!(said.contains(" 200 "), "{said}");
        // The browser writes down that a proof was wanted.
        page.console().await;
    })
    .await;
}

/// Signs in from outside the browser; returns the cookie, where the password opens.
fn curl_session(url: &str, password: &str) -> Option<String> {
    let body = format!(r#"{{"email":"{OWNER}","password":"{password}"}}"#);
    let said = curl(&["--include", "--json", &body, &format!("{url}/session")]);
    let cookie = said.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
    cookie.split(';').next().map(str::to_owned)
}

/// Whether a cookie still opens the account.
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
        .expect("curl is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
