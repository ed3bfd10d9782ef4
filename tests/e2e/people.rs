//! The people of an account: a reader comes in, looks, and is removed; and whoever was away from the
//! keyboard is asked for the password.

use crate::harness::{Look, OWNER, PASSWORD, Server, journey};
use serde_json::json;

const READER: &str = "reader@example.com";

/// Whether anything on the page can be pressed whose name holds a word.
const OFFERS: &str = "return [...document.querySelectorAll('button, a')].some(it =>
    `${it.getAttribute('aria-label') ?? ''} ${it.innerText}`.includes(arguments[0]))";

#[tokio::test]
async fn a_reader_is_let_in_looks_and_is_removed() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("people", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open("/settings/account").await;
        page.sees("People").await;
        page.click("button", "Add a reader").await;
        page.fill("Mail address", READER).await;
        page.click("button", "Add").await;
        page.sees("It works once").await;
        page.is_accessible("a link for a reader").await;
        let read = "return document.querySelector('dialog[open] .code-text')?.innerText ?? false";
        let link = page.wait_for("the link", read, vec![]).await;
        let link = link.as_str().expect("text").to_owned();
        assert!(link.starts_with(&world.server.url()), "{link}");
        page.click("button", "Done").await;
        page.sees(READER).await;
        page.is_accessible("the people").await;
        page.reload().await;
        page.sees(READER).await;
        page.misses(link.rsplit('=').next().expect("a token")).await;

        // The reader, in the same browser: signing in ends the session of before.
        page.sign_in(&link).await;
        page.is_at(&format!("/live/forms/{form}")).await;
        page.sees("30 submissions").await;
        page.find("button", READER).await;
        for word in ["Delete", "Settings", "API keys"] {
            assert_eq!(page.eval(OFFERS, vec![json!(word)]).await, json!(false), "{word}");
        }
        page.is_accessible("the list of a reader").await;
        page.open("/settings/keys").await;
        page.sees("For the account's owner").await;
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
async fn an_owner_who_was_away_is_asked_for_the_password_and_then_it_goes_on() {
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
        page.sees("Is it still you?").await;
        page.is_accessible("the question for the password").await;
        page.fill("Password", "not this one, surely").await;
        page.click("button", "Go on").await;
        page.sees("This is not your password").await;
        page.fill("Password", PASSWORD).await;
        page.click("button", "Go on").await;
        let read = r"return /svc_sk_live_[0-9A-Za-z]{36}/.test(document.querySelector('dialog[open]')?.innerText ?? '')";
        page.wait_for("the secret", read, vec![]).await;
        page.click("button", "Done").await;
        page.sees("Nightly export").await;
        // It counts for a while, and the session went on under another token.
        page.click("button", "Revoke Nightly export").await;
        page.click("button", "Revoke key").await;
        page.sees("Revoked").await;
        page.reload().await;
        page.find("button", OWNER).await;
        // The browser writes down what was refused.
        page.console().await;
    })
    .await;
}
