//! Who reads the answer: a script, which gets JSON, or a person behind a plain HTML form, who gets
//! a page or is sent on.
//!
//! It turns answers into pages and changes nothing else of them: the status of an error and the
//! wait that it asks for stay.

use super::closed::Closed;
use super::page::{self, Reason};
use crate::locale::{self, Locale};
use crate::message::Message;
use axum::response::{IntoResponse, Response};
use contract::ErrorBody;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Largest answer that is made a page, in bytes.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// Where a person's browser is redirected to after a submission, in the extensions of an answer.
#[derive(Debug, Clone)]
pub(super) enum Redirect {
    /// To this address, which the form's page asks for and its owner allows.
    To(HeaderValue),
    /// To the thank-you page.
    Thanks,
    /// Nowhere: the owner does not allow the address. The answer is the thank-you page, so that
    /// whoever writes the page sees at once that its address does not work.
    Refused,
}

/// A person.
pub(super) struct Reader {
    locale: &'static Locale,
    /// The page that the person came from.
    page: Option<String>,
}

impl Reader {
    /// Returns the person who reads; `None` where it is a script.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| kind.contains("json"));
        if is_json || !prefers_html(text(header::ACCEPT)?) {
            return None;
        }
        Some(Self::new(headers))
    }

    /// Returns the reader of a page. What the request accepts does not matter.
    pub(super) fn new(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let locale = locale::wanted(text(header::ACCEPT_LANGUAGE).unwrap_or_default());
        Self { locale, page: text(header::REFERER).map(str::to_owned) }
    }

    /// Makes an answer one for people: a page, or a redirect. A submission that was taken is
    /// answered with a redirect to a page, which can be reloaded without sending again.
    pub(super) async fn present(&self, response: Response, path: &str) -> Response {
        if response.status() != StatusCode::CREATED {
            return self.refuse(response).await;
        }
        let location = match response.extensions().get() {
            Some(Redirect::To(address)) => Some(address.clone()),
            Some(Redirect::Thanks) => {
                // Relative to the form's address, which a proxy may have put below a prefix.
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

    /// Returns the page that thanks for a submission.
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

/// Whether HTML is named, and wanted more than JSON. Browsers do so where a form is sent; scripts
/// say `*/*` or nothing.
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
    fn html_is_for_those_who_name_it_first() {
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
