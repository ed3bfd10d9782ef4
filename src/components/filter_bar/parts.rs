//! Names and values of the parts of a filter, as text.

use contract::filter::{FieldCriterion, FieldOperator, LabelProperty, Number, NumberRange};
use contract::{Field, FieldId, Filter};
use leptos::prelude::{Memo, With, use_context};

use crate::{
    components::{calendar, names, sentiment::sentiment_name},
    domain::{
        filter::{FilterPart, FilterProperty},
        time::format_duration,
    },
    i18n::{self, decimal},
    state::triage::TriageState,
};

/// Returns the name of a part.
pub fn part_name(part: FilterPart) -> &'static str {
    let texts = i18n::filter_bar();
    match part {
        FilterPart::From => texts.from,
        FilterPart::To => texts.to,
        FilterPart::Search => texts.search,
        FilterPart::Label(LabelProperty::Sentiment) => texts.sentiment,
        FilterPart::Label(LabelProperty::Category) => texts.category,
        FilterPart::Label(LabelProperty::Language) => texts.language,
        FilterPart::Label(LabelProperty::Country) => texts.country,
        FilterPart::Label(LabelProperty::Device) => texts.device,
        FilterPart::Label(LabelProperty::Browser) => texts.browser,
        FilterPart::Label(LabelProperty::Status) => texts.status,
        FilterPart::Label(LabelProperty::Starred) => texts.starred,
        FilterPart::Label(LabelProperty::Tag) => texts.tag,
        FilterPart::Label(LabelProperty::Assignee) => texts.assignee,
        FilterPart::Read => texts.read_status,
        FilterPart::Seconds => texts.seconds,
        FilterPart::Score => texts.score,
        FilterPart::UtmSource => texts.source,
        FilterPart::UtmMedium => texts.medium,
        FilterPart::UtmCampaign => texts.campaign,
    }
}

/// Returns the name of a property. Tracked.
pub(super) fn property_name(property: &FilterProperty, fields: Memo<Vec<Field>>) -> String {
    match property {
        FilterProperty::Part(part) => part_name(*part).to_owned(),
        FilterProperty::Field { id, .. } => fields.with(|fields| field_name(fields, id)),
    }
}

/// Returns the name of a field, or its id if the form has no such field.
pub fn field_name(fields: &[Field], id: &FieldId) -> String {
    let field = fields.iter().find(|field| field.id == *id);
    field.map_or_else(|| id.to_string(), |field| field.name.clone())
}

/// Returns the value of a property as text; empty if it is not set. Tracked like [`part_value`].
pub(super) fn property_value(property: &FilterProperty, filter: &Filter) -> String {
    match property {
        FilterProperty::Part(part) => part_value(*part, filter),
        FilterProperty::Field { .. } => {
            property.criteria(filter).map(criterion_text).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns a criterion as text without the name of the field, such as `is not blue`.
pub fn criterion_text(criterion: &FieldCriterion) -> String {
    let (operator, value) = (criterion.operator(), criterion.value());
    let name = operator_name(operator);
    match operator {
        FieldOperator::Eq => value_text(value),
        FieldOperator::Ne => format!("{name} {}", value_text(value)),
        FieldOperator::Contains | FieldOperator::Gte | FieldOperator::Lte => {
            format!("{name} {value}")
        }
        FieldOperator::Empty | FieldOperator::Filled => name.to_owned(),
    }
}

/// Returns the name of an operator, such as `is not`.
pub(super) fn operator_name(operator: FieldOperator) -> &'static str {
    let texts = i18n::filter_panel();
    match operator {
        FieldOperator::Eq => texts.equals,
        FieldOperator::Ne => texts.differs,
        FieldOperator::Contains => texts.contains,
        FieldOperator::Gte => texts.at_least,
        FieldOperator::Lte => texts.at_most,
        FieldOperator::Empty => texts.is_empty,
        FieldOperator::Filled => texts.is_filled,
    }
}

/// Returns the name of a choice: `true` and `false` are yes and no.
pub fn value_text(value: &str) -> String {
    match value {
        "true" => i18n::common().yes.to_owned(),
        "false" => i18n::common().no.to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the value of a part as text, such as `Negative or Mixed`; empty if it is not set. Tracks
/// the names of statuses and members, and requests them at the first call that needs them.
pub fn part_value(part: FilterPart, filter: &Filter) -> String {
    match part {
        FilterPart::Label(property) if property.is_triage() => {
            let labels = filter.labels.get(property).as_slice().iter();
            join_or(labels.map(|label| label_name(property, label.as_deref())).collect())
        }
        _ => plain_part_value(part, filter),
    }
}

/// Returns the value of a property as text, like [`property_value`]. The labels of the triage and
/// the criteria are returned as in a query: their names need more code than the first view has.
pub(super) fn plain_value(property: &FilterProperty, filter: &Filter) -> String {
    match property {
        FilterProperty::Part(part) => plain_part_value(*part, filter),
        FilterProperty::Field { criterion, .. } => {
            criterion.as_ref().map(FieldCriterion::to_query_value).unwrap_or_default()
        }
    }
}

fn plain_part_value(part: FilterPart, filter: &Filter) -> String {
    match part {
        FilterPart::From | FilterPart::To => {
            let is_end = part == FilterPart::To;
            let bound = if is_end { filter.date_to } else { filter.date_from };
            bound.map(|bound| calendar::bound_text(bound, is_end)).unwrap_or_default()
        }
        FilterPart::Read => filter.read.map(read_name).unwrap_or_default().to_owned(),
        FilterPart::Label(property) if part.is_triage() => {
            filter.labels.get(property).to_query_value()
        }
        FilterPart::Label(property) => {
            let labels = filter.labels.get(property).as_slice().iter();
            join_or(labels.map(|label| plain_label_name(property, label.as_deref())).collect())
        }
        _ => match part.range(filter) {
            Some(range) => range_text(part, range),
            None => part.text(filter).to_owned(),
        },
    }
}

/// Returns the name of a read state.
pub fn read_name(is_read: bool) -> &'static str {
    let texts = i18n::filter_bar();
    if is_read { texts.read } else { texts.unread }
}

/// Returns the name of a label; of submissions without a label for `None`. Tracked like
/// [`part_value`].
pub fn label_name(property: LabelProperty, label: Option<&str>) -> String {
    if property.is_triage() {
        triage_label_name(property, label)
    } else {
        plain_label_name(property, label)
    }
}

/// Returns the name of a label that is no part of the triage.
fn plain_label_name(property: LabelProperty, label: Option<&str>) -> String {
    let Some(label) = label else { return i18n::filter_bar().no_value.to_owned() };
    match property {
        LabelProperty::Sentiment => sentiment_name(label),
        LabelProperty::Language => names::language_name(label),
        LabelProperty::Country => names::country_name(label),
        LabelProperty::Device => names::device_name(label),
        LabelProperty::Category
        | LabelProperty::Browser
        | LabelProperty::Status
        | LabelProperty::Starred
        | LabelProperty::Tag
        | LabelProperty::Assignee => label.to_owned(),
    }
}

/// Returns the name of a label of the triage.
fn triage_label_name(property: LabelProperty, label: Option<&str>) -> String {
    let texts = i18n::filter_bar();
    let Some(label) = label else {
        let name = match property {
            LabelProperty::Tag => texts.no_tag,
            LabelProperty::Assignee => i18n::triage().nobody,
            _ => texts.no_value,
        };
        return name.to_owned();
    };
    let state = use_context::<TriageState>();
    let name = match property {
        LabelProperty::Starred if label == "true" => Some(i18n::triage().starred.to_owned()),
        LabelProperty::Starred => Some(texts.not_starred.to_owned()),
        LabelProperty::Status => {
            state.zip(label.parse().ok()).map(|(state, status)| state.status_name(&status))
        }
        LabelProperty::Assignee => {
            state.zip(label.parse().ok()).map(|(state, person)| state.assignee_name(&person))
        }
        _ => None,
    };
    name.unwrap_or_else(|| label.to_owned())
}

/// Joins values: `a`, `a or b`, `a, b or c`.
fn join_or(mut values: Vec<String>) -> String {
    let last = values.pop().unwrap_or_default();
    if values.is_empty() { last } else { (i18n::filter_bar().or)(&values.join(", "), &last) }
}

fn range_text(part: FilterPart, range: NumberRange) -> String {
    let texts = i18n::filter_bar();
    let text = |number: Number| number_text(part, number);
    match (range.min.map(text), range.max.map(text)) {
        (Some(min), Some(max)) if min == max => min,
        (Some(min), Some(max)) => format!("{min} – {max}"),
        (Some(min), None) => (texts.at_least)(&min),
        (None, Some(max)) => (texts.at_most)(&max),
        (None, None) => String::new(),
    }
}

fn number_text(part: FilterPart, number: Number) -> String {
    let value = number.value();
    if part != FilterPart::Seconds {
        return decimal(value);
    }
    // Only whole seconds can be split into minutes and hours.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "is in the range")]
    if value.fract() == 0.0 && (0.0..1e9).contains(&value) {
        format_duration(value as u64)
    } else {
        (i18n::filter_bar().seconds_text)(&decimal(value))
    }
}
