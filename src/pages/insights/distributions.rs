//! Charts of the distributions of answers: ranges and quartiles of numbers, and frequent words.

use contract::filter::FieldOperator;
use contract::summary::{
    Distributions, FieldWords, NumberDistribution, NumberRangeCount, ValueCount, Values,
};
use contract::{Field, FieldId};

use super::chart_data::{ChartData, ClickTarget, PropertyChart, value_chart};
use crate::i18n::{self, decimal};

/// Returns the charts of number fields, then those of text fields. `fields` provides the names.
pub fn distribution_charts(distributions: &Distributions, fields: &[Field]) -> Vec<ChartData> {
    let texts = i18n::insights();
    let title_of = |id: &FieldId| {
        let field = fields.iter().find(|field| field.id == *id && !field.hidden)?;
        Some(field.name.clone())
    };
    let limit = (!distributions.is_complete).then(|| (texts.newest)(distributions.submissions));
    let numbers = distributions.numbers.iter().filter_map(|numbers| {
        let mut chart = number_chart(numbers, &title_of(&numbers.id)?);
        chart.note = join_sentences([Some(quartile_text(numbers)), limit.clone()]);
        Some(chart)
    });
    let words = distributions.texts.iter().filter_map(|words| {
        let mut chart = word_chart(words, &(texts.words_of)(&title_of(&words.id)?));
        chart.note = join_sentences([Some((texts.word_count)(words.answers)), limit.clone()]);
        Some(chart)
    });
    numbers.chain(words).collect()
}

fn join_sentences(sentences: [Option<String>; 2]) -> String {
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn number_chart(numbers: &NumberDistribution, title: &str) -> ChartData {
    let range = |range: &NumberRangeCount| {
        let value = if range.to > range.from {
            format!("{} – {}", decimal(range.from), decimal(range.to))
        } else {
            decimal(range.from)
        };
        ValueCount { value, count: range.count }
    };
    let values = numbers.ranges.iter().map(range).collect();
    let key = format!("numbers-{}", numbers.id);
    let listed = property_chart(&key, title, ClickTarget::None);
    value_chart(&Values { values, ..Values::default() }, &listed)
}

fn word_chart(words: &FieldWords, title: &str) -> ChartData {
    let values = Values { values: words.words.clone(), ..Values::default() };
    let key = format!("words-{}", words.id);
    let target = ClickTarget::Field(&words.id, FieldOperator::Contains);
    value_chart(&values, &property_chart(&key, title, target))
}

fn property_chart<'a>(key: &'a str, title: &'a str, target: ClickTarget<'a>) -> PropertyChart<'a> {
    PropertyChart { key, title, name: str::to_owned, target, missing: "", tone: None }
}

/// Returns the quartiles of a number field as a sentence.
fn quartile_text(numbers: &NumberDistribution) -> String {
    let NumberDistribution { min, lower_quartile, median, upper_quartile, max, .. } = numbers;
    let values = [min, lower_quartile, median, upper_quartile, max].map(|value| decimal(*value));
    (i18n::insights().quartiles)(&values)
}
