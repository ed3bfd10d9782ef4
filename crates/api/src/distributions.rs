//! Adds up the distributions of answers: quartiles of numbers, and frequent words of texts.

use contract::filter::is_number;
use contract::summary::{
    DISTINCT_MAX, Distributions, FIELDS_MAX, FieldWords, NumberDistribution, NumberRangeCount,
    RANGES_MAX, ValueCount, WORDS_MAX,
};
use contract::{Field, FieldId, FieldType, Submission};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation as _;

/// Upper limit of the absolute value of a counted number.
const NUMBER_LIMIT: f64 = 1e15;
/// Minimum length of a counted word, in characters.
const WORD_CHARS_MIN: usize = 2;
/// Maximum length of a counted word, in characters. Longer ones are not words.
const WORD_CHARS_MAX: usize = 40;
/// Maximum size of the read start of a text, in bytes.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Minimum number of answers with a listed word.
const ANSWERS_MIN: u64 = 2;
/// Language of texts that are too short to detect it.
const DEFAULT_LANGUAGE: &str = "en";
/// Minimum number of words to detect a language.
const DETECTED_WORDS_MIN: usize = 3;

/// Answers added so far. Memory is bounded by the number of added submissions.
#[derive(Default)]
pub(crate) struct AnswerTally {
    submissions: u64,
    numbers: Vec<NumberTally>,
    texts: Vec<WordTally>,
    stop_words: HashMap<String, HashSet<&'static str>>,
}

/// Answers to a number field.
struct NumberTally {
    id: FieldId,
    key: String,
    values: Vec<f64>,
}

/// Words of a text field.
struct WordTally {
    id: FieldId,
    key: String,
    answers: u64,
    counts: HashMap<String, u64>,
}

impl AnswerTally {
    /// Returns a tally for the number and text fields that are not hidden, at most [`FIELDS_MAX`]
    /// of each.
    pub(crate) fn for_fields(fields: &[Field]) -> Self {
        let of = |kinds: &'static [FieldType]| {
            let fields = fields.iter().filter(|field| !field.hidden && kinds.contains(&field.kind));
            fields.map(|field| (field.id.clone(), field.key.clone())).take(FIELDS_MAX)
        };
        let numbers = of(&[FieldType::Number]);
        let texts = of(&[FieldType::Text, FieldType::LongText]);
        Self {
            numbers: numbers.map(|(id, key)| NumberTally { id, key, values: Vec::new() }).collect(),
            texts: texts
                .map(|(id, key)| WordTally { id, key, answers: 0, counts: HashMap::new() })
                .collect(),
            ..Self::default()
        }
    }

    /// Returns the number of added submissions.
    pub(crate) fn submissions(&self) -> u64 {
        self.submissions
    }

    /// Adds a submission.
    pub(crate) fn add(&mut self, submission: &Submission) {
        self.submissions += 1;
        let answers = &submission.answers.0;
        for tally in &mut self.numbers {
            tally.values.extend(answers.get(&tally.key).and_then(parse_number));
        }
        let insight = submission.ai_insights.as_ref();
        let language = insight.and_then(|insight| insight.language.as_deref());
        for tally in &mut self.texts {
            let Some(text) = answers.get(&tally.key).and_then(Value::as_str) else { continue };
            if text.trim().is_empty() {
                continue;
            }
            tally.answers += 1;
            let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
            let words = text_words(text);
            let language = language.unwrap_or_else(|| detect_language(text, words.len()));
            let stop_words =
                self.stop_words.entry(language.to_owned()).or_insert_with_key(|language| {
                    stop_words::lookup(language).unwrap_or_default().iter().copied().collect()
                });
            // Stop words are written with the straight apostrophe.
            let is_stop_word = |word: &str| stop_words.contains(&*word.replace('’', "'"));
            for word in words.iter().filter(|word| !is_stop_word(word)) {
                tally.add(word);
            }
        }
    }

    /// Returns the distributions.
    pub(crate) fn finish(self, is_complete: bool) -> Distributions {
        Distributions {
            submissions: self.submissions,
            is_complete,
            numbers: self.numbers.into_iter().filter_map(NumberTally::finish).collect(),
            texts: self.texts.into_iter().filter_map(WordTally::finish).collect(),
        }
    }
}

impl NumberTally {
    fn finish(mut self) -> Option<NumberDistribution> {
        self.values.sort_by(f64::total_cmp);
        let values = &self.values;
        let (min, max) = (*values.first()?, *values.last()?);
        let quartile = |quarters: usize| values[(values.len() * quarters).div_ceil(4) - 1];
        Some(NumberDistribution {
            id: self.id,
            answers: values.len() as u64,
            min,
            lower_quartile: quartile(1),
            median: quartile(2),
            upper_quartile: quartile(3),
            max,
            ranges: count_ranges(values, min, max),
        })
    }
}

impl WordTally {
    fn add(&mut self, word: &str) {
        if let Some(count) = self.counts.get_mut(word) {
            *count += 1;
        } else if self.counts.len() < DISTINCT_MAX {
            self.counts.insert(word.to_owned(), 1);
        }
    }

    fn finish(self) -> Option<FieldWords> {
        let frequent = self.counts.into_iter().filter(|(_, count)| *count >= ANSWERS_MIN);
        let mut words: Vec<_> =
            frequent.map(|(value, count)| ValueCount { value, count }).collect();
        words.sort_by(|a, b| (Reverse(a.count), &a.value).cmp(&(Reverse(b.count), &b.value)));
        words.truncate(WORDS_MAX);
        (!words.is_empty()).then_some(FieldWords { id: self.id, answers: self.answers, words })
    }
}

/// Returns the number of a JSON number, or from a text that filters compare as a number.
fn parse_number(answer: &Value) -> Option<f64> {
    let number = match answer {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if is_number(text) => text.trim().parse().ok(),
        _ => None,
    };
    // Adding zero turns -0 into 0.
    number.filter(|number| number.abs() < NUMBER_LIMIT).map(|number| number + 0.0)
}

/// Counts sorted values: each value if they are few, otherwise in ranges with round bounds.
fn count_ranges(values: &[f64], min: f64, max: f64) -> Vec<NumberRangeCount> {
    let mut distinct = values.to_vec();
    distinct.dedup();
    let before = |bound: f64| values.partition_point(|value| *value < bound);
    let until = |bound: f64| values.partition_point(|value| *value <= bound);
    if distinct.len() <= usize::from(RANGES_MAX) {
        let range = |value: f64| {
            let count = (until(value) - before(value)) as u64;
            NumberRangeCount { from: value, to: value, count }
        };
        return distinct.into_iter().map(range).collect();
    }
    let bounds = round_bounds(min, max);
    let range = |pair: &[f64]| {
        let count = (before(pair[1]) - before(pair[0])) as u64;
        NumberRangeCount { from: pair[0], to: pair[1], count }
    };
    bounds.windows(2).map(range).collect()
}

/// Returns the bounds of at most [`RANGES_MAX`] ranges: multiples of 1, 2 or 5 times a power of
/// ten. The last one is above `max`.
fn round_bounds(min: f64, max: f64) -> Vec<f64> {
    let width = (max - min) / f64::from(RANGES_MAX - 1);
    let power = 10_f64.powf(width.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= width).unwrap_or(10.0);
    // Dividing by a power of ten is exact for more decimals than multiplying by its inverse.
    let (factor, divisor) =
        if power < 1.0 { (digit, (1.0 / power).round()) } else { (digit * power, 1.0) };
    let first = (min * divisor / factor).floor();
    let bound = |at: u8| (first + f64::from(at)) * factor / divisor;
    let count = (1..=RANGES_MAX).find(|at| bound(*at) > max).unwrap_or(RANGES_MAX);
    (0..=count).map(bound).collect()
}

/// Returns the distinct words of a text in lower case. A word has a letter.
fn text_words(text: &str) -> HashSet<String> {
    let is_word = |word: &&str| {
        let length = word.chars().count();
        (WORD_CHARS_MIN..=WORD_CHARS_MAX).contains(&length) && word.chars().any(char::is_alphabetic)
    };
    // Web and email addresses are not text.
    let plain = text.split_whitespace().filter(|part| !part.contains("://") && !part.contains('@'));
    let words = plain.flat_map(|part| part.unicode_words()).filter(is_word);
    words.map(str::to_lowercase).collect()
}

fn detect_language(text: &str, words: usize) -> &'static str {
    if words < DETECTED_WORDS_MIN {
        return DEFAULT_LANGUAGE;
    }
    two_letter_code(whichlang::detect_language(text).three_letter_code())
}

/// Returns the code of the stop words of a language; the default for a language without any.
fn two_letter_code(code: &str) -> &'static str {
    match code {
        "ara" => "ar",
        "deu" => "de",
        "fra" => "fr",
        "ita" => "it",
        "nld" => "nl",
        "por" => "pt",
        "rus" => "ru",
        "spa" => "es",
        "swe" => "sv",
        "tur" => "tr",
        _ => DEFAULT_LANGUAGE,
    }
}

#[cfg(test)]
#[path = "distributions_tests.rs"]
mod tests;
