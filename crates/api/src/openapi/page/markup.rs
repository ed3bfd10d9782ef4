//! Text as HTML: everything is escaped, and of Markdown there are paragraphs, code and emphasis.

use crate::html::escape;
use std::fmt::Write as _;

/// Returns a text with its code and emphasis marked up.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 1 {
            // Writing to a string cannot fail.
            let _ = write!(out, "<code>{}</code>", escape(part));
            continue;
        }
        for (n, part) in part.split('*').enumerate() {
            let part = escape(part);
            if n % 2 == 1 {
                let _ = write!(out, "<em>{part}</em>");
            } else {
                out.push_str(&part);
            }
        }
    }
    out
}

/// Returns a text's paragraphs.
pub(super) fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for part in text.split("\n\n") {
        let _ = write!(out, "<p>{}</p>", inline(part));
    }
    out
}

/// Returns a block of code with a heading over it. It can be scrolled by the keyboard.
pub(super) fn code(heading: &str, text: &str) -> String {
    let heading = escape(heading);
    format!(
        "<figure><figcaption>{heading}</figcaption><pre tabindex=\"0\" role=\"group\" \
         aria-label=\"{heading}\"><code>{}</code></pre></figure>",
        escape(text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_through_as_markup() {
        assert_eq!(
            inline("`<b>` *<i>* <u>"),
            "<code>&lt;b&gt;</code> <em>&lt;i&gt;</em> &lt;u&gt;"
        );
        assert_eq!(paragraphs("a\n\nb `c`"), "<p>a</p><p>b <code>c</code></p>");
        assert!(code("<x>", "</pre>").contains("&lt;/pre&gt;"));
    }
}
