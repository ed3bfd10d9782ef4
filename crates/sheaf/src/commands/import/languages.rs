//! Detects the language of a file by its header for the submission time, and the order of dates in
//! that language.

use super::time::moment::DateOrder;

/// Headers of the submission time in Google Forms and Nextcloud Forms, one per line and language.
/// CLDR has no such word. The first is English. After a tab follows the date order of the language,
/// from its short format in CLDR, unless the day is first.
const TIMESTAMPS: &str = include_str!("timestamp_heads.txt");
/// Headers of other tools in languages other than English, in the same format.
const SUBMISSIONS: &str = include_str!("submission_heads.txt");

fn parse_list(list: &'static str) -> impl Iterator<Item = (&'static str, DateOrder)> {
    list.lines().map(|line| match line.split_once('\t') {
        Some((name, "thai")) => (name, DateOrder::ThaiDmy),
        Some((name, _)) => (name, DateOrder::Ymd),
        None => (line, DateOrder::Dmy),
    })
}

/// Whether a header is the word for a timestamp in some language.
pub(super) fn is_timestamp(head: &str) -> bool {
    parse_list(TIMESTAMPS).any(|(name, _)| is_same_header(head, name))
}

/// Whether a header is the word for a submission time in a language other than English.
pub(super) fn is_foreign_submission(head: &str) -> bool {
    parse_list(SUBMISSIONS).any(|(name, _)| is_same_header(head, name))
}

/// Returns the date order of a language, detected by its header for the submission time or by its
/// script. English has two orders, so it gives `None`.
pub(super) fn order_by_language(head: &str) -> Option<DateOrder> {
    let mut foreign = parse_list(TIMESTAMPS).skip(1).chain(parse_list(SUBMISSIONS));
    let by_word = foreign.find(|(name, _)| is_same_header(head, name)).map(|(_, order)| order);
    by_word.or_else(|| head.chars().find_map(order_by_script))
}

/// Returns the date order, if all languages of a script share it.
fn order_by_script(sign: char) -> Option<DateOrder> {
    match sign {
        // Kana, Han, Hangul.
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => {
            Some(DateOrder::Ymd)
        }
        '\u{0E01}'..='\u{0E5B}' => Some(DateOrder::ThaiDmy),
        _ => None,
    }
}

/// Whether two headers are equal except for case, spaces and word separators. A leading `_` counts,
/// because only programs write it.
pub(super) fn is_same_header(head: &str, name: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        let is_significant = |c: &char| {
            !c.is_whitespace() && !matches!(c, '_' | '-' | '\u{200B}'..='\u{200F}' | '\u{FEFF}')
        };
        text.chars().filter(is_significant).flat_map(char::to_lowercase)
    }
    let is_internal = |text: &str| text.trim_start().starts_with('_');
    is_internal(head) == is_internal(name) && letters(head).eq(letters(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_detected_by_timestamp_word() {
        assert!(is_timestamp("Zeitstempel") && is_timestamp("  carimbo de data/hora"));
        for (head, order) in [
            ("Horodateur", Some(DateOrder::Dmy)),
            ("Fertigstellungszeit", Some(DateOrder::Dmy)),
            ("Startzeit", None),
            ("Timestamp", None),
            ("타임스탬프", Some(DateOrder::Ymd)),
            ("Időbélyeg", Some(DateOrder::Ymd)),
            ("Laiko žyma", Some(DateOrder::Ymd)),
            ("Tidstämpel", Some(DateOrder::Ymd)),
            ("完成时间", Some(DateOrder::Ymd)),
            ("受付日時", Some(DateOrder::Ymd)),
            ("ประทับเวลา", Some(DateOrder::ThaiDmy)),
            ("วันที่", Some(DateOrder::ThaiDmy)),
        ] {
            assert_eq!(order_by_language(head), order, "{head}");
        }
        for list in [TIMESTAMPS, SUBMISSIONS] {
            let names: Vec<_> = parse_list(list).map(|(name, _)| name).collect();
            assert!(names.len() > 90);
            assert!(names.iter().all(|name| *name == name.trim() && !name.is_empty()));
            let marks = list.lines().filter_map(|line| line.split_once('\t'));
            assert!(marks.map(|(_, mark)| mark).all(|mark| mark == "ymd" || mark == "thai"));
        }
    }
}
