//! Sends requests and reads responses.

use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::error::{is_html, is_proxy_session_end};
use contract::{Data, ErrorBody, RateLimit};
use gloo_net::http::{Request, RequestBuilder, Response};
use serde::{Serialize, de::DeserializeOwned};
use web_sys::{AbortController, AbortSignal, RequestRedirect};

use super::{
    ApiError,
    connection::{self, ConnectionState, connection_error, session_ended_error},
    preload,
    timeout::{TimeLimit, with_time_limit},
};
use crate::i18n;

/// A response body with the rate limit at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiResponse<T> {
    /// The decoded body.
    pub body: T,
    /// Values of the rate-limit headers, if present (Specification, section 8.2).
    pub rate: Option<RateLimit>,
}

/// Cancels the requests that use its signal when it is dropped.
#[derive(Debug)]
pub struct AbortOnDrop(Option<AbortController>);

impl Default for AbortOnDrop {
    fn default() -> Self {
        Self(AbortController::new().ok())
    }
}

impl AbortOnDrop {
    /// Returns the signal for requests.
    pub fn signal(&self) -> Option<AbortSignal> {
        self.0.as_ref().map(AbortController::signal)
    }

    /// Drops the guard without cancelling the requests.
    pub fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

pub(super) async fn get<T: DeserializeOwned>(
    url: &str,
    signal: Option<&AbortSignal>,
) -> Result<ApiResponse<T>, ApiError> {
    parse_body(&get_text(url, signal).await?)
}

/// Like [`get`], and returns only the `data` of the response.
pub(super) async fn get_data<T: DeserializeOwned>(
    url: &str,
    signal: Option<&AbortSignal>,
) -> Result<T, ApiError> {
    let response: ApiResponse<Data<T>> = parse_body(&get_text(url, signal).await?)?;
    Ok(response.body.data)
}

/// Requests the text of a response. Not generic, so that it is compiled only once.
async fn get_text(
    url: &str,
    signal: Option<&AbortSignal>,
) -> Result<ApiResponse<String>, ApiError> {
    let response = match with_time_limit(preload::take_response(url)).await? {
        Some(response) => check_status(response.into()).await?,
        None => send(request_to(Request::get, url), signal).await?,
    };
    read_body(response, signal).await
}

/// Creates a request for a URL. The query is added pair by pair, because the client would append a
/// stray `&` to a query that is part of the URL.
pub(super) fn request_to(begin: fn(&str) -> RequestBuilder, url: &str) -> RequestBuilder {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let decode = |text: &str| {
        js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
    };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.fold(begin(path), |request, (name, value)| request.query([(name, decode(value))]))
}

pub(super) async fn post(url: &str, body: &impl Serialize) -> Result<Response, ApiError> {
    send_json(request_to(Request::post, url), body).await
}

pub(super) async fn put(url: &str, body: &impl Serialize) -> Result<Response, ApiError> {
    send_json(Request::put(url), body).await
}

pub(super) async fn patch(url: &str, body: &impl Serialize) -> Result<Response, ApiError> {
    send_json(Request::patch(url), body).await
}

/// Sends a POST request without a body.
pub(super) async fn post_empty(url: &str) -> Result<Response, ApiError> {
    send(Request::post(url), None).await
}

pub(super) async fn remove(url: &str) -> Result<Response, ApiError> {
    send(Request::delete(url), None).await
}

async fn send_json(request: RequestBuilder, body: &impl Serialize) -> Result<Response, ApiError> {
    let json = serde_json::to_string(body).map_err(|error| ApiError::Decode(error.to_string()))?;
    let limit = TimeLimit::start(None);
    let request =
        with_csrf_header(request, &limit).header("content-type", "application/json").body(json);
    let request = request.map_err(|_| ApiError::Network)?;
    check_status(request.send().await.map_err(|_| connection_error(None))?).await
}

/// Adds the CSRF header, the abort signal, and the language of the interface, for e-mails that the
/// request sends. Redirects are not followed: the gateway never
/// redirects, so a redirect comes from an auth proxy.
pub(super) fn with_csrf_header(request: RequestBuilder, limit: &TimeLimit) -> RequestBuilder {
    let request = request.header(CSRF_HEADER, CSRF_VALUE).redirect(RequestRedirect::Manual);
    let request = request.header("accept-language", i18n::current_language().code());
    request.abort_signal(limit.signal())
}

pub(super) async fn send(
    request: RequestBuilder,
    signal: Option<&AbortSignal>,
) -> Result<Response, ApiError> {
    let limit = TimeLimit::start(signal);
    let sent = with_csrf_header(request, &limit).send().await;
    check_status(sent.map_err(|_| connection_error(signal))?).await
}

/// Converts an error response to an [`ApiError`].
async fn check_status(response: Response) -> Result<Response, ApiError> {
    let status = response.status();
    let content_type = response.headers().get("content-type");
    // A proxy may answer with its sign-in page instead of the gateway's response.
    if response.ok() {
        if is_proxy_session_end(status, content_type.as_deref(), false) {
            return Err(session_ended_error());
        }
        connection::notify_observer(ConnectionState::Online);
        return Ok(response);
    }
    let retry_after_s = response.headers().get("retry-after").and_then(|text| text.parse().ok());
    let text = with_time_limit(response.text()).await.ok().and_then(Result::ok).unwrap_or_default();
    let body = serde_json::from_str::<ErrorBody>(&text);
    if is_proxy_session_end(status, content_type.as_deref(), body.is_ok()) {
        return Err(session_ended_error());
    }
    connection::notify_observer(ConnectionState::Online);
    let (code, message, retry_after_s) = if let Ok(body) = body {
        if let Some(needs) = body.needs() {
            return Err(ApiError::ReauthenticationRequired(needs));
        }
        (body.error, body.message, body.retry_after.or(retry_after_s))
    } else {
        let message = (i18n::failures().status)(status);
        (String::new(), message, retry_after_s)
    };
    Err(ApiError::Status { status, code, message, retry_after_s })
}

/// Reads the `data` member of a response.
pub(super) async fn read_data<T: DeserializeOwned>(response: Response) -> Result<T, ApiError> {
    Ok(read_json::<Data<T>>(response).await?.body.data)
}

pub(super) async fn read_json<T: DeserializeOwned>(
    response: Response,
) -> Result<ApiResponse<T>, ApiError> {
    parse_body(&read_body(response, None).await?)
}

/// Reads the body. `signal` can have cancelled the request meanwhile.
async fn read_body(
    response: Response,
    signal: Option<&AbortSignal>,
) -> Result<ApiResponse<String>, ApiError> {
    let headers = response.headers();
    let rate = RateLimit::from_headers(|name| headers.get(name));
    // `text()` would convert the body to a JavaScript string and back, so read the bytes.
    let bytes = with_time_limit(response.binary()).await?.map_err(|_| connection_error(signal))?;
    let body = String::from_utf8(bytes).map_err(|error| ApiError::Decode(error.to_string()))?;
    Ok(ApiResponse { body, rate })
}

fn parse_body<T: DeserializeOwned>(
    answer: &ApiResponse<String>,
) -> Result<ApiResponse<T>, ApiError> {
    let body = serde_json::from_str(&answer.body).map_err(|error| {
        if is_html(&answer.body) {
            session_ended_error()
        } else {
            ApiError::Decode(error.to_string())
        }
    })?;
    Ok(ApiResponse { body, rate: answer.rate })
}
