//! Filters of list requests.

use crate::client::percent_encode;
use contract::Timestamp;
use std::fmt::Write as _;

/// A filter by dates and UTM values.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListFilter {
    /// Start and exclusive end, in microseconds.
    pub(crate) dates: Option<(i64, i64)>,
    /// UTM source, medium and campaign.
    pub(crate) utm: [Option<String>; 3],
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
        query
    }
}
