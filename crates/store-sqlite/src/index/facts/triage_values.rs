//! The values of a triage that have numbers.
//!
//! A value that every new submission has, such as the status `open`, has no number. So rows
//! without a triage need no memory for it. A row without a number of a property has this value.

use contract::Triage;
use contract::filter::LabelProperty;
use contract::triage::Status;

/// The properties of the triage. The tags come last, so that the last number of a row shows whether
/// it has tags.
pub(super) const PROPERTIES: [LabelProperty; 4] =
    [LabelProperty::Status, LabelProperty::Starred, LabelProperty::Assignee, LabelProperty::Tag];

/// Returns whether the property with an index in
/// [`for_each_value`](contract::summary::for_each_value) belongs to the triage.
pub(super) fn is_triage(property: usize) -> bool {
    PROPERTIES.iter().any(|it| *it as usize == property)
}

/// Returns the value of a new submission; `None` is a missing value.
pub(super) fn default_value(property: LabelProperty) -> Option<&'static str> {
    match property {
        LabelProperty::Status => Some(Status::OPEN),
        LabelProperty::Starred => Some("false"),
        _ => None,
    }
}

/// Calls `visit` with the property and the text of each value that a new submission does not have,
/// in the order of [`PROPERTIES`].
pub(super) fn for_each_changed(triage: &Triage, visit: &mut dyn FnMut(LabelProperty, &str)) {
    for property in PROPERTIES {
        for value in property.labels_of_triage(triage) {
            if Some(value) != default_value(property) {
                visit(property, value);
            }
        }
    }
}
