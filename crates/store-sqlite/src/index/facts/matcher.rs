//! Checks whether a row matches a filter, by the numbers of its values.

use super::chunk::RowValues;
use super::numbers::ValueNumbers;
use crate::index::UtmValues;
use contract::Filter;
use contract::filter::{LabelFilters, NumberRange};

/// The property numbers of source, medium and campaign in
/// [`for_each_value`](contract::summary::for_each_value). The number of a label's property is its
/// value as a [`LabelProperty`](contract::filter::LabelProperty).
pub(super) const UTM_PROPERTIES: [usize; 3] = [6, 7, 8];

/// The parts of a filter that a [`SummaryIndex`](super::SummaryIndex) checks: all but the dates and
/// the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PropertyFilter {
    utm: UtmValues,
    labels: LabelFilters,
    score: NumberRange,
    seconds: NumberRange,
}

impl PropertyFilter {
    /// Returns the parts of a filter. Returns `None` if it requires an empty UTM value: the index
    /// treats such a value as missing. The HTTP API cannot send such a filter.
    pub(crate) fn of(filter: &Filter) -> Option<Self> {
        let utm = UtmValues::of_filter(filter);
        let is_exact = utm.0.iter().flatten().all(|value| !value.is_empty());
        is_exact.then(|| Self {
            utm,
            labels: filter.labels.clone(),
            score: filter.score,
            seconds: filter.seconds,
        })
    }

    /// Returns the filters with one part each that together select the same rows.
    pub(super) fn conditions(&self) -> Vec<Self> {
        let Self { utm, labels, score, seconds } = self;
        let mut conditions = Vec::new();
        for (index, value) in utm.0.iter().enumerate().filter(|(_, value)| value.is_some()) {
            let mut utm = UtmValues::default();
            utm.0[index].clone_from(value);
            conditions.push(Self { utm, ..Self::default() });
        }
        for (property, accepted) in labels.iter() {
            let mut labels = LabelFilters::default();
            labels.set(property, accepted.clone());
            conditions.push(Self { labels, ..Self::default() });
        }
        if !score.is_empty() {
            conditions.push(Self { score: *score, ..Self::default() });
        }
        if !seconds.is_empty() {
            conditions.push(Self { seconds: *seconds, ..Self::default() });
        }
        conditions
    }
}

/// A filter with the numbers of its values.
pub(super) struct RowMatcher {
    /// For each number, the bit of its property if the filter accepts the value, otherwise zero.
    accepted: Vec<u16>,
    /// The bits of all filtered properties.
    required: u16,
    score: NumberRange,
    seconds: NumberRange,
}

impl RowMatcher {
    /// Returns the matcher of a filter. A value without a number matches no row.
    pub(super) fn new(filter: &PropertyFilter, numbers: &ValueNumbers) -> Self {
        let PropertyFilter { utm, labels, score, seconds } = filter;
        let mut accepted = vec![0; numbers.len()];
        let mut required = 0;
        let mut accept = |property: usize, value: Option<&str>| {
            required |= 1 << property;
            if let Some(number) = numbers.find(property, value) {
                accepted[usize::from(number)] = 1 << property;
            }
        };
        for (property, labels) in labels.iter() {
            for label in labels.as_slice() {
                accept(property as usize, label.as_deref());
            }
        }
        for (property, value) in UTM_PROPERTIES.into_iter().zip(&utm.0) {
            if value.is_some() {
                accept(property, value.as_deref());
            }
        }
        Self { accepted, required, score: *score, seconds: *seconds }
    }

    /// Returns whether no row can match.
    pub(super) fn matches_nothing(&self) -> bool {
        self.accepted.iter().fold(0, |bits, bit| bits | bit) != self.required
    }

    /// Returns whether a row matches.
    pub(super) fn matches(&self, row: RowValues<'_>) -> bool {
        // NaN is in no range with a bound, like a missing number.
        self.score.contains(Some(row.score))
            && self.seconds.contains(Some(row.seconds))
            && (self.required == 0 || self.find_accepted(row.numbers) == self.required)
    }

    /// Returns the bits of the properties with an accepted value.
    fn find_accepted(&self, numbers: &[u16]) -> u16 {
        let accepted = |number: &u16| self.accepted.get(usize::from(*number)).copied();
        numbers.iter().filter_map(accepted).fold(0, |bits, bit| bits | bit)
    }
}

#[cfg(test)]
mod tests {
    use contract::filter::LabelProperty;
    use contract::summary::{CountedFields, for_each_value};
    use contract::{Insight, Metadata, Submission, Timestamp};

    #[test]
    fn properties_have_their_numbers_in_summaries() {
        let mut metadata = Metadata::at(Timestamp::MIN);
        let word = |word: &str| Some(word.to_owned());
        metadata.ip_country = word("country");
        metadata.device = word("device");
        metadata.browser = word("browser");
        metadata.utm_source = word("source");
        metadata.utm_medium = word("medium");
        metadata.utm_campaign = word("campaign");
        let submission = Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: contract::Answers::default(),
            metadata,
            ai_insights: Some(Insight {
                sentiment: word("sentiment"),
                sentiment_score: None,
                categories: vec!["category".to_owned()],
                language: word("language"),
            }),
        };
        let labels = LabelProperty::ALL.map(|property| (property as usize, property.as_str()));
        let utm = super::UTM_PROPERTIES.into_iter().zip(["source", "medium", "campaign"]);
        let expected: Vec<_> = labels.into_iter().chain(utm).collect();
        let mut found = Vec::new();
        for_each_value(&submission, &CountedFields::default(), &mut |property, value| {
            found.extend(value.map(|value| (property, value.to_owned())));
        });
        let found: Vec<_> = found.iter().map(|(property, value)| (*property, &**value)).collect();
        assert_eq!(found, expected);
    }
}
