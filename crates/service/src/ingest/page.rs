//! The pages that a person sees after sending a form without script: thanks, and refusals.
//!
//! No script, nothing loaded from anywhere, and every text escaped. A page may stand in a frame,
//! since forms do; there is nothing on it that a click could be stolen for.

use super::reasons;
use super::style::STYLE;
use super::words::Words;
use crate::html::escape;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Allows the style by its hash, and nothing else.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// Returns the policy that every page is sent with.
pub(super) fn policy() -> HeaderValue {
    POLICY.clone()
}

/// Returns the page that thanks, with a way back to the page that the person came from.
pub(super) fn thanks(words: &Words, page: Option<&str>) -> String {
    let mut inner = format!("<h1>{}</h1>\n<p>{}</p>\n", words.thanks, words.received);
    if let Some((address, host)) = page.and_then(web_address) {
        let (address, host, back_to) = (escape(address), escape(host), words.back_to);
        let _ = writeln!(
            inner,
            "<p class=\"way\"><a href=\"{address}\" rel=\"noreferrer\">{back_to} {host}</a></p>"
        );
    }
    document(words, words.thanks, "thanks", &inner)
}

/// Returns the page that says why a form was not taken, and what to do.
pub(super) fn refusal(words: &Words, message: &str, wait_s: Option<u64>) -> String {
    let mut inner = format!("<h1>{}</h1>\n", words.not_sent);
    if !message.is_empty() {
        let (reason, language, message) = match reasons::said(message, words.language) {
            Some(said) => (words.reason, words.language, said),
            None => (words.reason_in_english, "en", message.to_owned()),
        };
        let why = escape(&message);
        let _ =
            writeln!(inner, "<p>{reason} <span class=\"why\" lang=\"{language}\">{why}</span></p>");
    }
    if let Some(seconds) = wait_s {
        let [before, behind] = words.wait;
        let _ = writeln!(inner, "<p>{before}{seconds}{behind}</p>");
    }
    let _ = writeln!(inner, "<p>{}</p>", words.go_back);
    document(words, words.not_sent, "refusal", &inner)
}

/// Returns the page of a closed form, with the owner's sentence or one in the person's language.
pub(super) fn closed(words: &Words, sentence: Option<&str>) -> String {
    let sentence = sentence.map_or_else(|| words.closed_text.to_owned(), escape);
    let inner = format!("<h1>{}</h1>\n<p>{sentence}</p>\n", words.closed);
    document(words, words.closed, "refusal", &inner)
}

fn document(words: &Words, title: &str, class: &str, inner: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<main class=\"{class}\">\n{inner}</main>\n</body>\n</html>\n",
        words.language
    )
}

/// Splits a web address into itself and its host; `None` for any other.
fn web_address(text: &str) -> Option<(&str, &str)> {
    let uri: http::Uri = text.parse().ok()?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = text.split("//").nth(1)?.split(['/', '?', '#']).next()?;
    let plain = is_web && !authority.is_empty() && !authority.contains('@');
    plain.then_some((text, authority))
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn nothing_that_came_in_becomes_markup() {
        let evil = "<script>alert(\"1\")</script>&'";
        let page = refusal(words::of("en"), evil, Some(7));
        assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"));
        assert!(!page.contains("<script"));
        assert!(page.contains("wait 7 seconds"));
        let page = thanks(words::of("de"), Some("https://a.example/?x=\"><script>"));
        assert!(!page.contains("<script") && page.contains("<html lang=\"de\">"));
    }

    #[test]
    fn a_closed_form_says_what_its_owner_wrote() {
        let page = closed(words::of("de"), Some("Bis <b>Mai</b> & danke"));
        assert!(page.contains("<p>Bis &lt;b&gt;Mai&lt;/b&gt; &amp; danke</p>"), "{page}");
        assert!(page.contains("<h1>Dieses Formular ist geschlossen</h1>"));
        for language in ["en", "de", "fr", "es"] {
            let words = words::of(language);
            assert!(closed(words, None).contains(words.closed_text));
        }
    }

    #[test]
    fn the_way_back_leads_to_a_page_of_the_web_or_nowhere() {
        let linked = |address: &str| thanks(words::of(""), Some(address)).contains("<a ");
        assert!(linked("https://a.example/") && linked("http://127.0.0.1:8000/form.html?a#b"));
        for bad in ["", "javascript:alert(1)", "/x", "a.example", "https://u@a.example/", "data:,"]
        {
            assert!(!linked(bad), "{bad}");
        }
        assert!(!thanks(words::of(""), None).contains("<a "));
    }

    #[test]
    fn the_policy_names_the_style_that_is_sent() {
        let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        assert!(policy().to_str().unwrap().contains(&format!("style-src 'sha256-{hash}'")));
        assert!(thanks(words::of(""), None).contains(&format!("<style>{STYLE}</style>")));
    }
}
