//! Language detection; the result is `None` for texts that are too short.
//!
//! Two detectors are combined. `whichlang` knows 16 languages very well, but assigns every text to
//! one of them. `whatlang` knows many more, less well. Its result is used only if it is confident
//! and the language is unknown to the first one. The measurements are in `docs/insight.md`.

use super::prose::is_ideograph;
use whichlang::Lang;

/// Minimum number of words of a text, or of letters.
const WORDS_MIN: usize = 3;
const LETTERS_MIN: usize = 10;
/// Minimum number of letters in scripts without spaces, where one letter carries more information.
const IDEOGRAPHS_MIN: usize = 4;
/// Minimum confidence of the second detector, from 0 to 1.
///
/// Among 23,500 English texts it reaches this wrongly in one of 480. Among texts in languages that
/// only it knows, it reaches it in three of four.
const CONFIDENCE_MIN: f64 = 0.4;
/// Maximum size of the analysed start of a text, in bytes. Longer texts give no better results.
const TEXT_BYTES_MAX: usize = 2048;

/// Returns the language code of a text: ISO 639-1 if there is one, otherwise ISO 639-3.
pub(super) fn detect_language(text: &str) -> Option<&'static str> {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    if !is_long_enough(text) {
        return None;
    }
    let second = whatlang::detect(text).filter(|found| found.confidence() >= CONFIDENCE_MIN);
    let other = second.and_then(|found| other_language_code(found.lang()));
    Some(other.unwrap_or_else(|| language_code(whichlang::detect_language(text))))
}

fn is_long_enough(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let ideographs = text.chars().filter(|c| is_ideograph(*c)).count();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    let words = words.filter(|word| word.chars().any(char::is_alphabetic)).count();
    words >= WORDS_MIN || letters >= LETTERS_MIN || ideographs >= IDEOGRAPHS_MIN
}

fn language_code(language: Lang) -> &'static str {
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

/// Returns the code of a language that only the second detector knows.
fn other_language_code(language: whatlang::Lang) -> Option<&'static str> {
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
