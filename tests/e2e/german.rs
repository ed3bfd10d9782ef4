//! The interface in German: chosen in the menu, remembered, loaded as a separate file, and
//! complete.

use crate::harness::{Page, Server, TestContext, Viewport, call_api, run_test};
use serde_json::json;

/// Whether the German texts were fetched.
const HAS_GERMAN: &str = "return performance.getEntriesByType('resource')
    .some(one => /split_german-/.test(one.name))";

/// English words that must not be left on any page.
const ENGLISH_WORDS: [&str; 8] =
    ["Settings", "Sign out", "Forms", "submissions", "Submissions", "Loading", "Export ", "Fields"];

async fn wait_for_language(page: &Page, code: &str) {
    let body = "return document.documentElement.lang === arguments[0]";
    page.wait_for("the language of the page", body, vec![json!(code)]).await;
}

async fn check_page(context: &TestContext, name: &str, page_name: &str) {
    let page = &context.page;
    page.check_appearance(&format!("{name}-{page_name}")).await;
    let text = page.eval("return document.body.innerText", vec![]).await;
    let text = text.as_str().expect("text");
    for word in ENGLISH_WORDS {
        assert!(!text.contains(word), "{page_name} contains {word:?}: {text}");
    }
}

#[tokio::test]
async fn german_on_desktop_and_dark_phone() {
    let server = Server::start("enterprise");
    let form = server.create_sampled_form("Kundenmeinung", "live", 1200);
    let empty = server.create_form("Kontakt", "live");
    let first = format!("{}/v1/forms/{form}/submissions?limit=1", server.url());
    let (_, first) = call_api(&server.create_key("live"), &first);
    let first: serde_json::Value = serde_json::from_slice(&first).expect("JSON");
    let id = first["data"][0]["id"].as_str().expect("an id").to_owned();
    run_test("german", Viewport::DESKTOP, server, async |context| {
        context.page.sign_in(&context.server.sign_in_link()).await;
        check_german(context, "german", [&form, &empty, &id]).await;
        context.page.set_viewport(Viewport::PHONE_DARK).await;
        check_german(context, "german-phone", [&form, &empty, &id]).await;
    })
    .await;
}

/// Chooses German, checks every page, and chooses the language of the browser again.
async fn check_german(context: &TestContext, name: &str, [form, empty, id]: [&str; 3]) {
    let page = &context.page;
    let list = format!("/live/forms/{form}");
    page.open(&list).await;
    page.wait_for_text("1,200 submissions").await;
    wait_for_language(page, "en").await;
    assert_eq!(page.eval(HAS_GERMAN, vec![]).await, json!(false));

    page.click("button", "Appearance").await;
    page.click("menuitemradio", "Deutsch").await;
    // Numbers also follow the German format.
    page.wait_for_text("1.200 Einsendungen").await;
    wait_for_language(page, "de").await;
    assert_eq!(
        page.eval(HAS_GERMAN, vec![]).await,
        json!(true),
        "the German texts were not fetched"
    );
    check_page(context, name, "list").await;

    let settings = format!("{list}/settings");
    for (page_name, path, shows) in [
        ("card", format!("{list}/submissions/{id}"), "Antworten"),
        ("insights", format!("{list}/insights"), "Abschlussdauer"),
        ("keys", "/settings/keys".to_owned(), "API-Schlüssel"),
        ("account", "/settings/account".to_owned(), "Neues Passwort"),
        ("forms", "/settings/forms".to_owned(), "Kontakt"),
        ("share", format!("/live/forms/{empty}/settings"), "Noch keine Einsendungen. Fügen"),
        ("fields", format!("{settings}/fields"), "Felder speichern"),
        ("intake", format!("{settings}/intake"), "Annahme speichern"),
        ("spam", format!("{settings}/spam"), "Kein Spam"),
        ("analysis", format!("{settings}/analysis"), "Tageslimit"),
        ("notifications", format!("{settings}/notifications"), "Noch keine Adressen"),
        ("webhooks", format!("{settings}/webhooks"), "Noch keine Webhooks"),
    ] {
        page.open(&path).await;
        page.wait_for_text(shows).await;
        check_page(context, name, page_name).await;
    }
    page.open(&list).await;
    page.wait_for_text("1.200 Einsendungen").await;
    page.click("button", "Export").await;
    page.find("dialog", "Einsendungen exportieren").await;
    page.wait_for_text("Herunterladen").await;
    check_page(context, name, "export").await;
    page.press_keys(thirtyfour::Key::Escape + "").await;

    page.click("button", "Darstellung").await;
    page.click("menuitemradio", "Browser-Standard").await;
    page.wait_for_text("1,200 submissions").await;
    wait_for_language(page, "en").await;
}
