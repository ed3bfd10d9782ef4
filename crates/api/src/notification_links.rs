//! Links in e-mails (`/n/…`, additive): pages that confirm or unsubscribe an address, and the
//! one-click unsubscription of mail clients (RFC 8058).
//!
//! The token in the path is the only credential. GET changes nothing, because mail scanners follow
//! links; the page has a button.

mod page;

use crate::Service;
use crate::audit::{RequestActor, with_form_part};
use crate::error::Result;
use crate::intake::client_kind::prefers_html;
use crate::locale::{self, Locale};
use crate::openapi::{self as docs, AuthScheme, complete_router, if_described};
use crate::router::{add_fallbacks, limit_by_address};
use aide::OperationInput;
use aide::axum::routing::get_with;
use aide::axum::{ApiRouter, IntoApiResponse};
use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use contract::audit::{Action, AuditEvent};
use contract::notification::AddressDisabledReason;
use contract::{AccountId, Form, Notification, NotificationId};
use http::request::Parts;
use http::{HeaderMap, StatusCode, header};
use notify::mail::LinkPurpose;
use page::LinkPage;
use std::convert::Infallible;
use store::FormRecord;
use store::mail::{NotificationRecord, NotificationUpdate};

/// Returns the router of the links in e-mails: everything below `/n`, and a JSON 404 for other
/// paths.
///
/// Requests are counted by client address if they carry `ConnectInfo`. It needs no session.
pub fn notification_links_router(service: Service) -> Router {
    add_fallbacks(link_routes().into())
        .layer(from_fn_with_state(service.clone(), limit_by_address))
        .layer(from_fn(render_errors))
        .with_state(service)
}

/// Returns the routes of the links with their descriptions.
pub(crate) fn link_routes() -> ApiRouter<Service> {
    let router = ApiRouter::new()
        .api_route(
            "/n/{notification_id}/{token}/confirm",
            get_with(show_confirmation, if_described(docs::show_confirmation))
                .post_with(confirm, if_described(docs::confirm_address)),
        )
        .api_route(
            "/n/{notification_id}/{token}/unsubscribe",
            get_with(show_unsubscription, if_described(docs::show_unsubscription))
                .post_with(unsubscribe, if_described(docs::unsubscribe)),
        );
    complete_router(router, AuthScheme::Anyone, docs::LINKS)
}

/// A link as requested: the parts of its path, and the language of the reader.
struct RequestedLink {
    /// `None` if it is malformed.
    id: Option<NotificationId>,
    token: String,
    locale: &'static Locale,
}

impl<S: Send + Sync> FromRequestParts<S> for RequestedLink {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let parameters = RawPathParams::from_request_parts(parts, state).await.ok();
        let find = |wanted: &str| {
            let mut pairs = parameters.iter().flat_map(RawPathParams::iter);
            pairs.find(|(name, _)| *name == wanted).map_or("", |(_, text)| text)
        };
        let id = find("notification_id").parse().ok();
        let token = find("token").to_owned();
        Ok(Self { id, token, locale: reader_locale(&parts.headers) })
    }
}

impl OperationInput for RequestedLink {}

/// The target of a valid link.
struct LinkTarget {
    notification: Notification,
    account: AccountId,
    form: Form,
}

/// `GET /n/{notification_id}/{token}/confirm`: the page with the button that confirms.
async fn show_confirmation(
    State(service): State<Service>,
    link: RequestedLink,
) -> Result<impl IntoApiResponse> {
    respond(&service, &link, LinkPurpose::Confirm, LinkPage::Confirm).await
}

/// `POST /n/{notification_id}/{token}/confirm`: confirms the address. Can be repeated.
async fn confirm(
    State(service): State<Service>,
    actor: RequestActor,
    link: RequestedLink,
) -> Result<impl IntoApiResponse> {
    let Some(target) = find_target(&service, &link, LinkPurpose::Confirm).await? else {
        return Ok(page::invalid_response(link.locale));
    };
    if !target.notification.confirmed || target.notification.disabled.is_some() {
        let event = actor.account_event(&service, &target.account, Action::NotificationConfirmed);
        let update = NotificationUpdate::Confirmed;
        if !update_target(&service, &target, event, update).await? {
            return Ok(page::invalid_response(link.locale));
        }
    }
    Ok(page::response(link.locale, LinkPage::Confirmed, &target.notification, &target.form))
}

/// `GET /n/{notification_id}/{token}/unsubscribe`: the page with the button that unsubscribes.
async fn show_unsubscription(
    State(service): State<Service>,
    link: RequestedLink,
) -> Result<impl IntoApiResponse> {
    respond(&service, &link, LinkPurpose::Unsubscribe, LinkPage::Unsubscribe).await
}

/// `POST /n/{notification_id}/{token}/unsubscribe`: unsubscribes the address. Can be repeated. The
/// body is ignored.
async fn unsubscribe(
    State(service): State<Service>,
    actor: RequestActor,
    link: RequestedLink,
) -> Result<impl IntoApiResponse> {
    let Some(target) = find_target(&service, &link, LinkPurpose::Unsubscribe).await? else {
        return Ok(page::invalid_response(link.locale));
    };
    let reason = target.notification.disabled.map(|disabled| disabled.reason);
    if reason != Some(AddressDisabledReason::Unsubscribed) {
        let event =
            actor.account_event(&service, &target.account, Action::NotificationUnsubscribed);
        let update = NotificationUpdate::Disabled(AddressDisabledReason::Unsubscribed);
        // If the notification was deleted meanwhile, no more e-mails are sent, either.
        update_target(&service, &target, event, update).await?;
    }
    Ok(page::response(link.locale, LinkPage::Unsubscribed, &target.notification, &target.form))
}

/// Responds with a page if the link is valid.
async fn respond(
    service: &Service,
    link: &RequestedLink,
    purpose: LinkPurpose,
    page: LinkPage,
) -> Result<Response> {
    let target = find_target(service, link, purpose).await?;
    Ok(target.map_or_else(
        || page::invalid_response(link.locale),
        |target| page::response(link.locale, page, &target.notification, &target.form),
    ))
}

/// Returns the target of a link; `None` if the link is invalid for any reason.
async fn find_target(
    service: &Service,
    link: &RequestedLink,
    purpose: LinkPurpose,
) -> Result<Option<LinkTarget>> {
    let (Some(mail), Some(id)) = (service.mail(), &link.id) else { return Ok(None) };
    let Some(found) = service.store().find_notification(id).await? else { return Ok(None) };
    let NotificationRecord { form, notification } = found;
    if !mail.links.is_valid(purpose, id, &notification.email, &link.token, service.now()) {
        return Ok(None);
    }
    let found = service.store().find_form(&form).await?;
    Ok(found.map(|FormRecord { account_id: account, form }| LinkTarget {
        notification,
        account,
        form,
    }))
}

/// Changes the notification of a link; `false` if it was deleted meanwhile.
async fn update_target(
    service: &Service,
    target: &LinkTarget,
    event: AuditEvent,
    update: NotificationUpdate,
) -> Result<bool> {
    let LinkTarget { notification, form, .. } = target;
    let event = with_form_part(event, form, "notification", &notification.id)
        .with_user_text("email", &notification.email);
    let store = service.with_audit(event);
    Ok(store.update_notification(&notification.id, update, service.now()).await?)
}

/// Renders the JSON errors of the router as pages for browsers. Their status and headers stay.
async fn render_errors(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let is_browser = accept.is_some_and(prefers_html);
    let locale = reader_locale(headers);
    let response = next.run(request).await;
    let is_page = response.headers().get(header::CONTENT_TYPE).is_some_and(page::is_html);
    let status = response.status();
    if !is_browser || is_page || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let page = if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        page::unavailable_response(locale, status)
    } else {
        page::refusal_response(locale, status)
    };
    // `Retry-After`, `Allow` and the rate limit stay.
    let mut headers = response.headers().clone();
    headers.remove(header::CONTENT_LENGTH);
    let (mut parts, body) = page.into_parts();
    for (name, value) in &parts.headers {
        headers.insert(name, value.clone());
    }
    parts.headers = headers;
    Response::from_parts(parts, body)
}

/// Returns the language that a reader prefers.
fn reader_locale(headers: &HeaderMap) -> &'static Locale {
    let accept = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    locale::preferred_locale(accept.unwrap_or_default())
}
