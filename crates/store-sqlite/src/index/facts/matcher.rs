//! Checks whether a row matches a filter, by the numbers of its values.

use super::chunk::Chunk;
use super::column_state::{ColumnState, find_ready};
use super::numbers::ValueNumbers;
use super::read_marks::{ReadMarks, ReadMatcher};
use super::triage_values::{default_value, is_triage};
use crate::index::UtmValues;
use contract::Filter;
use contract::filter::{FieldCriteria, LabelFilters, NumberRange};
use contract::triage::Reader;
use store::answers::ColumnMatchers;

/// Data that all rows of an index share.
#[derive(Clone, Copy)]
pub(super) struct RowContext<'a> {
    pub(super) numbers: &'a ValueNumbers,
    pub(super) marks: &'a ReadMarks,
    pub(super) columns: &'a [ColumnState],
}

/// The property numbers of source, medium and campaign in
/// [`for_each_value`](contract::summary::for_each_value). The number of a label's property is its
/// value as a [`LabelProperty`](contract::filter::LabelProperty).
pub(super) const UTM_PROPERTIES: [usize; 3] = [10, 11, 12];
/// Maximum number of properties in a filter.
const PROPERTIES_MAX: u32 = 16;

/// The parts of a filter that a [`SummaryIndex`](super::SummaryIndex) checks: all but the dates and
/// the search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PropertyFilter {
    utm: UtmValues,
    labels: LabelFilters,
    score: NumberRange,
    seconds: NumberRange,
    fields: FieldCriteria,
    read: Option<(bool, Reader)>,
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
            fields: filter.fields.clone(),
            read: filter.required_read_state().map(|(read, reader)| (read, reader.clone())),
        })
    }

    /// Returns the criteria for answers.
    pub(crate) fn fields(&self) -> &FieldCriteria {
        &self.fields
    }

    /// Returns the filters with one part each that together select the same rows.
    pub(super) fn conditions(&self) -> Vec<Self> {
        let Self { utm, labels, score, seconds, fields, read } = self;
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
        for criterion in fields.iter() {
            let fields = FieldCriteria::from(criterion.clone());
            conditions.push(Self { fields, ..Self::default() });
        }
        if read.is_some() {
            conditions.push(Self { read: read.clone(), ..Self::default() });
        }
        conditions
    }
}

/// A filter with the numbers of its values.
pub(super) struct RowMatcher<'a> {
    /// For each number, the bit of its property if the filter accepts the value. If the property is
    /// in `defaults`, the bit [`PROPERTIES_MAX`] places above it shows that the row has a number.
    bits: Vec<u32>,
    /// The bits of all filtered properties.
    required: u32,
    /// The bits of the filtered properties that accept rows without a number, as a new submission
    /// is.
    defaults: u32,
    score: NumberRange,
    seconds: NumberRange,
    /// `None` if no answers are filtered.
    answers: Option<ColumnMatchers<'a>>,
    read: Option<ReadMatcher<'a>>,
}

impl<'a> RowMatcher<'a> {
    /// Returns the matcher of a filter. A value without a number matches no row.
    pub(super) fn new(filter: &'a PropertyFilter, rows: RowContext<'a>) -> Self {
        let PropertyFilter { utm, labels, score, seconds, fields, read } = filter;
        let RowContext { numbers, marks, columns } = rows;
        let mut bits = vec![0; numbers.len()];
        let mut required = 0;
        let mut accept = |property: usize, value: Option<&str>| {
            required |= 1 << property;
            if let Some(number) = numbers.find(property, value) {
                bits[usize::from(number)] = 1 << property;
            }
        };
        let mut defaults = 0;
        for (property, labels) in labels.iter() {
            for label in labels.as_slice() {
                accept(property as usize, label.as_deref());
                if property.is_triage() && label.as_deref() == default_value(property) {
                    defaults |= 1 << property as usize;
                }
            }
        }
        for (property, value) in UTM_PROPERTIES.into_iter().zip(&utm.0) {
            if value.is_some() {
                accept(property, value.as_deref());
            }
        }
        for (bits, (property, _)) in bits.iter_mut().zip(numbers.iter()) {
            if is_triage(property) {
                *bits |= (defaults & (1 << property)) << PROPERTIES_MAX;
            }
        }
        let read = read.as_ref().map(|(read, reader)| ReadMatcher::new(*read, reader, marks));
        let answers = (!fields.is_empty())
            .then(|| ColumnMatchers::new(fields, |key| find_ready(columns, key)));
        Self { bits, required, defaults, score: *score, seconds: *seconds, answers, read }
    }

    /// Returns whether no row can match.
    pub(super) fn matches_nothing(&self) -> bool {
        let possible = self.bits.iter().fold(self.defaults, |all, bits| all | bits);
        possible & self.required != self.required
    }

    /// Returns whether a row of a chunk matches.
    pub(super) fn matches(&self, chunk: &Chunk, row: usize) -> bool {
        let values = chunk.values(row);
        // NaN is in no range with a bound, like a missing number.
        self.score.contains(Some(values.score))
            && self.seconds.contains(Some(values.seconds))
            && (self.required == 0 || self.has_accepted_values(values.numbers))
            && self.read.is_none_or(|read| read.matches(chunk.row_keys[row]))
            && self.answers.as_ref().is_none_or(|answers| answers.matches(&chunk.answers, row))
    }

    /// Returns whether each filtered property has an accepted value.
    fn has_accepted_values(&self, numbers: &[u16]) -> bool {
        let of_number = |number: &u16| self.bits.get(usize::from(*number)).copied();
        let bits = numbers.iter().filter_map(of_number).fold(0, |all, bits| all | bits);
        let missing = self.defaults & !(bits >> PROPERTIES_MAX);
        (bits | missing) & self.required == self.required
    }
}

#[cfg(test)]
mod tests {
    use contract::summary::{CountedFields, for_each_value};
    use contract::{Metadata, Submission, Timestamp, Triage};

    #[test]
    fn utm_values_have_their_numbers_in_summaries() {
        let words = ["source", "medium", "campaign"];
        let [source, medium, campaign] = words.map(|word| Some(word.to_owned()));
        let mut metadata = Metadata::at(Timestamp::MIN);
        (metadata.utm_source, metadata.utm_medium, metadata.utm_campaign) =
            (source, medium, campaign);
        let submission = Submission {
            id: "sub_1".parse().unwrap(),
            form_id: "frm_1".parse().unwrap(),
            answers: contract::Answers::default(),
            metadata,
            ai_insights: None,
        };
        let mut found = Vec::new();
        let mut visit = |property, value: Option<&str>| {
            found.extend(value.filter(|it| words.contains(it)).map(|it| (property, it.to_owned())));
        };
        let fields = CountedFields::default();
        for_each_value(&submission, &Triage::default(), &fields, &mut visit);
        let expected = super::UTM_PROPERTIES.into_iter().zip(words.map(str::to_owned));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}
