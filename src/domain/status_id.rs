//! Identifiers of the statuses that an account defines, derived from their names.

use contract::triage::Status;

/// Identifier for a name without Latin letters and digits.
const UNNAMED: &str = "status";
/// Maximum length of the part from the name, in bytes. The rest of the 40 is for a number.
const STEM_BYTES_MAX: usize = 36;

/// Returns an identifier for a name that no status in `taken` has: its Latin letters in lower case
/// and its digits, joined by `_`, with a number at the end if it is taken. `None` does not occur
/// for the number of statuses that an account may define.
pub fn status_id(name: &str, taken: &[Status]) -> Option<Status> {
    let stem = stem_of(name);
    let is_free = |status: &Status| !status.is_built_in() && !taken.contains(status);
    let candidates = (1..=taken.len() + Status::BUILT_IN.len() + 1).map(|number| match number {
        1 => stem.clone(),
        _ => format!("{stem}_{number}"),
    });
    candidates.filter_map(|text| text.parse().ok()).find(is_free)
}

/// Returns the first part of an identifier; it starts with a letter.
fn stem_of(name: &str) -> String {
    let mut stem = String::new();
    for character in name.to_lowercase().chars() {
        match latin(character) {
            Some(text) => stem.push_str(text),
            None if character.is_ascii_alphanumeric() => stem.push(character),
            None if !stem.is_empty() && !stem.ends_with('_') => stem.push('_'),
            None => {}
        }
    }
    if !stem.starts_with(|first: char| first.is_ascii_lowercase()) {
        stem.insert_str(0, if stem.is_empty() { UNNAMED } else { "status_" });
    }
    stem.truncate(STEM_BYTES_MAX);
    stem.truncate(stem.trim_end_matches('_').len());
    stem
}

/// Returns the spelling of a lower-case letter with an accent.
fn latin(character: char) -> Option<&'static str> {
    Some(match character {
        'ä' => "ae",
        'ö' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ç' | 'č' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ø' => "o",
        'š' => "s",
        'ù' | 'ú' | 'û' => "u",
        'ž' => "z",
        _ => return None,
    })
}

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(name: &str, taken: &[&str]) -> String {
        let taken: Vec<Status> = taken.iter().map(|text| text.parse().unwrap()).collect();
        status_id(name, &taken).unwrap().to_string()
    }

    #[test]
    fn letters_and_digits_of_the_name_are_used() {
        assert_eq!(id("Waiting for reply", &[]), "waiting_for_reply");
        assert_eq!(id("  Zurückgestellt – später! ", &[]), "zurueckgestellt_spaeter");
        assert_eq!(id("2nd level", &[]), "status_2nd_level");
        assert_eq!(id("Ελληνικά", &[]), "status");
        assert_eq!(id("", &[]), "status");
        assert_eq!(id(&"long ".repeat(20), &[]), "long_long_long_long_long_long_long_l");
    }

    #[test]
    fn taken_identifiers_get_a_number() {
        assert_eq!(id("Done", &[]), "done_2");
        assert_eq!(id("Waiting", &["waiting", "waiting_2"]), "waiting_3");
        assert_eq!(id("Waiting", &["done"]), "waiting");
    }

    proptest! {
        #[test]
        fn every_name_has_a_free_identifier(
            name in "\\PC{0,50}",
            taken in proptest::collection::vec("[a-z]{1,3}", 0..4),
        ) {
            let taken: Vec<Status> = taken.iter().map(|text| text.parse().unwrap()).collect();
            let found = status_id(&name, &taken).unwrap();
            prop_assert!(!taken.contains(&found) && !found.is_built_in());
        }
    }
}
