//! Tests of the columns of answers.

use super::super::test_rows::{Row, charted, fields, read_answers};
use super::*;
use crate::index::{ApplyChange as _, Change, IndexedRow, MatchRequest, PropertyFilter};
use contract::ListQuery;

/// Returns the number of rows that match a filter.
fn count(facts: &SummaryIndex, query: &str) -> u64 {
    let mut filter = ListQuery::parse(query).unwrap().filter;
    filter.fields.resolve(&fields()).unwrap();
    let filter = &PropertyFilter::of(&filter).unwrap();
    let span = (i64::MIN, i64::MAX);
    facts.find_matches(MatchRequest { filter, span, after: None, rows_max: 1 }).total
}

#[test]
fn answers_are_read_while_rows_change() {
    let mut facts = SummaryIndex::new(charted());
    let rows: Vec<Row> = (0..3000).map(|id| Row::new(i64::from(id % 40), id, 7)).collect();
    for row in &rows {
        facts.apply(&Change::Insert(row.indexed()));
    }
    let new = Row::new(3, 5000, 9);
    let is_whole = read_answers(&mut facts, &rows, |facts| {
        facts.apply(&Change::Insert(new.indexed()));
        facts.apply(&Change::Delete(rows[2999].deleted()));
        let IndexedRow { at, id, json, .. } = rows[0].indexed();
        facts.apply(&Change::Rewrite { at, id, json });
    });
    assert!(is_whole);
    // The bits 9 give three stars, and 7 give one star.
    assert_eq!([count(&facts, "fld_stars=eq:3"), count(&facts, "fld_stars=eq:1")], [1, 2999]);
    assert!(facts.answer_bytes() > 0);
    let (last_use, key) = facts.least_used_column().unwrap();
    assert!(facts.has_columns(std::slice::from_ref(&key), last_use + 1));
    assert_ne!(facts.least_used_column().unwrap().1, key);
    facts.drop_column(&key);
    assert!(!facts.has_columns(&[key], 3));
    // A row is missing.
    assert!(!read_answers(&mut facts, &rows[..2000], |_| {}));
    assert_eq!((facts.answer_bytes(), facts.least_used_column()), (0, None));
}
