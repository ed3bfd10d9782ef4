//! Escapes of Markdown.

/// Characters that are markup in the Markdown of Discord or of Adaptive Cards, also in a part of a
/// line, and the sign of a mention.
const MARKUP: &str = r"\`*_~|{}[]()<>#+-=!@&";

/// Puts a backslash before each character that can be markup. The text gets at most twice as long.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if MARKUP.contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
