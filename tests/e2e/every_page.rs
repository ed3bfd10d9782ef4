//! Every page on phone and desktop, light and dark, checked by axe and with the keyboard.

use crate::harness::{Page, Server, Viewport, run_test, submit};
use thirtyfour::Key;

/// Visits each page in one viewport. No page scrolls sideways, axe reports nothing, and the console
/// is clean.
async fn check_every_page(name: &str, viewport: Viewport) {
    if viewport.is_skipped("every page") {
        return;
    }
    let server = Server::start("enterprise");
    let live = server.create_sampled_form("Customer feedback", "live", 400);
    let test = server.create_sampled_form("Sandbox", "test", 40);
    let empty = server.create_form("Nothing yet", "live");
    for name in ["Buy now", "Cheap watches"] {
        submit(
            &format!("{}/f/{empty}", server.url()),
            &format!(r#"{{"Name":"{name}","_gotcha":"x"}}"#),
        );
    }
    let key = server.create_key("live");
    let (_, body) = crate::harness::call_api(
        &key,
        &format!("{}/v1/forms/{live}/submissions?limit=1", server.url()),
    );
    let first: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    let id = first["data"][0]["id"].as_str().expect("an id").to_owned();
    run_test(name, viewport, server, async |context| {
        let page = &context.page;
        page.open("/sign-in").await;
        page.find("button", "Sign in").await;
        page.check_appearance(&format!("{name}-sign-in")).await;
        page.sign_in(&context.server.sign_in_link()).await;
        let list = format!("/live/forms/{live}");
        let settings = format!("{list}/settings");
        for (page_name, path, shows) in [
            ("list", list.clone(), "400 submissions"),
            ("none-match", format!("{list}?search=zzzzzz"), "No matching submissions"),
            ("card", format!("{list}/submissions/{id}"), "Answers"),
            ("insights", format!("{list}/insights"), "Completion time"),
            ("test-list", format!("/test/forms/{test}"), "40 submissions"),
            ("keys", "/settings/keys".to_owned(), "API keys"),
            ("account", "/settings/account".to_owned(), "This device"),
            ("activity", "/settings/activity".to_owned(), "Sign-in link created"),
            ("forms", "/settings/forms".to_owned(), "Nothing yet"),
            ("form-share", format!("/live/forms/{empty}/settings"), "Paste the HTML"),
            ("form-fields", format!("{settings}/fields"), "Save fields"),
            ("form-intake", format!("{settings}/intake"), "Save intake"),
            ("form-spam", format!("/live/forms/{empty}/settings/spam"), "Cheap watches"),
            ("form-no-spam", format!("{settings}/spam"), "No spam"),
            ("form-trash-empty", format!("{settings}/trash"), "Trash is empty"),
            ("form-analysis", format!("{settings}/analysis"), "Daily limit"),
            ("form-no-notifications", format!("{settings}/notifications"), "No addresses yet"),
            ("form-no-webhooks", format!("{settings}/webhooks"), "No webhooks yet"),
            ("not-found", "/settings/nothing".to_owned(), "Page not found"),
        ] {
            page.open(&path).await;
            page.wait_for_text(shows).await;
            page.check_appearance(&format!("{name}-{page_name}")).await;
        }
        page.open(&list).await;
        page.wait_for_text("400 submissions").await;
        page.click("button", "Export").await;
        page.find("dialog", "Export").await;
        page.check_appearance(&format!("{name}-export")).await;
        page.press_keys(Key::Escape + "").await;
        check_deletion(page, name, &list).await;
        page.open("/settings/keys").await;
        page.click("button", "Create key").await;
        page.find("dialog", "Create").await;
        page.check_appearance(&format!("{name}-create-key")).await;
        page.open("/settings/keys").await;
        page.click("button", "Examples for live of a test").await;
        page.find("dialog", "Use").await;
        page.check_appearance(&format!("{name}-key-examples")).await;
        page.open("/settings/forms").await;
        page.click("button", "Create form").await;
        page.find("dialog", "Create form").await;
        page.check_appearance(&format!("{name}-create-form")).await;
    })
    .await;
}

/// Selects rows, opens the dialog that deletes all, moves some rows to the trash, and opens the
/// trash.
async fn check_deletion(page: &Page, name: &str, list: &str) {
    page.open(&format!("{list}?search=a")).await;
    let boxes = "const boxes = document.querySelectorAll('.grid-track .grid-check input');
        if (boxes.length < 9) return false; [1, 2, 4].forEach(n => boxes[n].click());
        boxes[4].focus(); return true";
    page.wait_for("rows", boxes, vec![]).await;
    page.wait_for_text("3 selected").await;
    page.check_appearance(&format!("{name}-selection")).await;
    page.press_keys(Key::Control + "a").await;
    page.press_keys(Key::Control + "a").await;
    page.wait_for_text("that match are selected").await;
    page.click("button", "Delete").await;
    page.find("dialog", "Move all matching submissions to trash?").await;
    page.check_appearance(&format!("{name}-delete-all")).await;
    page.press_keys(Key::Escape + "").await;
    page.open(list).await;
    page.wait_for("rows", boxes, vec![]).await;
    page.click("button", "Delete").await;
    page.wait_for_text("3 submissions moved to trash").await;
    page.check_appearance(&format!("{name}-moved")).await;
    page.open(&format!("{list}/settings/trash")).await;
    page.wait_for_text("3 submissions in trash").await;
    page.check_appearance(&format!("{name}-trash")).await;
    page.open(list).await;
    page.wait_for_text("397 submissions").await;
}

#[tokio::test]
async fn every_page_on_desktop() {
    check_every_page("desk", Viewport::DESKTOP).await;
}

#[tokio::test]
async fn every_page_on_dark_desktop() {
    check_every_page("desk-dark", Viewport::DESKTOP_DARK).await;
}

#[tokio::test]
async fn every_page_on_phone() {
    check_every_page("phone", Viewport::PHONE).await;
}

#[tokio::test]
async fn every_page_on_dark_phone() {
    check_every_page("phone-dark", Viewport::PHONE_DARK).await;
}

#[tokio::test]
async fn every_page_on_small_phone() {
    check_every_page("small", Viewport { width: 360, height: 740, dark: false }).await;
}

#[tokio::test]
async fn every_page_at_double_zoom() {
    check_every_page("twice", Viewport { width: 720, height: 450, dark: false }).await;
}
