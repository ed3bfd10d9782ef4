//! Labels, numbers and triage of submissions, and filters by them, for property tests.

use super::feed::arb_text;
use super::fixtures::owner_as_reader;
use contract::filter::{
    FieldCriteria, FieldCriterion, FieldOperator, LabelProperty, Labels, Number, NumberRange,
    operators_of,
};
use contract::insight::InsightCorrection;
use contract::triage::TriageChange;
use contract::{Field, FieldType, Filter, Insight};
use proptest::prelude::*;

/// Labels with characters that a query escapes, an empty one, and the word for no label.
const LABELS: [&str; 5] = ["x", "X", "x, y", "none", ""];
/// Scores and bounds of scores.
const SCORES: [f64; 4] = [0.0, 0.25, 0.5, 1.0];
/// Statuses. The default account has all except the last.
const STATUSES: [&str; 4] = ["open", "in_progress", "done", "waiting"];
/// Assigned members.
const ASSIGNEES: [&str; 2] = ["psn_1", "psn_r"];
/// Answers that are compared as numbers, dates or texts.
pub const ANSWERS: [&str; 9] =
    ["1", "1.0", " 20", "-3", "2026-03-01", "2026-03-01T10:00", "2026-02-28", "A", "a "];
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

/// Returns changes of the triage; some are empty.
pub fn arb_triage_change() -> impl Strategy<Value = TriageChange> {
    let status = prop::option::of(prop::sample::select(&STATUSES[..]));
    let starred = prop::option::of(any::<bool>());
    let assignee = prop::option::of(prop::option::of(prop::sample::select(&ASSIGNEES[..])));
    let tags = || prop::collection::vec(prop::sample::select(&LABELS[..4]), 0..3);
    let read = prop::option::of(any::<bool>());
    (status, read, starred, assignee, tags(), tags()).prop_map(
        |(status, read, starred, assignee, add_tags, remove_tags)| {
            let tags = |all: Vec<&str>| all.iter().map(|tag| tag.parse().unwrap()).collect();
            TriageChange {
                status: status.map(|status| status.parse().unwrap()),
                read,
                starred,
                assignee: assignee.map(|member| member.map(|member| member.parse().unwrap())),
                add_tags: tags(add_tags),
                remove_tags: tags(remove_tags),
            }
        },
    )
}

/// A part of a filter.
#[derive(Debug, Clone)]
enum FilterPart {
    Labels(LabelProperty, Labels),
    Score(NumberRange),
    Seconds(NumberRange),
    Read(bool),
    Fields(FieldCriteria),
}

fn arb_range(numbers: &'static [f64]) -> impl Strategy<Value = NumberRange> {
    let bound = || prop::option::of(prop::sample::select(numbers));
    let number = |it: Option<f64>| it.and_then(|it| Number::parse(&it.to_string()));
    (bound(), bound())
        .prop_map(move |(min, max)| NumberRange { min: number(min), max: number(max) })
}

/// Returns accepted labels of a property. A submission always has a status, and is starred or not.
fn arb_labels(property: LabelProperty) -> BoxedStrategy<Labels> {
    let one_of = |labels: &'static [&str]| prop::sample::select(labels).prop_map(str::to_owned);
    let label = match property {
        LabelProperty::Status => one_of(&STATUSES).prop_map(Some).boxed(),
        LabelProperty::Starred => one_of(&["true", "false"]).prop_map(Some).boxed(),
        LabelProperty::Assignee => prop::option::weighted(0.7, one_of(&ASSIGNEES)).boxed(),
        _ => arb_label().boxed(),
    };
    prop::collection::vec(label, 1..3).prop_map(Labels::new).boxed()
}

fn arb_part() -> impl Strategy<Value = FilterPart> {
    let labels = prop::sample::select(&LabelProperty::ALL[..])
        .prop_flat_map(|property| (Just(property), arb_labels(property)));
    prop_oneof![
        4 => labels.prop_map(|(property, labels)| FilterPart::Labels(property, labels)),
        1 => arb_range(&SCORES).prop_map(FilterPart::Score),
        1 => arb_range(&[0.0, 29.5, 30.0, 86_400.0]).prop_map(FilterPart::Seconds),
        1 => any::<bool>().prop_map(FilterPart::Read),
        4 => arb_fields().prop_map(FilterPart::Fields),
    ]
}

/// Returns a criterion for the answers `key0` to `key2`, with a value that may not fit.
fn arb_criterion() -> impl Strategy<Value = (FieldCriterion, Field)> {
    let kind = prop::sample::select(&FieldType::ALL[..]);
    let operator = kind.prop_flat_map(|kind| {
        let operators: Vec<FieldOperator> = operators_of(kind).collect();
        (Just(kind), prop::sample::select(operators))
    });
    let value = prop_oneof![
        2 => prop::sample::select(&ANSWERS[..]).prop_map(str::to_owned),
        1 => arb_text(),
    ];
    (0..3, operator, value).prop_filter_map("the value fits", |(n, (kind, operator), value)| {
        let field = Field {
            id: format!("fld_{n}").parse().unwrap(),
            key: format!("key{n}"),
            name: "Question".to_owned(),
            kind,
            hidden: false,
        };
        Some((FieldCriterion::new(field.id.clone(), operator, &value).ok()?, field))
    })
}

/// Returns criteria for answers, with their fields.
fn arb_fields() -> impl Strategy<Value = FieldCriteria> {
    let criteria = prop::collection::vec(arb_criterion(), 1..3);
    criteria.prop_filter_map("the values fit the types", |criteria| {
        let mut fields = FieldCriteria::default();
        // The first type of each field counts.
        let known: Vec<Field> = criteria.iter().map(|(_, field)| field.clone()).collect();
        for (criterion, _) in criteria {
            fields.add(criterion).ok()?;
        }
        fields.resolve(&known).ok()?;
        Some(fields)
    })
}

/// Returns filters by labels, numbers, answers and the read state. More than half of them are
/// empty.
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
                FilterPart::Fields(fields) => filter.fields = fields,
                FilterPart::Read(read) => {
                    filter.read = Some(read);
                    filter.reader = Some(owner_as_reader());
                }
            }
        }
        filter
    })
}
