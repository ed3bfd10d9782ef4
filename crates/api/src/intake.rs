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
mod page;
mod recent;
pub(crate) mod request_metadata;
mod senders;
mod style;
mod utm;
mod value;
mod volume;

pub(crate) use form_settings::IntakeState;
#[cfg(any(test, fuzzing))]
pub(crate) use fuzzing::judged;
pub use request_metadata::Country;

use crate::Service;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::openapi::{self, AuthScheme, complete};
use crate::router::{Id, harden};
use aide::axum::routing::{get_with, post_with};
use aide::axum::{ApiRouter, IntoApiResponse};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use client_kind::{Reader, Redirect};
use contract::account::Client;
use contract::{Data, FormId, Receipt, Timestamp};
use form_settings::Known;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use request_metadata::Visit;
use sha2::{Digest, Sha256};
use store::new_submission::{Arrived, Repeat};

/// Maximum attempts to store a submission while its form changes. Then the response is 503.
const TRIES_MAX: usize = 16;
/// Number of headers that [`open`] adds to a response, for reserving capacity.
const HEADERS_ADDED: usize = 6;
/// Cache lifetime of a preflight response, in seconds.
const PREFLIGHT_S: &str = "7200";
/// Maximum length of `Access-Control-Request-Headers`, in bytes.
const PREFLIGHT_BYTES_MAX: usize = 4096;

/// Returns the device and browser of a user agent, for an owner's list of sessions.
pub fn client(user_agent: &str) -> Client {
    let agent = agent::known(user_agent);
    let told = |what: Option<&str>| what.map(str::to_owned);
    Client { device: told(agent.device), browser: told(agent.browser) }
}

/// Returns the router that accepts submissions: everything below `/f`, and a JSON 404 for other
/// paths.
///
/// Requests are limited by client address if they carry `ConnectInfo`. A [`Country`] in the
/// extensions is stored with the submission.
pub fn intake(service: Service) -> Router {
    harden(routes().into()).layer(from_fn(open)).with_state(service)
}

/// Returns the intake routes with their descriptions.
pub(crate) fn routes() -> ApiRouter<Service> {
    let form = post_with(take, openapi::take).options_with(preflight, openapi::preflight);
    let router = ApiRouter::new()
        .api_route("/f/{form_id}", form)
        .api_route("/f/{form_id}/thanks", get_with(thank, openapi::thank));
    complete(router, AuthScheme::Sender, openapi::INTAKE)
}

/// `POST /f/{form_id}`. A closed form responds as closed even if the request is invalid.
async fn take(
    State(service): State<Service>,
    Id(form): Id<FormId>,
    request: Request,
) -> Result<Response> {
    let (intake_state, store) = (service.intake_state(), service.store().as_ref());
    let shared = service.shared_limits();
    let visit = Visit::of(&request);
    let (parts, body) = request.into_parts();
    let came = service.moment();
    let known = intake_state.find(store, &form, &visit, came).await?.ok_or_else(no_such_form)?;
    intake_state.admit(shared, &form, &known.record.intake, &visit, came).await?;
    let closing = known.record.intake.closing.as_ref();
    let closing = closing.filter(|closing| closing.is_closed(came.now));
    match receive(&service, &form, &visit, (&parts.headers, body), came.steady).await {
        Err(error) if error.is_of_client() => closing.map(closed::answer).ok_or(error),
        other => other,
    }
}

/// Reads, checks and stores one submission.
async fn receive(
    service: &Service,
    form: &FormId,
    visit: &Visit,
    (headers, body): (&HeaderMap, Body),
    steady: Timestamp,
) -> Result<Response> {
    let (intake_state, store) = (service.intake_state(), service.store().as_ref());
    let kind = form_body::kind_of(headers)?;
    let key = request_metadata::repeat_key(headers)?;
    let sheet = form_body::read(&kind, headers, body).await?;
    // A body may be sent slowly. `submitted_at` is the time when it is complete.
    let there = service.moment();
    let now = there.now;
    let mut known = intake_state.find(store, form, visit, there).await?.ok_or_else(no_such_form)?;
    let mut is_counted = false;
    let is_person = key.is_none() && Reader::of(headers).is_some();
    // The store rejects a version of the form that is out of date. Then the submission is checked
    // again with the current form.
    for _ in 0..TRIES_MAX {
        check_origin(&known, visit)?;
        let repeat = key.map(|key| Repeat { key: key.to_owned(), request: hash(&sheet) });
        let judged = build_submission::judge(form, &known, sheet.clone(), visit, repeat, now)?;
        // Identical submissions of a browser wait for each other here, so that the second one gets
        // the receipt of the first.
        let recent = if is_person {
            intake_state.recent().entry(&judged.arrival, visit, steady)
        } else {
            None
        };
        let mut recent = match &recent {
            Some(entry) => Some(entry.lock().await),
            None => None,
        };
        if let Some(Some(receipt)) = recent.as_deref() {
            return Ok(taken(receipt.clone(), judged.redirect));
        }
        if !std::mem::replace(&mut is_counted, true) {
            intake_state.admit_bytes(&known, &judged.arrival, there)?;
        }
        match store.insert_arrival(judged.arrival).await? {
            Arrived::Taken(receipt) => {
                if let Some(recent) = recent.as_deref_mut() {
                    *recent = Some(receipt.clone());
                }
                return Ok(taken(receipt, judged.redirect));
            }
            Arrived::Closed => {
                let closing = known.record.intake.closing.clone();
                return Ok(closed::answer(&closing.unwrap_or_default()));
            }
            Arrived::OtherRequest => return Err(other_request(key.unwrap_or_default())),
            Arrived::Stale => {
                let found = intake_state.ask(store, form, now).await?;
                known = found.ok_or_else(no_such_form)?;
            }
        }
    }
    Err(Error::busy())
}

fn no_such_form() -> Error {
    Error::no_form()
}

fn check_origin(known: &Known, visit: &Visit) -> Result<()> {
    match &visit.origin {
        Some(origin) if !address::allows_origin(&known.record.intake.origins, origin) => {
            Err(Error::forbidden(Message::OriginNotAllowed { origin: origin.clone() }))
        }
        _ => Ok(()),
    }
}

fn other_request(key: &str) -> Error {
    Error::validation(format!(
        "the `Idempotency-Key` `{key}` was used for another submission; use a new key for each \
         submission, and repeat a key only to retry the same request"
    ))
}

fn taken(receipt: Receipt, redirect: Redirect) -> Response {
    let mut response = (StatusCode::CREATED, axum::Json(Data { data: receipt })).into_response();
    response.extensions_mut().insert(redirect);
    response
}

/// Hashes a request for comparison with a repeated one. The multipart boundary is excluded, since
/// clients generate a new one each time.
fn hash(sheet: &form_body::Sheet) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix([u8::from(sheet.is_typed)]);
    for (key, value) in &sheet.members {
        let value = value.to_string();
        for part in [key, &value] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}

/// `GET /f/{form_id}/thanks`: the page after a plain HTML form. It can be reloaded safely.
async fn thank(headers: HeaderMap) -> Response {
    Reader::new(&headers).thank()
}

/// `OPTIONS /f/{form_id}`: allows any origin without looking up the form.
///
/// Monitoring scripts add their own headers to requests. All requested headers are allowed, since
/// responses never allow credentials. They are listed by name: some browsers do not support `*`.
async fn preflight(headers: HeaderMap) -> impl IntoApiResponse {
    let wanted = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let wanted = wanted.filter(|wanted| wanted.len() <= PREFLIGHT_BYTES_MAX);
    let usual = HeaderValue::from_static("content-type, idempotency-key");
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.unwrap_or(usual)),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_S)),
        (header::VARY, HeaderValue::from_static("access-control-request-headers")),
    ];
    (StatusCode::NO_CONTENT, headers)
}

/// Renders pages for browsers, and adds headers so that pages of any origin can read responses.
async fn open(request: Request, next: Next) -> Response {
    let reader = Reader::of(request.headers());
    let person = reader.map(|reader| (reader, request.uri().path().to_owned()));
    let mut response = next.run(request).await;
    if let Some((reader, path)) = person {
        response = reader.present(response, &path).await;
    }
    let headers = response.headers_mut();
    headers.reserve(HEADERS_ADDED);
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
