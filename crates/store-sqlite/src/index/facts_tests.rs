//! Compares [`SummaryIndex`] with counts and matches over a plain list.

use super::*;
use crate::index::{IndexedRow, time_range};
use contract::triage::Reader;
use contract::{Field, FieldType, Filter, Insight, ListQuery, Metadata, Triage};
use proptest::prelude::*;
use store::triage::StoredTriage;

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

/// A submission with its triage, which has the read state of [`reader`].
struct Row {
    submission: Submission,
    triage: Triage,
}

/// Returns a member. The first half of the days is read by default.
fn reader() -> Reader {
    let unread_from = Timestamp::from_micros(20 * HALF_A_DAY).unwrap();
    Reader { person: "psn_1".parse().unwrap(), unread_from }
}

impl Row {
    /// A submission with a triage that depends on the same bits.
    fn new(at: i64, id: u32, bits: u8) -> Self {
        let submission = submission(at, id, bits);
        let read = reader().has_read(submission.metadata.submitted_at, false);
        Self { submission, triage: Triage { read, ..triage(bits.rotate_left(3)) } }
    }

    /// Changes the read state; returns the change of the index.
    fn toggle_read(&mut self) -> Change {
        self.triage.read = !self.triage.read;
        let (at, id) = self.key();
        let default = reader().has_read(self.submission.metadata.submitted_at, false);
        let is_marked = self.triage.read != default;
        Change::Read { at, id, person: "psn_1".into(), is_marked }
    }

    fn key(&self) -> (i64, String) {
        (self.submission.metadata.submitted_at.micros(), self.submission.id.to_string())
    }

    fn matches(&self, filter: &Filter) -> bool {
        filter.matches(&self.submission, &self.triage)
    }

    fn indexed(&self) -> IndexedRow {
        let json = serde_json::to_string(&self.submission).unwrap();
        let triage = self.stored().to_column().unwrap().map(Into::into);
        IndexedRow { json, triage, ..self.deleted() }
    }

    /// Returns the stored triage. All changes to `done` are at the same time.
    fn stored(&self) -> StoredTriage {
        let mut json = serde_json::to_value(&self.triage).unwrap();
        json["read"] = false.into();
        json["done_at"] = (20 * HALF_A_DAY).into();
        serde_json::from_value(json).unwrap()
    }

    fn deleted(&self) -> IndexedRow {
        let (at, id) = self.key();
        IndexedRow { at, id, ..IndexedRow::default() }
    }
}

/// Returns a triage; half of them are the default.
fn triage(bits: u8) -> Triage {
    if bits & 1 == 0 {
        return Triage::default();
    }
    let status = ["open", "done", "waiting"][usize::from(bits >> 6) % 3];
    let tags = ["x", "y"];
    Triage {
        status: status.parse().unwrap(),
        starred: bits & 2 != 0,
        tags: tags[..usize::from(bits >> 2) % 3].iter().map(|it| it.parse().unwrap()).collect(),
        assignee: (bits & 16 != 0).then(|| "psn_1".parse().unwrap()),
        read: false,
    }
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
        categories: ["x", "y", "x"][..usize::from(bits & 3)].iter().map(|&it| it.into()).collect(),
        language: (bits & 32 != 0).then(|| ["de", ""][usize::from(bits >> 7)].to_owned()),
    })
}

const HALF_A_DAY: i64 = 43_200_000_000;

fn day_of(at: Timestamp) -> Day {
    Day::at_offset(at, 7200)
}

/// Filters by the values of [`submission`], and by absent ones.
const QUERIES: [&str; 23] = [
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
];

fn filter(query: &str) -> Filter {
    let filter = ListQuery::parse(query).unwrap().filter;
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
    #![proptest_config(ProptestConfig::with_cases(24))]
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
    for n in 0..70_000_u32 {
        let mut row = Row::new(1, n, 0);
        row.submission.metadata.utm_campaign = Some(n.to_string());
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
    let numbers = facts.find_row(at, &id).unwrap().1.numbers.len();
    let touched = Row { triage: triage(0b0101_0011), ..Row::new(1, 1, 0) };
    let touched = touched.indexed().triage;
    for (triage, more) in [(touched, 5), (None, 0)] {
        facts.apply(&Change::Triage { at, id: id.clone(), triage });
        let values = facts.find_row(at, &id).unwrap().1;
        assert_eq!(values.numbers.len(), numbers + more);
        assert_eq!(values.done_time != NOT_DONE, more > 0);
    }
}
