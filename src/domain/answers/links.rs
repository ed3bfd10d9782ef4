//! Links in answers: a whole answer becomes a link by the type of its field; in other text, web
//! and mail addresses are found. Only `http:`, `https:`, `mailto:` and `tel:` links are produced,
//! so that no link can run a script.

use std::ops::{Range, RangeInclusive};

use contract::FieldType;

/// Maximum number of links in one text; the rest stays text.
const LINKS_MAX: usize = 500;
/// Maximum length of a word that can be a link, in bytes.
const LINK_BYTES_MAX: usize = 2_048;
/// Number of digits of a telephone number.
const PHONE_DIGITS: RangeInclusive<usize> = 5..=15;

/// A segment of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSegment {
    /// The text.
    pub text: String,
    /// Link target, if any: always `http:`, `https:`, `mailto:` or `tel:`.
    pub href: Option<String>,
}

/// Splits an answer into segments; a single one if the whole answer is a link by its field's type.
pub fn split_links(text: &str, kind: FieldType) -> Vec<TextSegment> {
    match whole_link(text.trim(), kind) {
        Some(href) => vec![TextSegment { text: text.to_owned(), href: Some(href) }],
        None => find_links(text),
    }
}

fn whole_link(text: &str, kind: FieldType) -> Option<String> {
    if kind == FieldType::Phone {
        return phone_link(text);
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    if let Some(address) = strip_prefix_ignore_case(text, "mailto:") {
        return is_plain_address(address).then(|| format!("mailto:{address}"));
    }
    match kind {
        FieldType::Email => is_plain_address(text).then(|| format!("mailto:{text}")),
        FieldType::Url if is_web_url(text) => Some(text.to_owned()),
        FieldType::Url => starts_with_host(text).then(|| format!("https://{text}")),
        _ => None,
    }
}

/// Splits a text into links and the segments between them.
fn find_links(text: &str) -> Vec<TextSegment> {
    let is_gap = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"');
    let mut parts = Vec::new();
    let mut links = 0;
    let mut at = 0;
    let mut end = 0;
    let push_segment = |parts: &mut Vec<TextSegment>, text: &str, href: Option<String>| {
        if !text.is_empty() {
            parts.push(TextSegment { text: text.to_owned(), href });
        }
    };
    for word in text.split_inclusive(is_gap) {
        let mut from = at;
        at += word.len();
        if word.len() > LINK_BYTES_MAX {
            continue;
        }
        while links < LINKS_MAX
            && let Some((range, href)) = first_link(text[from..at].trim_end_matches(is_gap))
        {
            let start = from + range.start;
            let stop = from + range.end;
            push_segment(&mut parts, &text[end..start], None);
            push_segment(&mut parts, &text[start..stop], Some(href));
            (links, from, end) = (links + 1, stop, stop);
        }
    }
    push_segment(&mut parts, &text[end..], None);
    parts
}

/// Returns the first link of a word: its range and its target.
fn first_link(word: &str) -> Option<(Range<usize>, String)> {
    find_web_link(word).or_else(|| find_mail_link(word))
}

fn find_web_link(word: &str) -> Option<(Range<usize>, String)> {
    let starts_link = |at: &usize| {
        is_web_url(&word[*at..]) && !word[..*at].ends_with(|c: char| c.is_alphanumeric())
    };
    let at = word.char_indices().map(|(at, _)| at).find(starts_link)?;
    let link = trim_link_end(&word[at..]);
    is_web_url(link).then(|| (at..at + link.len(), link.to_owned()))
}

fn find_mail_link(word: &str) -> Option<(Range<usize>, String)> {
    let mut at = 0;
    for run in word.split_inclusive(|c| !is_address_char(c)) {
        let plain = run.trim_end_matches(|c| !is_address_char(c));
        let address = plain.trim_start_matches(['.', '-', '+']);
        let start = at + plain.len() - address.len();
        let address = address.trim_end_matches(['.', '-', '+', '_']);
        if is_plain_address(address) {
            return Some((start..start + address.len(), format!("mailto:{address}")));
        }
        at += run.len();
    }
    None
}

/// Removes characters that end the sentence and not the link: punctuation, and a closing bracket
/// without its opening bracket in the link.
fn trim_link_end(mut link: &str) -> &str {
    while let Some(last) = link.chars().next_back() {
        let open = match last {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            _ => last,
        };
        let closes_word = if open == last {
            ".,;:!?'*…“”‘’«»`".contains(last)
        } else {
            link.matches(last).count() > link.matches(open).count()
        };
        if !closes_word {
            break;
        }
        link = &link[..link.len() - last.len_utf8()];
    }
    link
}

/// Returns the non-empty rest after a prefix, which is compared without case.
fn strip_prefix_ignore_case<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (prefix, rest) = text.split_at_checked(start.len())?;
    (prefix.eq_ignore_ascii_case(start) && !rest.is_empty()).then_some(rest)
}

/// Whether a text starts with `http://` or `https://` and a plausible host.
fn is_web_url(text: &str) -> bool {
    let host = strip_prefix_ignore_case(text, "https://")
        .or_else(|| strip_prefix_ignore_case(text, "http://"));
    host.is_some_and(|host| host.starts_with(|c: char| c.is_alphanumeric() || c == '['))
}

/// Whether a text starts with a host name, as links without a scheme do.
fn starts_with_host(text: &str) -> bool {
    let authority = text.find(['/', '?', '#']).map_or(text, |end| &text[..end]);
    let (host, port) = authority.split_once(':').unwrap_or((authority, "0"));
    let labels = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    let is_port = !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
    is_port && host.chars().all(labels) && is_domain(host)
}

/// Whether a name has a top-level domain. This excludes numbers such as `1.50`.
fn is_domain(host: &str) -> bool {
    let top = host.rsplit_once('.').map_or("", |(_, top)| top);
    top.len() > 1
        && top.starts_with(char::is_alphabetic)
        && host.split('.').all(|label| !label.is_empty())
}

fn is_address_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '+' | '-' | '_' | '@')
}

/// Whether the text is a plain email address, without a subject or further recipients.
fn is_plain_address(text: &str) -> bool {
    text.chars().all(is_address_char)
        && text
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.contains('@') && is_domain(host))
}

/// Returns a `tel:` link if the text is a plausible telephone number.
fn phone_link(text: &str) -> Option<String> {
    let abroad = text.strip_prefix('+');
    // The zero in `(0)` is dialled only within the country.
    let number = abroad.map_or_else(|| text.to_owned(), |number| number.replacen("(0)", "", 1));
    let between = |c: char| c.is_whitespace() || "()-./‑–".contains(c);
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let plausible = number.chars().all(|c| c.is_ascii_digit() || between(c));
    let plus = if abroad.is_some() { "+" } else { "" };
    (plausible && PHONE_DIGITS.contains(&digits.len())).then(|| format!("tel:{plus}{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, kind: FieldType, to: Option<&str>) {
        assert_eq!(whole_link(text.trim(), kind).as_deref(), to, "{text}");
    }

    /// Writes the text with each link in brackets, followed by the target if it differs.
    fn write_links(text: &str) -> String {
        let segment_text = |TextSegment { text, href }: TextSegment| match href {
            Some(href) if href == text => format!("[{text}]"),
            Some(href) => format!("[{text} {href}]"),
            None => text,
        };
        split_links(text, FieldType::LongText).into_iter().map(segment_text).collect()
    }

    #[test]
    fn field_type_determines_link() {
        check(" HTTP://example.com ", FieldType::Url, Some("HTTP://example.com"));
        check("www.x.org/a?b=c", FieldType::Url, Some("https://www.x.org/a?b=c"));
        check("x.org:8080", FieldType::Url, Some("https://x.org:8080"));
        check("mailto:a@b.co", FieldType::Text, Some("mailto:a@b.co"));
        check("a.b+c@d-e.org", FieldType::Email, Some("mailto:a.b+c@d-e.org"));
        check("+49 (0)30 / 123-456", FieldType::Phone, Some("tel:+4930123456"));
        check("(030) 123456", FieldType::Phone, Some("tel:030123456"));
        for text in ["030 12345 x7", "none", "12", "+", "1234567890123456", "++4930123456"] {
            check(text, FieldType::Phone, None);
        }
        for text in ["x", "1.50", "x..org", "//x.org", "x.org:y", "a@x.org/y", "x .org", ".org"] {
            check(text, FieldType::Url, None);
        }
    }

    #[test]
    fn unsafe_schemes_are_not_linked() {
        for text in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "java\nscript:alert(1)",
            "//example.com",
            "https://",
            "ftp://example.com",
            "a@b@c.co",
            "@b.co",
            "äh€",
            "xhttps://example.com",
        ] {
            for kind in [FieldType::Email, FieldType::Url, FieldType::Phone, FieldType::Text] {
                let parts = split_links(text, kind);
                assert!(parts.iter().all(|part| part.href.is_none()), "{text}: {parts:?}");
            }
        }
        check("mailto:a@b.co?bcc=all@example.com", FieldType::Email, None);
    }

    #[test]
    fn links_in_text_end_before_punctuation() {
        for (text, expected) in [
            ("see https://x.org/a, or:\nwww.x.org.", "see [https://x.org/a], or:\nwww.x.org."),
            ("(https://x.org/a_(b)). So", "([https://x.org/a_(b)]). So"),
            ("“HTTP://x.org/?a=b&c!”", "“[HTTP://x.org/?a=b&c]!”"),
            (
                "<https://x.org>, \"a.b@x.org\"",
                "<[https://x.org]>, \"[a.b@x.org mailto:a.b@x.org]\"",
            ),
            ("a@x.org,b@x.org.", "[a@x.org mailto:a@x.org],[b@x.org mailto:b@x.org]."),
            ("2@1.50 each, me@home", "2@1.50 each, me@home"),
            ("https://x.org/javascript:alert(1)", "[https://x.org/javascript:alert(1)]"),
            ("", ""),
        ] {
            assert_eq!(write_links(text), expected);
        }
    }

    #[test]
    fn number_of_links_is_limited() {
        let text = "https://x.org ".repeat(LINKS_MAX + 5);
        let links = split_links(&text, FieldType::Text);
        assert_eq!(links.iter().filter(|part| part.href.is_some()).count(), LINKS_MAX);
        assert_eq!(links.into_iter().map(|part| part.text).collect::<String>(), text);
        let long = format!("https://x.org/{}", "a".repeat(LINK_BYTES_MAX));
        assert_eq!(split_links(&long, FieldType::Text).len(), 1);
    }
}
