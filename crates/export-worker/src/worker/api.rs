//! The only module that sends requests. They go to the three read endpoints of the gateway
//! (Specification, sections 4.1, 4.2 and 4.4).
//!
//! Requests go to the page's own origin with its session, and contain no API key.

use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::error::{is_page, is_session_end};
use contract::{
    Data, Environment, ErrorBody, ExportQuery, FormId, ListQuery, Page, RateLimit, Submission,
    SubmissionId,
};
use export_worker::task::Failure;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Headers, RequestInit, RequestRedirect, Response};

use super::{
    scope::{in_time, scope},
    stop::{Control, Stop},
    stream::Stream,
};

/// Response, and the rate limit of the key at that time.
pub(super) type Answer<T> = (T, Option<RateLimit>);

/// Form to read, and the control that stops the requests.
pub(super) struct Api<'a> {
    pub(super) environment: Environment,
    pub(super) form: &'a FormId,
    pub(super) control: &'a Control,
}

impl Api<'_> {
    /// Requests a page of the list.
    pub(super) async fn list(&self, query: &ListQuery) -> Result<Answer<Page<Submission>>, Stop> {
        self.read(&self.of_form("", &query.write())).await
    }

    /// Requests one submission.
    pub(super) async fn submission(&self, id: &SubmissionId) -> Result<Answer<Submission>, Stop> {
        let url = format!("/api/{}/v1/submissions/{id}", self.environment);
        let (data, rate): Answer<Data<Submission>> = self.read(&url).await?;
        Ok((data.data, rate))
    }

    /// Requests an export and opens its stream.
    pub(super) async fn export(&self, query: &ExportQuery) -> Result<Answer<Stream>, Stop> {
        let response = self.send(&self.of_form("/export", &query.write())).await?;
        let rate = rate(&response);
        let body = response.body().ok_or(Stop::Cut)?;
        Ok((Stream::of(&body), rate))
    }

    fn of_form(&self, tail: &str, query: &str) -> String {
        let path = format!("/api/{}/v1/forms/{}/submissions{tail}", self.environment, self.form);
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }

    async fn read<T: DeserializeOwned>(&self, url: &str) -> Result<Answer<T>, Stop> {
        let response = self.send(url).await?;
        let text = text(&response, self.control)
            .await
            .map_err(|stop| stop.unwrap_or_else(|| self.lost()))?;
        let body = serde_json::from_str(&text).map_err(|error| {
            let unreadable = || Failure::Unreadable(error.to_string());
            Stop::Failed(if is_page(&text) { Failure::SessionEnded } else { unreadable() })
        })?;
        Ok((body, rate(&response)))
    }

    async fn send(&self, url: &str) -> Result<Response, Stop> {
        self.control.check()?;
        let lost = |_: JsValue| self.lost();
        let headers = Headers::new().map_err(lost)?;
        headers.set(CSRF_HEADER, CSRF_VALUE).map_err(lost)?;
        let init = RequestInit::new();
        init.set_headers(&headers);
        init.set_signal(self.control.signal().as_ref());
        // The gateway never redirects, so a redirect comes from an auth proxy.
        init.set_redirect(RequestRedirect::Manual);
        let promise = scope().fetch_with_str_and_init(url, &init);
        let response = in_time(promise, self.control).await?.map_err(lost)?;
        let response: Response = response.unchecked_into();
        let content_type = response.headers().get("content-type").ok().flatten();
        match response.ok() {
            false => Err(self.refusal(&response, content_type.as_deref()).await),
            true if is_session_end(response.status(), content_type.as_deref(), false) => {
                Err(Stop::Failed(Failure::SessionEnded))
            }
            true => Ok(response),
        }
    }

    /// Converts an error response.
    async fn refusal(&self, response: &Response, content_type: Option<&str>) -> Stop {
        let status = response.status();
        let header = response.headers().get("retry-after").ok().flatten();
        let retry_after_s = header.and_then(|text| text.parse().ok());
        let text = text(response, self.control).await.unwrap_or_default();
        let body = serde_json::from_str::<ErrorBody>(&text).ok();
        if is_session_end(status, content_type, body.is_some()) {
            return Stop::Failed(Failure::SessionEnded);
        }
        match status {
            429 => Stop::Refused(body.and_then(|body| body.retry_after).or(retry_after_s)),
            404 if body.as_ref().is_some_and(|body| body.error == "not_found") => Stop::Gone,
            _ => {
                let (code, message) =
                    body.map(|body| (body.error, body.message)).unwrap_or_default();
                Stop::Failed(Failure::Status { status, code, message })
            }
        }
    }

    /// Returns the requested stop if there is one, else a network failure.
    fn lost(&self) -> Stop {
        self.control.check().err().unwrap_or(Stop::Failed(Failure::Network))
    }
}

fn rate(response: &Response) -> Option<RateLimit> {
    RateLimit::read(|name| response.headers().get(name).ok().flatten())
}

/// Reads a body. The error is the reason for a timeout, or `None` for a network failure.
async fn text(response: &Response, control: &Control) -> Result<String, Option<Stop>> {
    let text = in_time(response.text().map_err(|_| None)?, control).await.map_err(Some)?;
    text.ok().and_then(|text| text.as_string()).ok_or(None)
}
