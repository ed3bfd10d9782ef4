//! Keyboard use: the command palette and the help; and the installation as an app.

use crate::harness::{Server, Viewport, run_test};
use serde_json::json;
use thirtyfour::Key;

const IN_SEARCH: &str = "return document.activeElement.type === 'search'";

#[tokio::test]
async fn commands_work_by_keyboard() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Customer feedback", "live", 40);
    let other = server.create_sampled_form("Job applications", "live", 5);
    run_test("shortcuts", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        context.sign_in_to_list(&form, "40 submissions").await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.check_each_view("shortcuts-palette").await;
        page.press_keys("job appl").await;
        page.wait_for_text("Job applications").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_path(&format!("/live/forms/{other}")).await;
        page.wait_for_text("5 submissions").await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press_keys("nothing has such a name").await;
        page.wait_for_text("No results").await;
        page.check_each_view("shortcuts-palette-none").await;
        page.press_keys(Key::Escape + "").await;
        page.wait_until_text_is_gone("No results").await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press_keys("search").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for("the search to have the focus", IN_SEARCH, vec![]).await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press_keys("all forms").await;
        page.press_keys(Key::Enter + "").await;
        page.wait_for_path("/settings/forms").await;
        page.find("button", "Create form").await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press_keys("create f").await;
        page.press_keys(Key::Enter + "").await;
        page.find("dialog", "Create form").await;
        page.press_keys(Key::Escape + "").await;
        page.press_keys("?").await;
        page.find("dialog", "Keyboard shortcuts").await;
        page.wait_for_text("Undo last action").await;
        page.check_each_view("shortcuts-keys").await;
        page.press_keys(Key::Escape + "").await;
        page.press_keys(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press_keys("sign out").await;
        page.press_keys(Key::Enter + "").await;
        page.find("button", "Sign in").await;
    })
    .await;
}

#[tokio::test]
async fn dashboard_is_installable() {
    let server = Server::start("enterprise");
    server.create_sampled_form("Feedback", "live", 5);
    run_test("install", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.wait_for_text("5 submissions").await;
        let manifest = page.send_devtools_command("Page.getAppManifest", json!({})).await;
        assert_eq!(manifest["errors"], json!([]), "{manifest}");
        let manifest_json: serde_json::Value =
            serde_json::from_str(manifest["data"].as_str().expect("a manifest")).expect("JSON");
        assert_eq!(
            (&manifest_json["display"], &manifest_json["start_url"]),
            (&json!("standalone"), &json!("/"))
        );
        let missing = page.send_devtools_command("Page.getInstallabilityErrors", json!({})).await;
        assert_eq!(missing["installabilityErrors"], json!([]), "{missing}");
        for icon in manifest_json["icons"].as_array().expect("icons") {
            let body = "const one = new Image(); one.src = arguments[0]; await one.decode();
                return `${one.naturalWidth}x${one.naturalHeight}`";
            let size = page.eval_async(body, vec![icon["src"].clone()]).await;
            assert_eq!(size, icon["sizes"], "{icon}");
        }
    })
    .await;
}
