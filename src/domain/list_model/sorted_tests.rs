//! Tests sorted lists against a simple model of a server: scrolled to its end, a list shows every
//! row exactly once and in order, whatever happened before.

use super::*;
use contract::{Answers, Metadata, Page, Pagination};
use proptest::prelude::*;

/// A server. Its rows are values and numbers, in the order of the list.
#[derive(Clone, Default)]
struct SortedServer(Vec<(u32, u32)>);

fn id(number: u32) -> SubmissionId {
    format!("sub_{number:06}").parse().expect("valid id")
}

fn instant(number: u32) -> Timestamp {
    // The instants are in another order than the values.
    Timestamp::from_micros(i64::from(number.wrapping_mul(2_654_435_761))).expect("year in range")
}

fn submission(number: u32) -> Submission {
    Submission {
        id: id(number),
        form_id: "frm_1".parse().expect("valid id"),
        answers: Answers::default(),
        metadata: Metadata::at(instant(number)),
        ai_insights: None,
    }
}

impl SortedServer {
    fn insert(&mut self, row: (u32, u32)) {
        let at = self.0.partition_point(|other| *other < row);
        self.0.insert(at, row);
    }

    /// Answers a request. Cursors contain the last row.
    fn answer(&self, query: &PageQuery) -> Page<Submission> {
        let after = match &query.start {
            PageStart::First => None,
            PageStart::Before(_) => panic!("a sorted list was requested by date"),
            PageStart::After { cursor, .. } => {
                let (value, number) = cursor.split_once(' ').expect("test cursor");
                Some((value.parse().expect("a value"), number.parse().expect("a number")))
            }
        };
        let rows: Vec<_> =
            self.0.iter().filter(|row| after.is_none_or(|after| **row > after)).collect();
        let listed = &rows[..rows.len().min(query.limit.into())];
        let last = listed.last().filter(|_| listed.len() < rows.len());
        Page {
            data: listed.iter().map(|row| submission(row.1)).collect(),
            pagination: Pagination {
                limit: query.limit,
                has_more: last.is_some(),
                next_cursor: last.map(|(value, number)| format!("{value} {number}")),
                total: self.0.len() as u64,
            },
        }
    }
}

#[derive(Debug, Clone)]
enum Event {
    Scroll(usize),
    Load,
    Fail,
    Submit(u32),
    Remove(usize),
    RemoveElsewhere(usize),
    ChangeElsewhere(usize, u32),
    Refresh,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..400_usize).prop_map(Event::Scroll),
        8 => Just(Event::Load),
        1 => Just(Event::Fail),
        2 => (0..1_000_u32).prop_map(Event::Submit),
        2 => (0..400_usize).prop_map(Event::Remove),
        1 => (0..400_usize).prop_map(Event::RemoveElsewhere),
        1 => (0..400_usize, 0..1_000_u32).prop_map(|(at, to)| Event::ChangeElsewhere(at, to)),
        1 => Just(Event::Refresh),
    ]
}

fn load(model: &mut ListModel, server: &SortedServer) -> bool {
    let Some(PageRequest { ticket, query }) = model.next_request() else { return false };
    assert!(model.apply_page(ticket, server.answer(&query)));
    true
}

/// Scrolls to the end, and returns the loaded rows.
fn scroll_through(model: &mut ListModel, server: &SortedServer) -> Vec<SubmissionId> {
    for _ in 0..100 {
        model.set_view(model.len().saturating_sub(20)..model.len());
        if !load(model, server) {
            break;
        }
    }
    model.rows().map(|row| row.id.clone()).collect()
}

fn apply(event: &Event, model: &mut ListModel, server: &mut SortedServer, next: &mut u32) {
    match *event {
        Event::Scroll(start) => model.set_view(start..start + 20),
        Event::Load => {
            load(model, server);
        }
        Event::Fail => {
            if let Some(request) = model.next_request() {
                model.mark_failed(request.ticket);
            }
            model.retry();
        }
        Event::Submit(value) => {
            *next += 1;
            server.insert((value, *next));
        }
        Event::Remove(index) => {
            if let Some(row) = model.row(index).filter(|_| model.has_begun()).cloned() {
                server.0.retain(|other| id(other.1) != row.id);
                model.remove(&row.id, row.metadata.submitted_at);
            }
        }
        Event::RemoveElsewhere(index) if index < server.0.len() => {
            server.0.remove(index);
        }
        Event::ChangeElsewhere(index, value) if index < server.0.len() => {
            let (_, number) = server.0.remove(index);
            server.insert((value, number));
        }
        Event::RemoveElsewhere(_) | Event::ChangeElsewhere(..) => {}
        Event::Refresh => model.refresh(ListOrder::Sorted),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_listed_once(
        values in prop::collection::vec(0..1_000_u32, 0..350),
        events in prop::collection::vec(event(), 0..40),
    ) {
        let mut server = SortedServer::default();
        let mut next = 0;
        for value in values {
            next += 1;
            server.insert((value, next));
        }
        let mut model = ListModel::default();
        model.clear(ListOrder::Sorted);
        for event in &events {
            apply(event, &mut model, &mut server, &mut next);
        }
        let mut shown = scroll_through(&mut model, &server);
        prop_assert_eq!(model.len(), shown.len(), "the list ends with its last row");
        let count = shown.len();
        shown.sort();
        shown.dedup();
        prop_assert_eq!(shown.len(), count, "a row is listed twice");
        // A reloaded list is the server's.
        model.refresh(ListOrder::Sorted);
        let shown = scroll_through(&mut model, &server);
        let expected: Vec<_> = server.0.iter().map(|row| id(row.1)).collect();
        prop_assert_eq!(shown, expected);
        prop_assert_eq!(model.total(), Some(server.0.len() as u64));
    }
}

#[test]
fn length_grows_by_pages_and_total_is_exact() {
    let server = SortedServer((0..1_000).map(|number| (number, number)).collect());
    let mut model = ListModel::default();
    model.clear(ListOrder::Sorted);
    model.set_view(0..20);
    assert!(load(&mut model, &server));
    assert_eq!((model.len(), model.total()), (200, Some(1_000)));
    assert_eq!((model.first_instant(), model.upper_bound()), (None, None));
    model.set_view(80..100);
    assert!(load(&mut model, &server));
    assert_eq!(model.len(), 300);
    assert_eq!(model.count_new(None, 1_003), 3);
    // A row that is not loaded follows the loaded ones.
    assert_eq!(model.remove(&id(900), instant(900)), None);
    assert_eq!((model.len(), model.total()), (300, Some(999)));
    assert_eq!(model.remove(&id(5), instant(5)), Some(5));
    assert_eq!(model.row(5).map(|row| row.id.clone()), Some(id(6)));
}

#[test]
fn refused_cursor_starts_over() {
    let server = SortedServer((0..300).map(|number| (number, number)).collect());
    let mut model = ListModel::default();
    model.clear(ListOrder::Sorted);
    load(&mut model, &server);
    model.set_view(80..100);
    let request = model.next_request().expect("the second page is missing");
    assert!(model.mark_refused(request.ticket));
    assert_eq!(scroll_through(&mut model, &server).len(), 300);
}
