//! Tests of merged pages.

use super::*;
use proptest::prelude::*;

fn row(seconds: i64, id: usize, length: usize) -> StoredSubmission {
    let submitted_at = Timestamp::from_micros(seconds * 1_000_000).unwrap();
    let position = Position { submitted_at, id: format!("sub_{id:03}").parse().unwrap() };
    StoredSubmission { position, json: "x".repeat(length) }
}

/// Returns the page of a form after a position, as a store does.
fn page(form: &[StoredSubmission], after: Option<&Position>, limit: usize) -> Page {
    let mut rows = form.to_vec();
    rows.sort_by(|a, b| b.position.cmp(&a.position));
    rows.retain(|row| after.is_none_or(|after| row.position < *after));
    Page::from_list(ListPage { rows, total: form.len() as u64 }, limit)
}

/// Returns the merged page of all forms after a position.
fn merged(forms: &[Vec<StoredSubmission>], after: Option<&Position>, limit: usize) -> Page {
    let pages = forms.iter().map(|form| page(form, after, limit));
    pages.fold(Page::default(), |merged, page| merged.merge(page, limit))
}

/// Returns all rows of the merged list, page by page.
fn all_pages(forms: &[Vec<StoredSubmission>], limit: usize) -> Vec<StoredSubmission> {
    let mut listed: Vec<StoredSubmission> = Vec::new();
    loop {
        let after = listed.last().map(|row| row.position.clone());
        let page = merged(forms, after.as_ref(), limit);
        let bytes: usize = page.rows.iter().map(|row| row.json.len()).sum();
        assert!(page.rows.len() <= limit && (bytes <= PAGE_BYTES_MAX || page.rows.len() == 1));
        assert_eq!(page.total, forms.iter().map(Vec::len).sum::<usize>() as u64);
        assert!(!page.has_more || !page.rows.is_empty(), "a page before the last one is empty");
        listed.extend(page.rows);
        if !page.has_more {
            return listed;
        }
    }
}

#[test]
fn page_ends_where_a_long_form_page_ends() {
    let long = vec![row(9, 1, 10), row(5, 2, PAGE_BYTES_MAX)];
    let short = vec![row(7, 3, 10), row(3, 4, 10)];
    let ids = |page: &Page| -> Vec<String> {
        page.rows.iter().map(|row| row.position.id.to_string()).collect()
    };
    let first = merged(&[long.clone(), short.clone()], None, 20);
    assert_eq!((ids(&first), first.has_more, first.total), (vec!["sub_001".to_owned()], true, 4));
    let listed = all_pages(&[long, short], 20);
    let listed: Vec<&str> = listed.iter().map(|row| row.position.id.as_str()).collect();
    assert_eq!(listed, ["sub_001", "sub_003", "sub_002", "sub_004"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Equal instants in several forms, and rows that fill pages, neither skip nor repeat a row.
    #[test]
    fn merged_pages_have_every_row_once_in_order(
        rows in prop::collection::vec(
            (0usize..4, 0i64..5, prop_oneof![9 => Just(0usize), 1 => 1usize..4]), 0..30,
        ),
        limit in 1usize..9,
    ) {
        let mut forms = vec![Vec::new(); 4];
        for (id, (form, seconds, thirds)) in rows.into_iter().enumerate() {
            forms[form].push(row(seconds, id, 1 + thirds * (PAGE_BYTES_MAX / 3)));
        }
        let mut expected = forms.concat();
        expected.sort_by(|a, b| b.position.cmp(&a.position));
        let ids = |rows: &[StoredSubmission]| -> Vec<String> {
            rows.iter().map(|row| row.position.id.to_string()).collect()
        };
        prop_assert_eq!(ids(&all_pages(&forms, limit)), ids(&expected));
    }
}
