//! Compares [`SummaryIndex`] with counts and matches over a plain list.

use super::*;
use crate::index::{IndexedRow, time_range};
use contract::{Filter, ListQuery, Triage};
use proptest::prelude::*;
use test_rows::{HALF_A_DAY, Row, charted, fields, insight, read_answers, reader, triage};

fn day_of(at: Timestamp) -> Day {
    Day::at_offset(at, 7200)
}

/// Filters by the values of [`submission`], and by absent ones.
const QUERIES: [&str; 29] = [
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
    "status=open",
    "status=done,waiting&country=DE",
    "status=in_progress",
    "starred=true&status=open,done",
    "starred=false&tag=none,y",
    "tag=x&sentiment=none",
    "assignee=psn_1,none&starred=true,false",
    "assignee=none&utm_source=s",
    "read=true",
    "read=false",
    "read=false&status=open",
    "fld_stars=gte:2&fld_stars=lte:4",
    "fld_stars=eq:3.0",
    "fld_likes=eq:1&country=DE",
    "fld_likes=ne:0&fld_stars=contains:5",
    "fld_stars=filled&read=true",
    "fld_likes=empty",
];

fn filter(query: &str) -> Filter {
    let mut filter = ListQuery::parse(query).unwrap().filter;
    filter.fields.resolve(&fields()).unwrap();
    Filter { reader: filter.read.map(|_| reader()), ..filter }
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
    rows: &[Row],
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
        let at_instant = |row: &&Row| row.key().0 == instant;
        let mut ids: Vec<&str> =
            rows.iter().filter(at_instant).map(|row| row.submission.id.as_str()).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        let is_after = |id: &&str| after.is_none_or(|after| (instant, *id) < after);
        let found = ids.into_iter().filter(is_after).filter(|id| page.contains(instant, id));
        read.extend(found.map(str::to_owned));
    }
    read.truncate(rows_max);
    (page.total, read)
}

/// Checks the first pages of a filter, each after the last row of the row before.
fn check_pages(facts: &SummaryIndex, rows: &[Row], filter: &Filter, rows_max: usize) {
    let mut all: Vec<_> = rows.iter().filter(|row| row.matches(filter)).map(Row::key).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    let mut after = None;
    for expected in all.chunks(rows_max).take(5).chain([&[][..]]) {
        let (total, found) = page(facts, rows, filter, after, rows_max);
        assert_eq!(total, all.len() as u64, "{filter:?}");
        let Some(last) = expected.last() else { break };
        let expected: Vec<_> = expected.iter().map(|(_, id)| id.clone()).collect();
        assert_eq!(found, expected, "{filter:?}");
        after = Some((last.0, &*last.1));
    }
}

fn added<'a>(rows: impl Iterator<Item = &'a Row>) -> contract::summary::Summary {
    let mut counts = Counts::new(charted());
    rows.for_each(|row| {
        let submitted_at = row.submission.metadata.submitted_at;
        counts.add(&row.submission, &row.triage, day_of(submitted_at));
        if let Some(seconds) = row.stored().seconds_to_done(submitted_at) {
            counts.add_done_time(seconds);
        }
    });
    counts.summary(None, None)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if test_servers::is_full_run() { 24 } else { 12 },
        ..ProptestConfig::default()
    })]
    #[test]
    fn facts_count_like_plain_list(
        start in prop::collection::vec((0_i64..40, any::<u8>()), 0..1500),
        changes in prop::collection::vec((0_u8..6, 0_usize..2000, 0_i64..40, any::<u8>()), 0..1500),
        requests in prop::collection::vec((0..QUERIES.len(), 0_i64..40, 0_i64..41, 1..40_usize), 6),
    ) {
        let mut facts = SummaryIndex::new(charted());
        let mut rows: Vec<Row> =
            (0..).zip(&start).map(|(id, (at, bits))| Row::new(*at, id, *bits)).collect();
        for row in &rows {
            facts.apply(&Change::Insert(row.indexed()));
        }
        let is_whole = read_answers(&mut facts, &rows, |_| {});
        prop_assert!(is_whole);
        // Cached conditions must follow the changes.
        for (number, .., rows_max) in &requests {
            check_pages(&facts, &rows, &filter(QUERIES[*number]), *rows_max);
        }
        for (id, (kind, position, at, bits)) in (10_000..).zip(changes) {
            let position = position % rows.len().max(1);
            match kind {
                0 if !rows.is_empty() => {
                    let removed = rows.swap_remove(position);
                    facts.apply(&Change::Delete(removed.deleted()));
                }
                1 if !rows.is_empty() => {
                    rows[position].submission.ai_insights = insight(bits);
                    let IndexedRow { at, id, json, .. } = rows[position].indexed();
                    facts.apply(&Change::Rewrite { at, id, json });
                }
                2 if !rows.is_empty() => {
                    let read = rows[position].triage.read;
                    rows[position].triage = Triage { read, ..triage(bits) };
                    let IndexedRow { at, id, triage, .. } = rows[position].indexed();
                    facts.apply(&Change::Triage { at, id, triage });
                }
                3 if !rows.is_empty() => facts.apply(&rows[position].toggle_read()),
                _ => {
                    rows.push(Row::new(at, id, bits));
                    facts.apply(&Change::Insert(rows[rows.len() - 1].indexed()));
                }
            }
        }
        prop_assert!(facts.is_complete());
        let has_valid_size = |chunk: &Chunk| (1..=CHUNK_MAX).contains(&chunk.row_keys.len());
        prop_assert!(facts.chunks.iter().all(has_valid_size));
        for (number, from, to, rows_max) in requests {
            let unbounded = filter(QUERIES[number]);
            let filter = Filter {
                date_from: Timestamp::from_micros(from * HALF_A_DAY),
                date_to: Timestamp::from_micros(to * HALF_A_DAY),
                ..unbounded.clone()
            };
            check_pages(&facts, &rows, &unbounded, rows_max);
            check_pages(&facts, &rows, &filter, rows_max);
            let expected = added(rows.iter().filter(|row| row.matches(&filter)));
            let counts = counted(&facts, &filter, time_range(&filter), None);
            prop_assert_eq!(counts.summary(None, None), expected.clone());
            let keys: Vec<_> =
                rows.iter().filter(|row| row.matches(&filter)).map(Row::key).collect();
            let found = counted(&facts, &filter, (0, 0), Some(keys));
            prop_assert_eq!(found.summary(None, None), expected);
            let found = rows.iter().map(Row::key).collect();
            let found = facts.retain_matches(&parts(&unbounded), found, &|| false);
            let keys = rows.iter().filter(|row| row.matches(&unbounded)).map(Row::key).collect();
            prop_assert_eq!(found, Some(keys));
        }
    }
}

#[test]
fn unreadable_row_makes_index_incomplete() {
    let mut facts = SummaryIndex::new(charted());
    facts.insert(1, "sub_1", "{", None);
    assert!(!facts.is_complete());
    let mut facts = SummaryIndex::new(charted());
    let row = Row::new(1, 1, 0);
    facts.apply(&Change::Insert(row.indexed()));
    assert!(facts.is_complete());
    let (at, id) = row.key();
    facts.apply(&Change::Triage { at, id, triage: Some("{".into()) });
    assert!(!facts.is_complete());
    let mut facts = SummaryIndex::new(charted());
    // More values than there are numbers.
    for n in 0..700_u32 {
        let mut row = Row::new(1, n, 0);
        let mut insight = insight(8).unwrap();
        insight.categories = (0..100).map(|category| format!("{n} {category}")).collect();
        row.submission.ai_insights = Some(insight);
        facts.apply(&Change::Insert(row.indexed()));
    }
    assert!(!facts.is_complete());
}

#[test]
fn cancelled_count_returns_none() {
    let mut facts = SummaryIndex::new(charted());
    facts.apply(&Change::Insert(Row::new(1, 1, 0).indexed()));
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
        rows.push(Row::new(1, u32::from(id), id));
        facts.apply(&Change::Insert(rows[rows.len() - 1].indexed()));
    }
    assert!(rows.iter().any(|row| row.matches(&filter)));
    check_pages(&facts, &rows, &filter, 3);
}

#[test]
fn matches_are_known_until_index_changes() {
    let mut facts = SummaryIndex::new(charted());
    facts.apply(&Change::Insert(Row::new(1, 1, 8).indexed()));
    let filter = PropertyFilter::of(&filter("sentiment=positive,mixed&score_max=1")).unwrap();
    let span = (i64::MIN, i64::MAX);
    let request = MatchRequest { filter: &filter, span, after: None, rows_max: 1 };
    assert!(facts.find_matches_now(request).is_none());
    let total = facts.find_matches(request).total;
    assert_eq!(facts.find_matches_now(request).unwrap().total, total);
    let (at, id) = Row::new(1, 1, 8).key();
    facts.apply(&Change::Triage { at, id, triage: Some(r#"{"status":"done"}"#.into()) });
    assert!(facts.find_matches_now(request).is_none());
}

#[test]
fn size_includes_cached_conditions() {
    let mut facts = SummaryIndex::new(charted());
    facts.apply(&Change::Insert(Row::new(1, 1, 8).indexed()));
    let bytes = facts.bytes();
    page(&facts, &[], &filter("sentiment=positive"), None, 1);
    assert!(facts.bytes() > bytes);
}

#[test]
fn filter_for_empty_utm_value_is_refused() {
    let empty = Filter { utm_source: Some(String::new()), ..Filter::default() };
    assert_eq!(PropertyFilter::of(&empty), None);
}

#[test]
fn new_triage_needs_no_memory() {
    let mut facts = SummaryIndex::new(charted());
    let row = Row::new(1, 1, 0);
    facts.apply(&Change::Insert(row.indexed()));
    let (at, id) = row.key();
    let numbers = values_of(&facts, at, &id).numbers.len();
    let touched = Row { triage: triage(0b0101_0011), ..Row::new(1, 1, 0) };
    let touched = touched.indexed().triage;
    for (triage, more) in [(touched, 5), (None, 0)] {
        facts.apply(&Change::Triage { at, id: id.clone(), triage });
        let values = values_of(&facts, at, &id);
        assert_eq!(values.numbers.len(), numbers + more);
        assert_eq!(values.times != TriageTimes::NONE, more > 0);
    }
}

fn values_of<'a>(facts: &'a SummaryIndex, at: i64, id: &str) -> RowValues<'a> {
    let (chunk, row) = facts.find_row(at, id).unwrap();
    chunk.values(row)
}
