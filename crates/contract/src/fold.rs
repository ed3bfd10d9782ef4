//! Case folding: how two texts are compared when case does not count (§4.1 `search`).
//!
//! Folding maps each character on its own, so that a text's folded form is the concatenation of
//! its characters' folded forms and a substring stays a substring. It never normalises: an `é` of
//! one code point and one of two are different texts.

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

#[cfg(test)]
mod tests {
    use super::*;

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
