//! Mentions of members in notes: completion while typing, and pieces for highlighting.

use contract::fold::fold;
use contract::triage::{find_mentions, starts_mention};
use std::collections::HashSet;
use std::ops::Range;

/// Maximum number of offered members.
pub const OFFERED_MEMBERS_MAX: usize = 8;

/// A piece of the text of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotePiece<'a> {
    /// The text.
    pub text: &'a str,
    /// Whether it mentions a member.
    pub is_mention: bool,
}

/// Splits the text of a note into mentions of members, given by their addresses, and other text.
pub fn split_mentions<'a>(text: &'a str, members: &[String]) -> Vec<NotePiece<'a>> {
    let members: HashSet<String> = members.iter().map(|email| fold(email)).collect();
    let mut pieces = Vec::new();
    let mut push = |text: &'a str, is_mention| {
        if !text.is_empty() {
            pieces.push(NotePiece { text, is_mention });
        }
    };
    let mut end = 0;
    for mention in find_mentions(text).filter(|it| members.contains(&fold(it.email))) {
        push(&text[end..mention.range.start], false);
        end = mention.range.end;
        push(&text[mention.range], true);
    }
    push(&text[end..], false);
    pieces
}

/// Returns the bytes of a begun mention: from its `@` to the caret, at this byte. `None` if the
/// word before the caret is no mention.
pub fn begun_mention(text: &str, caret: usize) -> Option<Range<usize>> {
    let before = text.get(..caret)?;
    let word = before.rfind(char::is_whitespace).map_or(before, |space| &before[space..]);
    let from = before.len() - word.len();
    let mut signs = word.match_indices('@').map(|(at, _)| from + at);
    signs.find(|at| starts_mention(text, *at)).map(|at| at..caret)
}

/// Returns the first addresses that contain the typed text, ignoring case; none if it is one of
/// the addresses.
pub fn offer_members(members: &[String], typed: &str) -> Vec<String> {
    let typed = fold(typed);
    if members.iter().any(|email| fold(email) == typed) {
        return Vec::new();
    }
    let matching = members.iter().filter(|email| fold(email).contains(&typed));
    matching.take(OFFERED_MEMBERS_MAX).cloned().collect()
}

/// Replaces a begun mention by that of an address and a space. Returns the text, and the byte of
/// the caret behind the space.
pub fn complete_mention(text: &str, begun: Range<usize>, email: &str) -> (String, usize) {
    let (before, after) = (&text[..begun.start], &text[begun.end..]);
    let start = format!("{before}@{email} ");
    let caret = start.len();
    (start + after, caret)
}

/// Returns the byte of a position in UTF-16 units, as browsers count. A position within a character
/// or behind the text is moved to the next character or the end.
pub fn byte_of_utf16(text: &str, position: u32) -> usize {
    let mut units = 0;
    let is_reached = |&(_, c): &(usize, char)| {
        let is_reached = units >= position as usize;
        units += c.len_utf16();
        is_reached
    };
    text.char_indices().find(is_reached).map_or(text.len(), |(at, _)| at)
}

/// Returns the length of a text in UTF-16 units.
pub fn utf16_length(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emails() -> Vec<String> {
        ["ada@example.org", "Bob@example.org", "ada@example.org.uk"].map(str::to_owned).to_vec()
    }

    #[test]
    fn only_mentions_of_members_are_marked() {
        let text = "é @ADA@example.org, @eve@example.org";
        let pieces = split_mentions(text, &emails());
        let marked: Vec<_> = pieces.iter().map(|piece| (piece.text, piece.is_mention)).collect();
        let expected = [("é ", false), ("@ADA@example.org", true), (", @eve@example.org", false)];
        assert_eq!(marked, expected);
        assert_eq!(split_mentions("", &emails()), []);
    }

    #[test]
    fn begun_mention_reaches_to_the_caret() {
        for (text, begun) in [
            ("@", Some("@")),
            ("Hi @ad", Some("@ad")),
            ("a\n(@ada@exa", Some("@ada@exa")),
            ("@ada@example.org ", None),
            ("ada@example", None),
            ("Hi", None),
            ("", None),
        ] {
            let range = begun_mention(text, text.len());
            assert_eq!(range.map(|range| &text[range]), begun, "{text}");
        }
        assert_eq!(begun_mention("@ad x", 2), Some(0..2));
        assert_eq!(begun_mention("é", 1), None);
    }

    #[test]
    fn members_are_offered_by_typed_text() {
        assert_eq!(offer_members(&emails(), "B@EX"), ["Bob@example.org"]);
        assert_eq!(offer_members(&emails(), "ada").len(), 2);
        assert_eq!(offer_members(&emails(), "").len(), 3);
        assert_eq!(offer_members(&emails(), "ada@example.org"), [""; 0]);
        let many: Vec<_> = (0..20).map(|n| format!("{n}@example.org")).collect();
        assert_eq!(offer_members(&many, ""), many[..OFFERED_MEMBERS_MAX]);
    }

    #[test]
    fn completion_replaces_the_begun_mention() {
        let (text, caret) = complete_mention("é @ad, call", 3..6, "ada@example.org");
        assert_eq!((text.as_str(), caret), ("é @ada@example.org , call", 20));
        assert_eq!(utf16_length(&text[..caret]), 19);
    }

    #[test]
    fn positions_of_browsers_are_converted() {
        let text = "é😀x";
        let bytes = (0..=5).map(|position| byte_of_utf16(text, position));
        assert_eq!(bytes.collect::<Vec<_>>(), [0, 2, 6, 6, 7, 7]);
        assert_eq!(utf16_length(text), 4);
    }
}
