//! Matches answers with the criterion of a field.
//!
//! The type of a field decides how its answers are compared:
//! - Numbers and ratings as numbers: `1.50` equals `1.5`. A text that is a number counts as one.
//! - Dates as dates: a date-time counts as the date that it begins with.
//! - Choices and booleans by the exact text of an option: case counts, and so do spaces.
//! - All others as text: trimmed, with the case folding of the search.
//!
//! A list matches if one of its items does. `ne` and `empty` are negations, so they match if no
//! item matches. `contains` treats every answer as text.

use super::decimal::Decimal;
use super::field_operator::FieldOperator;
use crate::fold::fold;
use crate::submission::for_each_leaf;
use crate::summary::Day;
use crate::{Answers, FieldType, Timestamp};
use serde_json::Value;
use std::borrow::Cow;

/// How the answers to a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Comparison {
    Text,
    Exact,
    Number,
    Date,
}

impl Comparison {
    /// Returns the comparison of a field's type.
    pub(crate) fn of(kind: FieldType) -> Self {
        match kind {
            FieldType::Number | FieldType::Rating => Self::Number,
            FieldType::Date => Self::Date,
            FieldType::Boolean | FieldType::Choice | FieldType::Choices => Self::Exact,
            FieldType::Text
            | FieldType::LongText
            | FieldType::Email
            | FieldType::Phone
            | FieldType::Url => Self::Text,
        }
    }
}

/// Returns whether filters compare the answers to a field of this type as text, without regard to
/// case and outer spaces.
pub fn compares_text(kind: FieldType) -> bool {
    Comparison::of(kind) == Comparison::Text
}

/// Returns whether filters treat two answers to a field of this type as equal.
pub fn are_answers_equal(kind: FieldType, left: &str, right: &str) -> bool {
    match Comparison::of(kind) {
        Comparison::Text => fold(left.trim()) == fold(right.trim()),
        Comparison::Number => match (Decimal::parse(left), Decimal::parse(right)) {
            (Some(left), Some(right)) => left == right,
            _ => left == right,
        },
        Comparison::Exact | Comparison::Date => left == right,
    }
}

/// The part of a field that a criterion needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FieldTarget {
    pub(crate) key: String,
    pub(crate) comparison: Comparison,
}

/// Test of one text of an answer.
#[derive(Debug)]
enum Test<'a> {
    /// Not only white space.
    Filled,
    /// This text exactly.
    Exactly(&'a str),
    /// This text after folding and trimming.
    Equals(String),
    /// Contains this text after folding.
    Contains(String),
    /// A number that compares so.
    Number(Relation, Decimal<'a>),
    /// A date that compares so.
    Date(Relation, Day),
    /// Nothing: a value that does not fit was not refused.
    Never,
}

#[derive(Debug, Clone, Copy)]
enum Relation {
    Equal,
    NotBelow,
    NotAbove,
}

impl Relation {
    fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotBelow => left >= right,
            Self::NotAbove => left <= right,
        }
    }
}

/// A criterion, prepared for many answers.
#[derive(Debug)]
pub struct AnswerMatcher<'a> {
    key: &'a str,
    is_text: bool,
    test: Test<'a>,
    is_negated: bool,
}

impl<'a> AnswerMatcher<'a> {
    /// Prepares a criterion.
    pub(super) fn new(target: &'a FieldTarget, operator: FieldOperator, value: &'a str) -> Self {
        let compare = |relation| match target.comparison {
            Comparison::Text => Test::Equals(fold(value.trim())),
            Comparison::Exact => Test::Exactly(value),
            Comparison::Number => {
                Decimal::parse(value).map_or(Test::Never, |number| Test::Number(relation, number))
            }
            Comparison::Date => {
                parse_date(value).map_or(Test::Never, |day| Test::Date(relation, day))
            }
        };
        let (test, is_negated) = match operator {
            FieldOperator::Eq => (compare(Relation::Equal), false),
            FieldOperator::Ne => (compare(Relation::Equal), true),
            FieldOperator::Contains => (Test::Contains(fold(value.trim())), false),
            FieldOperator::Gte => (compare(Relation::NotBelow), false),
            FieldOperator::Lte => (compare(Relation::NotAbove), false),
            FieldOperator::Empty => (Test::Filled, true),
            FieldOperator::Filled => (Test::Filled, false),
        };
        let is_text = target.comparison == Comparison::Text;
        Self { key: &target.key, is_text, test, is_negated }
    }

    /// Returns the key of the answers.
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// Returns whether the matcher compares folded texts, so that an index can fold them once.
    pub fn compares_folded(&self) -> bool {
        self.is_text
    }

    /// Returns a text that the folded values of each matching submission contain; `None` if there
    /// is no such text. With `true`, one value equals it.
    pub fn required_text(&self) -> Option<(Cow<'_, str>, bool)> {
        match &self.test {
            _ if self.is_negated => None,
            Test::Exactly(text) => Some((Cow::Owned(fold(text)), true)),
            // A value may have white space around it.
            Test::Equals(text) | Test::Contains(text) => Some((Cow::Borrowed(text), false)),
            _ => None,
        }
    }

    /// Returns the text that one of the folded texts of an answer contains if, and only if, the
    /// answer matches; `None` for other criteria.
    pub fn contained_text(&self) -> Option<&str> {
        match &self.test {
            Test::Contains(text) if self.is_text && !self.is_negated => Some(text),
            _ => None,
        }
    }

    /// Returns whether an answer matches; `None` is no answer.
    pub fn matches(&self, answer: Option<&Value>) -> bool {
        let mut is_found = false;
        if let Some(answer) = answer {
            for_each_leaf(answer, &mut |text| is_found = is_found || self.accepts(&text, false));
        }
        is_found != self.is_negated
    }

    /// Returns whether the answer with the key of the criterion matches.
    pub fn matches_in(&self, answers: &Answers) -> bool {
        self.matches(answers.0.get(self.key))
    }

    /// Returns whether an answer with these texts matches. They are those of
    /// [`for_each_leaf`](crate::submission::for_each_leaf), and folded if the matcher
    /// [`compares_folded`](Self::compares_folded) texts.
    pub fn matches_texts<'t>(&self, mut texts: impl Iterator<Item = &'t str>) -> bool {
        texts.any(|text| self.accepts(text, self.is_text)) != self.is_negated
    }

    fn accepts(&self, text: &str, is_folded: bool) -> bool {
        let folded = || if is_folded { Cow::Borrowed(text) } else { Cow::Owned(fold(text)) };
        match &self.test {
            Test::Filled => !text.trim().is_empty(),
            Test::Exactly(value) => text == *value,
            Test::Equals(value) => folded().trim() == value,
            Test::Contains(value) => folded().contains(value.as_str()),
            Test::Number(relation, value) => {
                Decimal::parse(text).is_some_and(|number| relation.holds(&number, value))
            }
            Test::Date(relation, value) => {
                parse_date(text).is_some_and(|day| relation.holds(&day, value))
            }
            Test::Never => false,
        }
    }
}

/// Returns whether filters and orders compare a text as a number.
pub fn is_number(text: &str) -> bool {
    Decimal::parse(text).is_some()
}

pub(crate) fn is_date(text: &str) -> bool {
    parse_date(text).is_some()
}

/// Parses a date, or the date of a date-time, as `2026-03-01` or `2026-03-01T09:30`.
fn parse_date(text: &str) -> Option<Day> {
    let (date, rest) = text.trim().split_at_checked("2026-03-01".len())?;
    let is_date = rest.is_empty() || rest.starts_with(['T', ' ']);
    let start = Timestamp::parse(date).ok().filter(|_| is_date)?;
    Some(Day::at_offset(start, 0))
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
