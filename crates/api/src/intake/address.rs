//! Compares URLs with the URLs and origins that an owner allows, as browsers do.

use http::HeaderValue;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

/// Characters that a browser percent-encodes in a URL, in addition to all non-ASCII ones.
const ENCODED_CHARS: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
/// Characters that a browser reads as a dot or as the end of a host. A host with one of them may
/// differ from its appearance.
const AMBIGUOUS_HOST_CHARS: [char; 6] = ['\u{3002}', '\u{ff0e}', '\u{ff61}', '@', '\\', '%'];

/// Returns the `Location` header of a redirect, or `None` if the owner does not allow the URL. An
/// allowed URL without a path allows its whole origin; one with a path allows that path, with any
/// query.
pub(super) fn redirect_location(allowed: &[String], to: &str) -> Option<HeaderValue> {
    let target = parse_url(to)?;
    let is_allowed = allowed.iter().filter_map(|allowed| parse_url(allowed)).any(|allowed| {
        let is_whole_origin = matches!(allowed.path(), "" | "/");
        allowed.origin() == target.origin() && (is_whole_origin || allowed.path() == target.path())
    });
    if !is_allowed {
        return None;
    }
    let (host_start, host_end) = host_range(to)?;
    // The parser would change the spelling of the path, so it is used only for hosts in Punycode.
    let location = if to[host_start..host_end].is_ascii() {
        utf8_percent_encode(to, ENCODED_CHARS).to_string()
    } else {
        target.into()
    };
    HeaderValue::try_from(location).ok()
}

/// Returns whether a page of this origin may send. An empty list allows any.
pub(super) fn allows_origin(allowed: &[String], origin: &str) -> bool {
    let sent = parse_url(origin);
    allowed.is_empty()
        || allowed.iter().any(|allowed| {
            allowed.eq_ignore_ascii_case(origin)
                || parse_url(allowed)
                    .zip(sent.as_ref())
                    .is_some_and(|(allowed, sent)| allowed.origin() == sent.origin())
        })
}

/// Parses an absolute URL. Returns `None` if a browser may interpret it differently from its
/// appearance.
fn parse_url(text: &str) -> Option<Url> {
    let (start, end) = host_range(text)?;
    let is_odd = text.chars().any(|c| c.is_control() || c == '\\')
        || text[start..end].contains(AMBIGUOUS_HOST_CHARS)
        || text != text.trim();
    Url::parse(text).ok().filter(|url| !is_odd && url.has_host())
}

/// Returns the byte range of the host and port in a URL.
fn host_range(text: &str) -> Option<(usize, usize)> {
    let start = ["https://", "http://"].into_iter().find_map(|scheme| {
        let start = text.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(scheme.len())
    })?;
    let length = text[start..].find(['/', '?', '#']).unwrap_or(text.len() - start);
    Some((start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn redirect_is_encoded_like_in_browsers() {
        let allowed = allowed(&[
            "https://a.example",
            "https://b.example/danke-sch\u{f6}n",
            "http://c.example:81/",
            "https://d.example:443",
            "https://m\u{fc}nchen.example",
        ]);
        for (to, location) in [
            ("https://a.example", "https://a.example"),
            ("HTTPS://A.example/any/page?x=1#y", "HTTPS://A.example/any/page?x=1#y"),
            ("https://a.example:443/x", "https://a.example:443/x"),
            ("https://a.example/sch\u{f6}n", "https://a.example/sch%C3%B6n"),
            ("https://a.example/thank you?q=\u{e9}", "https://a.example/thank%20you?q=%C3%A9"),
            ("https://a.example/50%", "https://a.example/50%"),
            (
                "https://b.example/danke-sch\u{f6}n?name=ada",
                "https://b.example/danke-sch%C3%B6n?name=ada",
            ),
            ("https://b.example/danke-sch%C3%B6n", "https://b.example/danke-sch%C3%B6n"),
            ("http://c.example:81/x", "http://c.example:81/x"),
            ("https://d.example/", "https://d.example/"),
            ("https://m\u{fc}nchen.example/x", "https://xn--mnchen-3ya.example/x"),
        ] {
            let found = redirect_location(&allowed, to);
            assert_eq!(found, Some(HeaderValue::from_str(location).unwrap()), "{to}");
        }
    }

    #[test]
    fn redirect_to_other_urls_is_rejected() {
        let allowed = allowed(&["https://a.example", "https://b.example/thanks"]);
        for bad in [
            "",
            "/",
            "//a.example",
            "https:a.example",
            "http://a.example",
            "https://a.example.evil.example",
            "https://a.example.evil.example/\u{e4}",
            "https://a.example@evil.example",
            "https://evil.example/https://a.example",
            "https://evil.example#@a.example",
            "https://evil.example\\.a.example",
            "https://a.example\\@evil.example",
            "https://a.example/\r\nSet-Cookie: x",
            "https://a.example/\t",
            "https://a\u{3002}example/",
            "https://\u{430}.example/",
            "https://%61.example/",
            " https://a.example",
            "https://a.example:444",
            "https://b.example/",
            "https://b.example/thanks/more",
            "https://b.example/Thanks",
            "javascript:alert(1)//a.example",
            "data:text/html,https://a.example",
        ] {
            assert_eq!(redirect_location(&allowed, bad), None, "{bad:?}");
        }
        assert_eq!(redirect_location(&[], "https://a.example"), None);
    }

    #[test]
    fn origin_must_be_listed_unless_list_empty() {
        assert!(allows_origin(&[], "null"));
        let allowed =
            allowed(&["https://a.example", "https://b.example:443", "http://c.example:80"]);
        for good in [
            "https://a.example",
            "https://A.example",
            "https://a.example:443",
            "https://b.example",
            "http://c.example",
        ] {
            assert!(allows_origin(&allowed, good), "{good}");
        }
        for other in ["null", "", "http://a.example", "https://a.example:444", "https://c.example"]
        {
            assert!(!allows_origin(&allowed, other), "{other}");
        }
    }
}
