//! The only module of the page that fetches: the gateway's endpoints, typed. Exports are the
//! worker's.
//!
//! Every request carries the header that tells it from a forged one, and none a key: the gateway
//! adds that. Nothing is retried, kept or shown here.

mod account;
mod audit;
mod early;
mod forms;
mod limit;
mod people;
mod reach;
mod trash;

pub use account::*;
pub use audit::*;
pub use forms::*;
pub use people::*;
pub use trash::*;

use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::error::{Needs, is_page, is_session_end};
use contract::form::FORMS_MAX;
use contract::summary::{Summary, SummaryQuery};
use contract::{
    ApiKey, CreatedKey, Data, Environment, ErrorBody, Form, FormId, KeyId, LinkPerson, LinkToken,
    ListQuery, NewKey, Page, PageOrWhole, RateLimit, Session, SignIn, Submission, SubmissionId,
};
use gloo_net::http::{Request, RequestBuilder, Response};
use serde::{Serialize, de::DeserializeOwned};
use web_sys::{AbortController, AbortSignal, RequestRedirect};

use crate::{i18n, routes};
use limit::{TimeLimit, in_time};
pub use reach::{Reach, observe};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiError {
    /// The gateway could not be reached, or did not answer in time.
    Network,
    /// An auth proxy in front of the gateway wants a new sign-in.
    SessionEnded,
    /// We gave up the request ourselves; nobody needs to be told.
    Aborted,
    /// The answer was an error (§7).
    Status {
        /// The HTTP status.
        status: u16,
        /// The machine-readable code; empty where the body was not the specified one.
        code: String,
        /// What is wrong and what to do.
        message: String,
        /// Seconds to wait; on 429 only.
        retry_after_s: Option<u64>,
    },
    /// It is done only for whoever has just shown that it is still them, and by what they can.
    Unproven(Needs),
    /// The answer was not of the shape that the specification says.
    Decode(String),
}

impl ApiError {
    /// Returns the HTTP status, where an answer came.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::Unproven(_) => Some(403),
            Self::Network | Self::SessionEnded | Self::Aborted | Self::Decode(_) => None,
        }
    }

    /// Returns what went wrong and what to do, in a sentence.
    pub fn message(&self) -> String {
        match self {
            Self::Network => i18n::failures().unreachable.to_owned(),
            Self::SessionEnded => i18n::failures().session_ended.to_owned(),
            Self::Aborted => i18n::failures().given_up.to_owned(),
            Self::Status { message, .. } => message.clone(),
            Self::Unproven(Needs::Password) => i18n::failures().needs_password.to_owned(),
            Self::Unproven(Needs::SignIn) => i18n::failures().needs_sign_in.to_owned(),
            Self::Decode(problem) => (i18n::failures().unreadable)(problem),
        }
    }
}

/// A body, and where the key stood when it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<T> {
    /// What was asked for.
    pub body: T,
    /// The rate-limit headers (§8.2), where they were there.
    pub rate: Option<RateLimit>,
}

/// Gives up the requests that carry its signal, at the latest when it is dropped.
#[derive(Debug)]
pub struct Abort(Option<AbortController>);

impl Default for Abort {
    fn default() -> Self {
        Self(AbortController::new().ok())
    }
}

impl Abort {
    /// Returns the signal for requests.
    pub fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }

    /// Ends nothing: what it was for has come.
    pub fn spare(mut self) {
        self.0 = None;
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// Tells who is signed in, if anyone is.
pub async fn session() -> Result<Option<Session>, ApiError> {
    Ok(get::<Data<Option<Session>>>(routes::SESSION, None).await?.body.data)
}

/// Returns the mail address of the person whom a sign-in link signs in. The link stays usable.
pub async fn link_person(token: &str) -> Result<String, ApiError> {
    let body = LinkToken { token: token.to_owned() };
    let person: Data<LinkPerson> = read(post(routes::SESSION_LINK, &body).await?).await?.body;
    Ok(person.data.email)
}

/// Signs in, by password or by the token of a link.
pub async fn sign_in(proof: &SignIn) -> Result<Session, ApiError> {
    let session: Data<Session> = read(post(routes::SESSION, proof).await?).await?.body;
    Ok(session.data)
}

/// Signs out.
pub async fn sign_out() -> Result<(), ApiError> {
    send(Request::delete(routes::SESSION), None).await.map(|_| ())
}

/// Lists the owner's forms, of both environments, oldest first: all of them, page by page.
pub async fn forms() -> Result<Vec<Form>, ApiError> {
    let (mut forms, mut cursor) = (Vec::new(), None);
    loop {
        let page = get::<PageOrWhole<Form>>(&routes::account_forms(cursor), None).await?.body;
        cursor = page.next().map(str::to_owned);
        forms.extend(page.data);
        // A server that never ends its list is not asked for ever.
        if cursor.is_none() || forms.len() >= FORMS_MAX {
            return Ok(forms);
        }
    }
}

/// Sums up the submissions of a form that match (additive).
pub async fn summary(
    form: &FormId,
    query: &SummaryQuery,
    signal: Option<&AbortSignal>,
) -> Result<Summary, ApiError> {
    Ok(get::<Data<Summary>>(&routes::account_summary(form, query), signal).await?.body.data)
}

/// Lists the owner's API keys, newest first, revoked ones too.
pub async fn keys() -> Result<Vec<ApiKey>, ApiError> {
    Ok(get::<Data<Vec<ApiKey>>>(routes::ACCOUNT_KEYS, None).await?.body.data)
}

/// Creates an API key. The answer is the only one that holds its secret.
pub async fn create_key(key: &NewKey) -> Result<CreatedKey, ApiError> {
    Ok(read(post(routes::ACCOUNT_KEYS, key).await?).await?.body)
}

/// Revokes an API key, for good.
pub async fn revoke_key(id: &KeyId) -> Result<(), ApiError> {
    send(Request::delete(&routes::account_key(id)), None).await.map(|_| ())
}

/// Lists a page of a form's submissions (§4.1).
pub async fn list(
    environment: Environment,
    form: &FormId,
    query: &ListQuery,
    signal: Option<&AbortSignal>,
) -> Result<Answer<Page<Submission>>, ApiError> {
    get(&routes::api_list(environment, form, query), signal).await
}

/// Gets one submission (§4.2).
pub async fn submission(
    environment: Environment,
    id: &SubmissionId,
    signal: Option<&AbortSignal>,
) -> Result<Submission, ApiError> {
    let url = routes::api_submission(environment, id);
    Ok(get::<Data<Submission>>(&url, signal).await?.body.data)
}

/// Deletes one submission, for good (§4.3).
pub async fn delete(environment: Environment, id: &SubmissionId) -> Result<Answer<()>, ApiError> {
    let gone = send(Request::delete(&routes::api_submission(environment, id)), None).await?;
    let headers = gone.headers();
    Ok(Answer { body: (), rate: RateLimit::read(|name| headers.get(name)) })
}

async fn get<T: DeserializeOwned>(
    url: &str,
    signal: Option<&AbortSignal>,
) -> Result<Answer<T>, ApiError> {
    read_text(&get_text(url, signal).await?)
}

/// What all answers have in common, whatever stands in them: it is compiled once.
async fn get_text(url: &str, signal: Option<&AbortSignal>) -> Result<Answer<String>, ApiError> {
    let response = match in_time(early::take(url)).await? {
        Some(response) => checked(response.into()).await?,
        None => send(to(Request::get, url), signal).await?,
    };
    text(response).await
}

/// Begins a request for a URL. The query goes in pair by pair, since the client would put a stray
/// `&` behind one that stands in the URL already.
fn to(begin: fn(&str) -> RequestBuilder, url: &str) -> RequestBuilder {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let decode = |text: &str| {
        js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
    };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.fold(begin(path), |request, (name, value)| request.query([(name, decode(value))]))
}

async fn post(url: &str, body: &impl Serialize) -> Result<Response, ApiError> {
    write(to(Request::post, url), body).await
}

async fn put(url: &str, body: &impl Serialize) -> Result<Response, ApiError> {
    write(Request::put(url), body).await
}

/// Does what needs no body: its address says it all.
async fn act(url: &str) -> Result<Response, ApiError> {
    send(Request::post(url), None).await
}

async fn remove(url: &str) -> Result<Response, ApiError> {
    send(Request::delete(url), None).await
}

async fn write(request: RequestBuilder, body: &impl Serialize) -> Result<Response, ApiError> {
    let json = serde_json::to_string(body).map_err(|error| ApiError::Decode(error.to_string()))?;
    let limit = TimeLimit::begin(None);
    let request = marked(request, &limit).header("content-type", "application/json").body(json);
    let request = request.map_err(|_| ApiError::Network)?;
    checked(request.send().await.map_err(|_| lost(None))?).await
}

/// The gateway never redirects, so a redirect is not followed: it is an auth proxy's.
fn marked(request: RequestBuilder, limit: &TimeLimit) -> RequestBuilder {
    let request = request.header(CSRF_HEADER, CSRF_VALUE).redirect(RequestRedirect::Manual);
    request.abort_signal(limit.signal())
}

async fn send(request: RequestBuilder, signal: Option<&AbortSignal>) -> Result<Response, ApiError> {
    let limit = TimeLimit::begin(signal);
    let sent = marked(request, &limit).send().await;
    checked(sent.map_err(|_| lost(signal))?).await
}

/// Tells a request that we gave up from one that the network lost or that took too long.
fn lost(signal: Option<&AbortSignal>) -> ApiError {
    if signal.is_some_and(AbortSignal::aborted) {
        return ApiError::Aborted;
    }
    reach::tell(Reach::Lost);
    ApiError::Network
}

fn session_ended() -> ApiError {
    reach::tell(Reach::SessionEnded);
    ApiError::SessionEnded
}

/// Makes an error of an answer that is one.
async fn checked(response: Response) -> Result<Response, ApiError> {
    let status = response.status();
    let content_type = response.headers().get("content-type");
    if response.ok() {
        if is_session_end(status, content_type.as_deref(), false) {
            return Err(session_ended());
        }
        reach::tell(Reach::Fine);
        return Ok(response);
    }
    let retry_after_s = response.headers().get("retry-after").and_then(|text| text.parse().ok());
    let text = in_time(response.text()).await.ok().and_then(Result::ok).unwrap_or_default();
    let body = serde_json::from_str::<ErrorBody>(&text);
    if is_session_end(status, content_type.as_deref(), body.is_ok()) {
        return Err(session_ended());
    }
    reach::tell(Reach::Fine);
    let (code, message, retry_after_s) = if let Ok(body) = body {
        if let Some(needs) = body.needs() {
            return Err(ApiError::Unproven(needs));
        }
        (body.error, body.message, body.retry_after.or(retry_after_s))
    } else {
        let message = (i18n::failures().status)(status);
        (String::new(), message, retry_after_s)
    };
    Err(ApiError::Status { status, code, message, retry_after_s })
}

/// Reads what stands in the `data` of an answer.
async fn data<T: DeserializeOwned>(response: Response) -> Result<T, ApiError> {
    Ok(read::<Data<T>>(response).await?.body.data)
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<Answer<T>, ApiError> {
    read_text(&text(response).await?)
}

async fn text(response: Response) -> Result<Answer<String>, ApiError> {
    let headers = response.headers();
    let rate = RateLimit::read(|name| headers.get(name));
    // Its bytes as they are: a text would be copied into the page's form of one and back.
    let bytes = in_time(response.binary()).await?.map_err(|_| lost(None))?;
    let body = String::from_utf8(bytes).map_err(|error| ApiError::Decode(error.to_string()))?;
    Ok(Answer { body, rate })
}

fn read_text<T: DeserializeOwned>(answer: &Answer<String>) -> Result<Answer<T>, ApiError> {
    let body = serde_json::from_str(&answer.body).map_err(|error| {
        if is_page(&answer.body) { session_ended() } else { ApiError::Decode(error.to_string()) }
    })?;
    Ok(Answer { body, rate: answer.rate })
}
