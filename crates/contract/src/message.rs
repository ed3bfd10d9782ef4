//! Limits on error messages. They repeat client input, which can be long and can contain an API
//! key.

use crate::Environment;

/// Maximum length of a quoted text in a message, in characters.
const QUOTED_CHARS_MAX: usize = 100;
/// Maximum length of a message, in bytes. Escaped as JSON it is at most twice as long.
const MESSAGE_BYTES_MAX: usize = 900;
/// Common prefix of all API keys (specification, section 5.2).
const SECRET_PREFIX: &str = "svc_sk_";

/// Returns a message that is safe to send: without API keys and control characters, quoted texts of
/// at most 100 characters, 900 bytes in total.
pub(crate) fn bound_message(message: &str) -> String {
    // Bounds the work on a very long message. The head is longer than the result because cutting
    // keys and quotes makes it shorter.
    let head = floor_boundary(message, 64 * MESSAGE_BYTES_MAX);
    let text = shorten_quotes(&without_secrets(head));
    if text.len() <= MESSAGE_BYTES_MAX {
        return text;
    }
    format!("{}…", floor_boundary(&text, MESSAGE_BYTES_MAX - '…'.len_utf8()))
}

/// Cuts each API key in a text to its prefix.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(SECRET_PREFIX) {
        let (before, secret) = rest.split_at(at);
        let prefix =
            Environment::from_secret(secret).map_or(SECRET_PREFIX, Environment::secret_prefix);
        let secret_chars = secret[prefix.len()..]
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        out.push_str(before);
        out.push_str(prefix);
        if prefix.len() + secret_chars.len() < secret.len() {
            out.push('…');
        }
        rest = secret_chars;
    }
    out + rest
}

/// Cuts texts between backquotes or double quotes, and replaces control characters by spaces.
fn shorten_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut chars = 0;
    for c in text.chars() {
        let c = if c.is_control() { ' ' } else { c };
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '`' || c == '"' => (quote, chars) = (Some(c), 0),
            Some(_) => chars += 1,
            None => {}
        }
        match chars {
            _ if quote.is_none() => out.push(c),
            0..=QUOTED_CHARS_MAX => out.push(c),
            _ if chars == QUOTED_CHARS_MAX + 1 => out.push('…'),
            _ => {}
        }
    }
    out
}

fn floor_boundary(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_quoted_text_is_cut() {
        let name = "n".repeat(300);
        let message =
            bound_message(&format!("`{name}` must be text, but is \"{name}\"; leave it out"));
        let cut = format!("{}…", "n".repeat(100));
        assert_eq!(message, format!("`{cut}` must be text, but is \"{cut}\"; leave it out"));
        assert_eq!(bound_message("`a` is `\"b\"`"), "`a` is `\"b\"`");
        assert_eq!(bound_message("`a\nb`"), "`a b`");
    }

    #[test]
    fn keys_are_cut_to_their_prefix() {
        assert_eq!(without_secrets("svc_sk_live_0aZ_9, svc_sk_0aZ."), "svc_sk_live_…, svc_sk_….");
        assert_eq!(without_secrets("svc_sk_test_"), "svc_sk_test_");
        assert_eq!(without_secrets("svc_sk_live_svc_sk_test_ab c"), "svc_sk_live_… c");
    }

    #[test]
    fn many_keys_need_constant_stack() {
        let check = || {
            let text = "svc_sk_-".repeat(1_000_000);
            assert!(bound_message(&text).len() <= MESSAGE_BYTES_MAX);
            assert_eq!(without_secrets(&text), text);
        };
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(check);
        thread.unwrap().join().unwrap();
    }

    /// Texts of quotes, beginnings of keys, other characters and long words. A regular expression
    /// would generate each letter on its own, which takes much longer.
    fn arb_text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => prop::sample::select(vec!["`", "\"", "é", "svc_sk_"]).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
            1 => (1..=200_usize).prop_map(|length| "a".repeat(length)),
        ];
        prop::collection::vec(part, 0..=400).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn message_size_is_bounded(text in arb_text()) {
            let message = bound_message(&text);
            prop_assert!(message.len() <= MESSAGE_BYTES_MAX);
            let json = serde_json::to_string(&message).unwrap();
            prop_assert!(json.len() <= 2 * MESSAGE_BYTES_MAX + 2);
        }
    }
}
