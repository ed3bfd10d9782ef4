//! Members of an account: a reader is added, reads, and is removed. A sensitive action asks for the
//! password again.

use crate::harness::{Look, OWNER, PASSWORD, Server, journey};
use serde_json::json;

const READER: &str = "reader@example.com";

/// Whether the page has a button or link with a word in its name.
const OFFERS: &str = "return [...document.querySelectorAll('button, a')].some(it =>
    `${it.getAttribute('aria-label') ?? ''} ${it.innerText}`.includes(arguments[0]))";

#[tokio::test]
async fn reader_is_added_and_removed() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("people", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open("/settings/account").await;
        page.sees("Members").await;
        page.click("button", "Add reader").await;
        page.fill("Email", READER).await;
        page.click("button", "Add").await;
        page.sees("Works once").await;
        page.is_accessible("a link for a reader").await;
        let read = "return document.querySelector('dialog[open] .code-text')?.innerText ?? false";
        let link = page.wait_for("the link", read, vec![]).await;
        let link = link.as_str().expect("text").to_owned();
        assert!(link.starts_with(&world.server.url()), "{link}");
        page.click("button", "Done").await;
        page.sees(READER).await;
        page.is_accessible("the members").await;
        page.reload().await;
        page.sees(READER).await;
        page.misses(link.rsplit('=').next().expect("a token")).await;

        // The reader signs in in the same browser, which ends the owner's session.
        page.sign_in(&link).await;
        page.is_at(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;
        page.find("button", READER).await;
        for word in ["Delete", "Settings", "API keys"] {
            assert_eq!(page.eval(OFFERS, vec![json!(word)]).await, json!(false), "{word}");
        }
        page.is_accessible("the list of a reader").await;
        page.open("/settings/keys").await;
        page.sees("Owner only").await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;

        let removed = world.server.sheaf(&["account", "remove-reader", "--email", READER]);
        assert!(removed.contains(READER));
        page.click("link", "All forms").await;
        page.find("button", "Sign in").await;
        page.console().await;
    })
    .await;
}

#[tokio::test]
async fn sensitive_action_asks_for_password_again() {
    let server = Server::start("enterprise");
    server.sampled_form("Feedback", "live", 30);
    journey("proof", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        world.server.forget_proofs();
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.fill("Name", "Nightly export").await;
        page.click("button", "Create").await;
        page.sees("Confirm your password").await;
        page.is_accessible("the password dialog").await;
        page.fill("Password", "not this one, surely").await;
        page.click("button", "Continue").await;
        page.sees("Incorrect password").await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Continue").await;
        let read = r"return /svc_sk_live_[0-9A-Za-z]{36}/.test(document.querySelector('dialog[open]')?.innerText ?? '')";
        page.wait_for("the secret", read, vec![]).await;
        page.click("button", "Done").await;
        page.sees("Nightly export").await;
        // The password stays valid for a while, and the session continues with a new token.
        page.click("button", "Revoke Nightly export").await;
        page.click("button", "Revoke key").await;
        page.sees("Revoked").await;
        page.reload().await;
        page.find("button", OWNER).await;
        // The browser logs the refused requests.
        page.console().await;
    })
    .await;
}
