//! The filter: which submissions are meant (§4.1), and the one matcher that decides.
//!
//! The service may find candidates by an index, the browser by looking at what it has loaded; both
//! ask [`Filter::matches`] what matches, or are tested to agree with it.

use std::ops::Range;

use crate::{
    Answers, Metadata, Submission, Timestamp,
    fold::{self, fold},
};

/// Longest search after trimming, in characters: as written or under NFC, whichever is fewer.
pub const SEARCH_CHARS_MAX: usize = 200;

/// Which submissions of a form are meant: those that match every part that is set (§4.1, rule 2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Submitted at this instant or later.
    pub date_from: Option<Timestamp>,
    /// Submitted before this instant.
    pub date_to: Option<Timestamp>,
    /// An answer contains this text.
    pub search: Option<Search>,
    /// The UTM source is exactly this.
    pub utm_source: Option<String>,
    /// The UTM medium is exactly this.
    pub utm_medium: Option<String>,
    /// The UTM campaign is exactly this.
    pub utm_campaign: Option<String>,
}

impl Filter {
    /// Returns whether no part is set, so that every submission matches.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether a submission matches every part that is set.
    pub fn matches(&self, submission: &Submission) -> bool {
        self.matches_metadata(&submission.metadata)
            && self.search.as_ref().is_none_or(|search| search.matches(&submission.answers))
    }

    fn matches_metadata(&self, metadata: &Metadata) -> bool {
        let is =
            |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        self.date_from.is_none_or(|from| from <= metadata.submitted_at)
            && self.date_to.is_none_or(|to| metadata.submitted_at < to)
            && is(&self.utm_source, &metadata.utm_source)
            && is(&self.utm_medium, &metadata.utm_medium)
            && is(&self.utm_campaign, &metadata.utm_campaign)
    }
}

/// A text to look for in answers: a literal substring, case ignored (§4.1 `search`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Search(String);

/// A search that is longer than [`SEARCH_CHARS_MAX`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTooLong {
    /// How many characters it has.
    pub chars: usize,
}

impl Search {
    /// Returns the search for a text, trimmed; `None` where nothing is left of it.
    ///
    /// # Errors
    /// More than [`SEARCH_CHARS_MAX`] characters.
    pub fn new(text: &str) -> Result<Option<Self>, SearchTooLong> {
        let text = text.trim();
        // An accented letter counts once, whether it is written as one character or as two. The
        // composed form of a few characters is longer.
        let chars = fold::composed(text).chars().count().min(text.chars().count());
        if chars > SEARCH_CHARS_MAX {
            return Err(SearchTooLong { chars });
        }
        Ok((chars > 0).then(|| Self(text.to_owned())))
    }

    /// Returns what the person typed, trimmed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text with its case folded, as it is looked for in folded answers.
    pub fn folded(&self) -> String {
        fold(&self.0)
    }

    /// Returns where a text contains what is looked for, as bytes of that text: from the left,
    /// `places_max` at most. There is a place exactly where the text alone would match.
    pub fn places(&self, text: &str, places_max: usize) -> Vec<Range<usize>> {
        fold::places(text, &self.folded(), places_max)
    }

    /// Returns whether any single answer value contains the text.
    pub fn matches(&self, answers: &Answers) -> bool {
        let (wanted, mut found) = (self.folded(), false);
        answers.each_searched(|text| found = found || fold(&text).contains(&wanted));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;
    use proptest::prelude::*;

    fn submission(answers: &str) -> Submission {
        let mut metadata = Metadata::at(Timestamp::parse("2026-03-01T12:00:00Z").unwrap());
        metadata.utm_source = Some("google".to_owned());
        Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: serde_json::from_str(answers).unwrap(),
            metadata,
            ai_insights: None,
        }
    }

    fn finds(needle: &str, answers: &str) -> bool {
        let search = Search::new(needle).unwrap();
        Filter { search, ..Filter::default() }.matches(&submission(answers))
    }

    #[test]
    fn search_is_a_literal_substring_of_one_value() {
        assert!(finds("straSSE", r#"{"a":"Hauptstraße 1"}"#));
        assert!(finds("e", r#"{"a":"Hauptstraße 1"}"#));
        assert!(finds("50%_\"'*", r#"{"a":"only 50%_\"'* off"}"#));
        assert!(finds("1.50", r#"{"price":1.50}"#));
        assert!(finds("TRUE", r#"{"b":true}"#));
        assert!(finds("two", r#"{"l":["one","Two"]}"#));
        assert!(finds("  ", "{}"));
        assert!(!finds("key", r#"{"key":"value"}"#));
        assert!(!finds("one; two", r#"{"l":["one","two"]}"#));
        assert!(!finds("onetwo", r#"{"a":"one","b":"two"}"#));
        assert!(!finds("%", r#"{"a":"anything"}"#));
        assert!(!finds("google", r#"{"a":"x"}"#));
    }

    #[test]
    fn dates_are_half_open() {
        let at = |text: &str| Some(Timestamp::parse(text).unwrap());
        let noon = submission("{}");
        let check = |from: Option<Timestamp>, to: Option<Timestamp>, matches: bool| {
            let filter = Filter { date_from: from, date_to: to, ..Filter::default() };
            assert_eq!(filter.matches(&noon), matches, "{from:?} {to:?}");
        };
        check(at("2026-03-01T12:00:00Z"), None, true);
        check(at("2026-03-01T12:00:00.000001Z"), None, false);
        check(None, at("2026-03-01T12:00:00Z"), false);
        check(None, at("2026-03-01T12:00:00.000001Z"), true);
    }

    #[test]
    fn utm_is_exact_and_every_part_must_match() {
        let with = |source: &str, medium: Option<&str>| Filter {
            utm_source: Some(source.to_owned()),
            utm_medium: medium.map(str::to_owned),
            ..Filter::default()
        };
        assert!(with("google", None).matches(&submission("{}")));
        assert!(!with("Google", None).matches(&submission("{}")));
        assert!(!with("google", Some("cpc")).matches(&submission("{}")));
    }

    #[test]
    fn a_search_has_a_longest_length_after_trimming() {
        let longest = format!("  {}  ", "é".repeat(200));
        assert_eq!(Search::new(&longest).unwrap().unwrap().as_str().chars().count(), 200);
        assert_eq!(Search::new(&"é".repeat(201)), Err(SearchTooLong { chars: 201 }));
        assert!(Search::new(&"e\u{301}".repeat(200)).is_ok());
        assert!(Search::new(&"\u{958}".repeat(200)).is_ok());
        assert_eq!(Search::new(" \t\n"), Ok(None));
    }

    proptest! {
        /// A part between a letter and its marks is another text: `e` is not found in `é`.
        #[test]
        fn any_part_of_a_value_is_found(text in "\\PC{1,30}", from in 0usize..30, length in 1usize..30) {
            let chars: Vec<char> = text.chars().collect();
            let from = from % chars.len();
            let to = (from + length).min(chars.len());
            let of = |range: Range<usize>| -> String { chars[range].iter().collect() };
            let (before, part, behind) = (of(0..from), of(from..to), of(to..chars.len()));
            prop_assume!([before, part.clone(), behind].map(|text| fold(&text)).concat() == fold(&text));
            let answers = serde_json::json!({ "a": text }).to_string();
            prop_assert!(finds(&part, &answers));
            let upper = part.to_uppercase();
            let is_alike = fold(&upper) == fold(&part) && upper.chars().count() <= SEARCH_CHARS_MAX;
            prop_assert!(finds(&upper, &answers) || !is_alike);
        }
    }
}
