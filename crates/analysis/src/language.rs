//! In which language a text is written, or nothing where it is too short to tell.
//!
//! Two detectors: one that knows sixteen languages very well and takes every text for one of them,
//! and one that knows many more, less well. The second has a say only where it is quite sure of a
//! language that the first does not know. `docs/insight.md` has what was measured.

use super::prose::is_ideograph;
use whichlang::Lang;

/// A text says enough from so many words on, or so many letters.
const WORDS_MIN: usize = 3;
const LETTERS_MIN: usize = 10;
/// In scripts without spaces, a letter says more.
const IDEOGRAPHS_MIN: usize = 4;
/// How sure the second detector must be, from 0 to 1. Among 23,500 English texts it is so, wrongly,
/// of one in 480; among texts in languages that only it knows, it is of three in four.
const SURE: f64 = 0.4;
/// So much of a text is looked at, in bytes: more says no more.
const LOOKED_AT_BYTES_MAX: usize = 2048;

/// Returns the code of a text's language: two letters where there are two, else three.
pub(super) fn language(text: &str) -> Option<&'static str> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT_BYTES_MAX)];
    if !says_enough(text) {
        return None;
    }
    let second = whatlang::detect(text).filter(|found| found.confidence() >= SURE);
    let other = second.and_then(|found| code_of_other(found.lang()));
    Some(other.unwrap_or_else(|| code(whichlang::detect_language(text))))
}

fn says_enough(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let ideographs = text.chars().filter(|c| is_ideograph(*c)).count();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    let words = words.filter(|word| word.chars().any(char::is_alphabetic)).count();
    words >= WORDS_MIN || letters >= LETTERS_MIN || ideographs >= IDEOGRAPHS_MIN
}

fn code(language: Lang) -> &'static str {
    match language {
        Lang::Ara => "ar",
        Lang::Cmn => "zh",
        Lang::Deu => "de",
        Lang::Eng => "en",
        Lang::Fra => "fr",
        Lang::Hin => "hi",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tur => "tr",
        Lang::Vie => "vi",
    }
}

/// The code of a language that only the second detector knows.
fn code_of_other(language: whatlang::Lang) -> Option<&'static str> {
    use whatlang::Lang as Other;
    let code = match language {
        Other::Afr => "af",
        Other::Aka => "ak",
        Other::Amh => "am",
        Other::Aze => "az",
        Other::Bel => "be",
        Other::Ben => "bn",
        Other::Bul => "bg",
        Other::Cat => "ca",
        Other::Ces => "cs",
        Other::Cym => "cy",
        Other::Dan => "da",
        Other::Ell => "el",
        Other::Epo => "eo",
        Other::Est => "et",
        Other::Fin => "fi",
        Other::Guj => "gu",
        Other::Heb => "he",
        Other::Hrv => "hr",
        Other::Hun => "hu",
        Other::Hye => "hy",
        Other::Ind => "id",
        Other::Jav => "jv",
        Other::Kan => "kn",
        Other::Kat => "ka",
        Other::Khm => "km",
        Other::Lat => "la",
        Other::Lav => "lv",
        Other::Lit => "lt",
        Other::Mal => "ml",
        Other::Mar => "mr",
        Other::Mkd => "mk",
        Other::Mya => "my",
        Other::Nep => "ne",
        Other::Nob => "nb",
        Other::Ori => "or",
        Other::Pan => "pa",
        Other::Pes => "fa",
        Other::Pol => "pl",
        Other::Ron => "ro",
        Other::Sin => "si",
        Other::Slk => "sk",
        Other::Slv => "sl",
        Other::Sna => "sn",
        Other::Srp => "sr",
        Other::Tam => "ta",
        Other::Tel => "te",
        Other::Tgl => "tl",
        Other::Tha => "th",
        Other::Tuk => "tk",
        Other::Ukr => "uk",
        Other::Urd => "ur",
        Other::Uzb => "uz",
        Other::Yid => "yi",
        Other::Zul => "zu",
        _ => return None,
    };
    Some(code)
}

#[cfg(test)]
#[path = "language_tests.rs"]
mod tests;
