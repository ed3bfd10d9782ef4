//! Sentiment of English texts with VADER: a lexicon and rules, with the scores of the reference
//! implementation.
//!
//! Callers must not use it for other languages, because the lexicon's words have other meanings
//! there.

use std::borrow::Cow;
use std::sync::LazyLock;
use vader_parity::SentimentIntensityAnalyzer;

/// Loaded on first use, in about 2 ms. It takes about 1 MB of memory.
static VADER: LazyLock<SentimentIntensityAnalyzer> = LazyLock::new(SentimentIntensityAnalyzer::new);

/// Bound of the neutral range of the compound score (from −1 to 1), as recommended by the authors
/// of VADER.
const NEUTRAL: f64 = 0.05;
/// A text is mixed if its positive and its negative share both reach `SIDE_MIN`, and the smaller
/// one at least `WEAKER_SIDE_MIN` of the larger one.
const SIDE_MIN: f64 = 0.15;
const WEAKER_SIDE_MIN: f64 = 0.4;
/// It is also mixed if one sentence in `STRONG_ONE_IN` has a compound score of at least `STRONG`,
/// and one in as many of at most `-STRONG`.
const STRONG: f64 = 0.4;
const STRONG_ONE_IN: usize = 5;

/// Label of a text, and its score from 0 (negative) to 1 (positive).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sentiment {
    pub(super) label: &'static str,
    pub(super) score: f64,
}

/// Returns the sentiment of an English text.
pub(super) fn analyse_sentiment(text: &str) -> Sentiment {
    let text = &without_numbers(text);
    let scores = VADER.polarity_scores(text);
    let weaker = scores.pos.min(scores.neg);
    let stronger = scores.pos.max(scores.neg);
    let label = if (weaker >= SIDE_MIN && weaker >= stronger * WEAKER_SIDE_MIN)
        || has_opposing_sentences(text)
    {
        "mixed"
    } else if scores.compound >= NEUTRAL {
        "positive"
    } else if scores.compound <= -NEUTRAL {
        "negative"
    } else {
        "neutral"
    };
    // Maps the compound score from [−1, 1] to [0, 1]. Two decimals, because more would suggest a
    // precision that the score does not have.
    let score = (scores.compound.midpoint(1.0) * 100.0).round() / 100.0;
    Sentiment { label, score }
}

/// Replaces the digits of each number by zeros.
///
/// In the lexicon `182` means "I hate you" and `143` "I love you". In a form they are order numbers
/// or prices.
fn without_numbers(text: &str) -> Cow<'_, str> {
    let is_number = |word: &str| {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !text.split_whitespace().any(is_number) {
        return Cow::Borrowed(text);
    }
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        if is_number(word.trim_end()) {
            word.replace(|c: char| c.is_ascii_digit(), "0")
        } else {
            word.to_owned()
        }
    });
    Cow::Owned(words.collect())
}

/// Returns whether enough sentences are strongly positive, and as many others strongly negative.
fn has_opposing_sentences(text: &str) -> bool {
    let mut count = 0;
    let mut positive_count = 0;
    let mut negative_count = 0;
    for sentence in split_sentences(text) {
        let compound = VADER.polarity_scores(sentence).compound;
        count += 1;
        positive_count += usize::from(compound >= STRONG);
        negative_count += usize::from(compound <= -STRONG);
    }
    let opposing = positive_count.min(negative_count);
    opposing > 0 && opposing * STRONG_ONE_IN >= count
}

/// Splits a text into sentences. They end at a line break, and at `.`, `!` or `?` before white
/// space.
fn split_sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut after_stop = false;
        line.split_inclusive(move |c: char| {
            let ends = after_stop && c.is_whitespace();
            after_stop = matches!(c, '.' | '!' | '?');
            ends
        })
        .filter(|sentence| sentence.chars().any(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sentences with the four scores of the reference implementation; see `tests/data/README.md`.
    const REFERENCE: &str = include_str!("../tests/data/vader.tsv");

    #[test]
    fn scores_equal_reference_implementation() {
        let mut count = 0;
        for line in REFERENCE.lines() {
            let [neg, neu, pos, compound, text] = line.splitn(5, '\t').collect::<Vec<_>>()[..]
            else {
                panic!("{line}");
            };
            let text = text.replace("\\n", "\n");
            let scores = VADER.polarity_scores(&text);
            let reference = [neg, neu, pos, compound].map(|score| score.parse::<f64>().unwrap());
            let scores = [scores.neg, scores.neu, scores.pos, scores.compound];
            let same = scores.iter().zip(reference).all(|(one, other)| (one - other).abs() < 1e-9);
            assert!(same, "{text}: {scores:?}, reference: {reference:?}");
            count += 1;
        }
        assert!(count >= 400, "{count}");
    }

    #[track_caller]
    fn check(text: &str, label: &str) {
        assert_eq!(
            analyse_sentiment(text).label,
            label,
            "{text}: {:?}",
            VADER.polarity_scores(text)
        );
    }

    #[test]
    fn positive_negative_and_neutral_are_detected() {
        check("I love it, thank you so much!", "positive");
        check("The worst experience ever. Never again.", "negative");
        check("I ordered two of them on Monday.", "neutral");
        check("", "neutral");
    }

    #[test]
    fn text_with_two_strong_sides_is_mixed() {
        check("The food was great but the service was terrible.", "mixed");
        check("Great product, terrible support.", "mixed");
        check("Excellent quality.\nDelivery was a disaster and support was rude.", "mixed");
        check("I am not happy, the product is broken", "negative");
        check("Not bad at all", "positive");
        let long = "I love this wonderful product. ".repeat(9);
        check(&format!("{long} The box was horribly damaged."), "positive");
    }

    #[test]
    fn numbers_do_not_affect_sentiment() {
        check("My order is 182.", "neutral");
        check("It was $143 in all\n182", "neutral");
        assert_eq!(without_numbers("a 12 (3)!\t10q"), "a 00 (0)!\t10q");
        assert_eq!(analyse_sentiment("Order 182 was good"), analyse_sentiment("Order 00 was good"));
    }

    #[test]
    fn score_has_two_decimals() {
        let score = |text: &str| analyse_sentiment(text).score.to_string();
        assert_eq!(score("VADER is smart, handsome, and funny."), "0.92");
        assert_eq!(score("It is a box."), "0.5");
    }

    #[test]
    fn sentences_end_at_stops_and_line_breaks() {
        let joined =
            |text: &str| split_sentences(text).map(str::trim).collect::<Vec<_>>().join("|");
        assert_eq!(
            joined("One. Two!  Three?\nfour 1.5 five...\n\n!"),
            "One.|Two!|Three?|four 1.5 five..."
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_score_in_range(text in "\\PC{0,80}", words in "(not |but |good |BAD |!|least |kind of |:\\) |😡 ){0,12}") {
            let found = analyse_sentiment(&format!("{words}{text}"));
            proptest::prop_assert!((0.0..=1.0).contains(&found.score));
        }
    }
}
