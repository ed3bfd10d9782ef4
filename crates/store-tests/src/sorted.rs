//! Property test of sorted lists and exports: their order is that of [`Sort::key_of`], while other
//! submissions are inserted and deleted.

use super::feed::arb_submission;
use super::fixtures::{self, form_id};
use super::notes::{insert_note, note};
use super::properties::arb_triage_change;
use super::triage::triage_update;
use contract::triage::TriageChange;
use contract::{FieldType, Filter, Sort, SortKey, Submission, SubmissionId, Timestamp, Triage};
use proptest::prelude::*;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use store::sorted::{SortedPage, SortedRequest};
use store::triage::{NoteOutcome, TriageUpdate, UpdateOutcome};
use store::unlisted::Selection;
use store::{Chunk, Position, Store};

const SORTS: [&str; 11] = [
    "+submitted_at",
    "completion_time_seconds",
    "-completion_time_seconds",
    "sentiment_score",
    "-sentiment_score",
    "updated_at",
    "-updated_at",
    "fld_0",
    "-fld_0",
    "fld_1",
    "-fld_1",
];

/// A submission to insert and one to delete, between two pages.
pub type SortedChange = (Submission, prop::sample::Index);
/// A submission that gets a change of triage, or a note if there is no change. The second one gives
/// the time.
pub type Marked = (prop::sample::Index, prop::sample::Index, Option<TriageChange>);
/// Notes and changes of triage before the first page, the page size, and the changes between the
/// pages.
pub type SortedSteps = (Vec<Marked>, usize, Vec<SortedChange>);

/// Returns an order; by a field of any type with the key `key0` or `key1`.
pub fn arb_sort() -> impl Strategy<Value = Sort> {
    let kind = prop::sample::select(&FieldType::ALL[..]);
    (prop::sample::select(&SORTS[..]), kind).prop_map(|(text, kind)| {
        let fields = [0, 1].map(|n| {
            let id = format!("fld_{n}");
            let field = json!({"id": id, "key": format!("key{n}"), "name": "Q", "type": kind});
            serde_json::from_value(field).unwrap()
        });
        let mut sort = Sort::parse(text).unwrap().unwrap();
        sort.resolve(&fields).unwrap();
        sort
    })
}

/// Returns notes and changes of triage, a page size and the changes between the pages.
pub fn arb_steps() -> impl Strategy<Value = SortedSteps> {
    let index = any::<prop::sample::Index>;
    let change = (arb_submission(), index());
    let marked = (index(), index(), prop::option::of(arb_triage_change()));
    (prop::collection::vec(marked, 0..8), 1..6_usize, prop::collection::vec(change, 0..6))
}

/// Triage of submissions, and the times of their last changes.
#[derive(Default)]
struct Marks {
    triage: HashMap<SubmissionId, Triage>,
    updated_at: HashMap<SubmissionId, Timestamp>,
}

impl Marks {
    /// Writes notes and changes of triage.
    async fn write(
        &mut self,
        store: &dyn Store,
        listed: &[Submission],
        marked: &[(usize, &Marked)],
    ) {
        for (number, (index, of, change)) in marked {
            let one = index.get(listed);
            let at = of.get(listed).metadata.submitted_at;
            let is_changed = if let Some(change) = change {
                let update = TriageUpdate {
                    change: change.clone(),
                    ..triage_update(Selection::Ids(vec![one.id.clone()]), "{}", at.micros())
                };
                let outcome = store.update_triage(update).await.unwrap();
                assert!(matches!(outcome, Some(UpdateOutcome::Changed(..))), "{outcome:?}");
                let mut triage = self.triage_of(one);
                triage.read = change.read.unwrap_or(triage.read);
                let effect = change.apply(&mut triage).unwrap();
                self.triage.insert(one.id.clone(), triage);
                !effect.is_empty()
            } else {
                let note = note(&format!("nte_{number}"), "psn_1", "x", at.micros());
                insert_note(store, one.id.as_str(), note).await == NoteOutcome::Done
            };
            if is_changed {
                let last = self.updated_at.entry(one.id.clone()).or_insert(at);
                *last = at.max(*last);
            }
        }
    }

    fn triage_of(&self, one: &Submission) -> Triage {
        self.triage.get(&one.id).cloned().unwrap_or_else(|| {
            let read = fixtures::owner_as_reader().has_read(one.metadata.submitted_at, false);
            Triage { read, ..Triage::default() }
        })
    }

    fn matches(&self, filter: &Filter, one: &Submission) -> bool {
        filter.matches(one, &self.triage_of(one))
    }
}

fn to_jsons(rows: &[(SortKey, Submission)]) -> Vec<String> {
    rows.iter().map(|(_, one)| serde_json::to_string(one).unwrap()).collect()
}

/// Exports the submissions at positions, in chunks of at most `rows_max`, or about 1,000 bytes.
async fn export_positions(
    store: &dyn Store,
    mut positions: &[Position],
    rows_max: usize,
) -> Vec<String> {
    let mut rows = Vec::new();
    let mut chunk = Chunk::default().with_size_limit(1000);
    while !positions.is_empty() {
        let next = &positions[..positions.len().min(rows_max)];
        chunk = store.export_positions(&form_id(), next, chunk).await.unwrap();
        rows.extend(chunk.iter().map(str::to_owned));
        let last = chunk.next_position();
        let last = next.iter().position(|position| Some(position) == last);
        positions = &positions[last.map_or(next.len(), |index| index + 1)..];
    }
    rows
}

pub async fn check_sorted(
    store: &dyn Store,
    mut listed: Vec<Submission>,
    filter: Filter,
    sort: Sort,
    (marked, limit, changes): SortedSteps,
    get_ready: impl AsyncFn(),
) {
    fixtures::owner_and_form(store).await;
    fixtures::define_status(store, "waiting").await;
    fixtures::insert_submissions(store, listed.clone()).await;
    let mut marks = Marks::default();
    let marked: Vec<_> = marked.iter().enumerate().filter(|_| !listed.is_empty()).collect();
    // An index that is built later reads the triage, and an existing one gets its changes.
    let (first, later) = marked.split_at(marked.len() / 2);
    marks.write(store, &listed, first).await;
    get_ready().await;
    marks.write(store, &listed, later).await;
    let keys = |listed: &[Submission]| {
        let matching = listed.iter().filter(|one| marks.matches(&filter, one));
        let key_of = |one: &Submission| sort.key_of(one, marks.updated_at.get(&one.id).copied());
        let mut keys: Vec<_> = matching.map(|one| (key_of(one), one.clone())).collect();
        keys.sort_by(|left, right| left.0.cmp(&right.0));
        keys
    };
    let request = SortedRequest {
        owner: fixtures::owner(),
        form: form_id(),
        filter: filter.clone(),
        sort: sort.clone(),
        after: None,
        limit,
    };
    let mut exported = keys(&listed);
    let positions = store.find_sorted_positions(request.clone()).await.unwrap().unwrap();
    assert_eq!(export_positions(store, &positions, limit).await, to_jsons(&exported), "{sort}");
    let mut throughout: HashSet<_> = listed.iter().map(|one| one.id.clone()).collect();
    let mut seen = HashSet::new();
    let mut after: Option<SortKey> = None;
    let mut changes = changes.into_iter().enumerate();
    loop {
        let mut expected = keys(&listed);
        let total = expected.len() as u64;
        expected.retain(|(key, _)| after.as_ref().is_none_or(|after| key > after));
        let request = SortedRequest { after: after.clone(), ..request.clone() };
        let SortedPage { page, last } = store.list_sorted(request).await.unwrap().unwrap();
        let found: Vec<&str> = page.rows.iter().map(|row| row.json.as_str()).collect();
        let of_page = &expected[..limit.min(expected.len())];
        assert_eq!(found, to_jsons(of_page), "{sort}");
        assert_eq!((page.total, page.has_more), (total, expected.len() > limit), "{sort}");
        assert_eq!(last.as_ref(), of_page.last().map(|(key, _)| key), "{sort}");
        for row in &page.rows {
            assert!(seen.insert(row.position.id.clone()), "a row was repeated");
        }
        if !page.has_more {
            break;
        }
        after = last;
        if let Some((number, (new, gone))) = changes.next() {
            let gone = listed.swap_remove(gone.index(listed.len()));
            assert!(store.delete_submission(&gone.id).await.unwrap());
            throughout.remove(&gone.id);
            let id = format!("{}_{number}", new.id).parse().unwrap();
            listed.push(Submission { id, ..new });
            fixtures::insert_submissions(store, listed[listed.len() - 1..].to_vec()).await;
        }
    }
    // An export that has begun omits submissions that are deleted meanwhile.
    exported.retain(|(_, one)| throughout.contains(&one.id));
    assert_eq!(export_positions(store, &positions, limit).await, to_jsons(&exported), "{sort}");
    let skipped =
        listed.iter().filter(|one| throughout.contains(&one.id) && marks.matches(&filter, one));
    assert!(skipped.map(|one| &one.id).all(|id| seen.contains(id)), "a row was skipped");
}
