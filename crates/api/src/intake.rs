//! Ingestion: `POST /f/{form_id}` takes submissions from anyone, from any page (additive).
//!
//! A request is counted, read within limits, judged, and written in one transaction; only then is
//! it acknowledged. This router asks for no key, and shows nothing of what a form holds. An honest
//! sender never loses a submission: what is odd in a request is no reason to refuse it.

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

/// How often a form may change under one submission before the sender is asked to come again.
const TRIES_MAX: usize = 16;
/// So many headers are added to an answer at most.
const HEADERS_ADDED: usize = 6;
/// How long a browser may remember that it may send, in seconds.
const PREFLIGHT_S: &str = "7200";
/// Longest list of headers that is allowed in a preflight, in bytes.
const PREFLIGHT_BYTES_MAX: usize = 4096;

/// Returns what is told to an owner of where they are signed in, by their browser's user agent.
pub fn client(user_agent: &str) -> Client {
    let agent = agent::known(user_agent);
    let told = |what: Option<&str>| what.map(str::to_owned);
    Client { device: told(agent.device), browser: told(agent.browser) }
}

/// Returns the router that takes submissions: everything beneath `/f`, and a JSON 404 elsewhere.
///
/// Where the request carries `ConnectInfo` with the client's address, it is limited by it; where it
/// carries a [`Country`], the submission does, too.
pub fn intake(service: Service) -> Router {
    harden(routes().into()).layer(from_fn(open)).with_state(service)
}

/// What is routed, and how it is described.
pub(crate) fn routes() -> ApiRouter<Service> {
    let form = post_with(take, openapi::take).options_with(preflight, openapi::preflight);
    let router = ApiRouter::new()
        .api_route("/f/{form_id}", form)
        .api_route("/f/{form_id}/thanks", get_with(thank, openapi::thank));
    complete(router, AuthScheme::Sender, openapi::INTAKE)
}

/// `POST /f/{form_id}`. A form that is closed says so, whatever else is wrong with the request.
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

/// Reads, judges and stores one submission.
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
    // A body may have taken its time; the submission is of the instant at which it was there.
    let there = service.moment();
    let now = there.now;
    let mut known = intake_state.find(store, form, visit, there).await?.ok_or_else(no_such_form)?;
    let mut is_counted = false;
    let is_person = key.is_none() && Reader::of(headers).is_some();
    for _ in 0..TRIES_MAX {
        check_origin(&known, visit)?;
        let repeat = key.map(|key| Repeat { key: key.to_owned(), request: hash(&sheet) });
        let judged = build_submission::judge(form, &known, sheet.clone(), visit, repeat, now)?;
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
        "another submission came with the `Idempotency-Key` `{key}`; use a new key for each \
         submission, and the same key only to send the very same one again"
    ))
}

fn taken(receipt: Receipt, redirect: Redirect) -> Response {
    let mut response = (StatusCode::CREATED, axum::Json(Data { data: receipt })).into_response();
    response.extensions_mut().insert(redirect);
    response
}

/// What a repeated request has in common with the first. The boundary of a multipart form, which is
/// made up anew each time, is no part of it.
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

/// `GET /f/{form_id}/thanks`: the page after a plain HTML form. It can be reloaded.
async fn thank(headers: HeaderMap) -> Response {
    Reader::new(&headers).thank()
}

/// `OPTIONS /f/{form_id}`: any page may ask, and is answered without looking anything up. Scripts
/// that watch a page add headers of their own to each request. They may be any, since the answers
/// allow no credentials. The wanted ones are named: not every browser knows `*`.
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

/// Answers people with pages, and adds what lets pages of any origin read an answer, and keeps it
/// from anything else.
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
