//! The only module that fetches: the gateway's three endpoints that read (§4.1, §4.2, §4.4).
//!
//! Requests go to the page's own origin with its session, and carry no key.

use contract::account::{CSRF_HEADER, CSRF_VALUE};
use contract::{
    Data, Environment, ErrorBody, ExportQuery, FormId, ListQuery, Page, RateLimit, Submission,
    SubmissionId,
};
use exporter::task::Failure;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

use super::{
    scope::scope,
    stop::{Control, Stop},
    stream::Stream,
};

/// An answer, and where the key stood when it came.
pub(super) type Answer<T> = (T, Option<RateLimit>);

/// Which form is read, and what stops it.
pub(super) struct Api<'a> {
    pub(super) environment: Environment,
    pub(super) form: &'a FormId,
    pub(super) control: &'a Control,
}

impl Api<'_> {
    /// Lists a page.
    pub(super) async fn list(&self, query: &ListQuery) -> Result<Answer<Page<Submission>>, Stop> {
        self.read(&self.of_form("", &query.write())).await
    }

    /// Gets one submission.
    pub(super) async fn submission(&self, id: &SubmissionId) -> Result<Answer<Submission>, Stop> {
        let url = format!("/api/{}/v1/submissions/{id}", self.environment);
        let (data, rate): Answer<Data<Submission>> = self.read(&url).await?;
        Ok((data.data, rate))
    }

    /// Opens an export.
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
        let text = text(&response).await.ok_or_else(|| self.lost())?;
        let body = serde_json::from_str(&text)
            .map_err(|error| Stop::Failed(Failure::Unreadable(error.to_string())))?;
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
        let promise = scope().fetch_with_str_and_init(url, &init);
        let response: Response = JsFuture::from(promise).await.map_err(lost)?.unchecked_into();
        if response.ok() { Ok(response) } else { Err(refusal(&response).await) }
    }

    /// Tells a request that was given up from one that the network lost.
    fn lost(&self) -> Stop {
        self.control.check().err().unwrap_or(Stop::Failed(Failure::Network))
    }
}

fn rate(response: &Response) -> Option<RateLimit> {
    RateLimit::read(|name| response.headers().get(name).ok().flatten())
}

async fn text(response: &Response) -> Option<String> {
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// Makes an error of an answer that is one.
async fn refusal(response: &Response) -> Stop {
    let status = response.status();
    let header = response.headers().get("retry-after").ok().flatten();
    let retry_after_s = header.and_then(|text| text.parse().ok());
    let text = text(response).await.unwrap_or_default();
    let body = serde_json::from_str::<ErrorBody>(&text).ok();
    match status {
        429 => Stop::Refused(body.and_then(|body| body.retry_after).or(retry_after_s)),
        404 if body.as_ref().is_some_and(|body| body.error == "not_found") => Stop::Gone,
        _ => {
            let (code, message) = body.map(|body| (body.error, body.message)).unwrap_or_default();
            Stop::Failed(Failure::Status { status, code, message })
        }
    }
}
