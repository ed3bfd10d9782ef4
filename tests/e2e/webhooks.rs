//! Webhooks of a form: an owner creates one, tests it, reads its log, rotates its secret and
//! deletes it. A receiver on this machine answers.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::harness::{PASSWORD, Page, Server, Viewport, run_test, submit};

/// Maximum time until a request is received.
const REQUEST_WAIT_MAX: Duration = Duration::from_mins(1);

/// A receiver of webhooks.
#[derive(Clone)]
struct WebhookReceiver {
    url: String,
    /// Status of its responses.
    status: Arc<AtomicU16>,
    received: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
    /// Number of received requests.
    count: tokio::sync::watch::Sender<usize>,
}

impl WebhookReceiver {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let receiver = Self {
            url: format!("http://{address}/hook"),
            status: Arc::new(AtomicU16::new(200)),
            received: Arc::default(),
            count: tokio::sync::watch::Sender::default(),
        };
        let own = receiver.clone();
        let router = Router::new().fallback(async move |headers: HeaderMap, body: String| {
            let body = serde_json::from_str(&body).expect("JSON");
            own.received.lock().expect("the lock is not poisoned").push((headers, body));
            own.count.send_modify(|count| *count += 1);
            let status = own.status.load(Ordering::Relaxed);
            (StatusCode::from_u16(status).expect("a status"), "<b>thanks</b>")
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        receiver
    }

    /// Waits until this number of requests is received, and returns the header `webhook-id` of the
    /// last one.
    async fn wait_for_requests(&self, number: usize) -> String {
        let mut count = self.count.subscribe();
        let waiting = count.wait_for(|count| *count >= number);
        let result = tokio::time::timeout(REQUEST_WAIT_MAX, waiting).await;
        result.unwrap_or_else(|_| panic!("request {number} is missing")).expect("it is open");
        let received = self.received.lock().expect("the lock is not poisoned");
        received[number - 1].0["webhook-id"].to_str().expect("text").to_owned()
    }

    /// Returns the types of the received events, oldest first.
    fn event_types(&self) -> Vec<String> {
        let received = self.received.lock().expect("the lock is not poisoned");
        let name = |(_, body): &(HeaderMap, Value)| body["type"].as_str().expect("text").to_owned();
        received.iter().map(name).collect()
    }
}

/// Clicks a button of the open dialog.
pub(crate) async fn click_in_dialog(page: &Page, name: &str) {
    let body = "const all = [...document.querySelectorAll('dialog[open] button')];
        const button = all.findLast(one => one.textContent === arguments[0]);
        button?.click(); return Boolean(button)";
    page.wait_for(&format!("the button {name}"), body, vec![json!(name)]).await;
}

/// Returns the secret in the open dialog, and closes the dialog.
async fn take_secret(page: &Page) -> String {
    let body = r"const text = document.querySelector('dialog[open]')?.innerText;
        return text?.match(/whsec_[A-Za-z0-9+\/]{43}=/)?.[0] ?? false";
    let secret = page.wait_for("the secret", body, vec![]).await;
    let secret = secret.as_str().expect("text").to_owned();
    page.click("button", "Done").await;
    page.wait_until_text_is_gone(&secret).await;
    secret
}

/// Loads the log again until a row has this text.
async fn wait_for_row(page: &Page, text: &str) {
    let body = "const rows = [...document.querySelectorAll('tbody tr')];
        if (rows.some(row => row.innerText.replace(/\\s+/g, ' ').includes(arguments[0]))) return true;
        const refresh = [...document.querySelectorAll('main button')];
        refresh.find(one => one.innerText === 'Refresh')?.click(); return false";
    page.wait_for(&format!("the row {text:?}"), body, vec![json!(text)]).await;
}

/// Loads the log again until the last response of a delivery has this status.
async fn wait_for_response(page: &Page, status: &str) {
    let body = "const cells = [...document.querySelectorAll('tbody td:nth-child(4)')];
        if (cells.some(cell => cell.innerText.trim() === arguments[0])) return true;
        const refresh = [...document.querySelectorAll('main button')];
        refresh.find(one => one.innerText === 'Refresh')?.click(); return false";
    page.wait_for(&format!("the response {status}"), body, vec![json!(status)]).await;
}

#[tokio::test]
async fn webhook_is_created_tested_and_deleted() {
    let receiver = WebhookReceiver::start().await;
    let short = receiver.url.trim_start_matches("http://").to_owned();
    let server = Server::start_with_local_webhooks("enterprise");
    let form = server.create_form("Contact", "live");
    let intake = format!("{}/f/{form}", server.url());
    run_test("webhooks", Viewport::DESKTOP, server, async |context| {
        let page = &context.page;
        page.sign_in(&context.server.sign_in_link()).await;
        page.open(&format!("/live/forms/{form}/settings/webhooks")).await;
        page.wait_for_text("No webhooks yet").await;
        page.click("button", "Create webhook").await;
        page.fill_text_field("URL", &format!("{}?token=t", receiver.url)).await;
        page.check_each_view("webhooks-create").await;
        page.click("button", "Create").await;
        page.wait_for_text("webhook-signature").await;
        page.check_each_view("webhooks-secret").await;
        let first = take_secret(page).await;
        page.wait_for_text("Enabled").await;
        page.check_each_view("webhooks-list").await;
        // As far as the log, on a phone.
        page.set_viewport(Viewport::PHONE_DARK).await;

        page.click("link", &format!("Manage {short}")).await;
        page.wait_for_text("No deliveries yet").await;
        page.click("button", "Send test event").await;
        wait_for_row(page, "Test Delivered").await;
        // The toast needs another request. axe would report one that appears gradually.
        let has_toast = "return document.querySelector('.toast-text') !== null";
        page.wait_for("the toast", has_toast, vec![]).await;
        submit(&intake, r#"{"Name":"Ada"}"#);
        wait_for_row(page, "Created Delivered").await;
        assert_eq!(receiver.event_types(), ["test", "submission.created"]);
        let (headers, body) = receiver.received.lock().expect("not poisoned")[1].clone();
        assert!(headers["webhook-signature"].to_str().expect("text").starts_with("v1,"));
        assert_eq!(body["data"]["answers"], json!({ "Name": "Ada" }));
        page.check_each_view("webhooks-log").await;
        let id = headers["webhook-id"].to_str().expect("text").to_owned();
        page.click("button", &format!("Details of {id}")).await;
        page.wait_for_text("<b>thanks</b>").await;
        page.wait_for_text("\"type\": \"submission.created\"").await;
        page.check_each_view("webhooks-details").await;
        click_in_dialog(page, "Replay delivery").await;
        page.wait_for_text("Delivery queued").await;
        page.wait_for("the replay", "return !document.querySelector('dialog[open]')", vec![]).await;
        assert_eq!(receiver.wait_for_requests(3).await, id);
        wait_for_row(page, "Created Delivered").await;

        context.server.expire_authentications();
        page.click("button", "Rotate secret").await;
        page.wait_for_text("valid for 24 hours").await;
        click_in_dialog(page, "Rotate secret").await;
        page.fill_text_field("Password", PASSWORD).await;
        page.press_keys(Key::Enter + "").await;
        assert_ne!(take_secret(page).await, first);

        receiver.status.store(410, Ordering::Relaxed);
        submit(&intake, r#"{"Name":"Grace"}"#);
        wait_for_response(page, "410").await;
        page.open(&format!("/live/forms/{form}")).await;
        page.wait_for_text("its receiver responded with 410").await;
        page.check_each_view("webhooks-banner").await;
        page.click("link", "View webhooks").await;
        page.click("link", &format!("Manage {short}")).await;
        page.click("button", "Enable webhook").await;
        page.wait_for_text("Webhook enabled").await;
        page.click("button", "Delete webhook").await;
        page.wait_for_text("This cannot be undone.").await;
        click_in_dialog(page, "Delete webhook").await;
        page.wait_for_text("No webhooks yet").await;
        let logged = page.take_console_errors().await;
        assert!(logged.iter().all(|line| line.contains("403")), "{logged:?}");
    })
    .await;
}
