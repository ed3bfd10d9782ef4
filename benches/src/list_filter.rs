//! Filters of list requests.

use contract::Timestamp;
use contract::filter::LabelProperty;
use contract::query::percent_encode;
use std::fmt::Write as _;

/// A filter by dates, UTM values and labels.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListFilter {
    /// Start and exclusive end, in microseconds.
    pub(crate) dates: Option<(i64, i64)>,
    /// UTM source, medium and campaign.
    pub(crate) utm: [Option<String>; 3],
    /// Properties and the label that each must have.
    pub(crate) labels: Vec<(LabelProperty, String)>,
}

/// Kinds of randomly drawn filters.
#[derive(Clone, Copy)]
pub(crate) enum FilterKind {
    /// A range of dates.
    Dates,
    /// One UTM value.
    OneUtm,
    /// Any conjunction of them.
    Any,
    /// One label.
    OneLabel,
    /// Labels of two properties.
    TwoLabels,
}

/// Returns the JSON path of a property in a submission; for categories, of the list. The triage is
/// not in the JSON.
pub(crate) fn json_path(property: LabelProperty) -> Option<&'static str> {
    Some(match property {
        LabelProperty::Sentiment => "$.ai_insights.sentiment",
        LabelProperty::Category => "$.ai_insights.categories",
        LabelProperty::Language => "$.ai_insights.language",
        LabelProperty::Country => "$.metadata.ip_country",
        LabelProperty::Device => "$.metadata.device",
        LabelProperty::Browser => "$.metadata.browser",
        LabelProperty::Status
        | LabelProperty::Starred
        | LabelProperty::Tag
        | LabelProperty::Assignee => return None,
    })
}

impl ListFilter {
    pub(crate) fn query(&self) -> String {
        let mut query = String::new();
        let mut add = |name: &str, value: &str| {
            let and = if query.is_empty() { "" } else { "&" };
            let _ = write!(query, "{and}{name}={}", percent_encode(value));
        };
        let text = |micros| Timestamp::from_micros(micros).map(|at| at.to_string());
        if let Some((from, to)) = self.dates {
            add("date_from", &text(from).unwrap_or_default());
            add("date_to", &text(to).unwrap_or_default());
        }
        for (name, value) in ["utm_source", "utm_medium", "utm_campaign"].iter().zip(&self.utm) {
            if let Some(value) = value {
                add(name, value);
            }
        }
        for (property, label) in &self.labels {
            add(property.as_str(), label);
        }
        query
    }
}
