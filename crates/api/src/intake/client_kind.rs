//! Distinguishes API clients, which get JSON, from browsers with a plain HTML form, which get a
//! page or a redirect.
//!
//! Only the representation changes: the status of an error and its `Retry-After` stay.

use super::closed::Closed;
use super::page::{self, Reason};
use crate::locale::{self, Locale};
use crate::message::Message;
use axum::response::{IntoResponse, Response};
use contract::ErrorBody;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Maximum bytes of an error that is rendered as a page.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// Redirect of a browser after a submission, in the extensions of the response.
#[derive(Debug, Clone)]
pub(super) enum Redirect {
    /// To this URL, which the page of the form requests and its owner allows.
    To(HeaderValue),
    /// To the thank-you page.
    Thanks,
    /// No redirect, since the owner does not allow the URL. The response is the thank-you page, so
    /// that the author of the page notices the wrong URL.
    Refused,
}

/// A browser with a plain HTML form.
pub(super) struct Reader {
    locale: &'static Locale,
    /// URL of the page with the form.
    page: Option<String>,
}

impl Reader {
    /// Returns the browser of a request; `None` for an API client.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.contains("json"));
        if is_json || !prefers_html(text(header::ACCEPT)?) {
            return None;
        }
        Some(Self::new(headers))
    }

    /// Reads the language and the page of a browser. Ignores `Accept`.
    pub(super) fn new(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let locale = locale::wanted(text(header::ACCEPT_LANGUAGE).unwrap_or_default());
        Self { locale, page: text(header::REFERER).map(str::to_owned) }
    }

    /// Converts a response for a browser: to a page, or to a redirect. An accepted submission
    /// redirects to a page, which can be reloaded without sending again.
    pub(super) async fn present(&self, response: Response, path: &str) -> Response {
        if response.status() != StatusCode::CREATED {
            return self.refuse(response).await;
        }
        let location = match response.extensions().get() {
            Some(Redirect::To(address)) => Some(address.clone()),
            Some(Redirect::Thanks) => {
                // Relative to the URL of the form, since a proxy may have added a path prefix.
                let form = path.rsplit('/').next().unwrap_or_default();
                HeaderValue::try_from(format!("{form}/thanks")).ok()
            }
            Some(Redirect::Refused) | None => None,
        };
        match location {
            Some(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
            None => self.thank(),
        }
    }

    /// Returns the thank-you page.
    pub(super) fn thank(&self) -> Response {
        let page = page::thanks(self.locale, self.page.as_deref());
        answer(StatusCode::OK, page)
    }

    async fn refuse(&self, response: Response) -> Response {
        if let Some(Closed(sentence)) = response.extensions().get() {
            return answer(response.status(), page::closed(self.locale, sentence.as_deref()));
        }
        let (parts, body) = response.into_parts();
        if parts.status.is_success() {
            return Response::from_parts(parts, body);
        }
        let body = axum::body::to_bytes(body, ERROR_BYTES_MAX).await.unwrap_or_default();
        let told = serde_json::from_slice::<ErrorBody>(&body).ok();
        let wait_s = told.as_ref().and_then(|told| told.retry_after);
        let reason = match (parts.extensions.get::<Message>(), &told) {
            (Some(message), _) => Reason::Message(message),
            (None, Some(told)) if !told.message.is_empty() => Reason::English(&told.message),
            (None, _) => Reason::None,
        };
        let mut answer = answer(parts.status, page::refusal(self.locale, &reason, wait_s));
        for name in [header::RETRY_AFTER, header::ALLOW] {
            if let Some(value) = parts.headers.get(&name) {
                answer.headers_mut().insert(name, value.clone());
            }
        }
        answer
    }
}

fn answer(status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, page::policy()),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")),
    ];
    (status, headers, page).into_response()
}

/// Returns whether a client prefers HTML to JSON. Browsers do when they submit a form; scripts send
/// `*/*` or nothing.
fn prefers_html(accept: &str) -> bool {
    let weight = |wanted: &str| {
        let named = locale::weighted(accept).filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        named.map(|(_, weight)| weight).max().unwrap_or(0)
    };
    weight("text/html") > weight("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_used_if_preferred_to_json() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for html in [browser, "text/html", "application/json;q=0.5, Text/HTML;q=0.6"] {
            assert!(prefers_html(html), "{html}");
        }
        for json in [
            "",
            "*/*",
            "application/json",
            "text/html;q=0.5,application/json",
            "text/html;q=0",
            "text/html, application/json",
            "text/*",
        ] {
            assert!(!prefers_html(json), "{json}");
        }
    }
}
