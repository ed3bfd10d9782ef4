//! Values of cells that a list can be filtered by.

use contract::filter::LabelProperty;
use contract::{Field, Submission};

use super::{ColumnDef, ColumnKind};

/// Value of a cell, as a filter needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterValue<'a> {
    /// Label of a property.
    Label(LabelProperty, &'a str),
    /// UTM source.
    Source(&'a str),
    /// UTM medium.
    Medium(&'a str),
    /// UTM campaign.
    Campaign(&'a str),
    /// Answer to this field.
    Answer(&'a Field),
}

impl ColumnDef {
    /// Returns the value of a row's cell in this column; `None` if the column has no filter for a
    /// single value, or if the cell is empty. An answer may be empty.
    pub fn filter_value<'a>(&'a self, row: &'a Submission) -> Option<FilterValue<'a>> {
        fn text(value: Option<&String>) -> Option<&str> {
            value.map(String::as_str).filter(|value| !value.is_empty())
        }
        let metadata = &row.metadata;
        let label = |property, value: &'a Option<String>| {
            text(value.as_ref()).map(|value| FilterValue::Label(property, value))
        };
        let insight = row.ai_insights.as_ref();
        match &self.kind {
            ColumnKind::Answer(field, _) => Some(FilterValue::Answer(field)),
            ColumnKind::Sentiment(_) => label(LabelProperty::Sentiment, &insight?.sentiment),
            ColumnKind::Source => text(metadata.utm_source.as_ref()).map(FilterValue::Source),
            ColumnKind::Medium => text(metadata.utm_medium.as_ref()).map(FilterValue::Medium),
            ColumnKind::Campaign => text(metadata.utm_campaign.as_ref()).map(FilterValue::Campaign),
            ColumnKind::Country => label(LabelProperty::Country, &metadata.ip_country),
            ColumnKind::Device => label(LabelProperty::Device, &metadata.device),
            ColumnKind::Browser => label(LabelProperty::Browser, &metadata.browser),
            ColumnKind::SubmittedAt
            | ColumnKind::CompletionTime
            | ColumnKind::FormName
            | ColumnKind::FormAnswer(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{available_columns::available_columns, labels::ENGLISH};
    use contract::FieldType;
    use serde_json::json;

    #[test]
    fn cells_have_values_of_their_columns() {
        let field = Field {
            id: "fld_rating".parse().unwrap(),
            key: "rating".to_owned(),
            name: "Rating".to_owned(),
            kind: FieldType::Rating,
            hidden: false,
        };
        let fields = [field];
        let row: Submission = serde_json::from_value(json!({
            "id": "sub_1", "form_id": "frm_1", "answers": { "rating": 4 },
            "metadata": {
                "submitted_at": "2026-03-01T00:00:00Z", "ip_country": "DE", "device": null,
                "browser": null, "completion_time_seconds": 5, "utm_source": "google",
                "utm_medium": "", "utm_campaign": null,
            },
            "ai_insights": {
                "sentiment": "positive", "sentiment_score": 0.9, "categories": [], "language": "en",
            },
        }))
        .unwrap();
        let columns = available_columns(&ENGLISH.titles, None, &fields, (true, true));
        let values: Vec<_> =
            columns.iter().filter_map(|column| column.filter_value(&row)).collect();
        assert_eq!(
            values,
            [
                FilterValue::Answer(&fields[0]),
                FilterValue::Label(LabelProperty::Sentiment, "positive"),
                FilterValue::Source("google"),
                FilterValue::Label(LabelProperty::Country, "DE"),
            ]
        );
    }
}
