//! Builds query strings.

use crate::Filter;
use crate::filter::Number;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that need no escape in a query string.
const UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b',').remove(b':');

/// Percent-encodes a value for a query string or a path segment.
pub fn percent_encode(value: &str) -> String {
    utf8_percent_encode(value, UNRESERVED).to_string()
}

/// Query string under construction.
#[derive(Default)]
pub(crate) struct QueryWriter(pub(crate) String);

impl QueryWriter {
    /// Adds a parameter.
    pub(crate) fn push_pair(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        self.0.push_str(&percent_encode(value));
    }

    /// Adds the parameters of a filter.
    pub(crate) fn push_filter(&mut self, filter: &Filter) {
        let Filter {
            date_from,
            date_to,
            search,
            utm_source,
            utm_medium,
            utm_campaign,
            labels,
            score,
            seconds,
            fields,
            read,
            reader: _,
        } = filter;
        let number = |number: Option<Number>| number.map(|number| number.to_string());
        let parts = [
            ("date_from", date_from.map(|at| at.to_string())),
            ("date_to", date_to.map(|at| at.to_string())),
            ("search", search.as_ref().map(|search| search.as_str().to_owned())),
            ("utm_source", utm_source.clone()),
            ("utm_medium", utm_medium.clone()),
            ("utm_campaign", utm_campaign.clone()),
            ("score_min", number(score.min)),
            ("score_max", number(score.max)),
            ("seconds_min", number(seconds.min)),
            ("seconds_max", number(seconds.max)),
            ("read", read.map(|read| read.to_string())),
        ];
        for (name, value) in parts {
            if let Some(value) = value {
                self.push_pair(name, &value);
            }
        }
        for (property, labels) in labels.iter() {
            self.push_pair(property.as_str(), &labels.to_query_value());
        }
        for criterion in fields.iter() {
            self.push_pair(criterion.field().as_str(), &criterion.to_query_value());
        }
    }
}
