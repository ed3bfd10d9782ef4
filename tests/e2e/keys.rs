//! API keys: creation with the password of the user, use and revocation.

use crate::harness::{
    OWNER, PASSWORD, Page, Server, Viewport, call_api, run_shown_command, run_test,
};
use serde_json::json;

/// Returns the cells of the key with this name, or `false`.
const KEY_ROW_CELLS: &str = "const row = [...document.querySelectorAll('tr')]
        .find((row) => row.cells[0]?.innerText === arguments[0]);
    return row ? [...row.cells].map((cell) => cell.innerText) : false";

#[tokio::test]
async fn key_is_created_with_password_used_and_revoked() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    run_test("keys", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        let list = format!("{}/v1/forms/{form}/submissions", context.server.url());
        page.sign_in(&context.server.sign_in_link()).await;
        context.server.expire_authentications();
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.fill_text_field("Name", "Nightly export").await;
        page.click("button", "Create").await;
        confirm_password(page).await;
        // The browser logs the refused requests.
        page.take_console_errors().await;
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
        // The password stays valid for a while, and the session continues with a new token.
        page.click("button", "Revoke Nightly export").await;
        page.click("button", "Revoke key").await;
        page.wait_for_text("Revoked").await;
        assert_eq!(call_api(&secret, &list).0, 403);
        let is_stored = "return JSON.stringify([localStorage, sessionStorage]).includes(arguments[0])";
        assert_eq!(page.eval(is_stored, vec![json!(secret)]).await, json!(false));
        page.reload().await;
        page.find("button", OWNER).await;
    })
    .await;
}

/// Types a wrong password and then the right one, which a sensitive action asks for.
async fn confirm_password(page: &Page) {
    page.wait_for_text("Confirm your password").await;
    page.check_accessibility("the password dialog").await;
    page.fill_text_field("Password", "not this one, surely").await;
    page.click("button", "Continue").await;
    page.wait_for_text("Incorrect password").await;
    page.fill_text_field("Password", PASSWORD).await;
    page.click("button", "Continue").await;
}
