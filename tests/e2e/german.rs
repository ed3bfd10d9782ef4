//! The interface in German: chosen in the menu, remembered, loaded as a separate file, and
//! complete.

use crate::harness::{Look, Page, Server, World, curl, journey};
use serde_json::json;

/// Whether the German texts were fetched.
const HAS_GERMAN: &str = "return performance.getEntriesByType('resource')
    .some(one => /split_german-/.test(one.name))";

/// English words that must not be left on any page.
const LEFT_OVER: [&str; 8] =
    ["Settings", "Sign out", "Forms", "submissions", "Submissions", "Loading", "Export ", "Fields"];

async fn is_in(page: &Page, code: &str) {
    let body = "return document.documentElement.lang === arguments[0]";
    page.wait_for("the language of the page", body, vec![json!(code)]).await;
}

async fn check(world: &World, name: &str, what: &str) {
    let page = &world.page;
    page.looks_right(&format!("{name}-{what}")).await;
    let said = page.eval("return document.body.innerText", vec![]).await;
    let said = said.as_str().expect("text");
    for word in LEFT_OVER {
        assert!(!said.contains(word), "{what} contains {word:?}: {said}");
    }
}

async fn visit(name: &str, look: Look) {
    let server = Server::start("enterprise");
    let form = server.sampled_form("Kundenmeinung", "live", 1200);
    let empty = server.form("Kontakt", "live");
    let first = format!("{}/v1/forms/{form}/submissions?limit=1", server.url());
    let (_, first) = curl(&server.key("live"), &first);
    let first: serde_json::Value = serde_json::from_slice(&first).expect("JSON");
    let id = first["data"][0]["id"].as_str().expect("an id").to_owned();
    journey(name, look, server, async |world| {
        let page = &world.page;
        page.sign_in(&world.server.link()).await;
        let list = format!("/live/forms/{form}");
        page.open(&list).await;
        page.sees("1,200 submissions").await;
        is_in(page, "en").await;
        assert_eq!(page.eval(HAS_GERMAN, vec![]).await, json!(false));

        page.click("button", "Appearance").await;
        page.click("menuitemradio", "Deutsch").await;
        // Numbers also follow the German format.
        page.sees("1.200 Einsendungen").await;
        is_in(page, "de").await;
        assert_eq!(
            page.eval(HAS_GERMAN, vec![]).await,
            json!(true),
            "the German texts were not fetched"
        );
        check(world, name, "list").await;

        let settings = format!("{list}/settings");
        for (what, path, shows) in [
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
        ] {
            page.open(&path).await;
            page.sees(shows).await;
            check(world, name, what).await;
        }
        page.open(&list).await;
        page.sees("1.200 Einsendungen").await;
        page.click("button", "Export").await;
        page.find("dialog", "Einsendungen exportieren").await;
        page.sees("Herunterladen").await;
        check(world, name, "export").await;
        page.press(thirtyfour::Key::Escape + "").await;

        page.click("button", "Darstellung").await;
        page.click("menuitemradio", "Browser-Standard").await;
        page.sees("1,200 submissions").await;
        is_in(page, "en").await;
    })
    .await;
}

#[tokio::test]
async fn german_on_desktop() {
    visit("german", Look::DESK).await;
}

#[tokio::test]
async fn german_on_dark_phone() {
    visit("german-phone", Look::PHONE_DARK).await;
}
