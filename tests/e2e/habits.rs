//! Keyboard use: the command palette and the help; and the installation as an app.

use crate::harness::{Look, Server, journey};
use serde_json::json;
use thirtyfour::Key;

const IN_SEARCH: &str = "return document.activeElement.type === 'search'";

async fn commands(name: &str, look: Look) {
    if look.is_left_out("commands") {
        return;
    }
    let server = Server::start("enterprise");
    let form = server.sampled_form("Customer feedback", "live", 40);
    let other = server.sampled_form("Job applications", "live", 5);
    journey(name, look, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.open(&format!("/live/forms/{form}")).await;
        page.sees("40 submissions").await;
        page.press(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.looks_right(&format!("{name}-palette")).await;
        page.press("job appl").await;
        page.sees("Job applications").await;
        page.press(Key::Enter + "").await;
        page.is_at(&format!("/live/forms/{other}")).await;
        page.sees("5 submissions").await;
        page.press(Key::Control + "k").await;
        page.find("dialog", "Commands").await;
        page.press("nothing has such a name").await;
        page.sees("No results").await;
        page.looks_right(&format!("{name}-palette-none")).await;
        page.press(Key::Escape + "").await;
        page.misses("No results").await;
        page.press(Key::Control + "k").await;
        page.press("search").await;
        page.press(Key::Enter + "").await;
        page.wait_for("the search to have the focus", IN_SEARCH, vec![]).await;
        page.press(Key::Control + "k").await;
        page.press("all forms").await;
        page.press(Key::Enter + "").await;
        page.is_at("/settings/forms").await;
        page.find("button", "Create form").await;
        page.press(Key::Control + "k").await;
        page.press("create f").await;
        page.press(Key::Enter + "").await;
        page.find("dialog", "Create form").await;
        page.press(Key::Escape + "").await;
        page.press("?").await;
        page.find("dialog", "Keyboard shortcuts").await;
        page.sees("Undo last action").await;
        page.looks_right(&format!("{name}-keys")).await;
        page.press(Key::Escape + "").await;
        page.press(Key::Control + "k").await;
        page.press("sign out").await;
        page.press(Key::Enter + "").await;
        page.find("button", "Sign in").await;
    })
    .await;
}

#[tokio::test]
async fn commands_on_desktop() {
    commands("habits", Look::DESK).await;
}

#[tokio::test]
async fn commands_on_dark_desktop() {
    commands("habits-dark", Look::DESK_DARK).await;
}

#[tokio::test]
async fn commands_on_phone() {
    commands("habits-phone", Look::PHONE).await;
}

#[tokio::test]
async fn commands_on_dark_phone() {
    commands("habits-phone-dark", Look::PHONE_DARK).await;
}

#[tokio::test]
async fn dashboard_is_installable() {
    let server = Server::start("enterprise");
    server.sampled_form("Feedback", "live", 5);
    journey("install", Look::DESK, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        page.sees("5 submissions").await;
        let manifest = page.devtools("Page.getAppManifest", json!({})).await;
        assert_eq!(manifest["errors"], json!([]), "{manifest}");
        let told: serde_json::Value =
            serde_json::from_str(manifest["data"].as_str().expect("a manifest")).expect("JSON");
        assert_eq!((&told["display"], &told["start_url"]), (&json!("standalone"), &json!("/")));
        let missing = page.devtools("Page.getInstallabilityErrors", json!({})).await;
        assert_eq!(missing["installabilityErrors"], json!([]), "{missing}");
        for icon in told["icons"].as_array().expect("icons") {
            let body = "const one = new Image(); one.src = arguments[0]; await one.decode();
                return `${one.naturalWidth}x${one.naturalHeight}`";
            let size = page.eval_async(body, vec![icon["src"].clone()]).await;
            assert_eq!(size, icon["sizes"], "{icon}");
        }
    })
    .await;
}
