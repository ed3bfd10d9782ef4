//! Property test of lists: list, export and [`Filter::matches`] agree on every page, while
//! submissions are inserted, deleted, moved to the trash and restored.

use super::make::{self, at, form_id};
use contract::filter::Search;
use contract::{BatchId, Filter, Submission};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashSet;
use store::unlisted::{Chosen, Move, MoveOutcome, Selection, State};
use store::{Position, Store, StoredSubmission};

#[derive(Debug, Clone)]
pub enum Change {
    Insert(Box<Submission>),
    Delete(prop::sample::Index),
    /// Moves the matches of a filter to the trash.
    Trash(Box<Filter>),
    /// Restores the last move.
    Restore,
}

#[derive(Debug, Clone)]
pub struct Step {
    rows_max: usize,
    changes: Vec<Change>,
}

/// Short texts over a small alphabet, so that searches often match. It has characters of several
/// cases and lengths, characters with a meaning in databases, and a combining character that no
/// search may split off.
fn text() -> impl Strategy<Value = String> {
    let parts = vec![
        "a", "B", "ß", "S", "é", "ÿ", "%", "1", "_", "\\", "\0", "\u{1}", "\u{3}", "\u{7}", "😀",
        "e\u{301}",
    ];
    prop::collection::vec(prop::sample::select(parts), 0..4).prop_map(|parts| parts.concat())
}

/// Few instants, so that many submissions share one; some are on other days.
fn micros() -> impl Strategy<Value = i64> {
    (-3_i64..4, prop::sample::select(vec![1, 1, 12 * 3_600_000_000])).prop_map(|(n, of)| n * of)
}

fn utm() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec!["x", "X", "y"]).prop_map(str::to_owned))
}

fn answer() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => text().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => (0..200).prop_map(Value::from),
        1 => prop::collection::vec(text(), 0..3).prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

pub fn submission() -> impl Strategy<Value = Submission> {
    // `of_one_form` makes the ids unique.
    let answers = prop::collection::vec(answer(), 0..3);
    (any::<u64>(), micros(), answers, utm(), utm(), utm()).prop_map(
        |(id, micros, answers, source, medium, campaign)| {
            let mut submission = make::submission(&format!("sub_{id}"), micros, "");
            let keyed = answers.into_iter().enumerate();
            let answers: serde_json::Map<_, _> =
                keyed.map(|(n, answer)| (format!("key{n}"), answer)).collect();
            submission.answers = serde_json::from_value(json!(answers)).unwrap();
            submission.metadata.utm_source = source;
            submission.metadata.utm_medium = medium;
            submission.metadata.utm_campaign = campaign;
            submission
        },
    )
}

pub fn filter() -> impl Strategy<Value = Filter> {
    let bound = || prop::option::weighted(0.3, micros().prop_map(at));
    let search = prop_oneof![Just(String::new()), text()];
    let rare = || prop::option::weighted(0.3, utm()).prop_map(Option::flatten);
    (bound(), bound(), search, rare(), rare(), rare()).prop_map(
        |(date_from, date_to, search, utm_source, utm_medium, utm_campaign)| Filter {
            date_from,
            date_to,
            search: Search::new(&search).unwrap(),
            utm_source,
            utm_medium,
            utm_campaign,
        },
    )
}

pub fn step() -> impl Strategy<Value = Step> {
    let change = prop_oneof![
        submission().prop_map(|new| Change::Insert(Box::new(new))),
        any::<prop::sample::Index>().prop_map(Change::Delete),
        filter().prop_map(|filter| Change::Trash(Box::new(filter))),
        Just(Change::Restore),
    ];
    (1..6_usize, prop::collection::vec(change, 0..4))
        .prop_map(|(rows_max, changes)| Step { rows_max, changes })
}

/// Expected content of the store.
#[derive(Default)]
struct Model {
    listed: Vec<Submission>,
    trash: Vec<(BatchId, Vec<Submission>)>,
    moves: u32,
}

fn place(submission: &Submission) -> (i64, &str) {
    (submission.metadata.submitted_at.micros(), submission.id.as_str())
}

impl Model {
    fn matching(&self, filter: &Filter) -> Vec<&Submission> {
        let mut found: Vec<_> = self.listed.iter().filter(|one| filter.matches(one)).collect();
        found.sort_by(|a, b| place(b).cmp(&place(a)));
        found
    }

    fn page(&self, filter: &Filter, behind: Option<&Position>, rows_max: usize) -> Vec<String> {
        let behind = behind.map(|p| (p.submitted_at.micros(), p.id.as_str()));
        let rows = self.matching(filter).into_iter();
        rows.filter(|one| behind.is_none_or(|behind| place(one) < behind))
            .take(rows_max)
            .map(|one| serde_json::to_string(one).unwrap())
            .collect()
    }
}

fn jsons(rows: &[StoredSubmission]) -> Vec<String> {
    rows.iter().map(|row| row.json.clone()).collect()
}

async fn change(store: &dyn Store, model: &mut Model, change: Change) {
    match change {
        Change::Insert(new) => {
            make::insert(store, vec![(*new).clone()]).await;
            model.listed.push(*new);
        }
        Change::Delete(index) if !model.listed.is_empty() => {
            let gone = model.listed.swap_remove(index.index(model.listed.len()));
            assert!(store.delete_submission(&gone.id).await.unwrap());
        }
        Change::Delete(_) => {}
        Change::Trash(filter) => trash(store, model, *filter).await,
        Change::Restore => {
            let Some((batch, rows)) = model.trash.pop() else { return };
            let restored = store.restore(&form_id(), State::Trash, Chosen::Batch(batch)).await;
            assert_eq!(restored.unwrap(), rows.len() as u64);
            model.listed.extend(rows);
        }
    }
}

async fn trash(store: &dyn Store, model: &mut Model, filter: Filter) {
    let (gone, rest) = std::mem::take(&mut model.listed)
        .into_iter()
        .partition::<Vec<_>, _>(|one| filter.matches(one));
    model.listed = rest;
    model.moves += 1;
    let (count, number) = (gone.len() as u64, model.moves);
    let batch: BatchId = format!("bat_{number}").parse().unwrap();
    let request = Move {
        form: form_id(),
        selection: Selection::Matching { filter, count },
        state: State::Trash,
        batch: batch.clone(),
        at: at(0),
        is_permanent: false,
    };
    let outcome = store.move_submissions(request).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::Moved { count, remaining: 0, is_kept: true }));
    model.trash.push((batch, gone));
}

/// Checks that a page of the owner, and a lookup by id, return the same submissions.
async fn check_page(
    store: &dyn Store,
    model: &Model,
    filter: &Filter,
    behind: Option<&Position>,
    limit: usize,
) {
    let (owner, form) = (make::owner(), form_id());
    let page = store.list_page(&owner, &form, filter, behind, limit).await.unwrap().unwrap();
    let mut rows = model.page(filter, behind, limit + 1);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    assert_eq!((jsons(&page.rows), page.has_more), (rows.clone(), has_more));
    assert_eq!(page.total, model.matching(filter).len() as u64);
    for (found, row) in page.rows.iter().zip(rows) {
        let one: Submission = serde_json::from_str(&row).unwrap();
        assert_eq!(found.position.submitted_at, one.metadata.submitted_at);
        let found = store.find_submission(&one.id).await.unwrap().unwrap();
        assert_eq!((found.submission.json, found.account_id.as_str()), (row, "acc_1"));
    }
}

pub async fn walk(
    store: &dyn Store,
    first: Vec<Submission>,
    filter: Filter,
    steps: Vec<Step>,
    get_ready: impl AsyncFn(),
) {
    make::owner_and_form(store).await;
    make::insert(store, first.clone()).await;
    get_ready().await;
    let mut model = Model { listed: first, ..Model::default() };
    let mut throughout: HashSet<String> =
        model.matching(&filter).iter().map(|one| one.id.to_string()).collect();
    let mut seen = HashSet::new();
    let mut behind: Option<Position> = None;
    let mut number = 0;
    for step in steps.into_iter().cycle() {
        let form = form_id();
        let page =
            store.list_submissions(&form, &filter, behind.as_ref(), step.rows_max).await.unwrap();
        assert_eq!(jsons(&page.rows), model.page(&filter, behind.as_ref(), step.rows_max));
        assert_eq!(page.total, model.matching(&filter).len() as u64);
        check_page(store, &model, &filter, behind.as_ref(), step.rows_max).await;
        let rest = make::export(store, &filter, behind.as_ref(), step.rows_max * 400).await;
        assert_eq!(rest, model.page(&filter, behind.as_ref(), usize::MAX));
        let count = store.find_form(&form).await.unwrap().unwrap().form.submission_count;
        assert_eq!(count, model.listed.len() as u64);
        let Some(last) = page.rows.last() else { break };
        behind = Some(last.position.clone());
        for row in page.rows {
            assert!(seen.insert(row.position.id.to_string()), "a row was repeated");
        }
        if seen.len() > 300 {
            break;
        }
        for next in step.changes {
            // The steps repeat, so each id gets a unique suffix.
            let next = match next {
                Change::Insert(one) => Change::Insert(Box::new(Submission {
                    id: format!("{}_{}_{number}", one.id, seen.len()).parse().unwrap(),
                    ..*one
                })),
                other => other,
            };
            number += 1;
            change(store, &mut model, next).await;
        }
        throughout.retain(|id| model.listed.iter().any(|one| one.id.as_str() == id));
    }
    if seen.len() <= 300 {
        assert!(throughout.is_subset(&seen), "a row was skipped");
    }
    assert_eq!(make::export(store, &filter, None, 1).await, model.page(&filter, None, usize::MAX));
}

/// Makes the ids unique.
pub fn of_one_form(all: Vec<Submission>) -> Vec<Submission> {
    let id = |n: usize| format!("sub_{}_{n}", n * 7 % 5).parse().unwrap();
    all.into_iter().enumerate().map(|(n, one)| Submission { id: id(n), ..one }).collect()
}
