//! Case folding and Unicode normalisation for search (specification, section 4.1, `search`).
//!
//! `É`, `é` and `e` followed by U+0301 compare equal. A plain `e` differs from them.

use std::borrow::Cow;
use std::ops::Range;

/// First combining character. Text below it is unchanged by NFC.
const FIRST_COMBINING: char = '\u{300}';

/// Returns whether a character has no width, or only controls the text direction.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns `text` in Unicode normalisation form C (NFC).
pub fn to_nfc(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c < FIRST_COMBINING) {
        return Cow::Borrowed(text);
    }
    normalize(text)
}

#[cfg(not(target_arch = "wasm32"))]
fn normalize(text: &str) -> Cow<'_, str> {
    use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// Uses the browser's Unicode tables, which keeps them out of the WebAssembly module.
#[cfg(target_arch = "wasm32")]
fn normalize(text: &str) -> Cow<'_, str> {
    Cow::Owned(js_sys::JsString::from(text).normalize("NFC").into())
}

/// Applies Unicode full case folding and NFC: `ẞ`, `ß` and `SS` become `ss`; `Σ`, `σ` and `ς`
/// become `σ`.
///
/// Canonically equivalent texts have the same folded form.
///
/// ```
/// assert_eq!(contract::fold::fold("STRAẞE"), contract::fold::fold("Straße"));
/// assert_eq!(contract::fold::fold("Zoe\u{308}"), contract::fold::fold("ZOË"));
/// ```
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let folded: String = to_nfc(text).chars().flat_map(folded_char).collect();
    match to_nfc(&folded) {
        Cow::Owned(composed) => composed,
        Cow::Borrowed(_) => folded,
    }
}

fn folded_char(c: char) -> impl Iterator<Item = char> {
    // Lower case first: the capital `ẞ` is its own upper case, but `ß` becomes `SS`.
    let lower = c.to_lowercase();
    lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Returns the byte ranges in `text` that match `term`, which must already be folded.
///
/// Ranges are ordered, do not overlap, and are at most `places_max`. There is a range exactly if
/// `fold(text)` contains `term`.
///
/// A range covers whole characters, even if only a part of one matches: `s` matches all of `ß`. If
/// folding recomposes the text, a range extends from an ASCII character, or from the end of white
/// space, to the next ASCII character. So an `é` of two code points is one range.
pub fn find_matches(text: &str, term: &str, places_max: usize) -> Vec<Range<usize>> {
    if term.is_empty() {
        return Vec::new();
    }
    let (folded, parts) = fold_with_parts(text);
    // Returns the part of the original text that produced a byte of the folded text.
    let from = |byte: usize| match &parts {
        None => byte..byte + 1,
        Some(parts) => {
            let at = parts.partition_point(|(at, _)| *at <= byte);
            parts[at - 1].1..parts.get(at).map_or(text.len(), |(_, start)| *start)
        }
    };
    let mut places: Vec<Range<usize>> = Vec::new();
    for (at, _) in folded.match_indices(term) {
        let start = from(at).start;
        let end = from(at + term.len() - 1).end;
        let count = places.len();
        match places.last_mut() {
            // Two matches in the same part become one range.
            Some(before) if start < before.end => before.end = end,
            _ if count == places_max => break,
            _ => places.push(start..end),
        }
    }
    places
}

/// Parts of a text that fold independently: offset of the folded part, offset of the original part.
type FoldedParts = Vec<(usize, usize)>;

/// Returns the folded text and its parts. ASCII has no parts, because its offsets do not change.
fn fold_with_parts(text: &str) -> (String, Option<FoldedParts>) {
    let folded = fold(text);
    if text.is_ascii() {
        return (folded, None);
    }
    let (by_char, parts) = fold_parts(text, |_, _| true);
    if by_char == folded {
        return (folded, Some(parts));
    }
    (folded, Some(fold_parts(text, never_compose).1))
}

/// Returns whether two adjacent characters never compose. An ASCII character does not compose with
/// the character before it, and white space with no character.
fn never_compose(before: char, c: char) -> bool {
    c.is_ascii() || before.is_ascii_whitespace()
}

/// Folds each part of a text separately. A new part begins where `is_apart` returns true.
fn fold_parts(text: &str, is_apart: impl Fn(char, char) -> bool) -> (String, FoldedParts) {
    let mut folded = String::with_capacity(text.len());
    let mut parts = FoldedParts::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut last = c;
        let mut end = start + c.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| !is_apart(last, *c)) {
            (last, end) = (c, at + c.len_utf8());
        }
        parts.push((folded.len(), start));
        folded.push_str(&fold(&text[start..end]));
    }
    (folded, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization as _;

    #[test]
    fn match_covers_whole_characters() {
        let check = |text: &str, term: &str, expected: &[&str]| {
            let places = find_matches(text, &fold(term), 9);
            let texts: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
            assert_eq!(texts, expected, "{term} in {text}");
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
        check("Zoe\u{308} and Zoë", "zoë", &["Zoe\u{308}", "Zoë"]);
        check("Zoe\u{308} and Zoë", "ZOE\u{308}", &["Zoe\u{308}", "Zoë"]);
        check("Zoe\u{308} and Zoe", "zoe", &["Zoe"]);
        check("\u{1112}\u{1161}\u{11ab} 한", "한", &["\u{1112}\u{1161}\u{11ab}", "한"]);
        check("anything", "", &[]);
        assert_eq!(find_matches("aaaa", "a", 3).len(), 3);
    }

    proptest! {
        #[test]
        fn matches_agree_with_folded_text(
            text in "[aAsSßẞﬁıİΣςéеǰᾳ1 %\u{301}\u{327}\u{306}\u{345}\u{1112}\u{1161}\u{11ab}]{0,12}",
            term in "[aAsSßfiΣá% ]{1,3}",
        ) {
            let folded = fold(&text);
            let term = fold(&term);
            let places = find_matches(&text, &term, usize::MAX);
            prop_assert_eq!(!places.is_empty(), folded.contains(&term));
            let mut end = 0;
            for place in places {
                prop_assert!(end <= place.start && place.start < place.end);
                prop_assert!(fold(&text[place.clone()]).contains(&term));
                end = place.end;
            }
            let (with_parts, parts) = fold_with_parts(&text);
            prop_assert_eq!(with_parts, folded);
            prop_assert_eq!(parts.is_none(), text.is_ascii());
            // Folding part by part gives the same result.
            prop_assert_eq!(fold_parts(&text, never_compose).0, fold(&text));
        }

        #[test]
        fn canonically_equivalent_texts_fold_equal(
            text in "([a-zéßẞİıΆάᾳᾴΐǰŉ한ᄒ\u{1161}\u{11ab}шй]|[\u{300}-\u{345}]|\\PC){0,12}",
        ) {
            let composed: String = text.nfc().collect();
            let decomposed: String = text.nfd().collect();
            let folded = fold(&text);
            prop_assert_eq!(&fold(&composed), &folded);
            prop_assert_eq!(&fold(&decomposed), &folded);
            prop_assert_eq!(fold(&folded), folded, "folding twice changes nothing");
        }
    }

    #[test]
    fn folding_ignores_case_in_many_scripts() {
        for (left, right) in [
            ("Straße", "STRASSE"),
            ("ΌΣΟΣ", "όσος"),
            ("Привет", "ПРИВЕТ"),
            ("ﬁnd", "FIND"),
            ("Ǆ", "ǆ"),
            ("K", "k"),
        ] {
            assert_eq!(fold(left), fold(right));
        }
        assert_ne!(fold("resume"), fold("résumé"));
    }

    /// Mapping to lower, upper and lower case equals Unicode full case folding, with three
    /// exceptions. The dotless `ı` becomes `i`. Cherokee becomes small letters instead of
    /// capitals. Letters that are newer than the table of the `caseless` crate are not compared.
    #[test]
    fn folding_differs_from_unicode_as_documented() {
        let differs = |c: &char| {
            let text: String = c.nfc().collect();
            fold(&text) != caseless::default_case_fold_str(&text).nfc().collect::<String>()
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
