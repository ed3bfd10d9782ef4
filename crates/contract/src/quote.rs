//! Quotations of texts in messages.

/// Maximum length of a quoted text, in characters.
pub const QUOTED_CHARS_MAX: usize = 100;

/// Returns a text as a message quotes it: at most [`QUOTED_CHARS_MAX`] characters, without
/// backquotes, which would end the quotation, and without control characters.
///
/// ```
/// # use contract::quote::quotable;
/// assert_eq!(quotable("a`b\n"), "a'b ");
/// ```
pub fn quotable(text: &str) -> String {
    let quoted = |c: char| match c {
        '`' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    let mut start: String = text.chars().take(QUOTED_CHARS_MAX).map(quoted).collect();
    if text.chars().nth(QUOTED_CHARS_MAX).is_some() {
        start.push('…');
    }
    start
}

/// Shortens the quoted text in an error of the JSON parser, such as "unknown field `X`, expected
/// `a`". It may contain the quotes that surround it.
pub fn shorten_parser_error(problem: &str) -> String {
    for (open, close) in [("`", "`, expected "), ("\"", "\", expected ")] {
        if let (Some(start), Some(end)) = (problem.find(open), problem.rfind(close))
            && let Some(quoted) = problem.get(start + 1..end)
        {
            let (before, after) = (&problem[..=start], &problem[end..]);
            return format!("{before}{}{after}", quotable(quoted));
        }
    }
    problem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        #[expect(dead_code, reason = "only the error is read")]
        limit: u32,
    }

    #[test]
    fn quoted_text_of_parser_errors_is_shortened() {
        let long = "b".repeat(900);
        for (json, start, rest) in [
            (
                format!(r#"{{"a`{long}":1}}"#),
                format!("unknown field `a'{}…`", "b".repeat(98)),
                ", expected `limit` at line 1",
            ),
            (
                format!(r#"{{"limit":"a\"{long}"}}"#),
                format!("invalid type: string \"a\\\"{}…\"", "b".repeat(97)),
                ", expected u32 at line 1",
            ),
        ] {
            let error = serde_json::from_str::<Body>(&json).unwrap_err();
            let message = shorten_parser_error(&error.to_string());
            assert!(message.starts_with(&start) && message.contains(rest), "{message}");
        }
        assert_eq!(shorten_parser_error("missing field `limit`"), "missing field `limit`");
    }
}
