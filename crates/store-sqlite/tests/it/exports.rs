//! Exports of filters with few, many and no matches.

use super::TestFolder;
use contract::filter::Search;
use contract::{Filter, ListQuery, Triage};
use store::{Chunk, Store};
use store_tests::fixtures::{self, form_id, submission};

/// More rows than one chunk scans.
const ROWS: i64 = 17_000;

#[tokio::test]
async fn search_export_continues_after_scanned_rows() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let answer = |n: i64| match n {
        0 | 9000 => "a needle in hay",
        _ if n > ROWS - 300 => "pins",
        _ if n % 9 == 0 => "hay with a pin",
        _ => "hay",
    };
    let row = |n| submission(&format!("sub_{n:05}"), n / 3, answer(n));
    fixtures::insert_submissions(&store, (0..ROWS).map(row).collect()).await;
    for (text, matches) in [("needle", true), ("pin", true), ("hay", true), ("nothing", false)] {
        let filter = Filter { search: Search::new(text).unwrap(), ..Filter::default() };
        let found = fixtures::export_all(&store, &filter, None, 50_000).await;
        let ids = (0..ROWS).rev().filter(|n| answer(*n).contains(text));
        let expected: Vec<_> = ids.map(|n| serde_json::to_string(&row(n)).unwrap()).collect();
        assert_eq!(found.is_empty(), !matches, "{text}");
        assert!(found == expected, "{text}: {} of {}", found.len(), expected.len());
        let first = Chunk::default().with_size_limit(50_000);
        let first = store.export_submissions(&form_id(), &filter, None, first).await.unwrap();
        assert!(first.next_position().is_some(), "{text}: one chunk scanned all rows");
    }
}

#[tokio::test]
async fn label_export_continues_after_scanned_rows() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let row = |n: i64| {
        let answer = if n % 2 == 0 { "even" } else { "odd" };
        let mut row = submission(&format!("sub_{n:05}"), n / 3, answer);
        let device = if n % 8000 == 1 { "watch" } else { "phone" };
        row.metadata.device = (n % 3 > 0).then(|| device.to_owned());
        row
    };
    fixtures::insert_submissions(&store, (0..ROWS).map(row).collect()).await;
    for (query, count) in [
        ("device=watch", 2),
        ("device=phone", 11_331),
        ("device=watch&search=odd", 2),
        ("device=none&search=even", 2834),
        ("device=phone&country=none&search=odd", 5665),
        ("device=absent", 0),
    ] {
        let filter = ListQuery::parse(query).unwrap().filter;
        let found = fixtures::export_all(&store, &filter, None, 50_000).await;
        let expected =
            (0..ROWS).rev().map(row).filter(|row| filter.matches(row, &Triage::default()));
        let expected: Vec<_> = expected.map(|row| serde_json::to_string(&row).unwrap()).collect();
        assert_eq!(expected.len(), count, "{query}");
        assert!(found == expected, "{query}: {} of {}", found.len(), expected.len());
        let first = Chunk::default().with_size_limit(50_000);
        let first = store.export_submissions(&form_id(), &filter, None, first).await.unwrap();
        assert!(first.next_position().is_some(), "{query}: one chunk read all rows");
    }
}
