//! Filters the list by the value of a cell that the user clicks with Alt.

use std::sync::Arc;

use contract::{
    Submission,
    filter::{FieldCriterion, FieldOperator},
};
use leptos::prelude::*;
use row_view::available_columns::CellValue;
use serde_json::Value;

use super::{columns::ColumnDef, open_submission::OpenSubmission};
use crate::{
    domain::filter::{FilterPart, is_supported},
    lazy_actions,
    state::session::SessionStore,
    ui::lazy_action::run_lazy_action,
};

lazy_actions! {
    /// Filters the list by the value of a row in a column.
    fn filter_now(filter: CellFilter, column: ColumnDef, row: Arc<Submission>) in filters
        => filter.apply(&column, &row);
}

/// The list that is filtered. Cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct CellFilter {
    opened: OpenSubmission,
    session: SessionStore,
}

impl CellFilter {
    /// Reads the list from the context.
    pub(super) fn from_context() -> Self {
        Self { opened: expect_context(), session: expect_context() }
    }

    /// Filters the list by the value of a row in a column. Does nothing if the list has no filter
    /// for that value, or if the code does not load.
    pub(super) fn run(self, column: ColumnDef, row: Arc<Submission>) {
        run_lazy_action(filter_now(self, column, row), |_| ());
    }

    fn apply(self, column: &ColumnDef, row: &Submission) {
        let has_properties = untrack(|| self.session.capabilities().filters_properties);
        let by = |part, value: &str| self.opened.filter_by(part, value);
        match column.cell_value(row) {
            Some(CellValue::Source(value)) => by(FilterPart::UtmSource, value),
            Some(CellValue::Medium(value)) => by(FilterPart::UtmMedium, value),
            Some(CellValue::Campaign(value)) => by(FilterPart::UtmCampaign, value),
            Some(CellValue::Label(property, value)) if has_properties => {
                by(FilterPart::Label(property), value);
            }
            Some(CellValue::Answer(field)) if has_properties => {
                let answer = row.answers.0.get(&field.key);
                let Some(value) = answer.and_then(single_value) else { return };
                let criterion = FieldCriterion::new(field.id.clone(), FieldOperator::Eq, &value);
                if let Some(criterion) = criterion.ok().filter(|one| is_supported(one, field)) {
                    self.opened.filter_by_answer(&criterion);
                }
            }
            _ => {}
        }
    }
}

/// Returns the text of an answer with one value.
fn single_value(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}
