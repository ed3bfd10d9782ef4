//! The only module that sends requests. They go to the three read endpoints of the gateway
//! (Specification, sections 4.1, 4.2 and 4.4).
//!
//! Requests go to the page's own origin with its session, and contain no API key.

use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::error::{is_html, is_proxy_session_end};
use contract::{
    Data, Environment, ErrorBody, ExportQuery, FormId, ListQuery, Page, RateLimit, Submission,
    SubmissionId,
};
use export_worker::task::Failure;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Headers, RequestInit, RequestRedirect, Response};

use super::{
    stop::{ExportControl, StopReason},
    stream::BodyReader,
    worker_scope::{with_timeout, worker_scope},
};

/// Response, and the rate limit of the key at that time.
pub(super) type RatedResponse<T> = (T, Option<RateLimit>);

/// Form to read, and the control that stops the requests.
pub(super) struct FormApi<'a> {
    pub(super) environment: Environment,
    pub(super) form: &'a FormId,
    pub(super) control: &'a ExportControl,
}

impl FormApi<'_> {
    /// Requests a page of the list.
    pub(super) async fn list_page(
        &self,
        query: &ListQuery,
    ) -> Result<RatedResponse<Page<Submission>>, StopReason> {
        self.get_json(&self.form_url("", &query.to_query_string())).await
    }

    /// Requests one submission.
    pub(super) async fn get_submission(
        &self,
        id: &SubmissionId,
    ) -> Result<RatedResponse<Submission>, StopReason> {
        let url = format!("/api/{}/v1/submissions/{id}", self.environment);
        let (data, rate): RatedResponse<Data<Submission>> = self.get_json(&url).await?;
        Ok((data.data, rate))
    }

    /// Requests an export and opens its stream.
    pub(super) async fn open_export(
        &self,
        query: &ExportQuery,
    ) -> Result<RatedResponse<BodyReader>, StopReason> {
        let response =
            self.send_request(&self.form_url("/export", &query.to_query_string())).await?;
        let rate = read_rate_limit(&response);
        let body = response.body().ok_or(StopReason::Truncated)?;
        Ok((BodyReader::from_body(&body), rate))
    }

    fn form_url(&self, tail: &str, query: &str) -> String {
        let path = format!("/api/{}/v1/forms/{}/submissions{tail}", self.environment, self.form);
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }

    async fn get_json<T: DeserializeOwned>(
        &self,
        url: &str,
    ) -> Result<RatedResponse<T>, StopReason> {
        let response = self.send_request(url).await?;
        let text = read_text(&response, self.control)
            .await
            .map_err(|stop| stop.unwrap_or_else(|| self.network_failure()))?;
        let body = serde_json::from_str(&text).map_err(|error| {
            let unreadable = || Failure::Unreadable(error.to_string());
            StopReason::Failed(if is_html(&text) { Failure::SessionEnded } else { unreadable() })
        })?;
        Ok((body, read_rate_limit(&response)))
    }

    async fn send_request(&self, url: &str) -> Result<Response, StopReason> {
        self.control.check_stopped()?;
        let network_error = |_: JsValue| self.network_failure();
        let headers = Headers::new().map_err(network_error)?;
        headers.set(CSRF_HEADER, CSRF_VALUE).map_err(network_error)?;
        let init = RequestInit::new();
        init.set_headers(&headers);
        init.set_signal(self.control.abort_signal().as_ref());
        // The gateway never redirects, so a redirect comes from an auth proxy.
        init.set_redirect(RequestRedirect::Manual);
        let promise = worker_scope().fetch_with_str_and_init(url, &init);
        let response = with_timeout(promise, self.control).await?.map_err(network_error)?;
        let response: Response = response.unchecked_into();
        let content_type = response.headers().get("content-type").ok().flatten();
        match response.ok() {
            false => Err(self.parse_error(&response, content_type.as_deref()).await),
            true if is_proxy_session_end(response.status(), content_type.as_deref(), false) => {
                Err(StopReason::Failed(Failure::SessionEnded))
            }
            true => Ok(response),
        }
    }

    /// Converts an error response.
    async fn parse_error(&self, response: &Response, content_type: Option<&str>) -> StopReason {
        let status = response.status();
        let header = response.headers().get("retry-after").ok().flatten();
        let retry_after_s = header.and_then(|text| text.parse().ok());
        let text = read_text(response, self.control).await.unwrap_or_default();
        let body = serde_json::from_str::<ErrorBody>(&text).ok();
        if is_proxy_session_end(status, content_type, body.is_some()) {
            return StopReason::Failed(Failure::SessionEnded);
        }
        match status {
            429 => StopReason::Refused(body.and_then(|body| body.retry_after).or(retry_after_s)),
            404 if body.as_ref().is_some_and(|body| body.error == "not_found") => {
                StopReason::NotFound
            }
            _ => {
                let (code, message) =
                    body.map(|body| (body.error, body.message)).unwrap_or_default();
                StopReason::Failed(Failure::Status { status, code, message })
            }
        }
    }

    /// Returns the requested stop if there is one, else a network failure.
    fn network_failure(&self) -> StopReason {
        self.control.check_stopped().err().unwrap_or(StopReason::Failed(Failure::Network))
    }
}

fn read_rate_limit(response: &Response) -> Option<RateLimit> {
    RateLimit::from_headers(|name| response.headers().get(name).ok().flatten())
}

/// Reads a body. The error is the reason for a timeout, or `None` for a network failure.
async fn read_text(
    response: &Response,
    control: &ExportControl,
) -> Result<String, Option<StopReason>> {
    let text = with_timeout(response.text().map_err(|_| None)?, control).await.map_err(Some)?;
    text.ok().and_then(|text| text.as_string()).ok_or(None)
}
