//! Security headers of all responses. They permit only what the dashboard needs.
//!
//! The content security policy of the page is computed from its HTML, so both always agree.

use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS, X_XSS_PROTECTION,
};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};

use crate::reports;

/// Headers of every response.
const COMMON_HEADERS: [(HeaderName, &str); 8] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (X_XSS_PROTECTION, "0"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];
/// `Strict-Transport-Security`, sent only over TLS: on plain HTTP it would direct browsers to a
/// port where no server listens. Subdomains are excluded, because they may be servers of other
/// operators without TLS.
const HSTS: &str = "max-age=63072000";
/// Content security policy of data.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// Content security policy of scripts. A worker uses the policy of its own script response.
const SCRIPT_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
                             connect-src 'self'; frame-ancestors 'none'";

/// The security headers of the gateway's responses.
pub(crate) struct SecurityHeaders {
    page_policy: HeaderValue,
    over_tls: bool,
}

impl SecurityHeaders {
    /// Computes the headers for a page, given as HTML.
    pub(crate) fn new(index: &str, over_tls: bool) -> Self {
        let page_policy = HeaderValue::try_from(page_policy(index, over_tls))
            .unwrap_or(HeaderValue::from_static(DATA_POLICY));
        Self { page_policy, over_tls }
    }

    /// Returns the response with the security headers.
    pub(crate) fn add_to_response(&self, mut answer: Response) -> Response {
        self.apply_to(answer.headers_mut());
        answer
    }

    /// Sets the security headers, with the policy for the response's content type.
    pub(crate) fn apply_to(&self, headers: &mut HeaderMap) {
        for (name, value) in COMMON_HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if self.over_tls {
            headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
        }
        let is = |kind: &[u8]| {
            headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(kind))
        };
        let is_page = is(b"text/html");
        // A 304 has no content type. It updates the cached headers, so it must carry the page's
        // policy.
        let is_renewal = !headers.contains_key(CONTENT_TYPE) && headers.contains_key(CACHE_CONTROL);
        let policy = if is_page || is_renewal {
            self.page_policy.clone()
        } else if is(b"text/javascript") {
            HeaderValue::from_static(SCRIPT_POLICY)
        } else {
            HeaderValue::from_static(DATA_POLICY)
        };
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

/// Returns the content security policy of a page: its own files, and its inline scripts by hash.
fn page_policy(index: &str, over_tls: bool) -> String {
    let mut policy = String::from("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'");
    for script in inline_scripts(index) {
        policy.push_str(" 'sha256-");
        policy.push_str(&STANDARD.encode(Sha256::digest(script.as_bytes())));
        policy.push('\'');
    }
    policy.push_str(
        "; worker-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'; report-uri ",
    );
    policy.push_str(reports::PATH);
    if over_tls {
        policy.push_str("; upgrade-insecure-requests");
    }
    policy
}

/// Returns the exact content of each `script` element without `src`.
fn inline_scripts(html: &str) -> Vec<&str> {
    // ASCII lower case keeps all lengths, so byte offsets are valid in both strings.
    let lower = html.to_ascii_lowercase();
    let mut scripts = Vec::new();
    let mut from = 0;
    while let Some(start) = lower[from..].find("<script").map(|at| from + at + "<script".len()) {
        let Some(open) = lower[start..].find('>').map(|at| start + at) else { break };
        let Some(end) = lower[open..].find("</script").map(|at| open + at) else { break };
        let script = &html[open + 1..end];
        if !has_src(&lower[start..open]) && !script.trim().is_empty() {
            scripts.push(script);
        }
        from = end;
    }
    scripts
}

fn has_src(attributes: &str) -> bool {
    attributes.split_ascii_whitespace().any(|a| a.split('=').next() == Some("src"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_without_src_are_found() {
        let html = "<head><script src=\"/theme.js\"></script><SCRIPT type=module>\nÄ()\n</SCRIPT>\
            <script type=\"module\" nonce=x>b < c</script><script data-src=1>d</script>\
            <script></script></head>";
        assert_eq!(inline_scripts(html), ["\nÄ()\n", "b < c", "d"]);
        assert_eq!(inline_scripts("<script>never closed"), [""; 0]);
        assert_eq!(inline_scripts("<script"), [""; 0]);
        assert_eq!(inline_scripts(""), [""; 0]);
    }

    #[test]
    fn page_policy_is_strict_with_script_hashes() {
        // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
        let hash = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        let policy = page_policy("<script>alert(1)</script>", false);
        assert!(
            policy.contains(&format!("script-src 'self' 'wasm-unsafe-eval' {hash};")),
            "{policy}"
        );
        assert!(policy.starts_with("default-src 'none';"));
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"));
        assert!(!policy.contains("upgrade-insecure-requests"));
        assert!(policy.ends_with("; report-uri /csp-report"));
        assert!(page_policy("", true).ends_with("; upgrade-insecure-requests"));
    }

    #[test]
    fn script_policy_allows_only_worker_needs() {
        assert!(page_policy("", false).contains("; worker-src 'self';"));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"));
        SecurityHeaders::new("", false).apply_to(&mut headers);
        assert_eq!(headers[CONTENT_SECURITY_POLICY], SCRIPT_POLICY);
        assert!(SCRIPT_POLICY.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe"));
        assert!(SCRIPT_POLICY.contains("connect-src 'self'"));
    }

    #[test]
    fn data_gets_strict_policy_and_no_store() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        SecurityHeaders::new("", true).apply_to(&mut headers);
        assert_eq!(headers[CONTENT_SECURITY_POLICY], DATA_POLICY);
        assert_eq!(headers[CACHE_CONTROL], "no-store");
        assert_eq!(headers[STRICT_TRANSPORT_SECURITY], HSTS);
    }
}
