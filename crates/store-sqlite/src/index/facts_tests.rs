//! Compares [`SummaryIndex`] with counts and matches over a plain list.

use super::*;
use crate::index::{IndexedRow, UtmValues, time_range};
use contract::{Field, FieldType, Filter, Insight, ListQuery, Metadata};
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
        sentiment_score: (bits & 16 != 0).then(|| f64::from(bits) / 256.0),
        categories: ["x", "y", "x"][..usize::from(bits & 3)]
            .iter()
            .map(|&name| name.into())
            .collect(),
        language: (bits & 32 != 0).then(|| ["de", ""][usize::from(bits >> 7)].to_owned()),
    })
}

const HALF_A_DAY: i64 = 43_200_000_000;

fn row(submission: &Submission) -> IndexedRow {
    IndexedRow {
        at: submission.metadata.submitted_at.micros(),
        id: submission.id.to_string(),
        utm: UtmValues::default(),
        text: Vec::new(),
        json: serde_json::to_string(submission).unwrap(),
    }
}

fn day_of(at: Timestamp) -> Day {
    Day::at_offset(at, 7200)
}

/// Filters by the values of [`submission`], and by absent ones.
const QUERIES: [&str; 12] = [
    "",
    "utm_source=s",
    "utm_medium=m",
    "utm_source=s&utm_medium=m",
    "sentiment=positive",
    "sentiment=none,mixed&utm_source=s",
    "category=y",
    "category=none&country=DE",
    "language=none,de&score_min=0.3",
    "score_max=0.5",
    "seconds_min=70&seconds_max=700",
    "country=FR",
];

fn filter(query: &str) -> Filter {
    ListQuery::parse(query).unwrap().filter
}

fn parts(filter: &Filter) -> PropertyFilter {
    PropertyFilter::of(filter).unwrap()
}

fn counted(
    facts: &SummaryIndex,
    filter: &Filter,
    span: (i64, i64),
    found: Option<Vec<(i64, String)>>,
) -> Counts {
    let filter = &parts(filter);
    let request = CountRequest { span, filter, found, day_of: &day_of, is_abandoned: &|| false };
    facts.count(&request).unwrap()
}

/// Reads a page as the store does: the rows of each instant in the order of ids.
fn page(
    facts: &SummaryIndex,
    rows: &[Submission],
    filter: &Filter,
    after: Option<(i64, &str)>,
    rows_max: usize,
) -> (u64, Vec<String>) {
    let request = MatchRequest {
        filter: &parts(filter),
        span: time_range(filter),
        after: after.map(|after| after.0),
        rows_max,
    };
    let page = facts.find_matches(request);
    let instants: Vec<i64> = page.instants().collect();
    assert!(instants.is_sorted_by(|a, b| a > b), "{instants:?}");
    let mut read = Vec::new();
    for instant in instants {
        let at_instant = |row: &&Submission| row.metadata.submitted_at.micros() == instant;
        let mut ids: Vec<&str> =
            rows.iter().filter(at_instant).map(|row| row.id.as_str()).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        let is_after = |id: &&str| after.is_none_or(|after| (instant, *id) < after);
        let found = ids.into_iter().filter(is_after).filter(|id| page.contains(instant, id));
        read.extend(found.map(str::to_owned));
    }
    read.truncate(rows_max);
    (page.total, read)
}

/// Checks the first pages of a filter, each after the last row of the one before.
fn check_pages(facts: &SummaryIndex, rows: &[Submission], filter: &Filter, rows_max: usize) {
    let mut matches: Vec<_> = rows.iter().filter(|row| filter.matches(row)).map(row).collect();
    matches.sort_unstable_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
    let mut after = None;
    for expected in matches.chunks(rows_max).take(5).chain([&[][..]]) {
        let (total, found) = page(facts, rows, filter, after, rows_max);
        assert_eq!(total, matches.len() as u64, "{filter:?}");
        let Some(last) = expected.last() else { break };
        let expected: Vec<_> = expected.iter().map(|row| row.id.clone()).collect();
        assert_eq!(found, expected, "{filter:?}");
        after = Some((last.at, &*last.id));
    }
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
        asked in prop::collection::vec((0..QUERIES.len(), 0_i64..40, 0_i64..41, 1..40_usize), 6),
    ) {
        let mut facts = SummaryIndex::new(charted());
        let mut rows: Vec<Submission> =
            (0..).zip(&start).map(|(id, (at, bits))| submission(*at, id, *bits)).collect();
        for submission in &rows {
            facts.apply(&Change::Insert(row(submission)));
        }
        // Cached conditions must follow the changes.
        for (number, .., rows_max) in &asked {
            check_pages(&facts, &rows, &filter(QUERIES[*number]), *rows_max);
        }
        for (id, (kind, position, at, bits)) in (10_000..).zip(changes) {
            let position = position % rows.len().max(1);
            match kind {
                0 if !rows.is_empty() => {
                    let removed = rows.swap_remove(position);
                    let removed = IndexedRow { json: String::new(), ..row(&removed) };
                    facts.apply(&Change::Delete(removed));
                }
                1 if !rows.is_empty() => {
                    rows[position].ai_insights = insight(bits);
                    let IndexedRow { at, id, json, .. } = row(&rows[position]);
                    facts.apply(&Change::Rewrite { at, id, json });
                }
                _ => {
                    rows.push(submission(at, id, bits));
                    facts.apply(&Change::Insert(row(&rows[rows.len() - 1])));
                }
            }
        }
        prop_assert!(facts.is_complete());
        let has_valid_size = |chunk: &Chunk| (1..=CHUNK_MAX).contains(&chunk.row_keys.len());
        prop_assert!(facts.chunks.iter().all(has_valid_size));
        for (number, from, to, rows_max) in asked {
            let unbounded = filter(QUERIES[number]);
            let filter = Filter {
                date_from: Timestamp::from_micros(from * HALF_A_DAY),
                date_to: Timestamp::from_micros(to * HALF_A_DAY),
                ..unbounded.clone()
            };
            check_pages(&facts, &rows, &unbounded, rows_max);
            check_pages(&facts, &rows, &filter, rows_max);
            let expected = added(rows.iter().filter(|row| filter.matches(row)));
            let counts = counted(&facts, &filter, time_range(&filter), None);
            prop_assert_eq!(counts.summary(None, None), expected.clone());
            let key = |row: &Submission| (row.metadata.submitted_at.micros(), row.id.to_string());
            let keys: Vec<_> = rows.iter().filter(|row| filter.matches(row)).map(key).collect();
            let found = counted(&facts, &filter, (0, 0), Some(keys));
            prop_assert_eq!(found.summary(None, None), expected);
            let found = rows.iter().map(key).collect();
            let found = facts.retain_matches(&parts(&unbounded), found, &|| false);
            let keys = rows.iter().filter(|row| unbounded.matches(row)).map(key).collect();
            prop_assert_eq!(found, Some(keys));
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
        let mut changed = submission(1, n, 0);
        changed.metadata.utm_campaign = Some(n.to_string());
        facts.insert(1, changed.id.as_str(), &row(&changed).json);
    }
    assert!(!facts.is_complete());
}

#[test]
fn cancelled_count_returns_none() {
    let mut facts = SummaryIndex::new(charted());
    let valid = submission(1, 1, 0);
    facts.insert(1, "sub_1", &row(&valid).json);
    let request = CountRequest {
        span: (i64::MIN, i64::MAX),
        filter: &PropertyFilter::default(),
        found: None,
        day_of: &day_of,
        is_abandoned: &|| true,
    };
    assert!(facts.count(&request).is_none());
    let found = facts.retain_matches(request.filter, vec![(1, "sub_1".to_owned())], &|| true);
    assert!(found.is_none());
}

#[test]
fn label_is_found_in_rows_added_after_its_first_use() {
    let mut facts = SummaryIndex::new(charted());
    let mut rows = Vec::new();
    let filter = filter("category=y,z&score_min=0.1");
    check_pages(&facts, &rows, &filter, 3);
    for id in 0..200_u8 {
        rows.push(submission(1, u32::from(id), id));
        facts.apply(&Change::Insert(row(&rows[rows.len() - 1])));
    }
    assert!(rows.iter().any(|row| filter.matches(row)));
    check_pages(&facts, &rows, &filter, 3);
}

#[test]
fn size_includes_cached_conditions() {
    let mut facts = SummaryIndex::new(charted());
    let incomplete = submission(1, 1, 8);
    facts.insert(1, "sub_1", &row(&incomplete).json);
    let bytes = facts.bytes();
    page(&facts, &[], &filter("sentiment=positive"), None, 1);
    assert!(facts.bytes() > bytes);
}

#[test]
fn filter_for_empty_utm_value_is_refused() {
    let empty = Filter { utm_source: Some(String::new()), ..Filter::default() };
    assert_eq!(PropertyFilter::of(&empty), None);
}
