//! Mentions of members in the text of a note.

use std::ops::Range;

/// Maximum number of members that a note notifies: those that it mentions first.
pub const NOTIFIED_MEMBERS_MAX: usize = 20;

/// Characters of an address in addition to letters and digits (RFC 5322, `dot-atom`).
const ADDRESS_MARKS: &str = ".!#$%&'*+-/=?^_`{|}~";
/// Characters of a domain in addition to letters and digits. A domain does not end with them.
const DOMAIN_MARKS: [char; 3] = ['.', '-', '_'];

/// Mention of an email address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention<'a> {
    /// Bytes of the text, with the `@` before the address.
    pub range: Range<usize>,
    /// The address, as written. It is a member's if it is equal after case folding
    /// ([`fold`](crate::fold::fold)).
    pub email: &'a str,
}

/// Returns the mentions in a text, in order: an `@` before an email address, at the start of the
/// text or after a character that is not part of an address. Whether the address belongs to a
/// member is up to the caller. The time is linear in the length of the text.
///
/// An address consists of letters, digits and the marks of RFC 5322; one with other characters
/// cannot be mentioned. Dots and other marks after the domain are not part of it.
///
/// ```
/// # use contract::triage::find_mentions;
/// let text = "Thanks (@ada@example.org). Not bob@example.org";
/// let mentions: Vec<_> = find_mentions(text).collect();
/// assert_eq!(mentions.len(), 1);
/// assert_eq!(mentions[0].email, "ada@example.org");
/// assert_eq!(&text[mentions[0].range.clone()], "@ada@example.org");
/// ```
pub fn find_mentions(text: &str) -> impl Iterator<Item = Mention<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text.get(from..)?.find('@')?;
            from = start + 1;
            if !starts_mention(text, start) {
                continue;
            }
            let local = prefix_of(&text[from..], is_address_char);
            from += local.len();
            let Some(rest) = text[from..].strip_prefix('@') else { continue };
            let domain = prefix_of(rest, |c| c.is_alphanumeric() || DOMAIN_MARKS.contains(&c));
            let domain = domain.trim_end_matches(DOMAIN_MARKS);
            if local.is_empty() || domain.is_empty() {
                continue;
            }
            from += 1 + domain.len();
            return Some(Mention { range: start..from, email: &text[start + 1..from] });
        }
    })
}

/// Returns whether an `@` at this byte can start a mention: the character before it, if any, is not
/// part of an address.
pub fn starts_mention(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    before.is_none_or(|c| c != '@' && !is_address_char(c))
}

fn is_address_char(c: char) -> bool {
    c.is_alphanumeric() || ADDRESS_MARKS.contains(c)
}

fn prefix_of(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn emails(text: &str) -> Vec<&str> {
        find_mentions(text).map(|mention| mention.email).collect()
    }

    #[test]
    fn mention_is_an_at_sign_before_an_address() {
        for (text, expected) in [
            ("@ada@example.org", &["ada@example.org"][..]),
            ("Call @Ada.L+x@Example.ORG, please", &["Ada.L+x@Example.ORG"]),
            ("@ada@example.org.", &["ada@example.org"]),
            ("@ada@example.org's call", &["ada@example.org"]),
            ("„@ada@example.org“\n(@bob@b.example)", &["ada@example.org", "bob@b.example"]),
            ("@jürgen@münchen.example…", &["jürgen@münchen.example"]),
            ("@ada@example.org@bob@b.example", &["ada@example.org"]),
            ("@root@localhost", &["root@localhost"]),
            ("@ @ada@ @@ada@example.org, @ada@-. @x y@z", &[]),
            ("ada@example.org", &[]),
            ("x@ada@example.org", &[]),
            ("@ada and @", &[]),
            ("", &[]),
        ] {
            assert_eq!(emails(text), expected, "{text}");
        }
    }

    #[test]
    fn time_is_linear_for_hostile_texts() {
        for (unit, count) in [("@", 0), ("@a", 1), ("@a@ ", 0), ("@a.", 1), ("@a@b ", 200_000)] {
            assert_eq!(emails(&unit.repeat(200_000)).len(), count, "{unit}");
        }
    }

    proptest! {
        #[test]
        fn ranges_are_valid_and_in_order(text in "(?s).{0,60}|[@ab.é \u{1f600}-]{0,60}") {
            let mut end = 0;
            for Mention { range, email } in find_mentions(&text) {
                prop_assert!(range.start >= end && starts_mention(&text, range.start));
                end = range.end;
                prop_assert_eq!(text.get(range).and_then(|it| it.strip_prefix('@')), Some(email));
                let (local, domain) = email.split_once('@').unwrap();
                prop_assert!(!local.is_empty() && !domain.is_empty() && !domain.contains('@'));
            }
        }

        #[test]
        fn plain_addresses_are_found(
            local in "[a-z0-9]([a-z0-9.+_-]{0,10})", domain in "[a-z0-9]([a-z0-9.-]{0,10}[a-z0-9])?",
            before in "|.*[ (\\n„]", after in "|[ ),;:!?\\n“].*"
        ) {
            let email = format!("{local}@{domain}");
            let text = format!("{before}@{email}{after}");
            prop_assert!(emails(&text).contains(&email.as_str()), "{}", text);
        }
    }
}
