//! Pages for senders without scripts: thanks, and errors.
//!
//! They have no scripts, load no resources, and escape every text. They may be framed, since forms
//! are: they contain no control that is worth a clickjacking attack.

use super::style::STYLE;
use crate::html::escape;
use crate::locale::{self, Locale};
use crate::message::Message;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::LazyLock;

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| style_policy("form-action 'none'"));

/// Returns a Content-Security-Policy that allows only the inline style, by its hash, with further
/// directives.
pub(crate) fn style_policy(directives: &str) -> HeaderValue {
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy =
        format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; {directives}");
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Returns the Content-Security-Policy of every page.
pub(super) fn content_security_policy() -> HeaderValue {
    POLICY.clone()
}

/// Renders the thank-you page, with a link back to the page of the form.
pub(super) fn thanks_page(locale: &Locale, page: Option<&str>) -> String {
    let texts = &locale.page;
    let mut inner = format!("<h1>{}</h1>\n<p>{}</p>\n", texts.thanks, texts.received);
    if let Some((address, host)) = page.and_then(split_http_url) {
        let address = escape(address);
        let host = escape(host);
        let back_to = &texts.back_to;
        let _ = writeln!(
            inner,
            "<p class=\"way\"><a href=\"{address}\" rel=\"noreferrer\">{back_to} {host}</a></p>"
        );
    }
    html_document(locale, &texts.thanks, "thanks", &inner)
}

/// Reason for a rejection.
pub(super) enum RejectionReason<'a> {
    /// Unknown.
    None,
    /// Available in each language.
    Message(&'a Message),
    /// Available in English only.
    English(&'a str),
}

/// Renders the page of a rejected submission, with the reason and a hint.
pub(super) fn rejection_page(
    locale: &Locale,
    reason: &RejectionReason<'_>,
    wait_s: Option<u64>,
) -> String {
    let texts = &locale.page;
    let mut inner = format!("<h1>{}</h1>\n", texts.not_sent);
    let reason = match reason {
        RejectionReason::None => None,
        RejectionReason::Message(message) => {
            Some((&texts.reason, locale.language.as_str(), message.text(locale)))
        }
        RejectionReason::English(text) => {
            Some((&texts.reason_in_english, "en", (*text).to_owned()))
        }
    };
    if let Some((reason, language, text)) = reason {
        let reason_html = escape(&text);
        let _ = writeln!(
            inner,
            "<p>{reason} <span class=\"why\" lang=\"{language}\">{reason_html}</span></p>"
        );
    }
    if let Some(seconds) = wait_s {
        let wait = locale::render_template(&texts.wait, |_| seconds.to_string());
        let _ = writeln!(inner, "<p>{wait}</p>");
    }
    let _ = writeln!(inner, "<p>{}</p>", texts.go_back);
    html_document(locale, &texts.not_sent, "refusal", &inner)
}

/// Renders the page of a closed form, with the owner's message or the default text.
pub(super) fn closed_page(locale: &Locale, sentence: Option<&str>) -> String {
    let texts = &locale.page;
    let sentence = sentence.map_or_else(|| texts.closed_text.clone(), escape);
    let inner = format!("<h1>{}</h1>\n<p>{sentence}</p>\n", texts.closed);
    html_document(locale, &texts.closed, "refusal", &inner)
}

/// Renders a document with the common style. `title` and `inner` are HTML; `class` is the class of
/// the main element.
pub(crate) fn html_document(locale: &Locale, title: &str, class: &str, inner: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<main class=\"{class}\">\n{inner}</main>\n</body>\n</html>\n",
        locale.language
    )
}

/// Returns an HTTP URL together with its host; `None` for any other address.
fn split_http_url(text: &str) -> Option<(&str, &str)> {
    let uri: http::Uri = text.parse().ok()?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = text.split("//").nth(1)?.split(['/', '?', '#']).next()?;
    let plain = is_web && !authority.is_empty() && !authority.contains('@');
    plain.then_some((text, authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_escape_request_data() {
        let evil = "<script>alert(\"1\")</script>&'";
        let page =
            rejection_page(locale::english_locale(), &RejectionReason::English(evil), Some(7));
        assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"));
        assert!(!page.contains("<script"));
        assert!(page.contains("wait 7 seconds"));
        let unknown_field = Message::UnknownField { key: "<b>".to_owned() };
        let page = rejection_page(
            locale::preferred_locale("de"),
            &RejectionReason::Message(&unknown_field),
            None,
        );
        assert!(page.contains("lang=\"de\">`&lt;b&gt;` ist kein Feld"), "{page}");
        let page =
            thanks_page(locale::preferred_locale("de"), Some("https://a.example/?x=\"><script>"));
        assert!(!page.contains("<script") && page.contains("<html lang=\"de\">"));
    }

    #[test]
    fn closed_page_shows_owner_message() {
        let page = closed_page(locale::preferred_locale("de"), Some("Bis <b>Mai</b> & danke"));
        assert!(page.contains("<p>Bis &lt;b&gt;Mai&lt;/b&gt; &amp; danke</p>"), "{page}");
        assert!(page.contains("<h1>Dieses Formular ist geschlossen</h1>"));
        for locale in locale::all_locales() {
            assert!(closed_page(locale, None).contains(&locale.page.closed_text));
        }
    }

    #[test]
    fn back_link_requires_http_url() {
        let linked =
            |address: &str| thanks_page(locale::english_locale(), Some(address)).contains("<a ");
        assert!(linked("https://a.example/") && linked("http://127.0.0.1:8000/form.html?a#b"));
        for bad in ["", "javascript:alert(1)", "/x", "a.example", "https://u@a.example/", "data:,"]
        {
            assert!(!linked(bad), "{bad}");
        }
        assert!(!thanks_page(locale::english_locale(), None).contains("<a "));
    }

    #[test]
    fn policy_has_hash_of_sent_style() {
        let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        assert!(
            content_security_policy()
                .to_str()
                .unwrap()
                .contains(&format!("style-src 'sha256-{hash}'"))
        );
        assert!(
            thanks_page(locale::english_locale(), None)
                .contains(&format!("<style>{STYLE}</style>"))
        );
    }
}
