//! Links in e-mails: their pages, confirmation and unsubscription.

use crate::app::{App, TestResponse, read};
use crate::notifications::{FOREIGN, NotificationFixture, settings};
use axum::body::Body;
use contract::audit::{ActorKind, AuditFilter};
use contract::notification::AddressDisabledReason;
use http::{Method, Request};
use serde_json::json;
use store::audit::AuditScope;
use tower::ServiceExt;

const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

impl App {
    /// Sends a request to the router of the links.
    async fn request_link(&self, request: http::request::Builder, body: &str) -> TestResponse {
        let router = api::notification_links_router(self.service.clone());
        let request = request.body(Body::from(body.to_owned())).unwrap();
        read(router.oneshot(request).await.unwrap()).await
    }

    /// Gets the page of a link.
    async fn get_link(&self, link: &str) -> TestResponse {
        self.request_link(Request::get(link).header("accept", BROWSER), "").await
    }

    /// Presses the button of a link's page.
    pub(crate) async fn post_link(&self, link: &str) -> TestResponse {
        self.request_link(Request::post(link).header("accept", BROWSER), "").await
    }
}

/// Confirms the address, and returns the link that unsubscribes it, from a test e-mail.
async fn confirm_and_get_unsubscribe_link(
    fixture: &NotificationFixture,
    (path, link): &(String, String),
) -> String {
    assert_eq!(fixture.app.post_link(link).await.status, 200);
    assert_eq!(fixture.act(Method::POST, &format!("{path}/test"), &json!({})).await.status, 204);
    let link = fixture.mail.last_link();
    assert!(link.ends_with("/unsubscribe"), "{link}");
    link
}

#[tokio::test]
async fn link_confirms_when_button_is_pressed() {
    let fixture = NotificationFixture::start().await;
    let (path, link) = fixture.create_foreign().await;
    for _ in 0..2 {
        let page = fixture.app.get_link(&link).await;
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.contains("<form method=\"post\"><button type=\"submit\">"));
        assert!(page.body.contains(FOREIGN) && page.body.contains("a form"), "{}", page.body);
        assert!(
            !fixture.find(&path).await.confirmed,
            "a scanner that follows links changes nothing"
        );
    }
    let head = fixture.app.request_link(Request::head(&link), "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    for _ in 0..2 {
        let page = fixture.app.post_link(&link).await;
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.contains("<h1>Address confirmed</h1>") && !page.body.contains("<form"));
        assert!(fixture.find(&path).await.confirmed);
    }
}

#[tokio::test]
async fn one_click_unsubscribes() {
    let fixture = NotificationFixture::start().await;
    let created = fixture.create_foreign().await;
    let link = confirm_and_get_unsubscribe_link(&fixture, &created).await;
    let page = fixture.app.get_link(&link).await;
    assert!(page.status == 200 && page.body.contains("<button"), "{}", page.body);
    assert_eq!(fixture.find(&created.0).await.disabled, None);
    // The request of a mail client (RFC 8058).
    let click = Request::post(&link).header("content-type", "application/x-www-form-urlencoded");
    let click = fixture.app.request_link(click, "List-Unsubscribe=One-Click").await;
    assert_eq!(click.status, 200, "{}", click.body);
    let disabled = fixture.find(&created.0).await.disabled.unwrap();
    assert_eq!(disabled.reason, AddressDisabledReason::Unsubscribed);
    fixture.app.clock.advance_ms(1000);
    let again = fixture.app.post_link(&link).await;
    assert!(again.status == 200 && again.body.contains("You are unsubscribed"), "{}", again.body);
    assert_eq!(fixture.find(&created.0).await.disabled.unwrap().at, disabled.at);
    // The reader changes their mind.
    assert_eq!(fixture.app.post_link(&created.1).await.status, 200);
    assert_eq!(fixture.find(&created.0).await.disabled, None);
}

/// Only the owner enables an address that the owner disabled, but the owner cannot undo an
/// unsubscription by an earlier or later change.
#[tokio::test]
async fn confirmation_and_unsubscription_of_disabled_address_count() {
    let fixture = NotificationFixture::start().await;
    let created = fixture.create_foreign().await;
    fixture.data(Method::PUT, &created.0, &settings(false), 200).await;
    assert_eq!(fixture.app.post_link(&created.1).await.status, 200);
    let notification = fixture.find(&created.0).await;
    assert!(notification.confirmed);
    assert_eq!(notification.disabled.unwrap().reason, AddressDisabledReason::Owner);
    fixture.data(Method::PUT, &created.0, &settings(true), 200).await;
    let link = confirm_and_get_unsubscribe_link(&fixture, &created).await;
    fixture.data(Method::PUT, &created.0, &settings(false), 200).await;
    assert_eq!(fixture.app.post_link(&link).await.status, 200);
    let disabled = fixture.find(&created.0).await.disabled.unwrap();
    assert_eq!(disabled.reason, AddressDisabledReason::Unsubscribed);
    let on = fixture.data(Method::PUT, &created.0, &settings(true), 200).await;
    assert_eq!(on["confirmed"], false, "the reader must confirm again");
}

#[tokio::test]
async fn invalid_links_look_the_same() {
    let fixture = NotificationFixture::start().await;
    let (path, link) = fixture.create_foreign().await;
    let id = path.rsplit('/').next().unwrap();
    let token = link.split('/').nth(3).unwrap();
    let mut changed = token.to_owned();
    let last = if changed.pop() == Some('A') { 'B' } else { 'A' };
    changed.push(last);
    let mut bodies = Vec::new();
    for wrong in [
        format!("/n/{id}/{changed}/confirm"),
        format!("/n/{id}/{token}/unsubscribe"),
        format!("/n/{id}/x/confirm"),
        format!("/n/{id}/%FF/confirm"),
        format!("/n/ntf_unknown/{token}/confirm"),
        format!("/n/x/{token}/confirm"),
        format!("/n/{id}/{}/confirm", "x".repeat(2000)),
    ] {
        fixture.app.clock.advance_ms(1000);
        for answer in [fixture.app.get_link(&wrong).await, fixture.app.post_link(&wrong).await] {
            assert_eq!(answer.status, 404, "{wrong}");
            bodies.push(answer.body);
        }
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert!(bodies[0].contains("<h1>This link is not valid any more</h1>"), "{}", bodies[0]);
    assert!(!bodies[0].contains(FOREIGN) && !bodies[0].contains("a form<"));
    assert!(!fixture.find(&path).await.confirmed);
}

#[tokio::test]
async fn only_links_that_confirm_expire() {
    let fixture = NotificationFixture::start().await;
    let (path, link) = fixture.create_foreign().await;
    fixture.app.clock.advance_ms(7 * 86_400_000 - 1000);
    assert_eq!(fixture.app.get_link(&link).await.status, 200);
    fixture.app.clock.advance_ms(2000);
    assert_eq!(fixture.app.get_link(&link).await.status, 404);
    assert_eq!(fixture.app.post_link(&link).await.status, 404);
    assert!(!fixture.find(&path).await.confirmed);
    let again = fixture.act(Method::POST, &format!("{path}/confirmation"), &json!({})).await;
    assert_eq!(again.status, 204, "{}", again.body);
    let created = (path, fixture.mail.last_link());
    let link = confirm_and_get_unsubscribe_link(&fixture, &created).await;
    fixture.app.clock.advance_ms(1000 * 86_400_000);
    assert_eq!(fixture.app.post_link(&link).await.status, 200);
}

#[tokio::test]
async fn pages_are_escaped_private_and_in_language_of_reader() {
    let fixture = NotificationFixture::start().await;
    let name = "<script>alert(1)</script>&{email}";
    fixture.app.store.rename_form(&fixture.form.id, name.to_owned()).await.unwrap();
    let (_, link) = fixture.create_foreign().await;
    let page = fixture.app.get_link(&link).await.body;
    let shown = "<bdi><strong>&lt;script&gt;alert(1)&lt;/script&gt;&amp;{email}</strong></bdi>";
    assert!(page.contains(shown) && !page.contains("<script"), "{page}");
    for (accept, language, title) in [
        ("de-AT,en;q=0.5", "de", "Adresse bestätigen"),
        ("fr", "fr", "Confirmer votre adresse"),
        ("es", "es", "Confirmar su dirección"),
        ("ja", "en", "Confirm your address"),
    ] {
        let page =
            fixture.app.request_link(Request::get(&link).header("accept-language", accept), "");
        let page = page.await.body;
        assert!(page.contains(&format!("<html lang=\"{language}\">")), "{page}");
        assert!(page.contains(&format!("<h1>{title}</h1>")), "{page}");
    }
    for (page, status) in [
        (fixture.app.get_link(&link).await, 200),
        (fixture.app.post_link(&link).await, 200),
        (fixture.app.get_link("/n/ntf_1/x/confirm").await, 404),
    ] {
        assert_eq!(page.status, status);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("x-robots-tag"), "noindex");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(policy.ends_with("form-action 'self'; frame-ancestors 'none'"), "{policy}");
        assert_eq!(page.headers.get_all("content-security-policy").iter().count(), 1);
        assert!(!page.body.contains("<script"));
    }
}

#[tokio::test]
async fn other_methods_and_too_many_requests_are_refused() {
    let fixture = NotificationFixture::start().await;
    let (_, link) = fixture.create_foreign().await;
    let put = fixture.app.request_link(Request::put(&link), "").await;
    assert_eq!(put.error(), (405, "method_not_allowed".to_owned()));
    assert!(put.header("allow").contains("POST"), "{}", put.header("allow"));
    for path in [format!("{link}/"), format!("{link}/x"), "/n".to_owned(), "/n/ntf_1".to_owned()] {
        let answer = fixture.app.request_link(Request::get(&path), "").await;
        assert_eq!(answer.error(), (404, "not_found".to_owned()), "{path}");
        let page = fixture.app.get_link(&path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.contains("This link is not valid any more"), "{}", page.body);
    }
    fixture.app.clock.advance_ms(2000);
    for _ in 0..10 {
        assert_eq!(fixture.app.get_link(&link).await.status, 200);
    }
    let refused = fixture.app.get_link(&link).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
    assert!(refused.body.contains("This is not possible at the moment"), "{}", refused.body);
    let script = fixture.app.request_link(Request::get(&link), "").await;
    assert_eq!(script.error(), (429, "rate_limit_exceeded".to_owned()));
}

#[tokio::test]
async fn changes_of_readers_are_audited_once() {
    let fixture = NotificationFixture::start().await;
    let created = fixture.create_foreign().await;
    let link = confirm_and_get_unsubscribe_link(&fixture, &created).await;
    assert_eq!(fixture.app.post_link(&created.1).await.status, 200, "repeated");
    for _ in 0..2 {
        assert_eq!(fixture.app.post_link(&link).await.status, 200);
    }
    let scope = AuditScope::Account(&fixture.owner);
    let page =
        fixture.app.store.list_audit_entries(scope, &AuditFilter::default(), None, 100).await;
    let mut entries = page.unwrap().entries;
    entries.reverse();
    let actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
    let expect = [
        "notification.created",
        "notification.confirmed",
        "notification.tested",
        "notification.unsubscribed",
    ];
    assert_eq!(actions, expect);
    for entry in [&entries[1], &entries[3]] {
        assert_eq!((entry.actor.kind, &entry.actor.person), (ActorKind::Nobody, &None));
        assert_eq!(entry.detail["email"], FOREIGN);
        assert_eq!(entry.detail["name"], "a form");
    }
    let token = link.split('/').nth(3).unwrap();
    assert!(entries.iter().all(|entry| !json!(entry).to_string().contains(token)));
}
