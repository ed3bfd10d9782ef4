//! Members of an account: a reader is added, reads, and is removed.

use crate::harness::{Server, Viewport, run_test};
use serde_json::json;

const READER: &str = "reader@example.com";

/// Whether the page has a button or link with a word in its name.
const HAS_CONTROL: &str = "return [...document.querySelectorAll('button, a')].some(it =>
    `${it.getAttribute('aria-label') ?? ''} ${it.innerText}`.includes(arguments[0]))";

#[tokio::test]
async fn reader_is_added_and_removed() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Feedback", "live", 30);
    let other = server.create_sampled_form("Applications", "live", 20);
    run_test("people", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open("/settings/account").await;
        page.wait_for_text("Members").await;
        page.click("button", "Add member").await;
        page.fill_text_field("Email", READER).await;
        page.click("radio", "Selected forms").await;
        page.click("checkbox", "Feedback").await;
        page.check_accessibility("the new member").await;
        page.click("button", "Add").await;
        page.wait_for_text("Works once").await;
        page.check_accessibility("a link for a reader").await;
        let read = "return document.querySelector('dialog[open] .code-text')?.innerText ?? false";
        let link = page.wait_for("the link", read, vec![]).await;
        let link = link.as_str().expect("text").to_owned();
        assert!(link.starts_with(&context.server.url()), "{link}");
        page.click("button", "Done").await;
        page.wait_for_text(READER).await;
        page.wait_for_text("Reader, 1 form").await;
        page.check_accessibility("the members").await;
        page.reload().await;
        page.wait_for_text(READER).await;
        page.wait_until_text_is_gone(link.rsplit('=').next().expect("a token")).await;

        // The reader signs in in the same browser, which ends the owner's session.
        page.sign_in(&link).await;
        page.wait_for_path(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;
        page.find("button", READER).await;
        for word in ["Delete", "Settings", "API keys"] {
            assert_eq!(page.eval(HAS_CONTROL, vec![json!(word)]).await, json!(false), "{word}");
        }
        assert_eq!(page.eval(HAS_CONTROL, vec![json!("Applications")]).await, json!(false));
        page.check_accessibility("the list of a reader").await;
        page.open(&format!("/live/forms/{other}")).await;
        page.wait_for_text("Form not found").await;
        page.open("/settings/keys").await;
        page.wait_for_text("Owner only").await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("30 submissions").await;

        let removed = context.server.run_command(&["account", "remove-member", "--email", READER]);
        assert!(removed.contains(READER));
        // The page may have noticed it already.
        page.open("/settings/forms").await;
        page.find("button", "Sign in").await;
        page.take_console_errors().await;
    })
    .await;
}
