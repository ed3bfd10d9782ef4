//! Tests the model against a simple model of a server: for any events in any order, the list shows
//! every row exactly once.

use super::*;
use contract::{Answers, Metadata, Page, Pagination};
use proptest::prelude::*;

/// A server. Its rows are instants and numbers, newest first.
#[derive(Debug, Clone, Default)]
struct FakeServer {
    rows: Vec<(i64, u32)>,
    limit_max: usize,
    /// Generation of cursors. Cursors of earlier generations are refused.
    cursor_generation: u32,
}

fn instant(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros).expect("year in range")
}

fn id(number: u32) -> SubmissionId {
    format!("sub_{number:06}").parse().expect("valid id")
}

fn submission((micros, number): (i64, u32)) -> Submission {
    Submission {
        id: id(number),
        form_id: "frm_1".parse().expect("valid id"),
        answers: Answers::default(),
        metadata: Metadata::at(instant(micros)),
        ai_insights: None,
    }
}

impl FakeServer {
    fn new(rows: impl IntoIterator<Item = (i64, u32)>) -> Self {
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_unstable();
        rows.reverse();
        Self { rows, limit_max: 100, cursor_generation: 0 }
    }

    /// Creates `count` rows at intervals of `step` microseconds.
    fn evenly_spaced(count: u32, step: i64) -> Self {
        Self::new((0..count).map(|number| (i64::from(number) * step, number)))
    }

    /// Answers a request; `None` refuses an outdated cursor.
    fn answer(&self, query: &PageQuery) -> Option<Page<Submission>> {
        let edition = match &query.start {
            PageStart::After { cursor, .. } => cursor.split_once(' ').expect("test cursor").0,
            _ => return Some(self.page(query)),
        };
        (edition == self.cursor_generation.to_string()).then(|| self.page(query))
    }

    fn page(&self, query: &PageQuery) -> Page<Submission> {
        let before = query.start.before();
        let listed: Vec<_> =
            self.rows.iter().filter(|row| before.is_none_or(|end| instant(row.0) < end)).collect();
        let start = match &query.start {
            PageStart::After { cursor, .. } => {
                let (_, cursor) = cursor.split_once(' ').expect("test cursor");
                let (list, key) = cursor.split_once(' ').expect("cursor with a list name");
                assert_eq!(list, list_name(before), "cursor belongs to another list");
                let (micros, number) = key.split_once('.').expect("cursor with a key");
                let behind = (micros.parse().expect("number"), number.parse().expect("number"));
                listed.iter().position(|row| **row < behind).unwrap_or(listed.len())
            }
            _ => 0,
        };
        let end = (start + usize::from(query.limit).min(self.limit_max)).min(listed.len());
        let list = format!("{} {}", self.cursor_generation, list_name(before));
        let cursor = |row: &(i64, u32)| format!("{list} {}.{}", row.0, row.1);
        let next = (end < listed.len()).then(|| cursor(listed[end - 1]));
        Page {
            data: listed[start..end].iter().map(|row| submission(**row)).collect(),
            pagination: Pagination {
                total: listed.len() as u64,
                limit: query.limit,
                has_more: next.is_some(),
                next_cursor: next,
            },
        }
    }
}

/// Name of the filter that a cursor is bound to (Specification, section 4.1).
fn list_name(before: Option<Timestamp>) -> String {
    before.map_or_else(|| "all".to_owned(), |at| at.micros().to_string())
}

/// Answers requests until no page is missing, and returns their number.
#[track_caller]
fn load_missing(model: &mut ListModel, server: &FakeServer) -> usize {
    for requests in 0..500 {
        model.retry();
        let Some(request) = model.next_request() else { return requests };
        assert!(deliver(model, request.ticket, server.answer(&request.query)));
    }
    panic!("requests never end: {:?} of {:?}", model.missing_page(), model.total());
}

/// Passes a page or a refusal to the model.
fn deliver(model: &mut ListModel, ticket: u32, answer: Option<Page<Submission>>) -> bool {
    match answer {
        Some(page) => model.apply_page(ticket, page),
        None => model.mark_refused(ticket),
    }
}

fn loaded_model(server: &FakeServer) -> ListModel {
    let mut model = ListModel::default();
    assert_eq!(load_missing(&mut model, server), 1);
    model
}

/// Returns the numbers of the visible rows; `None` for rows that are not loaded.
fn visible_numbers(model: &ListModel) -> Vec<Option<u32>> {
    let number = |row: &Arc<Submission>| row.id.as_str()[4..].parse().expect("number");
    model
        .view
        .clone()
        .filter(|index| *index < model.len())
        .map(|index| model.row(index).map(number))
        .collect()
}

fn expected_numbers(server: &FakeServer, view: Range<usize>) -> Vec<Option<u32>> {
    let rows = server.rows.iter().skip(view.start).take(view.len());
    rows.map(|row| Some(row.1)).collect()
}

/// Scrolls to `view`, checks its rows, and returns the number of requests.
#[track_caller]
fn check_view(model: &mut ListModel, server: &FakeServer, view: Range<usize>) -> usize {
    model.set_view(view.clone());
    let requests = load_missing(model, server);
    assert_eq!(visible_numbers(model), expected_numbers(server, view));
    requests
}

#[test]
fn scrolling_follows_cursors_and_evicts_rows() {
    let server = FakeServer::evenly_spaced(5_000, 1_000_000);
    let mut model = loaded_model(&server);
    let mut requests = 1;
    for start in (0..4_980).step_by(20) {
        requests += check_view(&mut model, &server, start..start + 30);
        assert!(model.rows().count() <= 2 * ROWS_AROUND_VIEW + 330, "{}", model.rows().count());
    }
    assert_eq!(requests, 50, "each page is requested once");
    assert_eq!((model.total(), model.last_instant()), (Some(5_000), Some(instant(0))));
    // Evicted rows are fetched again by the cursor of their page.
    assert_eq!(check_view(&mut model, &server, 1_000..1_030), 1);
    assert!(model.row(4_990).is_none());
}

#[test]
fn large_scroll_steps_extend_read_ahead() {
    let server = FakeServer::evenly_spaced(10_000, 7);
    // Read-ahead is 128 rows after scrolling a page, and 40 after a jump, as with a mouse wheel.
    for (steps, end) in [([0, 2, 4], 74), ([0, 16, 32], 190), ([0, 8, 16], 110), ([0, 2, 90], 160)]
    {
        let mut model = loaded_model(&server);
        for start in steps {
            check_view(&mut model, &server, start..start + 30);
        }
        assert!(model.row(end - 1).is_some(), "{steps:?}: row {} is not loaded", end - 1);
        assert!(model.row(end + 99).is_none(), "{steps:?}: too many rows are loaded");
    }
}

#[test]
fn distant_row_needs_few_requests() {
    // Quiet nights, busy days, and a year with fourfold growth.
    let day = 86_400_000_000_i64;
    let rows = (0..120_000_u32).map(|number| {
        let share = f64::from(number) / 120_000.0;
        #[expect(clippy::cast_possible_truncation, reason = "days of a year")]
        let days = (365.0 * share.sqrt()) as i64;
        (days * day + i64::from(number % 9_000) * 3_000_000, number)
    });
    let server = FakeServer::new(rows);
    let mut model = loaded_model(&server);
    let mut max_requests = 0;
    for start in [60_000, 119_960, 30_000, 90_000, 45_000, 100, 119_000, 75_001] {
        let requests = check_view(&mut model, &server, start..start + 40);
        max_requests = max_requests.max(requests);
    }
    assert!(max_requests <= 12, "{max_requests} requests for one row");
}

#[test]
fn scrolling_back_after_jump_closes_gap() {
    let server = FakeServer::evenly_spaced(50_000, 7_000_000);
    let mut model = loaded_model(&server);
    check_view(&mut model, &server, 30_000..30_040);
    let mut requests = 0;
    for step in 1..100 {
        let start = 30_000 - step * 20;
        requests += check_view(&mut model, &server, start..start + 40);
    }
    assert!(requests <= 30, "{requests} requests for 2,000 rows");
}

#[test]
fn jump_to_date_needs_one_request() {
    let server = FakeServer::evenly_spaced(10_000, 1_000_000);
    let mut model = loaded_model(&server);
    model.jump_to(instant(2_500_000_000));
    assert_eq!(load_missing(&mut model, &server), 1);
    assert_eq!(model.index_before(instant(2_500_000_000)), Some(7_500));
    assert_eq!(check_view(&mut model, &server, 7_500..7_540), 0);
}

#[test]
fn equal_instants_are_walked_by_cursor() {
    let server = FakeServer::new((0..3_000).map(|number| (5, number)));
    let mut model = loaded_model(&server);
    assert!(check_view(&mut model, &server, 2_900..2_940) <= 50);
}

#[test]
fn later_submissions_are_counted_but_not_shown() {
    let mut server = FakeServer::evenly_spaced(1_000, 10);
    let mut model = loaded_model(&server);
    check_view(&mut model, &server, 200..240);
    let before = visible_numbers(&model);
    let old = server.clone();
    server.rows.insert(0, (20_000, 9_000));
    server.rows.insert(0, (20_001, 9_001));
    let newest = submission(server.rows[0]);
    assert_eq!(model.count_new(Some(&newest), 1_002), 2);
    let first = submission(old.rows[0]);
    assert_eq!(model.count_new(Some(&first), 1_000), 0);
    let is_outdated = [(&newest, 1_002), (&first, 1_000), (&first, 999), (&first, 1_001)]
        .map(|(first, total)| model.is_outdated(Some(first), total));
    assert_eq!(is_outdated, [false, false, true, true]);
    load_missing(&mut model, &server);
    assert_eq!(visible_numbers(&model), before);
    // The same holds after the first page was evicted.
    for view in [900..940, 0..40] {
        model.set_view(view.clone());
        load_missing(&mut model, &server);
        assert_eq!(visible_numbers(&model), expected_numbers(&old, view));
    }
    model.refresh(ListOrder::default());
    assert_eq!(model.count_new(Some(&newest), 1_002), 0);
    check_view(&mut model, &server, 0..40);
}

#[test]
fn outdated_response_is_dropped() {
    let server = FakeServer::evenly_spaced(30, 1);
    let other = FakeServer::evenly_spaced(10, 1);
    let mut model = ListModel::default();
    let old = model.next_request().unwrap();
    assert_eq!(model.next_request(), None, "one request at a time");
    model.refresh(ListOrder::default());
    let new = model.next_request().unwrap();
    assert!(!model.apply_page(old.ticket, server.page(&old.query)));
    assert!(!model.mark_failed(old.ticket));
    assert_eq!((model.len(), model.phase()), (0, ListPhase::Loading));
    assert!(model.apply_page(new.ticket, other.page(&new.query)));
    assert_eq!(model.len(), 10);
    model.refresh(ListOrder::default());
    assert_eq!((model.len(), model.is_stale()), (10, true), "rows stay while loading");
    load_missing(&mut model, &server);
    assert_eq!((model.len(), model.is_stale()), (30, false));
    model.clear(ListOrder::default());
    assert_eq!((model.len(), model.total()), (0, None));
}

#[test]
fn failed_model_waits_and_saved_one_resumes() {
    let server = FakeServer::evenly_spaced(400, 1);
    let mut model = loaded_model(&server);
    model.set_view(90..130);
    let unanswered = model.next_request().unwrap();
    assert!(model.mark_failed(unanswered.ticket));
    assert_eq!(model.next_request(), None);
    model.retry();
    assert_eq!(model.next_request().map(|request| request.query), Some(unanswered.query.clone()));
    let mut other = ListModel::default();
    let other_query = other.next_request().unwrap();
    other.restore(model);
    for other_query in [unanswered, other_query] {
        assert!(!other.apply_page(other_query.ticket, server.page(&other_query.query)));
    }
    check_view(&mut other, &server, 90..130);
}

#[test]
fn refused_cursor_is_not_requested_again() {
    let mut server = FakeServer::evenly_spaced(5_000, 10);
    let mut model = loaded_model(&server);
    for view in [90..130, 190..230, 2_000..2_040] {
        check_view(&mut model, &server, view);
    }
    server.cursor_generation += 1;
    model.set_view(2_080..2_120);
    let rows = visible_numbers(&model);
    let request = model.next_request().unwrap();
    assert!(matches!(request.query.start, PageStart::After { .. }));
    assert!(model.mark_refused(request.ticket));
    assert_eq!(
        (visible_numbers(&model), model.phase()),
        (rows, ListPhase::Idle),
        "loaded rows stay"
    );
    let repeated = model.missing_page().unwrap();
    assert!(!matches!(repeated.start, PageStart::After { .. }), "{repeated:?}");
    let requests = check_view(&mut model, &server, 2_080..2_120);
    assert!(requests <= 2, "page was found by date in {requests} requests");
    assert_eq!(check_view(&mut model, &server, 2_180..2_220), 1, "the found page has a new cursor");
    for view in [190..230, 2_000..2_040, 0..40, 4_960..5_000, 120..160] {
        check_view(&mut model, &server, view);
    }
    assert_eq!(model.total(), Some(5_000));
}

#[test]
fn equal_instants_survive_refused_cursors() {
    let mut server = FakeServer::new((0..900).map(|number| (5, number)));
    let mut model = loaded_model(&server);
    check_view(&mut model, &server, 300..340);
    server.cursor_generation += 1;
    for view in [380..420, 860..900, 100..140] {
        check_view(&mut model, &server, view);
    }
}

#[test]
fn refused_cursors_fall_back_to_dates() {
    let mut server = FakeServer::evenly_spaced(1_000, 10);
    let mut model = loaded_model(&server);
    for start in (0..960).step_by(40) {
        server.cursor_generation += 1;
        check_view(&mut model, &server, start..start + 40);
    }
    let mut model = loaded_model(&FakeServer::new((0..900).map(|number| (5, number))));
    model.set_view(300..340);
    let mut requests = 0;
    while let Some(request) = model.next_request() {
        assert!(model.mark_refused(request.ticket));
        requests += 1;
    }
    assert_eq!(model.phase(), ListPhase::Failed);
    assert!(requests <= 9, "{requests} requests");
    model.retry();
    assert!(model.next_request().is_some());
}

#[test]
fn inconsistent_server_is_not_asked_endlessly() {
    let server = FakeServer::evenly_spaced(1_000, 1);
    let mut model = loaded_model(&server);
    model.set_view(0..400);
    for round in 0.. {
        let Some(request) = model.next_request() else { break };
        let mut page = server.page(&PageQuery { start: PageStart::First, limit: 100 });
        page.pagination.next_cursor = Some("same".to_owned());
        model.apply_page(request.ticket, page);
        assert!(round < 100);
    }
    // If the total is too high, the list ends at the last row. If it is too low, the list goes on.
    for total in [7, 5_000] {
        let mut model = ListModel::default();
        for view in [0..40, 980..1_000, 80..120, 0..1_000] {
            model.set_view(view);
            for _ in 0..200 {
                let Some(request) = model.next_request() else { break };
                let mut page = server.page(&request.query);
                page.pagination.total = total;
                model.apply_page(request.ticket, page);
            }
        }
        assert_eq!(model.next_request(), None);
    }
}

#[test]
fn removed_row_does_not_return() {
    let mut server = FakeServer::evenly_spaced(1_000, 10);
    let mut model = loaded_model(&server);
    check_view(&mut model, &server, 500..540);
    for index in [520, 3, 900] {
        let deleted = server.rows[index];
        let request = (index == 3).then(|| {
            model.set_view(560..700);
            (model.next_request().unwrap(), server.clone())
        });
        server.rows.remove(index);
        model.remove(&id(deleted.1), instant(deleted.0));
        assert_eq!(
            model.remove(&id(deleted.1), instant(deleted.0)),
            None,
            "second removal has no effect"
        );
        if let Some((request, then)) = request {
            model.apply_page(request.ticket, then.page(&request.query));
        }
    }
    assert_eq!(model.total(), Some(997));
    for start in (0..960).step_by(30) {
        check_view(&mut model, &server, start..start + 40);
    }
}

#[test]
fn removal_of_missing_row_keeps_all_others() {
    // The missing row belongs to the last page, or to a page before another one.
    for index in [220, 150] {
        let mut server = FakeServer::evenly_spaced(250, 10);
        let mut model = loaded_model(&server);
        let index = server.rows.remove(index);
        check_view(&mut model, &server, 90..130);
        check_view(&mut model, &server, 190..230);
        assert_eq!(model.total(), Some(249));
        assert_eq!(model.remove(&id(index.1), instant(index.0)), None);
        assert_eq!(model.total(), Some(249));
        for start in (0..249).step_by(30) {
            check_view(&mut model, &server, start..start + 30);
        }
    }
}

/// An event in a random sequence.
#[derive(Debug, Clone)]
enum Event {
    Scroll(usize),
    Request,
    /// Delivers one of the pending responses.
    Answer(usize),
    Fail(usize),
    /// Outdates all cursors issued so far.
    Expire,
    Jump(usize),
    End,
    Submit,
    Remove(usize),
    RemoveElsewhere(usize),
    Refresh,
}

fn any_event(elsewhere: bool) -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..700_usize).prop_map(Event::Scroll),
        8 => Just(Event::Request),
        8 => (0..4_usize).prop_map(Event::Answer),
        1 => (0..4_usize).prop_map(Event::Fail),
        1 => Just(Event::Expire),
        1 => (0..700_usize).prop_map(Event::Jump),
        1 => Just(Event::End),
        2 => Just(Event::Submit),
        2 => (0..700_usize).prop_map(Event::Remove),
        2 => (0..700_usize).prop_map(move |index| {
            if elsewhere { Event::RemoveElsewhere(index) } else { Event::Remove(index) }
        }),
        2 => Just(Event::Refresh),
    ]
}

/// The model, the server, the expected rows and the pending responses.
struct ModelTest {
    model: ListModel,
    server: FakeServer,
    /// Rows of the server when the model loaded its list, less those removed since.
    expected: FakeServer,
    pending: Vec<(u32, Option<Page<Submission>>, FakeServer)>,
    number: u32,
}

impl ModelTest {
    fn new(instants: &[i64], limit_max: usize) -> Self {
        let rows = instants.iter().zip(0..).map(|(micros, number)| (*micros, number));
        let server = FakeServer { limit_max, ..FakeServer::new(rows) };
        let listed = server.clone();
        Self {
            model: ListModel::default(),
            server,
            expected: listed,
            pending: Vec::new(),
            number: 10_000,
        }
    }

    /// Takes one of the pending responses. They can be delivered in any order.
    fn take_pending(&mut self, at: usize) -> Option<(u32, Option<Page<Submission>>, FakeServer)> {
        let last = self.pending.len().checked_sub(1)?;
        Some(self.pending.remove(last - at.min(last)))
    }

    fn apply_event(&mut self, event: &Event) {
        let shown = self.expected.clone();
        let model = &mut self.model;
        match *event {
            Event::Scroll(start) => model.set_view(start..start + 20),
            Event::Request => {
                if let Some(PageRequest { ticket, query: want }) = model.next_request() {
                    self.pending.push((ticket, self.server.answer(&want), self.server.clone()));
                }
            }
            Event::Answer(at) => {
                if let Some((ticket, page, then)) = self.take_pending(at) {
                    let first = !self.model.has_begun();
                    let model = &mut self.model;
                    if deliver(model, ticket, page) && first && model.has_begun() {
                        self.expected = then;
                        self.expected.rows.retain(|row| !model.removed.contains(&id(row.1)));
                    }
                }
            }
            Event::Fail(at) => {
                if let Some((ticket, ..)) = self.take_pending(at) {
                    self.model.mark_failed(ticket);
                }
                self.model.retry();
            }
            Event::Expire => self.server.cursor_generation += 1,
            Event::Jump(index) => {
                if let Some(row) = shown.rows.get(index) {
                    model.jump_to(instant(row.0 + 1));
                }
            }
            Event::End => model.request_end(),
            Event::Submit => {
                self.number += 1;
                self.server.rows.insert(0, (10_000_000_000 + i64::from(self.number), self.number));
            }
            Event::Remove(index) => {
                // A user removes only visible rows.
                if let Some(row) = shown.rows.get(index).copied()
                    && self.model.has_begun()
                {
                    self.server.rows.retain(|other_row| *other_row != row);
                    self.expected.rows.retain(|other_row| *other_row != row);
                    self.model.remove(&id(row.1), instant(row.0));
                }
            }
            Event::RemoveElsewhere(index) => {
                if index < self.server.rows.len() {
                    self.server.rows.remove(index);
                }
            }
            Event::Refresh => model.refresh(ListOrder::default()),
        }
    }

    /// Checks that the loaded rows are in order and unique.
    fn check_order(&self) -> Result<(), TestCaseError> {
        if self.model.is_stale() {
            return Ok(());
        }
        let loaded: Vec<_> =
            self.model.pages.rows().map(|(index, row)| (index, row_key(row))).collect();
        for pair in loaded.windows(2) {
            prop_assert!(pair[0].0 < pair[1].0, "{pair:?}");
            prop_assert!(pair[0].1 > pair[1].1, "{pair:?}");
        }
        prop_assert!(loaded.last().is_none_or(|last| last.0 < self.model.len()));
        Ok(())
    }

    /// Checks that every loaded row has the expected index.
    fn check_indexes(&self) -> Result<(), TestCaseError> {
        if self.model.has_begun() {
            let shown = &self.expected;
            for (index, row) in self.model.pages.rows() {
                let expected_id = shown.rows.get(index).map(|row| id(row.1));
                prop_assert_eq!(Some(&row.id), expected_id.as_ref(), "at {}", index);
            }
            prop_assert_eq!(self.model.len(), shown.rows.len());
        }
        Ok(())
    }
}

/// Generates instants: isolated, in clusters, and repeated.
fn instants() -> impl Strategy<Value = Vec<i64>> {
    let gap = prop_oneof![3 => 0..5_i64, 2 => 5..2_000_i64, 1 => 50_000..9_000_000_i64];
    prop::collection::vec(gap, 0..700).prop_map(|gaps| {
        gaps.iter()
            .scan(0, |now, gap| {
                *now += gap;
                Some(*now)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn rows_match_server_after_any_events(
        instants in instants(),
        limit_max in prop_oneof![Just(100_usize), Just(7)],
        events in prop::collection::vec(any_event(false), 0..120),
    ) {
        let mut world = ModelTest::new(&instants, limit_max);
        for event in &events {
            world.apply_event(event);
            world.check_order()?;
            world.check_indexes()?;
        }
        world.pending.clear();
        world.model.mark_failed(world.model.ticket);
        world.model.retry();
        world.model.jump_target = None;
        let has_started = world.model.has_begun();
        if !has_started {
            load_missing(&mut world.model, &world.server);
            world.expected = world.server.clone();
        }
        for start in [0, 300, 40, 640, 200] {
            world.model.set_view(start..start + 20);
            load_missing(&mut world.model, &world.server);
            let expected = expected_numbers(&world.expected, start..start + 20);
            prop_assert_eq!(visible_numbers(&world.model), expected);
            world.check_indexes()?;
        }
    }

    #[test]
    fn removals_by_other_clients_hide_no_rows(
        instants in instants(),
        events in prop::collection::vec(any_event(true), 0..120),
    ) {
        let mut world = ModelTest::new(&instants, 100);
        for event in &events {
            world.apply_event(event);
            world.check_order()?;
        }
        world.pending.clear();
        world.model.mark_failed(world.model.ticket);
        world.model.retry();
        world.model.jump_target = None;
        if !world.model.has_begun() {
            load_missing(&mut world.model, &world.server);
            world.expected = world.server.clone();
        }
        let mut unseen: HashSet<_> = world.expected.rows.iter().map(|row| id(row.1)).collect();
        let alive: HashSet<_> = world.server.rows.iter().map(|row| id(row.1)).collect();
        unseen.retain(|id| alive.contains(id));
        let mut start = 0;
        while start < world.model.len() {
            world.model.set_view(start..start + 20);
            load_missing(&mut world.model, &world.server);
            world.check_order()?;
            for index in start..start + 20 {
                if let Some(row) = world.model.row(index) {
                    unseen.remove(&row.id);
                }
            }
            start += 10;
        }
        let elsewhere = |event: &&Event| matches!(event, Event::RemoveElsewhere(_));
        prop_assert!(unseen.len() <= events.iter().filter(elsewhere).count(), "{:?}", unseen);
    }
}
