//! Order of a list of submissions (not in the specification).
//!
//! [`SortKey`] is the reference: its order is that of the list. Stores may find the rows with an
//! index; tests check that they agree with it.

use crate::filter::{Comparison, Decimal, FieldTarget, is_date};
use crate::fold::fold;
use crate::query::{QueryError, invalid_parameter, shorten_value};
use crate::submission::for_each_leaf;
use crate::{Field, FieldId, Submission, SubmissionId, Timestamp};
use serde_json::Value;
use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::fmt;

/// Number of characters of a folded text that are compared. A longer number has no value.
pub const SORT_CHARS_MAX: usize = 40;
/// Maximum number of matches that a list sorts by the answers to a field, and an export in any
/// order.
pub const SORTED_MATCHES_MAX: u64 = 100_000;
/// Name of the parameter.
const PARAMETER: &str = "sort";
/// Length of a date such as `2026-03-01`.
const DATE_BYTES: usize = 10;

/// Order of a list, other than newest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sort {
    by: SortBy,
    is_descending: bool,
    /// The field of the form; `None` until [`Sort::resolve`].
    target: Option<FieldTarget>,
}

/// The property that a list is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SortBy {
    /// Time of the submission, oldest first.
    SubmittedAt,
    /// Completion time in seconds.
    CompletionTime,
    /// Sentiment score.
    SentimentScore,
    /// Time of the last change of the triage or the notes; without one, that of the submission.
    UpdatedAt,
    /// First answer to a field, compared by the field's type.
    Field(FieldId),
}

impl Sort {
    /// Returns an order. `is_descending` has no effect on [`SortBy::SubmittedAt`].
    pub fn new(by: SortBy, is_descending: bool) -> Self {
        let is_descending = is_descending && by != SortBy::SubmittedAt;
        Self { by, is_descending, target: None }
    }

    /// Parses the value of the parameter `sort`. `-` is descending; `+` or the space that it
    /// decodes to is ascending, as is no sign. `submitted_at` and `-submitted_at` are the default
    /// order, `None`.
    ///
    /// # Errors
    /// If the value names no order.
    pub fn parse(text: &str) -> Result<Option<Self>, QueryError> {
        let (sign, name) = match text.as_bytes().first() {
            Some(sign @ (b'-' | b'+' | b' ')) => (Some(*sign), &text[1..]),
            _ => (None, text),
        };
        let by = match name {
            "submitted_at" if matches!(sign, None | Some(b'-')) => return Ok(None),
            "submitted_at" => SortBy::SubmittedAt,
            "completion_time_seconds" => SortBy::CompletionTime,
            "sentiment_score" => SortBy::SentimentScore,
            "updated_at" => SortBy::UpdatedAt,
            _ => SortBy::Field(name.parse().map_err(|_| {
                let problem = format!(
                    "must be `submitted_at`, `completion_time_seconds`, `sentiment_score`, \
                     `updated_at` or the id of a field, after `-` for descending, but is `{}`",
                    shorten_value(text)
                );
                invalid_parameter(PARAMETER, problem)
            })?),
        };
        Ok(Some(Self::new(by, sign == Some(b'-'))))
    }

    /// Returns the property.
    pub fn by(&self) -> &SortBy {
        &self.by
    }

    /// Returns whether the list is sorted by a field.
    pub fn is_by_field(&self) -> bool {
        matches!(self.by, SortBy::Field(_))
    }

    /// Returns whether larger values come first.
    pub fn is_descending(&self) -> bool {
        self.is_descending
    }

    /// Finds the field of the order among those of the form.
    ///
    /// # Errors
    /// If the form has no such field.
    pub fn resolve(&mut self, fields: &[Field]) -> Result<(), QueryError> {
        let SortBy::Field(id) = &self.by else { return Ok(()) };
        let field = fields.iter().find(|field| field.id == *id).ok_or_else(|| {
            let problem = format!("names `{id}`, which is not a field of this form");
            invalid_parameter(PARAMETER, problem)
        })?;
        let comparison = Comparison::of(field.kind);
        self.target = Some(FieldTarget { key: field.key.clone(), comparison });
        Ok(())
    }

    /// Returns the key of the answer that is compared; `None` for another property, and for a field
    /// that is not resolved.
    pub fn answer_key(&self) -> Option<&str> {
        self.target.as_ref().map(|target| target.key.as_str())
    }

    /// Returns the value of an answer: its first item that the field's type can compare.
    pub fn answer_value(&self, answer: &Value) -> Option<SortValue> {
        let compares_folded = self.compares_folded();
        let mut value = None;
        for_each_leaf(answer, &mut |text| {
            if value.is_none() {
                let text = if compares_folded { Cow::Owned(fold(&text)) } else { text };
                value = self.value_of_texts(std::iter::once(&*text));
            }
        });
        value
    }

    /// Returns whether [`value_of_texts`](Self::value_of_texts) takes case-folded texts.
    pub fn compares_folded(&self) -> bool {
        self.target.as_ref().is_some_and(|it| it.comparison == Comparison::Text)
    }

    /// Returns the value of an answer by its texts, as [`answer_value`](Self::answer_value).
    pub fn value_of_texts<'t>(
        &self,
        mut texts: impl Iterator<Item = &'t str>,
    ) -> Option<SortValue> {
        let comparison = self.target.as_ref()?.comparison;
        texts.find_map(|text| SortValue::of_text(comparison, text))
    }

    /// Returns the place of a value in this order.
    pub fn place(&self, value: Option<SortValue>) -> SortPlace {
        match value {
            None => SortPlace::Missing,
            Some(value) if self.is_descending => SortPlace::Descending(Reverse(value)),
            Some(value) => SortPlace::Ascending(value),
        }
    }

    /// Returns the place of a submission in this order, given the time of its last change.
    pub fn key_of(&self, submission: &Submission, updated_at: Option<Timestamp>) -> SortKey {
        let insight = submission.ai_insights.as_ref();
        let submitted_at = submission.metadata.submitted_at;
        let value = match &self.by {
            SortBy::SubmittedAt => Some(SortValue::Instant(submitted_at)),
            SortBy::UpdatedAt => Some(SortValue::Instant(updated_at.unwrap_or(submitted_at))),
            SortBy::CompletionTime => {
                SortValue::of_number(submission.metadata.completion_seconds())
            }
            SortBy::SentimentScore => {
                SortValue::of_number(insight.and_then(|insight| insight.sentiment_score))
            }
            SortBy::Field(_) => self
                .answer_key()
                .and_then(|key| submission.answers.0.get(key))
                .and_then(|answer| self.answer_value(answer)),
        };
        SortKey::new(self.place(value), submitted_at, submission.id.clone())
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_descending { "-" } else { "" };
        match &self.by {
            SortBy::SubmittedAt => f.write_str("+submitted_at"),
            SortBy::CompletionTime => write!(f, "{sign}completion_time_seconds"),
            SortBy::SentimentScore => write!(f, "{sign}sentiment_score"),
            SortBy::UpdatedAt => write!(f, "{sign}updated_at"),
            SortBy::Field(id) => write!(f, "{sign}{}", id.as_str()),
        }
    }
}

/// A value that lists are sorted by. All values of one order are of one kind.
#[derive(Debug, Clone)]
pub enum SortValue {
    /// An instant.
    Instant(Timestamp),
    /// A number; never NaN or negative zero.
    Number(f64),
    /// A decimal number of at most [`SORT_CHARS_MAX`] characters, compared exactly.
    Decimal(String),
    /// A date as `2026-03-01`, or the first [`SORT_CHARS_MAX`] characters of a folded text.
    Text(String),
}

impl SortValue {
    /// Returns the value of a number; `None` without one.
    pub fn of_number(number: Option<f64>) -> Option<Self> {
        // The sum turns negative zero into zero.
        number.filter(|number| !number.is_nan()).map(|number| Self::Number(number + 0.0))
    }

    /// Returns the value of a text, which is folded for [`Comparison::Text`].
    fn of_text(comparison: Comparison, text: &str) -> Option<Self> {
        let text = text.trim();
        match comparison {
            Comparison::Number => {
                let is_number =
                    text.chars().count() <= SORT_CHARS_MAX && Decimal::parse(text).is_some();
                is_number.then(|| Self::Decimal(text.to_owned()))
            }
            Comparison::Date => {
                let date = text.get(..DATE_BYTES).filter(|_| is_date(text))?;
                Some(Self::Text(date.to_owned()))
            }
            Comparison::Exact => Self::of_folded(&fold(text)),
            Comparison::Text => Self::of_folded(text),
        }
    }

    fn of_folded(text: &str) -> Option<Self> {
        let first: String = text.chars().take(SORT_CHARS_MAX).collect();
        (!first.is_empty()).then_some(Self::Text(first))
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Instant(_) => 0,
            Self::Number(_) => 1,
            Self::Decimal(_) => 2,
            Self::Text(_) => 3,
        }
    }
}

impl Ord for SortValue {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Instant(left), Self::Instant(right)) => left.cmp(right),
            (Self::Number(left), Self::Number(right)) => left.total_cmp(right),
            (Self::Decimal(left), Self::Decimal(right)) => {
                Decimal::parse(left).cmp(&Decimal::parse(right))
            }
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            _ => self.kind().cmp(&other.kind()),
        }
    }
}

impl PartialOrd for SortValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortValue {}

/// Place of a value in an order. All places of one order have one direction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortPlace {
    /// Smaller values come first.
    Ascending(SortValue),
    /// Larger values come first.
    Descending(Reverse<SortValue>),
    /// Submissions without a value come last.
    Missing,
}

impl SortPlace {
    /// Returns the value; `None` without one.
    pub fn value(&self) -> Option<&SortValue> {
        match self {
            Self::Ascending(value) | Self::Descending(Reverse(value)) => Some(value),
            Self::Missing => None,
        }
    }
}

/// Place of a submission in a sorted list: by value, then newest first, then by descending id. As
/// a cursor, it means the place just after this submission.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortKey {
    place: SortPlace,
    submitted_at: Reverse<Timestamp>,
    id: Reverse<SubmissionId>,
}

impl SortKey {
    /// Returns the place of a submission.
    pub fn new(place: SortPlace, submitted_at: Timestamp, id: SubmissionId) -> Self {
        Self { place, submitted_at: Reverse(submitted_at), id: Reverse(id) }
    }

    /// Returns the place of the value.
    pub fn place(&self) -> &SortPlace {
        &self.place
    }

    /// Returns the time of the submission.
    pub fn submitted_at(&self) -> Timestamp {
        self.submitted_at.0
    }

    /// Returns the id of the submission.
    pub fn id(&self) -> &SubmissionId {
        &self.id.0
    }
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;
