//! Conditions for the labels and numbers of submissions, which are generated columns, for their
//! triage, and for the read state of a member.
//!
//! The generated columns have labels as JSON writes them, so that every text fits. Long ones are
//! hashed. The schema's functions `submission_label` and `submission_categories` and [`LabelText`]
//! must agree. The columns of the triage are those of
//! [`TriageColumns`](super::triage::TriageColumns).

use super::answers::required_terms;
use super::query_params::QueryParams;
use contract::filter::{LabelProperty, Labels, NumberRange};
use contract::triage::{Reader, Status, Tag};
use contract::{Filter, FormId, PersonId};
use sha2::{Digest, Sha256};
use std::fmt::{Display, Write as _};
use std::str::FromStr;

/// Maximum length of a label in its column, in bytes. Longer ones are hashed.
const LABEL_BYTES_MAX: usize = 64;
/// Before and after each category and tag, and before the hash of another label.
pub(super) const SEPARATOR: char = '\u{7}';
/// Before and after each hash of a category or tag.
pub(super) const HASH_SEPARATOR: char = '\u{6}';
/// Hexadecimal digits of the hash of a category or tag.
const HASH_DIGITS: usize = 16;

/// Returns the conditions that submission `s` has the labels and numbers of a filter, and the texts
/// that its criteria for answers require. The criteria themselves are not checked.
pub(super) fn property_conditions(filter: &Filter, params: &mut QueryParams) -> Vec<String> {
    let labels = filter.labels.iter();
    let mut conditions: Vec<String> =
        labels.map(|(property, labels)| label_condition(property, labels, params)).collect();
    push_bounds("score", filter.score, params, &mut conditions);
    push_bounds("seconds", filter.seconds, params, &mut conditions);
    let terms = required_terms(&filter.fields);
    conditions.extend(terms.iter().map(|term| term.scan_condition(params)));
    conditions
}

/// Returns the condition that a member has a read state for submission `s`: the opposite of the
/// default if there is a mark. `default` is the state of all rows without a mark, if they have the
/// same one.
pub(super) fn read_condition(
    form: &FormId,
    (is_read, reader): (bool, &Reader),
    default: Option<bool>,
    params: &mut QueryParams,
) -> String {
    let form = params.push_text(form.as_str());
    let person = params.push_text(reader.person.as_str());
    let is_marked = format!(
        "EXISTS (SELECT 1 FROM read_marks AS r
           WHERE r.form_id = {form} AND r.submitted_at = s.submitted_at AND r.submission = s.id
             AND r.person = {person})"
    );
    match default {
        Some(default) if default == is_read => format!("NOT {is_marked}"),
        Some(_) => is_marked,
        None => {
            let unread_from = params.push_number(reader.unread_from.micros());
            let operator = if is_read { "<>" } else { "=" };
            format!("((s.submitted_at < {unread_from}) {operator} {is_marked})")
        }
    }
}

fn push_bounds(
    column: &str,
    range: NumberRange,
    params: &mut QueryParams,
    conditions: &mut Vec<String>,
) {
    for (operator, limit) in [(">=", range.min), ("<=", range.max)] {
        let limit = limit.map(|limit| params.push_float(limit.value()));
        conditions.extend(limit.map(|limit| format!("s.{column} {operator} {limit}")));
    }
}

/// Returns the condition that one of the labels is accepted.
fn label_condition(property: LabelProperty, labels: &Labels, params: &mut QueryParams) -> String {
    let column = column_of(property);
    let accepted: Vec<&str> = labels.as_slice().iter().flatten().map(String::as_str).collect();
    let mut alternatives = Vec::new();
    let absent = label_of_absence(property);
    if labels.as_slice().iter().any(|label| label.as_deref() == absent) {
        alternatives.push(format!("s.{column} IS NULL"));
    }
    match property {
        LabelProperty::Category => {
            let parts = accepted.iter().map(|label| LabelText::new(label).to_category());
            push_list_parts(
                column,
                parts.flat_map(|part| list_parts(&part)),
                params,
                &mut alternatives,
            );
        }
        LabelProperty::Tag => {
            let tags = accepted.iter().filter(|tag| is_value::<Tag>(tag));
            push_list_parts(
                column,
                tags.flat_map(|tag| list_parts(tag)),
                params,
                &mut alternatives,
            );
        }
        LabelProperty::Starred => {
            alternatives.extend(accepted.contains(&"true").then(|| format!("s.{column}")));
        }
        LabelProperty::Status => {
            let is_stored = |label: &&str| is_value::<Status>(label) && *label != Status::OPEN;
            push_values(column, accepted.into_iter().filter(is_stored), params, &mut alternatives);
        }
        LabelProperty::Assignee => {
            let people = accepted.into_iter().filter(|label| is_value::<PersonId>(label));
            push_values(column, people, params, &mut alternatives);
        }
        _ => {
            let values = accepted.iter().map(|label| LabelText::new(label).into_column());
            let values: Vec<String> = values.collect();
            push_values(column, values.iter().map(String::as_str), params, &mut alternatives);
        }
    }
    if alternatives.is_empty() {
        "FALSE".to_owned()
    } else {
        format!("({})", alternatives.join(" OR "))
    }
}

/// Returns the label that a column with `NULL` has; `None` for no label.
fn label_of_absence(property: LabelProperty) -> Option<&'static str> {
    match property {
        LabelProperty::Status => Some(Status::OPEN),
        LabelProperty::Starred => Some("false"),
        _ => None,
    }
}

/// Whether a label can be a value of a property of the triage. Other labels match nothing, and may
/// contain characters that a column cannot have.
fn is_value<T: FromStr + Display>(label: &str) -> bool {
    label.parse::<T>().is_ok_and(|value| value.to_string() == label)
}

/// Adds the condition that a column has one of the values.
fn push_values<'v>(
    column: &str,
    values: impl Iterator<Item = &'v str>,
    params: &mut QueryParams,
    alternatives: &mut Vec<String>,
) {
    let mut values = values.peekable();
    if values.peek().is_some() {
        alternatives.push(format!("s.{column} = ANY({})", params.push_texts(values)));
    }
}

/// Adds the conditions that a column with a list contains one of the texts.
fn push_list_parts(
    column: &str,
    parts: impl Iterator<Item = String>,
    params: &mut QueryParams,
    alternatives: &mut Vec<String>,
) {
    alternatives
        .extend(parts.map(|part| format!("strpos(s.{column}, {}) > 0", params.push_text(&part))));
}

fn column_of(property: LabelProperty) -> &'static str {
    match property {
        LabelProperty::Sentiment => "sentiment",
        LabelProperty::Category => "categories",
        LabelProperty::Language => "language",
        LabelProperty::Country => "country",
        LabelProperty::Device => "device",
        LabelProperty::Browser => "browser",
        LabelProperty::Status => "status",
        LabelProperty::Starred => "is_starred",
        LabelProperty::Tag => "tags",
        LabelProperty::Assignee => "assignee",
    }
}

/// Returns the texts of which a column with a list contains one if it contains the member: the
/// member, and its hash for a long list.
fn list_parts(member: &str) -> [String; 2] {
    let hash = hash_digits(member);
    [format!("{SEPARATOR}{member}{SEPARATOR}"), format!("{HASH_SEPARATOR}{hash}{HASH_SEPARATOR}")]
}

/// Returns the first digits of the hash of a member of a list.
pub(super) fn hash_digits(member: &str) -> String {
    let mut hash = hash_hex(member);
    hash.truncate(HASH_DIGITS);
    hash
}

/// A label as JSON writes it, without the quotes.
struct LabelText(String);

impl LabelText {
    fn new(label: &str) -> Self {
        let mut text = serde_json::Value::from(label).to_string();
        text.pop();
        text.remove(0);
        Self(text)
    }

    /// Returns the value of the label's column.
    fn into_column(self) -> String {
        if self.0.len() <= LABEL_BYTES_MAX {
            return self.0;
        }
        format!("{SEPARATOR}{}", hash_hex(&self.0))
    }

    /// Returns the label as the column of the categories has it.
    fn to_category(&self) -> String {
        self.0.replace(r"\\", "\u{1}").replace("\\\"", "\u{2}")
    }
}

fn hash_hex(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
