//! API keys: creation, use, revocation, and the limit of ten active keys.

use crate::harness::{Server, Viewport, call_api, run_shown_command, run_test};
use serde_json::json;

/// Returns the cells of the key with this name, or `false`.
const KEY_ROW_CELLS: &str = "const row = [...document.querySelectorAll('tr')]
        .find((row) => row.cells[0]?.innerText === arguments[0]);
    return row ? [...row.cells].map((cell) => cell.innerText) : false";

#[tokio::test]
async fn key_is_created_used_and_revoked() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("keys", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("{}/v1/forms/{form}/submissions", context.server.url());
        page.sign_in(&context.server.sign_in_link()).await;
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.fill_text_field("Name", "Nightly export").await;
        page.click("button", "Create").await;
        let read = r"return document.querySelector('dialog[open]')?.innerText.match(/svc_sk_live_[0-9A-Za-z]{36}/)?.[0] ?? false";
        let secret = page.wait_for("the secret", read, vec![]).await;
        let secret = secret.as_str().expect("text").to_owned();
        page.click("button", "Done").await;
        page.wait_until_text_is_gone(&secret).await;
        page.wait_for_text(&secret[secret.len() - 4..]).await;
        let last_used = async || {
            let cells = page.wait_for("the key", KEY_ROW_CELLS, vec![json!("Nightly export")]).await;
            cells[4].as_str().expect("text").to_owned()
        };
        assert_eq!(last_used().await, "—");
        // Run the example of the dialog as shown, with the secret filled in.
        page.click("button", "Examples for Nightly export").await;
        let read = "return [...document.querySelectorAll('dialog[open] pre')]
            .map((one) => one.textContent).find((text) => text.includes('curl')) ?? false";
        let command = page.wait_for("a command", read, vec![]).await;
        let command = command.as_str().expect("text").replace("svc_sk_live_…", &secret);
        let response = run_shown_command(&command);
        assert_eq!(response["pagination"]["total"], 30, "{command}: {response}");
        assert_eq!(call_api(&secret, &list).0, 200);
        page.reload().await;
        page.wait_for_text("Nightly export").await;
        page.wait_until_text_is_gone(&secret).await;
        let used = last_used().await;
        assert!(used.contains("now") || used.contains("sec"), "used {used:?}");
        page.click("button", "Revoke Nightly export").await;
        page.click("button", "Revoke key").await;
        page.wait_for_text("Revoked").await;
        assert_eq!(call_api(&secret, &list).0, 403);
        let is_stored = "return JSON.stringify([localStorage, sessionStorage]).includes(arguments[0])";
        assert_eq!(page.eval(is_stored, vec![json!(secret)]).await, json!(false));
    })
    .await;
}

#[tokio::test]
async fn eleventh_key_is_refused() {
    let server = Server::start("enterprise");
    for _ in 0..10 {
        server.create_key("test");
    }
    run_test("eleventh", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open("/settings/keys").await;
        page.wait_for_text("Limit of 10 active keys reached").await;
        let disabled = "const b = [...document.querySelectorAll('button')].find(b => b.innerText.includes('Create key')); return b.disabled || b.getAttribute('aria-disabled') === 'true'";
        assert_eq!(page.eval(disabled, vec![]).await, json!(true));
    })
    .await;
}
