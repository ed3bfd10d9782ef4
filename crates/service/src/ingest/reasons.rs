//! Why a form was not taken, in the languages of the pages beside English.
//!
//! What refuses says it in English, as JSON has it; here the same sentence is found again by its
//! words. What stands in `{braces}` is kept as it came. A sentence that is not here stays English.

mod book;

use book::ALL;

/// Returns a sentence in a language; `None` where it is not known in it.
pub(super) fn said(sentence: &str, language: &str) -> Option<String> {
    ALL.iter().find_map(|reason| {
        let spoken = match language {
            "de" => reason.de,
            "fr" => reason.fr,
            "es" => reason.es,
            _ => return None,
        };
        Some(filled(spoken, &holes(reason.en, sentence)?))
    })
}

/// Returns what stands in the holes of a pattern; `None` where the sentence is another.
fn holes<'a>(pattern: &'static str, sentence: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let mut parts = pattern.split('{');
    let mut rest = sentence.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    for part in parts {
        let (name, words) = part.split_once('}')?;
        let end = if words.is_empty() { rest.len() } else { rest.find(words)? };
        found.push((name, &rest[..end]));
        rest = &rest[end + words.len()..];
    }
    rest.is_empty().then_some(found)
}

fn filled(pattern: &str, holes: &[(&str, &str)]) -> String {
    let mut parts = pattern.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, words) = part.split_once('}').unwrap_or_default();
        let found = holes.iter().find(|(known, _)| *known == name);
        filled.push_str(found.map_or("", |(_, text)| text));
        filled.push_str(words);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::book::Reason;
    use super::*;

    #[test]
    fn every_language_keeps_what_stands_in_a_sentence() {
        for Reason { en, de, fr, es } in ALL {
            let names: Vec<_> =
                en.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
            let values: Vec<_> = names.iter().map(|name| (*name, *name)).collect();
            let sentence = filled(en, &values);
            assert_eq!(holes(en, &sentence), Some(values), "{en}");
            for (language, pattern) in [("de", de), ("fr", fr), ("es", es)] {
                let spoken = said(&sentence, language).unwrap();
                assert!(!spoken.is_empty() && !spoken.contains(['{', '}']), "{spoken}");
                let kept = names.iter().filter(|name| !["why", "kinds", "whose"].contains(*name));
                for name in kept {
                    assert!(pattern.contains(&format!("{{{name}}}")), "{pattern}");
                }
            }
            assert_eq!(said(&sentence, "en"), None);
        }
        assert_eq!(said("this is no reason", "de"), None);
    }

    #[test]
    fn what_came_in_is_kept_and_moves_nothing() {
        let german = |sentence: &str| said(sentence, "de").unwrap();
        // A key that is written like the sentence itself: rather English than cut in two.
        let tail = "is no field of this form; its owner can add it, or let the form learn fields";
        assert_eq!(said(&format!("`{{key}}` {tail}` {tail}"), "de"), None);
        assert_eq!(
            german("`{count}` must have at most 7 bytes, but has 9"),
            "`{count}` darf höchstens 7 Bytes haben, hat aber 9; kürzen Sie den Text"
        );
        for ours in [
            crate::error::Error::busy(),
            crate::error::Error::disk_full(),
            crate::error::Error::internal("a test"),
            crate::error::Error::no_such_path(),
            crate::error::Error::method_not_allowed(),
        ] {
            let sentence = ours.body().message;
            assert!(said(&sentence, "de").is_some(), "{sentence}");
        }
    }
}
