//! Filter of submissions (specification, section 4.1).
//!
//! [`Filter::matches`] is the reference. The server may find candidates with an index and the
//! browser among loaded rows; tests check that both agree with it.

mod answer_matcher;
mod decimal;
mod field_operator;
mod fields;
mod labels;
mod number_range;

pub use answer_matcher::{AnswerMatcher, are_answers_equal, compares_text, is_number};
pub(crate) use answer_matcher::{Comparison, FieldTarget, is_date};
pub(crate) use decimal::Decimal;
pub use field_operator::FieldOperator;
pub use fields::{
    FIELD_CRITERIA_MAX, FIELD_VALUE_CHARS_MAX, FieldCriteria, FieldCriterion, operators_of,
};
pub use labels::{LABELS_CHARS_MAX, LabelFilters, LabelProperty, Labels, NO_LABEL};
pub use number_range::{NUMBER_PATTERN, Number, NumberRange};

use std::ops::Range;

use crate::{
    Answers, Metadata, Submission, Timestamp, Triage,
    fold::{self, fold},
    triage::Reader,
};

/// Maximum length of a trimmed search, in characters: as typed or in NFC, the shorter of the two.
pub const SEARCH_CHARS_MAX: usize = 200;

/// Filter of a form's submissions. A submission must match every criterion that is set
/// (specification, section 4.1, rule 2).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Submitted at or after this instant.
    pub date_from: Option<Timestamp>,
    /// Submitted before this instant.
    pub date_to: Option<Timestamp>,
    /// Text contained in an answer.
    pub search: Option<Search>,
    /// Exact UTM source.
    pub utm_source: Option<String>,
    /// Exact UTM medium.
    pub utm_medium: Option<String>,
    /// Exact UTM campaign.
    pub utm_campaign: Option<String>,
    /// Accepted labels (not in the specification).
    pub labels: LabelFilters,
    /// Range of the sentiment score (not in the specification).
    pub score: NumberRange,
    /// Range of the completion time, in seconds (not in the specification).
    pub seconds: NumberRange,
    /// Criteria for the answers to fields (not in the specification). They match no submission
    /// until [`FieldCriteria::resolve`] has found their fields.
    pub fields: FieldCriteria,
    /// Whether a member has read the submission (not in the specification).
    pub read: Option<bool>,
    /// The member of `read`. The server sets it to the signed-in member; queries do not contain it.
    pub reader: Option<Reader>,
}

impl Filter {
    /// Returns whether no criterion is set, so that every submission matches.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether a submission with this triage matches every criterion that is set.
    pub fn matches(&self, submission: &Submission, triage: &Triage) -> bool {
        self.matches_metadata(&submission.metadata)
            && self.matches_properties(submission, triage)
            && self.read.is_none_or(|read| read == triage.read)
            && self.search.as_ref().is_none_or(|search| search.matches(&submission.answers))
    }

    /// Returns whether labels, numbers, answers to fields or the read state are filtered.
    pub fn has_properties(&self) -> bool {
        !self.labels.is_empty()
            || !self.score.is_empty()
            || !self.seconds.is_empty()
            || !self.fields.is_empty()
            || self.read.is_some()
    }

    /// Returns the required read state and its member; `None` without either.
    pub fn required_read_state(&self) -> Option<(bool, &Reader)> {
        self.read.zip(self.reader.as_ref())
    }

    /// Returns whether a submission matches the labels, the numbers and the criteria for answers.
    pub fn matches_properties(&self, submission: &Submission, triage: &Triage) -> bool {
        let score = || submission.ai_insights.as_ref().and_then(|insight| insight.sentiment_score);
        let seconds = || submission.metadata.completion_seconds();
        self.labels.matches(submission, triage)
            && (self.score.is_empty() || self.score.contains(score()))
            && (self.seconds.is_empty() || self.seconds.contains(seconds()))
            && self.fields.matches(&submission.answers)
    }

    fn matches_metadata(&self, metadata: &Metadata) -> bool {
        let matches =
            |filter: &Option<String>, value: &Option<String>| filter.is_none() || filter == value;
        self.date_from.is_none_or(|from| from <= metadata.submitted_at)
            && self.date_to.is_none_or(|to| metadata.submitted_at < to)
            && matches(&self.utm_source, &metadata.utm_source)
            && matches(&self.utm_medium, &metadata.utm_medium)
            && matches(&self.utm_campaign, &metadata.utm_campaign)
    }
}

/// Search text: a literal substring, case-insensitive (specification, section 4.1, `search`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Search(String);

/// Error: the search is longer than [`SEARCH_CHARS_MAX`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTooLong {
    /// Length of the search, in characters.
    pub chars: usize,
}

impl Search {
    /// Creates a search from trimmed text; `None` if the text is blank.
    ///
    /// # Errors
    /// If the text has more than [`SEARCH_CHARS_MAX`] characters.
    pub fn new(text: &str) -> Result<Option<Self>, SearchTooLong> {
        let text = text.trim();
        // Count an accented letter once, in composed and in decomposed form. For a few characters
        // NFC is longer than the input, so take the shorter of both.
        let chars = fold::to_nfc(text).chars().count().min(text.chars().count());
        if chars > SEARCH_CHARS_MAX {
            return Err(SearchTooLong { chars });
        }
        Ok((chars > 0).then(|| Self(text.to_owned())))
    }

    /// Returns the text as typed, trimmed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the case-folded text, to be searched in folded answers.
    pub fn folded(&self) -> String {
        fold(&self.0)
    }

    /// Returns the byte ranges of the matches in a text, from the left, at most `places_max`.
    ///
    /// The result is empty exactly if the text does not match.
    pub fn find_matches(&self, text: &str, places_max: usize) -> Vec<Range<usize>> {
        fold::find_matches(text, &self.folded(), places_max)
    }

    /// Returns whether any single answer value contains the search text.
    pub fn matches(&self, answers: &Answers) -> bool {
        let term = self.folded();
        let mut found = false;
        answers.for_each_searched(|text| found = found || fold(&text).contains(&term));
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
        Filter { search, ..Filter::default() }.matches(&submission(answers), &Triage::default())
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
    fn date_range_is_half_open() {
        let at = |text: &str| Some(Timestamp::parse(text).unwrap());
        let noon = submission("{}");
        let check = |from: Option<Timestamp>, to: Option<Timestamp>, matches: bool| {
            let filter = Filter { date_from: from, date_to: to, ..Filter::default() };
            assert_eq!(filter.matches(&noon, &Triage::default()), matches, "{from:?} {to:?}");
        };
        check(at("2026-03-01T12:00:00Z"), None, true);
        check(at("2026-03-01T12:00:00.000001Z"), None, false);
        check(None, at("2026-03-01T12:00:00Z"), false);
        check(None, at("2026-03-01T12:00:00.000001Z"), true);
    }

    #[test]
    fn utm_match_is_exact() {
        let with = |source: &str, medium: Option<&str>| Filter {
            utm_source: Some(source.to_owned()),
            utm_medium: medium.map(str::to_owned),
            ..Filter::default()
        };
        assert!(with("google", None).matches(&submission("{}"), &Triage::default()));
        assert!(!with("Google", None).matches(&submission("{}"), &Triage::default()));
        assert!(!with("google", Some("cpc")).matches(&submission("{}"), &Triage::default()));
    }

    #[test]
    fn labels_and_numbers_match_exactly() {
        let mut labelled = submission("{}");
        labelled.metadata.ip_country = Some("DE".to_owned());
        labelled.metadata.browser = Some(String::new());
        labelled.metadata.completion_time_seconds = Some(30);
        labelled.ai_insights = Some(crate::Insight {
            sentiment: Some("mixed".to_owned()),
            sentiment_score: Some(0.5),
            categories: vec!["Price, delivery".to_owned(), "Other".to_owned()],
            language: None,
        });
        let bare = submission("{}");
        for (query, matches_one, matches_bare) in [
            ("sentiment=mixed", true, false),
            ("sentiment=positive,mixed", true, false),
            ("sentiment=Mixed", false, false),
            ("sentiment=none", false, true),
            ("sentiment=none,mixed", true, true),
            ("category=Other", true, false),
            ("category=Price\\, delivery", true, false),
            ("category=Price, delivery", false, false),
            ("category=none", false, true),
            ("language=none&country=DE", true, false),
            ("device=none", true, true),
            ("browser=none", true, true),
            ("country=DE&sentiment=positive", false, false),
            ("score_min=0.5&score_max=0.5", true, false),
            ("score_min=0.51", false, false),
            ("seconds_min=30", true, false),
            ("seconds_max=29.5", false, false),
        ] {
            let filter = crate::ListQuery::parse(query).unwrap().filter;
            assert_eq!(filter.matches(&labelled, &Triage::default()), matches_one, "{query}");
            assert_eq!(filter.matches(&bare, &Triage::default()), matches_bare, "{query}");
        }
    }

    #[test]
    fn triage_matches_with_defaults() {
        let json = r#"{"status":"done","starred":true,"tags":["VIP","a,b"],"assignee":"psn_1",
            "read":true}"#;
        let touched: Triage = serde_json::from_str(json).unwrap();
        for (query, matches_touched, matches_new) in [
            ("status=open", false, true),
            ("status=in_progress,done", true, false),
            ("status=waiting", false, false),
            ("starred=true", true, false),
            ("starred=false", false, true),
            ("starred=true,false", true, true),
            ("tag=VIP", true, false),
            ("tag=vip", false, false),
            ("tag=a\\,b,x", true, false),
            ("tag=none", false, true),
            ("assignee=psn_1,none", true, true),
            ("assignee=psn_2", false, false),
            ("read=true", true, false),
            ("read=false", false, true),
            ("read=true,false", true, true),
        ] {
            let filter = crate::ListQuery::parse(query).unwrap().filter;
            assert_eq!(filter.has_properties(), query != "read=true,false");
            let submission = submission("{}");
            assert_eq!(filter.matches(&submission, &touched), matches_touched, "{query}");
            assert_eq!(filter.matches(&submission, &Triage::default()), matches_new, "{query}");
        }
        for (query, problem) in [
            ("starred=yes", "`starred` must be `true` or `false`, but is `yes`"),
            ("starred=none", "`starred` must be `true` or `false`, but is `none`"),
            ("read=yes", "`read` must be `true` or `false`, but is `yes`"),
            ("status=Done", "`status` has the unknown status `Done`"),
            ("status=open,none", "`status` has the unknown status `none`"),
        ] {
            assert_eq!(crate::ListQuery::parse(query).unwrap_err().message, problem);
        }
    }

    #[test]
    fn search_length_is_limited_after_trimming() {
        let longest = format!("  {}  ", "é".repeat(200));
        assert_eq!(Search::new(&longest).unwrap().unwrap().as_str().chars().count(), 200);
        assert_eq!(Search::new(&"é".repeat(201)), Err(SearchTooLong { chars: 201 }));
        assert!(Search::new(&"e\u{301}".repeat(200)).is_ok());
        assert!(Search::new(&"\u{958}".repeat(200)).is_ok());
        assert_eq!(Search::new(" \t\n"), Ok(None));
    }

    proptest! {
        /// Parts that separate a letter from its combining marks are skipped: `e` is not found in
        /// `é`.
        #[test]
        fn any_substring_is_found(text in "\\PC{1,30}", from in 0usize..30, length in 1usize..30) {
            let chars: Vec<char> = text.chars().collect();
            let from = from % chars.len();
            let to = (from + length).min(chars.len());
            let of = |range: Range<usize>| -> String { chars[range].iter().collect() };
            let before = of(0..from);
            let part = of(from..to);
            let behind = of(to..chars.len());
            prop_assume!([before, part.clone(), behind].map(|text| fold(&text)).concat() == fold(&text));
            let answers = serde_json::json!({ "a": text }).to_string();
            prop_assert!(finds(&part, &answers));
            let upper = part.to_uppercase();
            let is_alike = fold(&upper) == fold(&part) && upper.chars().count() <= SEARCH_CHARS_MAX;
            prop_assert!(finds(&upper, &answers) || !is_alike);
        }
    }
}
