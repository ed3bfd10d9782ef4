//! Conditions for the labels and numbers of submissions, which are generated columns.
//!
//! The columns have labels as JSON writes them, so that every text fits. Long ones are hashed. The
//! schema's functions `submission_label` and `submission_categories` and [`LabelText`] must agree.

use super::query_params::QueryParams;
use contract::Filter;
use contract::filter::{LabelProperty, Labels, NumberRange};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Maximum length of a label in its column, in bytes. Longer ones are hashed.
const LABEL_BYTES_MAX: usize = 64;
/// Before and after each category, and before the hash of another label.
const SEPARATOR: char = '\u{7}';
/// Before and after each hash of a category.
const HASH_SEPARATOR: char = '\u{6}';
/// Hexadecimal digits of the hash of a category.
const CATEGORY_HASH_DIGITS: usize = 16;

/// Returns the conditions that submission `s` has the labels and numbers of a filter.
pub(super) fn property_conditions(filter: &Filter, params: &mut QueryParams) -> Vec<String> {
    let labels = filter.labels.iter();
    let mut conditions: Vec<String> =
        labels.map(|(property, labels)| label_condition(property, labels, params)).collect();
    push_bounds("score", filter.score, params, &mut conditions);
    push_bounds("seconds", filter.seconds, params, &mut conditions);
    conditions
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
    let accepted = labels.as_slice().iter().flatten().map(|label| LabelText::new(label));
    let mut alternatives = Vec::new();
    if labels.as_slice().contains(&None) {
        alternatives.push(format!("s.{column} IS NULL"));
    }
    if property == LabelProperty::Category {
        for part in accepted.flat_map(|label| label.category_parts()) {
            alternatives.push(format!("strpos(s.{column}, {}) > 0", params.push_text(&part)));
        }
    } else {
        let accepted: Vec<String> = accepted.map(LabelText::into_column).collect();
        if !accepted.is_empty() {
            let accepted = params.push_texts(accepted.iter().map(String::as_str));
            alternatives.push(format!("s.{column} = ANY({accepted})"));
        }
    }
    format!("({})", alternatives.join(" OR "))
}

fn column_of(property: LabelProperty) -> &'static str {
    match property {
        LabelProperty::Sentiment => "sentiment",
        LabelProperty::Category => "categories",
        LabelProperty::Language => "language",
        LabelProperty::Country => "country",
        LabelProperty::Device => "device",
        LabelProperty::Browser => "browser",
    }
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

    /// Returns the texts of which the column of the categories contains one if it contains the
    /// label: the label, and its hash for a long list.
    fn category_parts(&self) -> [String; 2] {
        let text = self.0.replace(r"\\", "\u{1}").replace("\\\"", "\u{2}");
        let hash = &hash_hex(&text)[..CATEGORY_HASH_DIGITS];
        [format!("{SEPARATOR}{text}{SEPARATOR}"), format!("{HASH_SEPARATOR}{hash}{HASH_SEPARATOR}")]
    }
}

fn hash_hex(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
