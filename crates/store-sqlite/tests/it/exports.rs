//! Exports of filters with few, many and no matches.

use super::TestFolder;
use contract::{ListQuery, Submission, Triage};
use store::{Chunk, Store};
use store_tests::fixtures::{self, form_id, submission};

/// More rows than one chunk scans.
const ROWS: i64 = 17_000;

fn row(n: i64) -> Submission {
    let answer = match n {
        0 | 9000 => "a needle in hay",
        _ if n > ROWS - 300 => "pins",
        _ if n % 9 == 0 => "hay with a pin",
        _ => "hay",
    };
    let parity = if n % 2 == 0 { "even" } else { "odd" };
    let mut row = submission(&format!("sub_{n:05}"), n / 3, &format!("{answer}, {parity}"));
    let device = if n % 8000 == 1 { "watch" } else { "phone" };
    row.metadata.device = (n % 3 > 0).then(|| device.to_owned());
    row
}

#[tokio::test]
async fn filtered_export_continues_after_scanned_rows() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    let rows: Vec<Submission> = (0..ROWS).map(row).collect();
    fixtures::insert_submissions(&store, rows.clone()).await;
    let jsons: Vec<_> = rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    for (query, count) in [
        ("search=needle", 2),
        ("search=pin", 2153),
        ("search=hay", 16_701),
        ("search=nothing", 0),
        ("device=watch", 2),
        ("device=phone", 11_331),
        ("device=watch&search=odd", 2),
        ("device=none&search=even", 2834),
        ("device=phone&country=none&search=odd", 5665),
        ("device=absent", 0),
    ] {
        let filter = ListQuery::parse(query).unwrap().filter;
        let found = fixtures::export_all(&store, &filter, None, 50_000).await;
        let stored = rows.iter().zip(&jsons).rev();
        let expected = stored.filter(|(row, _)| filter.matches(row, &Triage::default()));
        let expected: Vec<_> = expected.map(|(_, json)| json.as_str()).collect();
        assert_eq!(expected.len(), count, "{query}");
        assert!(found == expected, "{query}: {} of {}", found.len(), expected.len());
        let first = Chunk::default().with_size_limit(50_000);
        let first = store.export_submissions(&form_id(), &filter, None, first).await.unwrap();
        assert!(first.next_position().is_some(), "{query}: one chunk read all rows");
    }
}
