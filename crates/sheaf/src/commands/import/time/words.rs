//! Meanings of words in dates, in all languages: months, halves of the day, weekdays, and filler
//! words.
//!
//! The words are from CLDR; `xtask/calendar-words/generate.mjs` writes the table.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Table with one word per line, a tab, and its meanings.
const TABLE: &str = include_str!("calendar_words.tsv");
const MONTHS: u32 = (1 << 12) - 1;
const AM: u32 = 1 << 12;
const PM: u32 = 1 << 13;
const NIGHT: u32 = 1 << 14;
const DAY: u32 = 1 << 15;
const UTC: u32 = 1 << 16;
const FILLER: u32 = 1 << 17;
/// Suffixes of English and French ordinals, the `T` of ISO 8601, eras, and words missing in CLDR.
const MORE_FILLERS: [&str; 11] = ["st", "nd", "rd", "th", "er", "t", "uhr", "hrs", "º", "พศ", "คศ"];

static WORDS: LazyLock<HashMap<&'static str, Meanings>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter_map(|line| line.split_once('\t'));
    let meanings =
        |names: &str| Meanings(names.split(' ').map(meaning_bit).fold(0, |bits, bit| bits | bit));
    let words = lines.map(|(word, names)| (word, meanings(names)));
    let more = MORE_FILLERS.map(|word| (word, Meanings(FILLER)));
    // German uses `am` before a date, where AM has no effect.
    let english = [("am", Meanings(AM)), ("pm", Meanings(PM))];
    words.chain(more).chain(english).collect()
});

fn meaning_bit(name: &str) -> u32 {
    match name {
        "am" => AM,
        "pm" => PM,
        "night" => NIGHT,
        "day" => DAY,
        "utc" => UTC,
        "filler" => FILLER,
        month => {
            let number = month.strip_prefix("month").and_then(|number| number.parse::<u32>().ok());
            number.filter(|number| (1..=12).contains(number)).map_or(0, |number| 1 << (number - 1))
        }
    }
}

/// All meanings of a word in any language, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meanings(u32);

/// Month named by a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Month {
    /// The same month in all languages, from 1.
    Number(u32),
    /// This month in some languages and the next one in others.
    Ambiguous(u32),
}

impl Meanings {
    /// Looks up a word, ignoring case.
    pub(crate) fn look_up(word: &str) -> Option<Self> {
        let lower = word.to_lowercase();
        let lower = if lower.contains('ς') { lower.replace('ς', "σ") } else { lower };
        WORDS.get(lower.as_str()).copied()
    }

    /// Returns the month that the word names.
    pub(crate) fn month(self) -> Option<Month> {
        let months = self.0 & MONTHS;
        match months.count_ones() {
            0 => None,
            1 => Some(Month::Number(months.trailing_zeros() + 1)),
            _ => Some(Month::Ambiguous(months.trailing_zeros() + 1)),
        }
    }

    /// Whether the word names a half of the day, or a part of one.
    pub(crate) fn is_half(self) -> bool {
        self.0 & (AM | PM | NIGHT) != 0
    }

    /// Whether the word has no meaning except a half of the day.
    pub(crate) fn is_only_half(self) -> bool {
        self.0 != 0 && self.0 & !(AM | PM | NIGHT) == 0
    }

    /// Whether an hour from 0 to 12 is in the afternoon half.
    pub(crate) fn is_afternoon(self, hour: u32) -> bool {
        match (self.0 & AM != 0, self.0 & PM != 0) {
            (true, false) => false,
            (false, true) => true,
            // A night starts before midnight and ends after it.
            _ => (6..12).contains(&hour),
        }
    }

    /// Whether the word has meanings other than a month.
    pub(crate) fn is_not_only_month(self) -> bool {
        self.0 & (DAY | FILLER) != 0
    }

    /// Whether the word only connects the parts of a date.
    pub(crate) fn is_filler(self) -> bool {
        self.0 & FILLER != 0 && self.0 & !(FILLER | DAY) == 0
    }

    /// Whether the word is a name of UTC.
    pub(crate) fn is_utc(self) -> bool {
        self.0 & UTC != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_line_has_a_meaning() {
        for line in TABLE.lines() {
            let (word, names) = line.split_once('\t').unwrap();
            assert!(names.split(' ').all(|name| meaning_bit(name) != 0), "{line}");
            assert!(Meanings::look_up(word).is_some(), "{line}");
        }
    }

    #[test]
    fn words_of_many_languages_are_known() {
        let month = |word: &str| Meanings::look_up(word).and_then(Meanings::month);
        for (word, number) in [
            ("März", 3),
            ("декабря", 12),
            ("février", 2),
            ("Ιουνίου", 6),
            ("มค", 1),
            ("ديسمبر", 12),
            ("STYCZNIA", 1),
        ] {
            assert_eq!(month(word), Some(Month::Number(number)), "{word}");
        }
        assert_eq!(month("listopada"), Some(Month::Ambiguous(10)));
        assert_eq!(month("Montag"), None);
        for (word, is_afternoon) in [
            ("am", false),
            ("오후", true),
            ("午前", false),
            ("μμ", true),
            ("ÖS", true),
            ("ص", false),
        ] {
            let half = Meanings::look_up(word).filter(|word| word.is_half());
            assert_eq!(half.map(|half| half.is_afternoon(9)), Some(is_afternoon), "{word}");
        }
        assert!(Meanings::look_up("lundi").is_some_and(Meanings::is_not_only_month));
        assert_eq!(month("בנובמבר"), Some(Month::Number(11)));
        assert!(Meanings::look_up("гринуич").is_some_and(Meanings::is_utc));
        assert_eq!(Meanings::look_up("marvellous"), None);
    }
}
