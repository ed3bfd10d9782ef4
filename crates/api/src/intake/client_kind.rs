//! Distinguishes API clients, which get JSON, from browsers with a plain HTML form, which get a
//! page or a redirect.
//!
//! Only the representation changes: the status of an error and its `Retry-After` stay.

use super::closed::ClosedForm;
use super::page::{self, RejectionReason};
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
    /// To the thank-you page: without a URL, and with one that the owner does not allow.
    Thanks,
}

/// A browser with a plain HTML form.
pub(super) struct HtmlClient {
    locale: &'static Locale,
    /// URL of the page with the form.
    page: Option<String>,
}

impl HtmlClient {
    /// Returns the browser of a request; `None` for an API client.
    pub(super) fn detect(headers: &HeaderMap) -> Option<Self> {
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
        let locale = locale::preferred_locale(text(header::ACCEPT_LANGUAGE).unwrap_or_default());
        Self { locale, page: text(header::REFERER).map(str::to_owned) }
    }

    /// Converts a response for a browser: to a page, or to a redirect. An accepted submission
    /// redirects to a page, which can be reloaded without sending again.
    pub(super) async fn render(&self, response: Response, path: &str) -> Response {
        if response.status() != StatusCode::CREATED {
            return self.render_error(response).await;
        }
        let location = match response.extensions().get() {
            Some(Redirect::To(address)) => Some(address.clone()),
            Some(Redirect::Thanks) => {
                // Relative to the URL of the form, since a proxy may have added a path prefix.
                let form = path.rsplit('/').next().unwrap_or_default();
                HeaderValue::try_from(format!("{form}/thanks")).ok()
            }
            None => None,
        };
        match location {
            Some(address) => (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response(),
            None => self.thanks_response(),
        }
    }

    /// Returns the thank-you page.
    pub(super) fn thanks_response(&self) -> Response {
        let page = page::thanks_page(self.locale, self.page.as_deref());
        html_response(StatusCode::OK, page)
    }

    async fn render_error(&self, response: Response) -> Response {
        if let Some(ClosedForm(sentence)) = response.extensions().get() {
            return html_response(
                response.status(),
                page::closed_page(self.locale, sentence.as_deref()),
            );
        }
        let (parts, body) = response.into_parts();
        if parts.status.is_success() {
            return Response::from_parts(parts, body);
        }
        let body = axum::body::to_bytes(body, ERROR_BYTES_MAX).await.unwrap_or_default();
        let error = serde_json::from_slice::<ErrorBody>(&body).ok();
        let wait_s = error.as_ref().and_then(|error| error.retry_after);
        let reason = match (parts.extensions.get::<Message>(), &error) {
            (Some(message), _) => RejectionReason::Message(message),
            (None, Some(error)) if !error.message.is_empty() => {
                RejectionReason::English(&error.message)
            }
            (None, _) => RejectionReason::None,
        };
        let mut answer =
            html_response(parts.status, page::rejection_page(self.locale, &reason, wait_s));
        for name in [header::RETRY_AFTER, header::ALLOW] {
            if let Some(value) = parts.headers.get(&name) {
                answer.headers_mut().insert(name, value.clone());
            }
        }
        answer
    }
}

fn html_response(status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, page::content_security_policy()),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")),
    ];
    (status, headers, page).into_response()
}

/// Returns whether a client prefers HTML to JSON. Browsers do when they submit a form; scripts send
/// `*/*` or nothing.
pub(crate) fn prefers_html(accept: &str) -> bool {
    let weight = |media_type: &str| {
        let matching =
            locale::parse_weights(accept).filter(|(name, _)| name.eq_ignore_ascii_case(media_type));
        matching.map(|(_, weight)| weight).max().unwrap_or(0)
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
