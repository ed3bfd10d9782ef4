//! Dates and times in any language: normalises their characters, and holds the parts that
//! `date_parser.rs` finds.
//!
//! This module knows no calendar.

use std::borrow::Cow;

use super::words::Meanings;
use super::zone::StatedZone;

/// Zeros of the decimal digits of other scripts. The other nine digits follow each zero.
const ZEROS: [u32; 20] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, 0xFF10,
];
/// Words that separate the parts of a date or a time, with their replacements. Longer words come
/// first.
const DIVIDERS: [(&str, &str); 7] = [
    ("日曜日", " "),
    ("วินาที", " "),
    ("นาที", ":"),
    ("นาฬิกา", ":"),
    ("ວິນາທີ", " "),
    ("ນາທີ", ":"),
    ("ໂມງ", ":"),
];

/// Eras in Japan and Taiwan, with the year before their first one.
const ERAS: [(&str, u32); 5] =
    [("令和", 2018), ("㋿", 2018), ("平成", 1988), ("民國", 1911), ("民国", 1911)];
/// Letters of eras in Japan, with the year before their first one.
const ERA_LETTERS: [(char, u32); 2] = [('R', 2018), ('H', 1988)];

/// Parts of a text, not yet read as a date.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DateText<'a> {
    /// Numbers of the date, in order.
    pub(crate) numbers: Vec<&'a str>,
    /// Mark before each of these numbers: `/`, `-` or `.`.
    pub(crate) marks: Vec<Option<char>>,
    /// Whether a dot follows the last number.
    pub(crate) is_closed_by_dot: bool,
    /// Month, if a word names it.
    pub(crate) month: Option<u32>,
    /// Whether the word means different months in different languages.
    pub(crate) is_ambiguous: bool,
    pub(crate) clock: Option<TimeOfDay<'a>>,
    pub(crate) zone: Option<StatedZone>,
}

/// A time of day.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeOfDay<'a> {
    pub(crate) hour: &'a str,
    pub(crate) minute: &'a str,
    pub(crate) second: &'a str,
    pub(crate) fraction: &'a str,
    pub(crate) half: Option<Meanings>,
}

/// Replaces the characters of other scripts: digits, spaces, dashes, and marks after numbers such
/// as `年`. Removes invisible characters such as direction marks.
pub(crate) fn normalise(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let divided = replace_dividers(text);
    let mut ends_with_divider = false;
    for c in divided.chars().filter(|c| !is_ignored(*c)) {
        if matches!(c, '年' | '년') {
            complete_year(&mut cleaned);
        }
        let behind_digit = cleaned.ends_with(|c: char| c.is_ascii_digit());
        let replaced = match c {
            '年' | '년' | '月' | '월' if behind_digit => '/',
            '日' | '일' | '号' | '號' | '秒' | '초' if behind_digit => ' ',
            '時' | '时' | '시' | '点' | '點' | '分' | '분' if behind_digit => ':',
            '、' | '،' => ',',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
            c if c.is_whitespace() => ' ',
            c => ascii_digit(c).unwrap_or(c),
        };
        if !(replaced == ' ' && ends_with_divider) {
            cleaned.push(replaced);
        }
        ends_with_divider = replaced == ':' && c != ':';
    }
    with_full_year(cleaned)
}

/// Replaces a two-digit year, or a year of an era, at the end of a text by four digits.
fn complete_year(text: &mut String) {
    let (before, year) = match text.strip_suffix('元') {
        Some(before) => (before, "1"),
        None => text.split_at(text.trim_end_matches(|c: char| c.is_ascii_digit()).len()),
    };
    let era = ERAS.iter().find_map(|(name, years)| {
        let before = before.trim_end().strip_suffix(name)?;
        Some((before.len(), years + year.parse::<u32>().ok().filter(|_| year.len() <= 3)?))
    });
    let plain = || {
        let is_short = year.len() == 2 && !text.ends_with('元');
        let century = if year < "69" { 2000 } else { 1900 };
        Some((before.len(), century + year.parse::<u32>().ok().filter(|_| is_short)?))
    };
    if let Some((length, year)) = era.or_else(plain) {
        text.truncate(length);
        text.push_str(&year.to_string());
    }
}

/// Replaces the year of `R08/03/01` by four digits.
fn with_full_year(text: String) -> String {
    let full = || {
        let trimmed = text.trim_start();
        let (_, years) = ERA_LETTERS.iter().find(|(letter, _)| trimmed.starts_with(*letter))?;
        let (year, rest) = trimmed[1..].split_once(['/', '.'])?;
        let is_digit = |c: char| c.is_ascii_digit();
        let is_date = year.len() <= 2 && year.chars().all(is_digit) && rest.starts_with(is_digit);
        let full = years + year.parse::<u32>().ok().filter(|_| is_date)?;
        Some(format!("{full}{}", &trimmed[1 + year.len()..]))
    };
    full().unwrap_or(text)
}

fn replace_dividers(text: &str) -> Cow<'_, str> {
    let mut divided = Cow::Borrowed(text);
    // All characters of these words have three bytes.
    if text.bytes().any(|byte| byte >= 0xE0) {
        for (word, sign) in DIVIDERS {
            if divided.contains(word) {
                let spaced = divided.replace(&format!(" {word} "), sign);
                divided = Cow::Owned(spaced.replace(word, sign));
            }
        }
    }
    divided
}

/// Whether a character has no meaning in a date, such as an invisible character or an apostrophe.
fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}' | '\u{FEFF}'
            | '\u{964}' | '\u{970}' | '\'' | '"' | '`' | '‘' | '’' | '״' | '׳' | '·'
    )
}

fn ascii_digit(c: char) -> Option<char> {
    let zero = ZEROS.into_iter().find(|zero| (*zero..*zero + 10).contains(&u32::from(c)))?;
    char::from_digit(u32::from(c) - zero, 10)
}
