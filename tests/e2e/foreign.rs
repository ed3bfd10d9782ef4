//! The gateway and the dashboard in front of a server that is not in the same process, and the key
//! that no browser may ever see.

use crate::harness::{Look, Server, journey};
use serde_json::json;

#[tokio::test]
async fn a_foreign_server_is_read_and_its_key_stays_behind_the_gateway() {
    let service = Server::start_service("enterprise");
    let form = service.sampled_form("Feedback", "live", 500);
    let key = service.key("live");
    let server = Server::start_gateway(&service.url(), &[("live", &key)]);
    journey("foreign", Look::DESK, server, async |world| {
        let page = &world.page;
        page.open(&world.server.link()).await;
        page.fill("Form ID", &form).await;
        page.click("button", "Open form").await;
        page.is_at(&format!("/live/forms/{form}")).await;
        page.sees("500 submissions").await;
        page.fill("Search", "delivery").await;
        page.is_at(&format!("/live/forms/{form}?search=delivery")).await;
        page.sees("submissions").await;
        // Marks, days and views are the browser's own; UTM values are typed.
        page.wait_for("marks", "return document.querySelector('mark') !== null", vec![]).await;
        page.click("button", "UTM").await;
        page.fill("Source", "google").await;
        page.find("combobox", "Source").await;
        let offered = "return document.querySelectorAll('[role=option]').length";
        assert_eq!(page.eval(offered, vec![]).await, json!(0));
        page.click("button", "Apply").await;
        page.is_at(&format!("/live/forms/{form}?search=delivery&utm_source=google")).await;
        page.click("button", "Views").await;
        page.fill("Save this filter as", "From Google").await;
        page.click("button", "Save view").await;
        page.find("link", "From Google").await;
        page.open("/settings/keys").await;
        page.find("heading", "API keys").await;
        for path in ["/settings/forms".to_owned(), format!("/live/forms/{form}/settings/spam")] {
            page.open(&path).await;
            page.sees("Forms are managed elsewhere").await;
        }

        let secret = key.split_once("live_").expect("a key").1;
        for logged in page.network().await {
            assert!(!logged.contains(secret), "the key went over the browser's network: {logged}");
        }
        let kept = "return document.documentElement.outerHTML + document.cookie + JSON.stringify([localStorage, sessionStorage])";
        let kept = page.eval(kept, vec![]).await.to_string();
        assert!(!kept.contains(secret), "the key is in the page");
        assert_ne!(json!(kept), json!(""));
    })
    .await;
    drop(service);
}
