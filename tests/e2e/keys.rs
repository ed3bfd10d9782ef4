//! API keys: created, used, revoked, and no more than ten.

use crate::harness::{Look, Server, curl, journey};
use serde_json::json;

#[tokio::test]
async fn a_key_is_created_used_revoked_and_refused() {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Feedback", "live", 30);
    journey("keys", Look::DESK, server, async |world| {
        let page = &world.page;
        let list = format!("{}/v1/forms/{form}/submissions", world.server.url());
        page.sign_in(&world.server.link()).await;
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.fill("Name", "Nightly export").await;
        page.click("button", "Create").await;
        let read = r"return document.querySelector('dialog[open]')?.innerText.match(/svc_sk_live_[0-9A-Za-z]{36}/)?.[0] ?? false";
        let secret = page.wait_for("the secret", read, vec![]).await;
        let secret = secret.as_str().expect("text").to_owned();
        assert_eq!(curl(&secret, &list).0, 200);
        page.click("button", "Done").await;
        page.misses(&secret).await;
        page.sees(&secret[secret.len() - 4..]).await;
        page.reload().await;
        page.sees("Nightly export").await;
        page.misses(&secret).await;
        page.click("button", "Revoke Nightly export").await;
        page.click("button", "Revoke key").await;
        page.sees("Revoked").await;
        assert_eq!(curl(&secret, &list).0, 403);
        let kept = "return JSON.stringify([localStorage, sessionStorage]).includes(arguments[0])";
        assert_eq!(page.eval(kept, vec![json!(secret)]).await, json!(false));
    })
    .await;
}

#[tokio::test]
async fn the_eleventh_key_is_refused_with_a_clear_word() {
    let server = Server::start("enterprise");
    for _ in 0..10 {
        server.key("test");
    }
    journey("eleventh", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open("/settings/keys").await;
        page.sees("at most 10 active keys").await;
        let disabled = "const b = [...document.querySelectorAll('button')].find(b => b.innerText.includes('Create key')); return b.disabled || b.getAttribute('aria-disabled') === 'true'";
        assert_eq!(page.eval(disabled, vec![]).await, json!(true));
    })
    .await;
}
