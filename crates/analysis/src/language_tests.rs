//! Tests of language detection on short feedback texts, and on texts that are too short.

use super::*;

#[track_caller]
fn check(text: &str, code: Option<&str>) {
    assert_eq!(detect_language(text), code, "{text}");
}

/// Six sentences in each of the 16 languages. All are detected.
#[test]
fn short_feedback_is_detected_in_sixteen_languages() {
    let table = include_str!("../tests/data/languages.tsv");
    let languages = [
        "ar", "de", "en", "es", "fr", "hi", "it", "ja", "ko", "nl", "pt", "ru", "sv", "tr", "vi",
        "zh",
    ];
    let labelled = table.lines().filter_map(|line| line.split_once('\t'));
    let labelled: Vec<_> = labelled.filter(|(code, _)| languages.contains(code)).collect();
    assert_eq!(labelled.len(), 96);
    for (code, text) in labelled {
        check(text, Some(code));
    }
}

/// Languages that only the second detector knows. It detects this many of the sentences.
#[test]
fn second_detector_finds_some_other_languages() {
    let table = include_str!("../tests/data/languages.tsv");
    let labelled: Vec<_> =
        table.lines().filter_map(|line| line.split_once('\t')).skip(96).collect();
    let right = labelled.iter().filter(|(code, text)| detect_language(text) == Some(code)).count();
    assert_eq!((right, labelled.len()), (31, 42));
}

#[test]
fn short_text_has_no_language() {
    for text in ["", "ok", "Great!", "n/a", "12345678901234", "😀😀😀 !!!", "很好", "Super, gut"]
    {
        check(text, None);
    }
    check("very good app", Some("en"));
    check("Verbesserungsvorschlag", Some("de"));
    check("很好很好", Some("zh"));
}

#[test]
fn long_text_is_cut_at_char_boundary() {
    check(&"é".repeat(TEXT_BYTES_MAX), detect_language("ééééééééééé"));
}

proptest::proptest! {
    #[test]
    fn any_text_has_code_or_none(text in "\\PC{0,60}", more in "[a-zß-ž\u{e00}-\u{e7f}\u{3040}-\u{30ff} \\n.!?]{0,40}") {
        let found = detect_language(&format!("{text}{more}"));
        proptest::prop_assert!(found.is_none_or(contract::insight::is_language));
    }
}
