//! Filters by the answers to a form's fields (not in the specification).

use super::answer_matcher::{AnswerMatcher, Comparison, FieldTarget, is_date, is_number};
use super::field_operator::FieldOperator;
use crate::query::{QueryError, invalid_parameter, shorten_value};
use crate::{Answers, Field, FieldId, FieldType};

/// Maximum length of the value of a criterion, in characters.
pub const FIELD_VALUE_CHARS_MAX: usize = 200;
/// Maximum number of criteria of a filter.
pub const FIELD_CRITERIA_MAX: usize = 10;

/// Criterion for the answers to one field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldCriterion {
    field: FieldId,
    operator: FieldOperator,
    value: String,
    /// The field of the form; `None` until [`FieldCriteria::resolve`].
    target: Option<FieldTarget>,
}

impl FieldCriterion {
    /// Creates a criterion. `value` is ignored for an operator without a value.
    ///
    /// # Errors
    /// If the value is blank or longer than [`FIELD_VALUE_CHARS_MAX`], or if a bound is neither a
    /// number nor a date. Returns the problem, without the name of the parameter.
    pub fn new(field: FieldId, operator: FieldOperator, value: &str) -> Result<Self, String> {
        let value = if operator.has_value() { value } else { "" };
        let name = operator.as_str();
        let length = value.chars().count();
        if operator.has_value() && value.trim().is_empty() {
            return Err(format!("needs a value after `{name}:`; for no answer, use `empty`"));
        }
        if length > FIELD_VALUE_CHARS_MAX {
            return Err(format!(
                "must have a value of at most {FIELD_VALUE_CHARS_MAX} characters, but has {length}"
            ));
        }
        let criterion = Self { field, operator, value: value.to_owned(), target: None };
        if criterion.is_bound() && !is_number(value) && !is_date(value) {
            return Err(criterion.wrong_value("a number such as `0.5` or a date"));
        }
        Ok(criterion)
    }

    /// Parses the value of a query parameter, such as `eq:blue` or `filled`.
    ///
    /// # Errors
    /// If the operator is unknown, and as [`FieldCriterion::new`]. Returns the problem, without the
    /// name of the parameter.
    pub fn parse(field: FieldId, text: &str) -> Result<Self, String> {
        let (name, value) =
            text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
        let is_named =
            |it: &FieldOperator| it.as_str() == name && it.has_value() == value.is_some();
        let Some(operator) = FieldOperator::ALL.into_iter().find(is_named) else {
            let shapes = FieldOperator::ALL
                .map(|it| format!("`{}{}`", it.as_str(), if it.has_value() { ":…" } else { "" }));
            return Err(format!(
                "must be one of {}, but is `{}`",
                shapes.join(", "),
                shorten_value(text)
            ));
        };
        Self::new(field, operator, value.unwrap_or_default())
    }

    /// Returns the value of the query parameter: the inverse of [`FieldCriterion::parse`].
    pub fn to_query_value(&self) -> String {
        let name = self.operator.as_str();
        if self.operator.has_value() { format!("{name}:{}", self.value) } else { name.to_owned() }
    }

    /// Returns the field.
    pub fn field(&self) -> &FieldId {
        &self.field
    }

    /// Returns the operator.
    pub fn operator(&self) -> FieldOperator {
        self.operator
    }

    /// Returns the value as given; empty for an operator without a value.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns a matcher; `None` if the criterion is not resolved.
    fn matcher(&self) -> Option<AnswerMatcher<'_>> {
        let target = self.target.as_ref()?;
        Some(AnswerMatcher::new(target, self.operator, &self.value))
    }

    fn is_bound(&self) -> bool {
        matches!(self.operator, FieldOperator::Gte | FieldOperator::Lte)
    }

    fn wrong_value(&self, expected: &str) -> String {
        format!("must compare with {expected}, but is `{}`", shorten_value(&self.to_query_value()))
    }

    /// Sets the field that the criterion is for.
    fn resolve(&mut self, field: &Field) -> Result<(), String> {
        if operators_of(field.kind).all(|operator| operator != self.operator) {
            return Err(format!(
                "is `{}`, but only number, rating and date fields support `{}`; the type of this \
                 field is `{}`",
                shorten_value(&self.to_query_value()),
                self.operator.as_str(),
                field.kind
            ));
        }
        let comparison = Comparison::of(field.kind);
        let is_compared =
            !matches!(self.operator, FieldOperator::Contains) && self.operator.has_value();
        match comparison {
            Comparison::Number if is_compared && !is_number(&self.value) => {
                return Err(self.wrong_value("a number such as `0.5`"));
            }
            Comparison::Date if is_compared && !is_date(&self.value) => {
                return Err(self.wrong_value("a date such as `2026-03-01`"));
            }
            _ => {}
        }
        self.target = Some(FieldTarget { key: field.key.clone(), comparison });
        Ok(())
    }
}

/// Criteria for answers, sorted and without repetition. A submission must match each.
///
/// A query names fields by their ids, and answers have keys. So the criteria match no submission
/// until [`FieldCriteria::resolve`] has found their fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct FieldCriteria(Vec<FieldCriterion>);

impl FieldCriteria {
    /// Adds a criterion.
    ///
    /// # Errors
    /// If there are more than [`FIELD_CRITERIA_MAX`]. Returns the problem, without the name of the
    /// parameter.
    pub fn add(&mut self, criterion: FieldCriterion) -> Result<(), String> {
        let Err(place) = self.0.binary_search(&criterion) else { return Ok(()) };
        if self.0.len() == FIELD_CRITERIA_MAX {
            return Err(format!(
                "exceeds the limit of {FIELD_CRITERIA_MAX} criteria for fields; leave some out"
            ));
        }
        self.0.insert(place, criterion);
        Ok(())
    }

    /// Removes the criteria for which `keep` returns `false`.
    pub fn retain(&mut self, keep: impl FnMut(&FieldCriterion) -> bool) {
        self.0.retain(keep);
    }

    /// Returns whether no answers are filtered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the criteria.
    pub fn iter(&self) -> impl Iterator<Item = &FieldCriterion> {
        self.0.iter()
    }

    /// Finds the fields of the criteria among those of the form.
    ///
    /// # Errors
    /// For the first criterion of an unknown field, or that its field's type does not support.
    pub fn resolve(&mut self, fields: &[Field]) -> Result<(), QueryError> {
        for criterion in &mut self.0 {
            let field = fields.iter().find(|field| field.id == criterion.field);
            let resolved = match field {
                Some(field) => criterion.resolve(field),
                None => Err("is not a field of this form; leave it out".to_owned()),
            };
            resolved.map_err(|problem| invalid_parameter(criterion.field.as_str(), problem))?;
        }
        // The order includes the fields, which have just been set.
        self.0.sort_unstable();
        Ok(())
    }

    /// Returns a matcher for each criterion; `None` if one is not resolved.
    pub fn matchers(&self) -> Option<Vec<AnswerMatcher<'_>>> {
        self.0.iter().map(FieldCriterion::matcher).collect()
    }

    /// Returns whether the answers match every criterion.
    pub fn matches(&self, answers: &Answers) -> bool {
        self.0.is_empty()
            || self.matchers().is_some_and(|all| all.iter().all(|it| it.matches_in(answers)))
    }
}

impl From<FieldCriterion> for FieldCriteria {
    fn from(criterion: FieldCriterion) -> Self {
        Self(vec![criterion])
    }
}

/// Returns the operators that a field's type supports.
pub fn operators_of(kind: FieldType) -> impl Iterator<Item = FieldOperator> {
    let is_ordered = matches!(Comparison::of(kind), Comparison::Number | Comparison::Date);
    FieldOperator::ALL
        .into_iter()
        .filter(move |it| is_ordered || !matches!(it, FieldOperator::Gte | FieldOperator::Lte))
}
