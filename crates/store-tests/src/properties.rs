//! Labels and numbers of submissions, and filters by them, for property tests.

use contract::filter::{LabelProperty, Labels, Number, NumberRange};
use contract::insight::InsightCorrection;
use contract::{Filter, Insight};
use proptest::prelude::*;

/// Labels with characters that a query escapes, an empty one, and the word for no label.
const LABELS: [&str; 5] = ["x", "X", "x, y", "none", ""];
/// Scores and bounds of scores.
const SCORES: [f64; 4] = [0.0, 0.25, 0.5, 1.0];
/// Completion times and bounds of completion times.
const SECONDS: [u32; 4] = [0, 29, 30, 86_400];

/// Country, device and browser, and the completion time.
#[derive(Debug, Clone)]
pub struct Client {
    pub labels: (Option<String>, Option<String>, Option<String>),
    pub seconds: Option<u64>,
}

fn arb_label() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.7, prop::sample::select(&LABELS[..]).prop_map(str::to_owned))
}

fn arb_categories() -> impl Strategy<Value = Vec<String>> {
    let label = prop::sample::select(&LABELS[..]).prop_map(str::to_owned);
    prop::collection::vec(label, 0..3)
}

pub fn arb_client() -> impl Strategy<Value = Client> {
    let seconds = prop::option::of(prop::sample::select(&SECONDS[..]).prop_map(u64::from));
    ((arb_label(), arb_label(), arb_label()), seconds)
        .prop_map(|(labels, seconds)| Client { labels, seconds })
}

pub fn arb_insight() -> impl Strategy<Value = Option<Insight>> {
    let score = prop::option::of(prop::sample::select(&SCORES[..]));
    let insight = (arb_label(), score, arb_categories(), arb_label()).prop_map(
        |(sentiment, sentiment_score, categories, language)| Insight {
            sentiment,
            sentiment_score,
            categories,
            language,
        },
    );
    prop::option::weighted(0.7, insight)
}

/// Returns corrections; `None` removes one.
pub fn arb_correction() -> impl Strategy<Value = Option<InsightCorrection>> {
    let categories = prop::option::of(arb_categories());
    let correction =
        (arb_label(), categories, arb_label()).prop_map(|(sentiment, categories, language)| {
            InsightCorrection { sentiment, categories, language }
        });
    prop::option::weighted(0.8, correction)
}

/// A part of a filter.
#[derive(Debug, Clone)]
enum FilterPart {
    Labels(LabelProperty, Labels),
    Score(NumberRange),
    Seconds(NumberRange),
}

fn arb_range(numbers: &'static [f64]) -> impl Strategy<Value = NumberRange> {
    let bound = || prop::option::of(prop::sample::select(numbers));
    let number = |it: Option<f64>| it.and_then(|it| Number::parse(&it.to_string()));
    (bound(), bound())
        .prop_map(move |(min, max)| NumberRange { min: number(min), max: number(max) })
}

fn arb_part() -> impl Strategy<Value = FilterPart> {
    let labels = prop::collection::vec(arb_label(), 1..3).prop_map(Labels::new);
    prop_oneof![
        4 => (prop::sample::select(&LabelProperty::ALL[..]), labels)
            .prop_map(|(property, labels)| FilterPart::Labels(property, labels)),
        1 => arb_range(&SCORES).prop_map(FilterPart::Score),
        1 => arb_range(&[0.0, 29.5, 30.0, 86_400.0]).prop_map(FilterPart::Seconds),
    ]
}

/// Returns filters by labels and numbers. More than half of them are empty.
pub fn arb_properties() -> impl Strategy<Value = Filter> {
    let parts = prop_oneof![
        3 => Just(Vec::new()),
        2 => prop::collection::vec(arb_part(), 1..3),
    ];
    parts.prop_map(|parts| {
        let mut filter = Filter::default();
        for part in parts {
            match part {
                FilterPart::Labels(property, labels) => filter.labels.set(property, labels),
                FilterPart::Score(range) => filter.score = range,
                FilterPart::Seconds(range) => filter.seconds = range,
            }
        }
        filter
    })
}
