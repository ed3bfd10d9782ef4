//! Filters the list by the value of a cell that the user clicks with Alt.

use std::sync::Arc;

use contract::Submission;
use leptos::prelude::*;
use row_view::available_columns::FilterValue;
use serde_json::Value;

use super::{columns::ColumnDef, list_state::ListState, open_submission::OpenSubmission};
use crate::{domain::filter::FilterPart, lazy_actions, state::toasts::Toasts};

lazy_actions! {
    /// Filters the list by the value of a row in a column, or opens the row.
    fn filter_or_open(filter: CellFilter, column: ColumnDef, row: Arc<Submission>) in filters
        => filter.apply(&column, &row);
}

/// The list that is filtered. Cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct CellFilter {
    list: ListState,
    opened: OpenSubmission,
    toasts: Toasts,
}

impl CellFilter {
    /// Reads the list from the context.
    pub(super) fn from_context() -> Self {
        Self { list: expect_context(), opened: expect_context(), toasts: expect_context() }
    }

    /// Filters the list by the value of a row in a column. If the list has no filter for that
    /// value, opens the row as a click without Alt does.
    pub(super) fn run(self, column: ColumnDef, row: Arc<Submission>) {
        self.toasts.run_lazy(filter_or_open(self, column, row));
    }

    fn apply(self, column: &ColumnDef, row: &Submission) {
        // The user may have gone to another list while the code was loaded.
        let form = self.list.location().map(|list| list.form);
        let is_shown = form.is_some_and(|form| form.is_none_or(|form| form == row.form_id));
        if is_shown && !self.filter(column, row) {
            self.opened.open(&row.id);
        }
    }

    /// Returns whether the list has a filter for the value.
    fn filter(self, column: &ColumnDef, row: &Submission) -> bool {
        let Some(value) = column.filter_value(row) else { return false };
        let (part, value) = match value {
            FilterValue::Source(value) => (FilterPart::UtmSource, value),
            FilterValue::Medium(value) => (FilterPart::UtmMedium, value),
            FilterValue::Campaign(value) => (FilterPart::UtmCampaign, value),
            FilterValue::Label(property, value) => (FilterPart::Label(property), value),
            FilterValue::Answer(field) => {
                let answer = row.answers.0.get(&field.key).and_then(single_value);
                let criterion =
                    answer.and_then(|answer| self.opened.answer_criterion(field, &answer));
                return criterion.is_some_and(|one| self.opened.filter_by_answer(&one));
            }
        };
        if !self.opened.supports_filter(part) {
            return false;
        }
        self.opened.filter_by(part, value);
        true
    }
}

/// Returns the text of an answer with one value.
fn single_value(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Array(items) => match &items[..] {
            [item] if !item.is_array() => single_value(item),
            _ => None,
        },
        Value::Null | Value::Object(_) => None,
    }
}
