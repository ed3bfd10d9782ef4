//! Intake: `POST /f/{form_id}` accepts submissions from anyone and from any page (additive).
//!
//! A request is counted, read within limits, checked, and stored in one transaction before it is
//! acknowledged. The router needs no key and reveals no data of a form. Odd input alone does not
//! reject a submission, so that honest senders lose nothing.

mod address;
mod agent;
pub(crate) mod build_submission;
pub(crate) mod client_kind;
mod closed;
pub(crate) mod control_fields;
mod form;
pub(crate) mod form_body;
pub(crate) mod form_settings;
#[cfg(any(test, fuzzing))]
mod fuzzing;
mod json;
mod limits;
pub(crate) mod page;
mod recent;
pub(crate) mod request_metadata;
mod senders;
mod style;
mod utm;
mod value;
mod volume;

pub(crate) use form_settings::IntakeState;
#[cfg(any(test, fuzzing))]
pub(crate) use fuzzing::build_from_bytes;
pub use request_metadata::Country;

use crate::Service;
use crate::error::{Error, Result};
use crate::message::{Message, quotable};
use crate::openapi::{self, AuthScheme, complete_router, if_described};
use crate::router::{Id, add_json_errors};
use aide::axum::routing::{get_with, post_with};
use aide::axum::{ApiRouter, IntoApiResponse};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use client_kind::{HtmlClient, Redirect};
use contract::account::ClientInfo;
use contract::{Data, FormId, Receipt, Timestamp};
use form_settings::CachedForm;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use request_metadata::RequestMetadata;
use sha2::{Digest, Sha256};
use store::new_submission::{IdempotencyKey, InsertOutcome};

/// Maximum attempts to store a submission while its form changes. Then the response is 503.
const ATTEMPTS_MAX: usize = 16;
/// Number of headers that [`finish_response`] adds to a response, for reserving capacity.
const ADDED_HEADERS_MAX: usize = 6;
/// Cache lifetime of a preflight response, in seconds.
const PREFLIGHT_MAX_AGE_S: &str = "7200";
/// Maximum length of `Access-Control-Request-Headers`, in bytes.
const PREFLIGHT_BYTES_MAX: usize = 4096;

/// Returns the device and browser of a user agent, for an owner's list of sessions.
pub fn client_of_user_agent(user_agent: &str) -> ClientInfo {
    let agent = agent::parse_cached_user_agent(user_agent);
    let owned = |text: Option<&str>| text.map(str::to_owned);
    ClientInfo { device: owned(agent.device), browser: owned(agent.browser) }
}

/// Returns the router that accepts submissions: everything below `/f`, and a JSON 404 for other
/// paths.
///
/// Requests are limited by client address if they carry `ConnectInfo`. A [`Country`] in the
/// extensions is stored with the submission.
pub fn intake_router(service: Service) -> Router {
    add_json_errors(intake_routes().into()).layer(from_fn(finish_response)).with_state(service)
}

/// Returns the intake routes with their descriptions.
pub(crate) fn intake_routes() -> ApiRouter<Service> {
    let form = post_with(create_submission, if_described(openapi::create_submission))
        .options_with(preflight, if_described(openapi::preflight));
    let router = ApiRouter::new().api_route("/f/{form_id}", form).api_route(
        "/f/{form_id}/thanks",
        get_with(show_thanks, if_described(openapi::show_thanks)),
    );
    complete_router(router, AuthScheme::Sender, openapi::INTAKE)
}

/// `POST /f/{form_id}`. A closed form responds as closed even if the request is invalid.
async fn create_submission(
    State(service): State<Service>,
    Id(form): Id<FormId>,
    request: Request,
) -> Result<Response> {
    let intake_state = service.intake_state();
    let store = service.store().as_ref();
    let shared = service.shared_limits();
    let metadata = RequestMetadata::of_request(&request);
    let (parts, body) = request.into_parts();
    let received = service.moment();
    let cached_form = intake_state
        .find_form(store, &form, &metadata, received)
        .await?
        .ok_or_else(Error::unknown_form)?;
    intake_state
        .admit_request(shared, &form, &cached_form.record.intake, &metadata, received)
        .await?;
    let closing = cached_form.record.intake.closing.as_ref();
    let closing = closing.filter(|closing| closing.is_closed(received.now));
    match store_submission(&service, &form, &metadata, (&parts.headers, body), received.steady)
        .await
    {
        Err(error) if error.is_client_error() => closing.map(closed::closed_response).ok_or(error),
        other => other,
    }
}

/// Reads, checks and stores one submission.
async fn store_submission(
    service: &Service,
    form: &FormId,
    metadata: &RequestMetadata,
    (headers, body): (&HeaderMap, Body),
    steady: Timestamp,
) -> Result<Response> {
    let intake_state = service.intake_state();
    let store = service.store().as_ref();
    let kind = form_body::body_format(headers)?;
    let key = request_metadata::idempotency_key(headers)?;
    let parsed_body = form_body::parse_body(&kind, headers, body).await?;
    // A body may be sent slowly. `submitted_at` is the time when it is complete.
    let completed = service.moment();
    let now = completed.now;
    let found = intake_state.find_form(store, form, metadata, completed).await?;
    let mut cached_form = found.ok_or_else(Error::unknown_form)?;
    let mut is_counted = false;
    let is_person = key.is_none() && HtmlClient::detect(headers).is_some();
    // The store rejects a version of the form that is out of date. Then the submission is checked
    // again with the current form.
    for _ in 0..ATTEMPTS_MAX {
        check_origin(&cached_form, metadata)?;
        let repeat = key
            .map(|key| IdempotencyKey { key: key.to_owned(), request: hash_request(&parsed_body) });
        let body = parsed_body.clone();
        let submission =
            build_submission::build_submission(form, &cached_form, body, metadata, repeat, now)?;
        // Identical submissions of a browser wait for each other here, so that the second one gets
        // the receipt of the first.
        let recent = is_person
            .then(|| intake_state.recent().entry(&submission.new_submission, metadata, steady))
            .flatten();
        let mut recent = match &recent {
            Some(entry) => Some(entry.lock().await),
            None => None,
        };
        if let Some(Some(receipt)) = recent.as_deref() {
            return Ok(created_response(receipt.clone(), submission.redirect));
        }
        if !std::mem::replace(&mut is_counted, true) {
            intake_state.admit_bytes(&cached_form, &submission.new_submission, completed)?;
        }
        match store.insert_submission(submission.new_submission).await? {
            InsertOutcome::Inserted(receipt) => {
                if let Some(recent) = recent.as_deref_mut() {
                    *recent = Some(receipt.clone());
                }
                return Ok(created_response(receipt, submission.redirect));
            }
            InsertOutcome::LimitReached => {
                let closing = cached_form.record.intake.closing.clone();
                return Ok(closed::closed_response(&closing.unwrap_or_default()));
            }
            InsertOutcome::IdempotencyConflict => {
                return Err(key_reused_error(key.unwrap_or_default()));
            }
            InsertOutcome::Stale => {
                let found = intake_state.load_form(store, form, now).await?;
                cached_form = found.ok_or_else(Error::unknown_form)?;
            }
        }
    }
    Err(Error::busy())
}

fn check_origin(cached_form: &CachedForm, metadata: &RequestMetadata) -> Result<()> {
    match &metadata.origin {
        Some(origin) if !address::allows_origin(&cached_form.record.intake.origins, origin) => {
            Err(Error::forbidden(Message::OriginNotAllowed { origin: origin.clone() }))
        }
        _ => Ok(()),
    }
}

fn key_reused_error(key: &str) -> Error {
    let key = quotable(key);
    Error::validation(format!(
        "the `Idempotency-Key` `{key}` was used for another submission; use a new key for each \
         submission, and repeat a key only to retry the same request"
    ))
}

fn created_response(receipt: Receipt, redirect: Redirect) -> Response {
    let mut response = (StatusCode::CREATED, axum::Json(Data { data: receipt })).into_response();
    response.extensions_mut().insert(redirect);
    response
}

/// Hashes a request for comparison with a repeated one. The multipart boundary is excluded, since
/// clients generate a new one each time.
fn hash_request(parsed_body: &form_body::ParsedBody) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix([u8::from(parsed_body.is_typed)]);
    for (key, value) in &parsed_body.members {
        let value = value.to_string();
        for part in [key, &value] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}

/// `GET /f/{form_id}/thanks`: the page after a plain HTML form. It can be reloaded safely.
async fn show_thanks(headers: HeaderMap) -> Response {
    HtmlClient::new(&headers).thanks_response()
}

/// `OPTIONS /f/{form_id}`: allows any origin without looking up the form.
///
/// Monitoring scripts add their own headers to requests. All requested headers are allowed, since
/// responses never allow credentials. They are listed by name: some browsers do not support `*`.
async fn preflight(headers: HeaderMap) -> impl IntoApiResponse {
    let requested = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let requested = requested.filter(|requested| requested.len() <= PREFLIGHT_BYTES_MAX);
    let usual = HeaderValue::from_static("content-type, idempotency-key");
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, requested.unwrap_or(usual)),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_MAX_AGE_S)),
        (header::VARY, HeaderValue::from_static("access-control-request-headers")),
    ];
    (StatusCode::NO_CONTENT, headers)
}

/// Renders pages for browsers, and adds headers so that pages of any origin can read responses.
async fn finish_response(request: Request, next: Next) -> Response {
    let reader = HtmlClient::detect(request.headers());
    let person = reader.map(|reader| (reader, request.uri().path().to_owned()));
    let mut response = next.run(request).await;
    if let Some((reader, path)) = person {
        response = reader.render(response, &path).await;
    }
    let headers = response.headers_mut();
    headers.reserve(ADDED_HEADERS_MAX);
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "retry-after"),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let strict = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(strict);
    response
}
