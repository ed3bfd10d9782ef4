//! Ingestion: `POST /f/{form_id}` takes submissions from anyone, from any page (additive).
//!
//! A request is counted, read within limits, judged, and written in one transaction; only then is
//! it acknowledged. This router asks for no key, and shows nothing of what a form holds.

mod agent;
mod desk;
#[cfg(any(test, fuzzing))]
mod fuzzing;
mod hidden;
mod judge;
mod limits;
mod page;
mod reader;
mod reasons;
mod sheet;
mod style;
mod utm;
mod value;
mod visit;
mod words;

pub(crate) use desk::Desk;
#[cfg(any(test, fuzzing))]
pub(crate) use fuzzing::judged;
pub use visit::Country;

use crate::Service;
use crate::error::{Error, Result};
use crate::openapi;
use crate::routes::{Id, harden};
use crate::store::arrival::{Arrived, Repeat};
use crate::table::Table;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use contract::account::Client;
use contract::{Data, FormId, Receipt};
use desk::Known;
use http::{HeaderName, HeaderValue, StatusCode, header};
use reader::{Onward, Reader};
use sha2::{Digest, Sha256};
use visit::Visit;

/// How often a form may change under one submission before the sender is asked to come again.
const TRIES_MAX: usize = 16;
/// So many headers are added to an answer at most.
const HEADERS_ADDED: usize = 6;
/// How long a browser may remember that it may send, in seconds.
const PREFLIGHT_S: &str = "7200";

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
pub fn ingest(service: Service) -> Router {
    let routes = table().into_router();
    harden(routes).layer(from_fn(open)).with_state(service)
}

/// What is routed, and how it is described.
pub(crate) fn table() -> Table {
    Table::default().post("/f/{form_id}", take, openapi::take).options(
        "/f/{form_id}",
        preflight,
        openapi::preflight,
    )
}

/// `POST /f/{form_id}`.
async fn take(
    State(service): State<Service>,
    Id(form): Id<FormId>,
    request: Request,
) -> Result<Response> {
    let (desk, store) = (service.desk(), service.store().as_ref());
    let shared = service.shared_limits();
    let visit = Visit::of(&request);
    let (parts, body) = request.into_parts();
    let came = service.moment();
    let Some(known) = desk.find(store, &form, came.now).await? else {
        desk.admit_lost(shared, &visit, came).await?;
        return Err(no_such_form());
    };
    desk.admit(shared, &form, &known.record.intake, &visit, came).await?;
    let kind = sheet::kind_of(&parts.headers)?;
    let key = visit::repeat_key(&parts.headers)?;
    let body = sheet::read_body(&parts.headers, body).await?;
    // A body may have taken its time; the submission is of the instant at which it was there.
    let now = service.now();
    let mut known = desk.find(store, &form, now).await?.ok_or_else(no_such_form)?;
    for _ in 0..TRIES_MAX {
        check_origin(&known, &visit)?;
        let sheet = sheet::read(&kind, &body).await?;
        let repeat = key.map(|key| Repeat { key: key.to_owned(), request: hash(&sheet) });
        let judged = judge::judge(&form, &known, sheet, &visit, repeat, now)?;
        match store.insert_arrival(judged.arrival).await? {
            Arrived::Taken(receipt) => return Ok(taken(receipt, judged.redirect)),
            Arrived::OtherRequest => return Err(other_request(key.unwrap_or_default())),
            Arrived::Stale => {
                let found = desk.ask(store, &form, now).await?;
                known = found.ok_or_else(no_such_form)?;
            }
        }
    }
    Err(Error::busy())
}

fn no_such_form() -> Error {
    Error::lost("there is no such form; check the address that the page sends to")
}

fn check_origin(known: &Known, visit: &Visit) -> Result<()> {
    match &visit.origin {
        Some(origin) if !known.record.intake.allows_origin(origin) => {
            Err(Error::forbidden(format!(
                "pages of `{origin}` may not send to this form; its owner names those that may"
            )))
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

fn taken(receipt: Receipt, onward: Option<String>) -> Response {
    let mut response = (StatusCode::CREATED, axum::Json(Data { data: receipt })).into_response();
    if let Some(address) = onward {
        response.extensions_mut().insert(Onward(address));
    }
    response
}

/// What a repeated request has in common with the first. The boundary of a multipart form, which is
/// made up anew each time, is no part of it.
fn hash(sheet: &sheet::Sheet) -> [u8; 32] {
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

/// `OPTIONS /f/{form_id}`: any page may ask, and is answered without looking anything up.
async fn preflight() -> impl IntoResponse {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, idempotency-key"),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_S),
    ];
    (StatusCode::NO_CONTENT, headers)
}

/// Answers people with pages, and adds what lets pages of any origin read an answer, and keeps it
/// from anything else.
async fn open(request: Request, next: Next) -> Response {
    let reader = Reader::of(request.headers());
    let mut response = next.run(request).await;
    if let Some(reader) = reader {
        response = reader.present(response).await;
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
