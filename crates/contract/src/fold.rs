//! Case folding: how two texts are compared when case does not count (§4.1 `search`).
//!
//! Folding maps each character on its own, so that a text's folded form is the concatenation of
//! its characters' folded forms and a substring stays a substring. It never normalises: an `é` of
//! one code point and one of two are different texts.

use std::ops::Range;

/// Returns `text` with Unicode's full case folding: `ẞ`, `ß` and `SS` become `ss`, `Σ`, `σ` and
/// `ς` become `σ`.
///
/// ```
/// assert_eq!(contract::fold::fold("STRAẞE"), contract::fold::fold("Straße"));
/// ```
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Down first, since the capital `ẞ` is its own upper case but `ß` is `SS`.
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Returns where `wanted`, which is folded already, stands in `text` when case does not count, as
/// bytes of `text`: from the left, none over another, `places_max` at most.
///
/// A place is made of whole characters, also where only a part of one was meant: an `s` stands at
/// the whole of an `ß`. There is one exactly where `fold(text)` contains `wanted`.
pub fn places(text: &str, wanted: &str, places_max: usize) -> Vec<Range<usize>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let (folded, starts) = fold_with_starts(text);
    // The character of the text that a byte of its folded form came from.
    let from = |byte: usize| match &starts {
        None => byte,
        Some(starts) => starts[starts.partition_point(|(at, _)| *at <= byte) - 1].1,
    };
    let mut places: Vec<Range<usize>> = Vec::new();
    for (at, _) in folded.match_indices(wanted) {
        let (start, last) = (from(at), from(at + wanted.len() - 1));
        let end = last + text[last..].chars().next().map_or(1, char::len_utf8);
        let count = places.len();
        match places.last_mut() {
            // Two of them in one character are one place.
            Some(before) if start < before.end => before.end = end,
            _ if count == places_max => break,
            _ => places.push(start..end),
        }
    }
    places
}

/// Returns the folded text and, where that is not byte for byte the same, where each character's
/// folded form begins beside where the character does.
fn fold_with_starts(text: &str) -> (String, Option<Vec<(usize, usize)>>) {
    if text.is_ascii() {
        return (fold(text), None);
    }
    let (mut folded, mut starts) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.char_indices() {
        starts.push((folded.len(), at));
        folded.push_str(&fold(c.encode_utf8(&mut [0; 4])));
    }
    (folded, Some(starts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_is_made_of_whole_characters_of_the_text() {
        let check = |text: &str, wanted: &str, found: &[&str]| {
            let places = places(text, &fold(wanted), 9);
            let texts: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
            assert_eq!(texts, found, "{wanted} in {text}");
        };
        check("Needle, needle", "NEEDLE", &["Needle", "needle"]);
        check("Hauptstraße 1", "STRASSE", &["straße"]);
        check("Maß", "s", &["ß"]);
        check("Fußspur", "ss", &["ß"]);
        check("Fußspur", "sss", &["ßs"]);
        check("ΌΣΟΣ", "όσος", &["ΌΣΟΣ"]);
        check("eﬁne", "FI", &["ﬁ"]);
        check("aaaa", "aa", &["aa", "aa"]);
        check("50%_\"'*", "%_", &["%_"]);
        check("anything", "", &[]);
        assert_eq!(places("aaaa", "a", 3).len(), 3);
    }

    proptest! {
        #[test]
        fn there_is_a_place_exactly_where_the_folded_text_has_one(
            text in "[aAsSßẞﬁıİΣς1 %\u{301}]{0,12}",
            wanted in "[aAsSßfiΣ% ]{1,3}",
        ) {
            let (folded, wanted) = (fold(&text), fold(&wanted));
            let places = places(&text, &wanted, usize::MAX);
            prop_assert_eq!(!places.is_empty(), folded.contains(&wanted));
            let mut end = 0;
            for place in places {
                prop_assert!(end <= place.start && place.start < place.end);
                prop_assert!(fold(&text[place.clone()]).contains(&wanted));
                end = place.end;
            }
            // Character by character, it is the same folding.
            let (whole, starts) = fold_with_starts(&text);
            prop_assert_eq!(whole, folded);
            prop_assert_eq!(starts.is_none(), text.is_ascii());
        }
    }

    #[test]
    fn ignores_case_in_many_scripts() {
        for (one, other) in [
            ("Straße", "STRASSE"),
            ("ΌΣΟΣ", "όσος"),
            ("Привет", "ПРИВЕТ"),
            ("ﬁnd", "FIND"),
            ("Ǆ", "ǆ"),
            ("K", "k"),
        ] {
            assert_eq!(fold(one), fold(other));
        }
        assert_ne!(fold("resume"), fold("résumé"));
    }

    /// Lower, upper and lower case again is Unicode's full folding but for the dotless `ı`, which it
    /// joins with `i`, for Cherokee, which it folds to small letters where the standard takes
    /// capitals, and for letters that are younger than the table that the test compares with.
    #[test]
    fn differs_from_unicode_in_named_characters_only() {
        let differs = |c: &char| {
            let text = c.to_string();
            fold(&text) != caseless::default_case_fold_str(&text)
        };
        let differing: Vec<char> = ('\0'..=char::MAX)
            .filter(differs)
            .filter(|c| !is_cherokee(*c) && !is_young(*c))
            .collect();
        assert_eq!(differing, ['ı']);
    }

    fn is_cherokee(c: char) -> bool {
        ('\u{13a0}'..='\u{13ff}').contains(&c) || ('\u{ab70}'..='\u{abbf}').contains(&c)
    }

    fn is_young(c: char) -> bool {
        matches!(c, '\u{a7ce}' | '\u{a7d2}' | '\u{a7d4}' | '\u{16ea0}'..='\u{16eb8}')
    }
}
