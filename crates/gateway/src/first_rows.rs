//! Pages with prerendered first rows: when a signed-in browser navigates to a list, the page itself
//! contains the rendered rows and the responses that the dashboard would request first.
//!
//! The head of the page is sent immediately and waits for no response. A response that fails, is
//! slow or is missing is left out, and the dashboard then requests it as usual. Each response is
//! produced by the code for ordinary requests, with the same session and API key, so no user sees
//! another user's rows. ADR 0034 gives the reasons for this design.

mod frame;
mod page_data;
mod place;
mod stream;

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method};
use row_view::Labels;
use tower::Service;

pub(crate) use self::frame::PageTemplate;
use self::page_data::PageData;
use self::place::ListTarget;
use self::stream::{StreamCompressor, TwoPartBody};
use crate::Gateway;
use crate::accept_language::accepted_languages;
use crate::auth::session;
use crate::auth::signed_in::SignedIn;

/// Request headers that influence the response.
const VARY_HEADERS: HeaderValue = HeaderValue::from_static(
    "accept-encoding, accept-language, cookie, sec-fetch-dest, sec-fetch-mode, sec-fetch-site",
);

/// Returns the page with the first rows for a navigation to a list; `None` if the plain page must
/// be served.
pub(crate) async fn serve_page<U>(
    gateway: &Arc<Gateway>,
    upstream: U,
    request: &Parts,
) -> Option<Response>
where
    U: Service<http::Request<Body>, Response = http::Response<Body>> + Send + 'static,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    U::Future: Send,
{
    let headers = &request.headers;
    let target = ListTarget::parse(&request.uri).filter(|_| request.method == Method::GET)?;
    if gateway.page_template.is_none() || !is_navigation(headers) {
        return None;
    }
    // A store error is ignored here: the dashboard's next request reports it.
    let signed_in = session::find_session(gateway, request).await.ok().flatten()?;
    let packer = StreamCompressor::for_client(headers);
    let mut response = Response::new(Body::empty());
    let fields = response.headers_mut();
    fields.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    fields.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    fields.insert(VARY, VARY_HEADERS);
    if let Some(name) = packer.encoding_name() {
        fields.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    let labels = Labels::for_language_tags(accepted_languages(headers));
    let body = stream_page(Arc::clone(gateway), upstream, (signed_in, target), labels, packer)?;
    *response.body_mut() = Body::new(body);
    Some(response)
}

fn stream_page<U>(
    gateway: Arc<Gateway>,
    upstream: U,
    (signed_in, target): (SignedIn, ListTarget),
    labels: &'static Labels,
    mut packer: StreamCompressor,
) -> Option<TwoPartBody>
where
    U: Service<http::Request<Body>, Response = http::Response<Body>> + Send + 'static,
    U::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    U::Future: Send,
{
    let head = packer.compress_part(&gateway.page_template.as_ref()?.render_head(labels));
    let rest = async move {
        let page_data = PageData::fetch_all(&gateway, upstream, signed_in, target).await;
        let drawn = page_data.render_rows(labels).unwrap_or_default();
        let rest = gateway
            .page_template
            .as_ref()
            .map(|frame| frame.render_rest(&drawn, &page_data.render_data_blocks()));
        packer.finish(&rest.unwrap_or_default())
    };
    Some(TwoPartBody::new(head, rest))
}

/// Returns whether a request is a navigation by the user. Navigations caused by another site, and
/// scripts that fetch the page, get the plain page.
fn is_navigation(headers: &HeaderMap) -> bool {
    let is = |name: &str, allowed: &[&str]| {
        headers
            .get(name)
            .is_some_and(|value| allowed.iter().any(|allowed_value| value == allowed_value))
    };
    is("sec-fetch-mode", &["navigate"])
        && is("sec-fetch-dest", &["document"])
        && is("sec-fetch-site", &["none", "same-origin"])
        // A prefetched page may go unseen, so it gets no rows.
        && !headers.contains_key("sec-purpose")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderName;

    #[test]
    fn only_user_navigations_get_rows() {
        let sent = |fields: &[(&'static str, &'static str)]| {
            let field = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_navigation(&fields.iter().map(field).collect())
        };
        let [mode, dest] = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        assert!(sent(&[mode, dest, ("sec-fetch-site", "none")]));
        assert!(sent(&[mode, dest, ("sec-fetch-site", "same-origin")]));
        assert!(!sent(&[mode, ("sec-fetch-dest", "empty"), ("sec-fetch-site", "same-origin")]));
        assert!(!sent(&[mode, dest, ("sec-fetch-site", "same-site")]));
        assert!(!sent(&[mode, dest, ("sec-fetch-site", "cross-site")]));
        assert!(!sent(&[mode, dest, ("sec-fetch-site", "none"), ("sec-purpose", "prefetch")]));
        assert!(!sent(&[mode, ("sec-fetch-dest", "iframe"), ("sec-fetch-site", "none")]));
        assert!(!sent(&[("sec-fetch-mode", "cors"), dest, ("sec-fetch-site", "same-origin")]));
        assert!(!sent(&[]));
    }
}
