//! Bounds for the messages of errors: they repeat what a client sent, which can be of any length
//! and can hold an API key.

use crate::Environment;

/// The longest quoted text in a message, in characters.
const QUOTED_CHARS_MAX: usize = 100;
/// The longest message, in bytes. As JSON, with escapes, it has at most twice as many.
const MESSAGE_BYTES_MAX: usize = 900;
/// All API keys begin so (§5.2).
const SECRET_PREFIX: &str = "svc_sk_";

/// Returns a message that is safe to send: without API keys and control characters, with at most
/// 100 characters of each quoted text, and 900 bytes at most.
pub(crate) fn bounded(message: &str) -> String {
    // Everything behind is cut anyway. A longer head leaves room for keys that are cut short.
    let head = floor_boundary(message, 64 * MESSAGE_BYTES_MAX);
    let text = shorten_quotes(&without_secrets(head));
    if text.len() <= MESSAGE_BYTES_MAX {
        return text;
    }
    format!("{}…", floor_boundary(&text, MESSAGE_BYTES_MAX - '…'.len_utf8()))
}

/// Returns a text in which API keys are cut to their prefix.
pub(crate) fn without_secrets(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(SECRET_PREFIX) {
        let (before, secret) = rest.split_at(at);
        let prefix =
            Environment::of_secret(secret).map_or(SECRET_PREFIX, Environment::secret_prefix);
        let behind = secret[prefix.len()..]
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        out.push_str(before);
        out.push_str(prefix);
        if prefix.len() + behind.len() < secret.len() {
            out.push('…');
        }
        rest = behind;
    }
    out + rest
}

/// Cuts each text between two backquotes or double quotes, and replaces control characters.
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
    fn quoted_text_is_cut_and_the_sentence_stays() {
        let name = "n".repeat(300);
        let message = bounded(&format!("`{name}` must be text, but is \"{name}\"; leave it out"));
        let cut = format!("{}…", "n".repeat(100));
        assert_eq!(message, format!("`{cut}` must be text, but is \"{cut}\"; leave it out"));
        assert_eq!(bounded("`a` is `\"b\"`"), "`a` is `\"b\"`");
        assert_eq!(bounded("`a\nb`"), "`a b`");
    }

    #[test]
    fn keys_are_cut_to_their_prefix() {
        assert_eq!(without_secrets("svc_sk_live_0aZ_9, svc_sk_0aZ."), "svc_sk_live_…, svc_sk_….");
        assert_eq!(without_secrets("svc_sk_test_"), "svc_sk_test_");
        assert_eq!(without_secrets("svc_sk_live_svc_sk_test_ab c"), "svc_sk_live_… c");
    }

    #[test]
    fn many_keys_need_no_more_stack_than_one() {
        let check = || {
            let text = "svc_sk_-".repeat(1_000_000);
            assert!(bounded(&text).len() <= MESSAGE_BYTES_MAX);
            assert_eq!(without_secrets(&text), text);
        };
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(check);
        thread.unwrap().join().unwrap();
    }

    proptest! {
        #[test]
        fn message_is_bounded_whatever_it_repeats(text in "(`|\"|é|\\PC|svc_sk_|[a-z]{1,200}){0,400}") {
            let message = bounded(&text);
            prop_assert!(message.len() <= MESSAGE_BYTES_MAX);
            let json = serde_json::to_string(&message).unwrap();
            prop_assert!(json.len() <= 2 * MESSAGE_BYTES_MAX + 2);
        }
    }
}
