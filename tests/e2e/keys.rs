//! API keys: creation, use, revocation, and the limit of ten active keys.

use crate::harness::{Look, Server, curl, journey, ran};
use serde_json::json;

/// Returns the cells of the key with this name, or `false`.
const CELLS: &str = "const row = [...document.querySelectorAll('tr')]
        .find((row) => row.cells[0]?.innerText === arguments[0]);
    return row ? [...row.cells].map((cell) => cell.innerText) : false";

#[tokio::test]
async fn key_is_created_used_and_revoked() {
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
        page.click("button", "Done").await;
        page.misses(&secret).await;
        page.sees(&secret[secret.len() - 4..]).await;
        let last_used = async || {
            let cells = page.wait_for("the key", CELLS, vec![json!("Nightly export")]).await;
            cells[4].as_str().expect("text").to_owned()
        };
        assert_eq!(last_used().await, "—");
        // Run the example of the dialog as shown, with the secret filled in.
        page.click("button", "Examples for Nightly export").await;
        let read = "return [...document.querySelectorAll('dialog[open] pre')]
            .map((one) => one.textContent).find((text) => text.includes('curl')) ?? false";
        let command = page.wait_for("a command", read, vec![]).await;
        let command = command.as_str().expect("text").replace("svc_sk_live_…", &secret);
        let told = ran(&command);
        assert_eq!(told["pagination"]["total"], 30, "{command}: {told}");
        assert_eq!(curl(&secret, &list).0, 200);
        page.reload().await;
        page.sees("Nightly export").await;
        page.misses(&secret).await;
        let used = last_used().await;
        assert!(used.contains("now") || used.contains("sec"), "used {used:?}");
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
async fn eleventh_key_is_refused() {
    let server = Server::start("enterprise");
    for _ in 0..10 {
        server.key("test");
    }
    journey("eleventh", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open("/settings/keys").await;
        page.sees("Limit of 10 active keys reached").await;
        let disabled = "const b = [...document.querySelectorAll('button')].find(b => b.innerText.includes('Create key')); return b.disabled || b.getAttribute('aria-disabled') === 'true'";
        assert_eq!(page.eval(disabled, vec![]).await, json!(true));
    })
    .await;
}
