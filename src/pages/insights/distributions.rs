//! Charts of the distributions of answers: ranges and quartiles of numbers, and frequent words.

use contract::filter::{FieldCriterion, FieldOperator};
use contract::summary::{Distributions, FieldWords, NumberDistribution, NumberRangeCount, Values};
use contract::{Field, FieldId};

use super::chart_data::{ChartData, ClickTarget, PropertyChart, value_chart};
use crate::i18n::{self, decimal, number};
use crate::ui::chart::bars::Bar;

/// Returns the charts of number fields, then those of text fields. `fields` provides the names.
pub fn distribution_charts(distributions: &Distributions, fields: &[Field]) -> Vec<ChartData> {
    let texts = i18n::insights();
    let field_of = |id: &FieldId| fields.iter().find(|field| field.id == *id && !field.hidden);
    let limit = (!distributions.is_complete).then(|| (texts.newest)(distributions.submissions));
    let numbers = distributions.numbers.iter().filter_map(|numbers| {
        let mut chart = number_chart(numbers, &field_of(&numbers.id)?.name);
        chart.note = join_sentences([Some(quartile_text(numbers)), limit.clone()]);
        Some(chart)
    });
    let words = distributions.texts.iter().filter_map(|words| {
        let mut chart = word_chart(words, field_of(&words.id)?);
        chart.note = join_sentences([Some((texts.word_count)(words.answers)), limit.clone()]);
        Some(chart)
    });
    numbers.chain(words).collect()
}

fn join_sentences(sentences: [Option<String>; 2]) -> String {
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn number_chart(numbers: &NumberDistribution, title: &str) -> ChartData {
    let bar = |range: &NumberRangeCount| {
        let label = if range.to > range.from {
            format!("{} – {}", decimal(range.from), decimal(range.to))
        } else {
            decimal(range.from)
        };
        let act = (i18n::filter_bar().filter_by)(title, &label);
        let (key, text) = (range.from.to_string(), number(range.count));
        let bar = Bar { key, label, count: range.count, text, tone: None, act };
        (bar, range_criteria(&numbers.id, range))
    };
    let bars = numbers.ranges.iter().map(bar).collect();
    ChartData::of_ranges(format!("numbers-{}", numbers.id), title, bars)
}

/// Returns the criteria for the answers in a range. There is no operator for less than a number, so
/// the upper bound is excluded by another criterion.
fn range_criteria(field: &FieldId, range: &NumberRangeCount) -> Vec<FieldCriterion> {
    let (from, to) = (range.from.to_string(), range.to.to_string());
    let criteria = if range.to > range.from {
        vec![(FieldOperator::Gte, from), (FieldOperator::Lte, to.clone()), (FieldOperator::Ne, to)]
    } else {
        vec![(FieldOperator::Eq, from)]
    };
    let criterion = |(operator, value): (FieldOperator, String)| {
        FieldCriterion::new(field.clone(), operator, &value).ok()
    };
    criteria.into_iter().filter_map(criterion).collect()
}

fn word_chart(words: &FieldWords, field: &Field) -> ChartData {
    let values = Values { values: words.words.clone(), ..Values::default() };
    let (key, title) =
        (&*format!("words-{}", field.id), &*(i18n::insights().words_of)(&field.name));
    let target = ClickTarget::Field(field, FieldOperator::Contains);
    let property =
        PropertyChart { key, title, name: str::to_owned, target, missing: "", tone: None };
    value_chart(&values, &property)
}

/// Returns the quartiles of a number field as a sentence.
fn quartile_text(numbers: &NumberDistribution) -> String {
    let NumberDistribution { min, lower_quartile, median, upper_quartile, max, .. } = numbers;
    let values = [min, lower_quartile, median, upper_quartile, max].map(|value| decimal(*value));
    (i18n::insights().quartiles)(&values)
}
