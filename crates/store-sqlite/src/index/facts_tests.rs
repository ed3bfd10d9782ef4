//! Compares [`SummaryIndex`] with counts over a plain list.

use super::*;
use crate::index::IndexedRow;
use contract::{Field, FieldType, Insight, Metadata};
use proptest::prelude::*;

fn charted() -> CountedFields {
    let field = |key: &str, kind: FieldType| Field {
        id: format!("fld_{key}").parse().unwrap(),
        key: key.to_owned(),
        name: key.to_owned(),
        kind,
        hidden: false,
    };
    CountedFields::for_fields(&[
        field("stars", FieldType::Rating),
        field("likes", FieldType::Choices),
    ])
}

fn submission(at: i64, id: u32, bits: u8) -> Submission {
    let word = |bit: u8, word: &str| (bits & bit != 0).then(|| word.to_owned());
    let mut metadata = Metadata::at(Timestamp::from_micros(at * HALF_A_DAY).unwrap());
    metadata.utm_source = word(1, "s");
    metadata.utm_medium = word(2, "m");
    metadata.ip_country = word(4, "DE");
    metadata.completion_time_seconds = word(2, "").map(|_| u64::from(bits) * 7);
    let answers = serde_json::json!({"stars": bits % 6, "likes": ["a", bits % 2]});
    Submission {
        id: format!("sub_{id}").parse().unwrap(),
        form_id: "frm_1".parse().unwrap(),
        answers: serde_json::from_value(answers).unwrap(),
        metadata,
        ai_insights: insight(bits),
    }
}

fn insight(bits: u8) -> Option<Insight> {
    (bits & 8 != 0).then(|| Insight {
        sentiment: Some(["positive", "mixed"][usize::from(bits & 1)].to_owned()),
        sentiment_score: None,
        categories: vec!["x".to_owned(); usize::from(bits & 3)],
        language: None,
    })
}

const HALF_A_DAY: i64 = 43_200_000_000;

fn row(one: &Submission) -> IndexedRow {
    IndexedRow {
        at: one.metadata.submitted_at.micros(),
        id: one.id.to_string(),
        utm: UtmValues::default(),
        text: Vec::new(),
        json: serde_json::to_string(one).unwrap(),
    }
}

fn day_of(at: Timestamp) -> Day {
    Day::at_offset(at, 7200)
}

fn counted(
    facts: &SummaryIndex,
    utm: u8,
    span: (i64, i64),
    found: Option<Vec<(i64, String)>>,
) -> Counts {
    let source = (utm & 1 != 0).then_some("s");
    let medium = (utm & 2 != 0).then_some("m");
    let utm = UtmValues::new(source, medium, None);
    let asked = CountRequest { span, utm, found, day_of: &day_of, is_abandoned: &|| false };
    facts.count(&asked).unwrap()
}

fn added<'a>(rows: impl Iterator<Item = &'a Submission>) -> contract::summary::Summary {
    let mut counts = Counts::new(charted());
    rows.for_each(|row| counts.add(row, day_of(row.metadata.submitted_at)));
    counts.summary(None, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn facts_count_like_plain_list(
        start in prop::collection::vec((0_i64..40, any::<u8>()), 0..1500),
        changes in prop::collection::vec((0_u8..4, 0_usize..2000, 0_i64..40, any::<u8>()), 0..1500),
        asked in prop::collection::vec((0_u8..4, 0_i64..40, 0_i64..41), 4),
    ) {
        let mut facts = SummaryIndex::new(charted());
        let mut rows: Vec<Submission> =
            (0..).zip(&start).map(|(id, (at, bits))| submission(*at, id, *bits)).collect();
        for one in &rows {
            facts.apply(&Change::Insert(row(one)));
        }
        for (id, (kind, which, at, bits)) in (10_000..).zip(changes) {
            let which = which % rows.len().max(1);
            match kind {
                0 if !rows.is_empty() => {
                    let gone = rows.swap_remove(which);
                    facts.apply(&Change::Delete(IndexedRow { json: String::new(), ..row(&gone) }));
                }
                1 if !rows.is_empty() => {
                    rows[which].ai_insights = insight(bits);
                    let IndexedRow { at, id, json, .. } = row(&rows[which]);
                    facts.apply(&Change::Rewrite { at, id, json });
                }
                _ => {
                    rows.push(submission(at, id, bits));
                    facts.apply(&Change::Insert(row(&rows[rows.len() - 1])));
                }
            }
        }
        prop_assert!(facts.is_complete());
        prop_assert!(facts.chunks.iter().all(|it| (1..=CHUNK_MAX).contains(&it.spots.len())));
        for (utm, from, to) in asked {
            let span = (from * HALF_A_DAY, to * HALF_A_DAY);
            let fits = |one: &&Submission| {
                (span.0..span.1).contains(&one.metadata.submitted_at.micros())
                    && (utm & 1 == 0 || one.metadata.utm_source.is_some())
                    && (utm & 2 == 0 || one.metadata.utm_medium.is_some())
            };
            let expected = added(rows.iter().filter(fits));
            prop_assert_eq!(counted(&facts, utm, span, None).summary(None, None), expected.clone());
            let places = rows.iter().filter(fits).map(|one| {
                let IndexedRow { at, id, .. } = row(one);
                (at, id)
            });
            let found = counted(&facts, utm, (0, 0), Some(places.collect()));
            prop_assert_eq!(found.summary(None, None), expected);
        }
    }
}

#[test]
fn unreadable_row_makes_index_incomplete() {
    let mut facts = SummaryIndex::new(charted());
    facts.insert(1, "sub_1", "{");
    assert!(!facts.is_complete());
    let mut facts = SummaryIndex::new(charted());
    for n in 0..70_000_u32 {
        let mut one = submission(1, n, 0);
        one.metadata.utm_campaign = Some(n.to_string());
        facts.insert(1, one.id.as_str(), &row(&one).json);
    }
    assert!(!facts.is_complete());
}

#[test]
fn cancelled_count_returns_none() {
    let mut facts = SummaryIndex::new(charted());
    let one = submission(1, 1, 0);
    facts.insert(1, "sub_1", &row(&one).json);
    let asked = CountRequest {
        span: (i64::MIN, i64::MAX),
        utm: UtmValues::default(),
        found: None,
        day_of: &day_of,
        is_abandoned: &|| true,
    };
    assert!(facts.count(&asked).is_none());
}
