//! Live updates of the forms of an account (additive), as server-sent events.

use crate::Service;
use crate::error::Result;
use crate::live;
use crate::middleware::in_flight::SeparatelyLimited;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use contract::live::{EventsQuery, MEDIA_TYPE};
use contract::{AccountId, FormAccess};
use http::{HeaderName, HeaderValue, header};
use store::Owner;

/// Asks nginx not to buffer a response.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// `GET /account/events`: streams the changes of the submissions of an environment, in forms
/// that the user had access to at the start of the stream.
pub(crate) async fn stream_events(
    State(service): State<Service>,
    Extension(account): Extension<AccountId>,
    Extension(access): Extension<FormAccess>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let EventsQuery { environment } = EventsQuery::parse(&query.unwrap_or_default())?;
    let permit = service.live().acquire_permit(&account, service.now())?;
    let is_closing = service.live().is_closing();
    let changes = service.store().subscribe_changes().await;
    let owner = Owner { account_id: account, environment };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE)),
        (ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    let body = live::stream_body((owner, access), changes, is_closing, permit);
    Ok((headers, Extension(SeparatelyLimited), body).into_response())
}
