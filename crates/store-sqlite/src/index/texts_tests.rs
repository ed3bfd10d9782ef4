//! Compares [`TextIndex`] with a search over a plain list.

use super::*;
use crate::index::signature::{Candidates, set_bits};
use proptest::prelude::*;
use proptest::sample::Index;

const WORDS: [&str; 6] = ["kiwi", "zebra", "an apple", "ki", "wi", "straße"];

fn row(at: i64, id: u32, words: &[usize], utm: u8) -> IndexedRow {
    let mut text = Vec::new();
    for word in words {
        text.extend_from_slice(contract::fold::fold(WORDS[*word]).as_bytes());
        text.push(0xff);
    }
    let source = (utm & 1 == 1).then_some("s");
    let medium = (utm & 2 == 2).then_some("m");
    let id = format!("sub_{id}");
    let utm = UtmValues::new(source, medium, None);
    IndexedRow { at, id, utm, text, ..IndexedRow::default() }
}

fn query(needle: &str, from: i64, to: i64, utm: u8) -> TextQuery {
    let utm_values = row(0, 0, &[], utm).utm;
    TextQuery { needle: needle.as_bytes().to_vec(), from, to, utm: utm_values }
}

fn searched(
    rows: &[IndexedRow],
    query: &TextQuery,
    after: Option<RowKey<'_>>,
    rows_max: usize,
) -> TextMatches {
    let mut found: Vec<&IndexedRow> = rows.iter().filter(|row| query.matches(row)).collect();
    let total = found.len() as u64;
    found.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
    let after = |row: &&&IndexedRow| after.is_none_or(|after| (row.at, row.id.as_str()) < after);
    let page = found.iter().filter(after).take(rows_max);
    TextMatches { keys: page.map(|row| (row.at, row.id.clone())).collect(), total }
}

fn words() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..WORDS.len(), 0..3)
}

proptest! {
    #[test]
    fn search_finds_like_plain_list(
        start in proptest::collection::vec((0_i64..30, words(), 0_u8..4), 0..300),
        changes in proptest::collection::vec((any::<Index>(), 0_i64..30, words(), 0_u8..4), 0..200),
        asked in proptest::collection::vec((any::<Index>(), 0_i64..30, 0_i64..31, 0_u8..4), 6),
    ) {
        let mut rows: Vec<IndexedRow> = (0..).zip(&start)
            .map(|(id, (at, words, utm))| row(*at, id, words, *utm)).collect();
        let mut texts = TextIndex::default();
        let mut sorted = rows.clone();
        sorted.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        for row in &sorted {
            texts.push(row).unwrap();
        }
        let needles = ["kiwi", "ki", "i", "zebra", "strasse", "absent", "a"];
        let check = |texts: &TextIndex, rows: &[IndexedRow]| {
            for (which, from, to, utm) in &asked {
                let query = query(needles[which.index(needles.len())], *from, *to, *utm);
                let expected = searched(rows, &query, None, usize::MAX);
                let found = texts.search(&query, None, usize::MAX, &|| false).unwrap();
                prop_assert_eq!(found, expected.clone());
                let Some((at, id)) = expected.keys.get(expected.keys.len() / 2) else { continue };
                let after = Some((*at, id.as_str()));
                let page = texts.search(&query, after, 5, &|| false).unwrap();
                prop_assert_eq!(page, searched(rows, &query, after, 5));
            }
            Ok(())
        };
        check(&texts, &rows)?;
        for (id, (which, at, words, utm)) in (10_000..).zip(&changes) {
            if which.index(3) == 0 || rows.is_empty() {
                let new = row(*at, id, words, *utm);
                texts.apply(&Change::Insert(new.clone()));
                rows.push(new);
            } else {
                let removed = rows.swap_remove(which.index(rows.len()));
                texts.apply(&Change::Delete(IndexedRow { text: Vec::new(), ..removed }));
            }
        }
        // The cached counts have followed the changes.
        check(&texts, &rows)?;
        prop_assert!(texts.is_complete());
        prop_assert_eq!(texts.rows(), rows.len());
        let blocks: usize = texts.blocks.iter().map(Block::bytes).sum();
        prop_assert_eq!(texts.bytes, blocks);
    }
}

#[test]
fn cancelled_search_returns_none() {
    let mut texts = TextIndex::default();
    texts.push(&row(1, 1, &[0], 0)).unwrap();
    assert_eq!(texts.search(&query("kiwi", 0, 9, 0), None, 5, &|| true), None);
}

#[test]
fn many_rows_are_counted_in_parallel() {
    let mut texts = TextIndex::default();
    for at in 0..100_000 {
        let word = usize::from(at % 3 == 0);
        texts.push(&row(at, 0, &[word], 0)).unwrap();
    }
    let found = texts.search(&query("zebra", 10, i64::MAX, 0), None, 2, &|| false).unwrap();
    assert_eq!(found.total, 33_330);
    assert_eq!(found.keys[0].0, 99_999);
}

#[test]
fn earlier_rows_are_added_to_signature() {
    let mut texts = TextIndex::default();
    let last = i64::try_from(UNSIGNED_BLOCKS_MAX * ROWS_MAX).unwrap();
    for at in 0..=last {
        assert_eq!(texts.signature.bytes(), 0);
        let word = usize::from(at % 1000 == 0);
        texts.push(&row(at, 0, &[word], 0)).unwrap();
    }
    assert!(texts.signature.bytes() > 0);
    let query = query("zebra", 0, i64::MAX, 0);
    let found = texts.search(&query, None, 99, &|| false).unwrap();
    assert_eq!((found.total, found.keys.len()), (17, 17));
    let Candidates::Some(bits) = texts.signature.candidates(b"zebra") else { panic!("unsigned") };
    let blocks = set_bits(&bits).count();
    assert!((17..100).contains(&blocks), "{blocks} candidate blocks");
}

#[test]
fn signed_index_follows_inserts_and_deletes() {
    let last = i64::try_from(UNSIGNED_BLOCKS_MAX * ROWS_MAX).unwrap() + 900;
    let words = |at: i64| vec![if at % 97 == 0 { 1 } else { 5 }];
    let mut rows: Vec<IndexedRow> = (0..last).map(|at| row(at, 0, &words(at), 0)).collect();
    let mut texts = TextIndex::default();
    for row in &rows {
        texts.push(row).unwrap();
    }
    // Whole blocks are removed, full blocks are split, and free blocks are used again.
    for row in rows.extract_if(.., |row| (4_000..4_800).contains(&row.at)) {
        texts.apply(&Change::Delete(IndexedRow { text: Vec::new(), ..row }));
    }
    for id in 1..400 {
        let at = 9_000 + i64::from(id % 5);
        let new = row(at, id, &[usize::from(id % 40 == 0)], 0);
        texts.apply(&Change::Insert(new.clone()));
        rows.push(new);
    }
    for (needle, from, to) in [
        ("zebra", i64::MIN, i64::MAX),
        ("zebra", 3_900, 9_003),
        ("kiwi", i64::MIN, i64::MAX),
        ("kiwi", 9_001, 9_002),
        ("absent", i64::MIN, i64::MAX),
    ] {
        let query = query(needle, from, to, 0);
        let found = texts.search(&query, None, 50, &|| false).unwrap();
        assert_eq!(found, searched(&rows, &query, None, 50), "{needle} {from} {to}");
        let Some((at, id)) = found.keys.last() else { continue };
        let after = Some((*at, id.as_str()));
        let page = texts.search(&query, after, 50, &|| false).unwrap();
        assert_eq!(page, searched(&rows, &query, after, 50), "{needle} behind {after:?}");
    }
}

#[test]
fn too_many_combinations_make_index_incomplete() {
    let mut texts = TextIndex::default();
    for at in 0..65_536 {
        let utm = UtmValues::new(Some(&at.to_string()), None, None);
        let row = IndexedRow { at, utm, ..IndexedRow::default() };
        assert_eq!(texts.push(&row), Ok(()));
    }
    let utm = UtmValues::new(Some("one more"), None, None);
    texts.apply(&Change::Insert(IndexedRow { utm, ..IndexedRow::default() }));
    assert!(!texts.is_complete());
}
