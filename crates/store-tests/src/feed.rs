//! Property test of lists: list, export and [`Filter::matches`] agree on every page, while
//! submissions are inserted, corrected, triaged, deleted, moved to the trash and restored.

use super::fixtures::{self, at, form_id};
use super::properties::{
    ANSWERS, arb_client, arb_correction, arb_insight, arb_properties, arb_triage_change,
};
use contract::filter::Search;
use contract::insight::InsightCorrection;
use contract::triage::{TriageChange, UnreadCount};
use contract::{BatchId, Filter, Insight, Submission, SubmissionId, Triage};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use store::triage::{TriageUpdate, UpdateOutcome};
use store::unlisted::{MoveOutcome, Selection, UnlistRequest, UnlistedSelection, UnlistedState};
use store::{Page, Position, Store, StoredSubmission};

#[derive(Debug, Clone)]
pub enum FeedChange {
    Insert(Box<Submission>),
    Delete(prop::sample::Index),
    /// Sets or removes the correction of an insight.
    Correct(prop::sample::Index, Option<InsightCorrection>),
    /// Changes the triage of one submission.
    Triage(prop::sample::Index, Box<TriageChange>),
    /// Changes the triage of the matches of a filter.
    TriageMatches(Box<Filter>, Box<TriageChange>),
    /// Moves the matches of a filter to the trash.
    Trash(Box<Filter>),
    /// Restores the last move.
    Restore,
}

#[derive(Debug, Clone)]
pub struct Step {
    rows_max: usize,
    changes: Vec<FeedChange>,
}

/// Short texts over a small alphabet, so that searches often match. It has characters of several
/// cases and lengths, characters with a meaning in databases, and a combining character that no
/// search may split off.
pub fn arb_text() -> impl Strategy<Value = String> {
    let parts = vec![
        "a", "B", "ß", "S", "é", "ÿ", "%", "1", "_", "\\", "\0", "\u{1}", "\u{3}", "\u{7}", "😀",
        "e\u{301}",
    ];
    prop::collection::vec(prop::sample::select(parts), 0..4).prop_map(|parts| parts.concat())
}

/// Few instants, so that many submissions share one; some are on other days.
fn arb_micros() -> impl Strategy<Value = i64> {
    (-3_i64..4, prop::sample::select(vec![1, 1, 12 * 3_600_000_000])).prop_map(|(n, of)| n * of)
}

fn arb_utm() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec!["x", "X", "y"]).prop_map(str::to_owned))
}

/// Returns a number that keeps its text.
fn parse_number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn arb_answer() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => arb_text().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => (0..200).prop_map(Value::from),
        2 => prop::sample::select(&ANSWERS[..]).prop_map(Value::from),
        1 => prop::sample::select(vec!["1.00", "2e1", "-3"]).prop_map(parse_number),
        1 => prop::collection::vec(arb_text(), 0..3).prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

pub fn arb_submission() -> impl Strategy<Value = Submission> {
    // `with_unique_ids` makes the ids unique.
    let answers = prop::collection::vec(arb_answer(), 0..3);
    let utm = (arb_utm(), arb_utm(), arb_utm());
    (any::<u64>(), arb_micros(), answers, utm, arb_client(), arb_insight()).prop_map(
        |(id, micros, answers, (source, medium, campaign), client, insight)| {
            let mut submission = fixtures::submission(&format!("sub_{id}"), micros, "");
            let keyed = answers.into_iter().enumerate();
            let answers: serde_json::Map<_, _> =
                keyed.map(|(n, answer)| (format!("key{n}"), answer)).collect();
            submission.answers = serde_json::from_value(json!(answers)).unwrap();
            submission.metadata.utm_source = source;
            submission.metadata.utm_medium = medium;
            submission.metadata.utm_campaign = campaign;
            let metadata = &mut submission.metadata;
            (metadata.ip_country, metadata.device, metadata.browser) = client.labels;
            metadata.completion_time_seconds = client.seconds;
            submission.ai_insights = insight;
            submission
        },
    )
}

pub fn arb_filter() -> impl Strategy<Value = Filter> {
    let bound = || prop::option::weighted(0.3, arb_micros().prop_map(at));
    let search = prop_oneof![Just(String::new()), arb_text()];
    let rare = || prop::option::weighted(0.3, arb_utm()).prop_map(Option::flatten);
    (bound(), bound(), search, rare(), rare(), rare(), arb_properties()).prop_map(
        |(date_from, date_to, search, utm_source, utm_medium, utm_campaign, rest)| Filter {
            date_from,
            date_to,
            search: Search::new(&search).unwrap(),
            utm_source,
            utm_medium,
            utm_campaign,
            ..rest
        },
    )
}

pub fn arb_step() -> impl Strategy<Value = Step> {
    let change = prop_oneof![
        arb_submission().prop_map(|new| FeedChange::Insert(Box::new(new))),
        any::<prop::sample::Index>().prop_map(FeedChange::Delete),
        (any::<prop::sample::Index>(), arb_correction())
            .prop_map(|(index, correction)| FeedChange::Correct(index, correction)),
        (any::<prop::sample::Index>(), arb_triage_change())
            .prop_map(|(index, change)| FeedChange::Triage(index, Box::new(change))),
        (arb_filter(), arb_triage_change()).prop_map(|(filter, change)| {
            FeedChange::TriageMatches(Box::new(filter), Box::new(change))
        }),
        arb_filter().prop_map(|filter| FeedChange::Trash(Box::new(filter))),
        Just(FeedChange::Restore),
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
    /// The insights of corrected submissions before the correction, by id.
    analyses: HashMap<String, Option<Insight>>,
    /// The triage of changed submissions, listed or not, by id.
    triage: HashMap<SubmissionId, Triage>,
}

fn sort_key(submission: &Submission) -> (i64, &str) {
    (submission.metadata.submitted_at.micros(), submission.id.as_str())
}

impl Model {
    fn matches(&self, filter: &Filter, submission: &Submission) -> bool {
        filter.matches(submission, &self.triage_of(submission))
    }

    /// Returns the triage of a submission, with the read state of the owner.
    fn triage_of(&self, submission: &Submission) -> Triage {
        let read = fixtures::owner_as_reader().has_read(submission.metadata.submitted_at, false);
        let new = || Triage { read, ..Triage::default() };
        self.triage.get(&submission.id).cloned().unwrap_or_else(new)
    }

    fn matching(&self, filter: &Filter) -> Vec<&Submission> {
        let mut found: Vec<_> =
            self.listed.iter().filter(|submission| self.matches(filter, submission)).collect();
        found.sort_by(|a, b| sort_key(b).cmp(&sort_key(a)));
        found
    }

    fn expected_page(
        &self,
        filter: &Filter,
        after: Option<&Position>,
        rows_max: usize,
    ) -> Vec<String> {
        let after = after.map(|p| (p.submitted_at.micros(), p.id.as_str()));
        let rows = self.matching(filter).into_iter();
        rows.filter(|one| after.is_none_or(|after| sort_key(one) < after))
            .take(rows_max)
            .map(|one| serde_json::to_string(one).unwrap())
            .collect()
    }
}

fn row_jsons(rows: &[StoredSubmission]) -> Vec<String> {
    rows.iter().map(|row| row.json.clone()).collect()
}

async fn apply_change(store: &dyn Store, model: &mut Model, change: FeedChange) {
    match change {
        FeedChange::Insert(new) => {
            fixtures::insert_submissions(store, vec![(*new).clone()]).await;
            model.listed.push(*new);
        }
        FeedChange::Delete(index) if !model.listed.is_empty() => {
            let gone = model.listed.swap_remove(index.index(model.listed.len()));
            assert!(store.delete_submission(&gone.id).await.unwrap());
        }
        FeedChange::Correct(index, correction) if !model.listed.is_empty() => {
            let index = index.index(model.listed.len());
            apply_correction(store, model, index, correction).await;
        }
        FeedChange::Triage(index, change) if !model.listed.is_empty() => {
            let id = model.listed[index.index(model.listed.len())].id.clone();
            apply_triage(store, model, Selection::Ids(vec![id.clone()]), vec![id], *change).await;
        }
        FeedChange::TriageMatches(filter, change) => {
            let ids: Vec<_> =
                model.matching(&filter).iter().map(|submission| submission.id.clone()).collect();
            let selection = Selection::matching(*filter, ids.len() as u64);
            apply_triage(store, model, selection, ids, *change).await;
        }
        FeedChange::Delete(_) | FeedChange::Correct(..) | FeedChange::Triage(..) => {}
        FeedChange::Trash(filter) => apply_trash(store, model, *filter).await,
        FeedChange::Restore => {
            let Some((batch, rows)) = model.trash.pop() else { return };
            let restored = store
                .restore_submissions(
                    &form_id(),
                    UnlistedState::Trash,
                    UnlistedSelection::Batch(batch),
                )
                .await;
            assert_eq!(restored.unwrap(), rows.len() as u64);
            model.listed.extend(rows);
        }
    }
}

async fn apply_correction(
    store: &dyn Store,
    model: &mut Model,
    index: usize,
    correction: Option<InsightCorrection>,
) {
    let one = &mut model.listed[index];
    let analysis = model.analyses.entry(one.id.to_string()).or_insert(one.ai_insights.clone());
    one.ai_insights = match &correction {
        None => analysis.clone(),
        Some(correction) => Some(correction.apply(analysis.as_ref())),
    };
    assert!(store.correct_insight(&one.id, correction, at(0)).await.unwrap());
}

/// Changes the triage of the selected submissions, which have these ids.
async fn apply_triage(
    store: &dyn Store,
    model: &mut Model,
    selection: Selection,
    ids: Vec<SubmissionId>,
    change: TriageChange,
) {
    let mut changed = 0;
    for id in ids {
        let submission = model.listed.iter().find(|submission| submission.id == id).unwrap();
        let mut triage = model.triage_of(submission);
        let before = triage.clone();
        change.apply(&mut triage).unwrap();
        triage.read = change.read.unwrap_or(before.read);
        changed += u64::from(triage != before);
        model.triage.insert(id, triage);
    }
    let reader = fixtures::owner_as_reader();
    let update =
        TriageUpdate { form: form_id(), selection, change, reader, at: at(0), with_undo: false };
    let outcome = store.update_triage(update).await.unwrap();
    assert_eq!(outcome, Some(UpdateOutcome::changed(changed)));
}

/// Checks the triage and the read state of all listed submissions.
async fn check_triage(store: &dyn Store, model: &Model) {
    let ids: Vec<_> = model.listed.iter().map(|submission| submission.id.clone()).collect();
    let found = store.list_triage(&form_id(), &ids).await.unwrap();
    let mut found: HashMap<_, _> = found.into_iter().map(|it| (it.id, it.triage)).collect();
    let reader = fixtures::owner_as_reader();
    for id in store.list_read(&form_id(), &ids, &reader).await.unwrap() {
        found.entry(id).or_default().read = true;
    }
    let expected = model.listed.iter().map(|one| (one.id.clone(), model.triage_of(one)));
    let expected: HashMap<_, _> = expected.filter(|(_, triage)| !triage.is_default()).collect();
    assert_eq!(found, expected);
    let unread = model.listed.iter().filter(|one| !model.triage_of(one).read).count() as u64;
    let expected = (unread > 0).then(|| UnreadCount { form_id: form_id(), unread });
    let counts = store.count_unread(&fixtures::owner().account_id, &reader).await.unwrap();
    assert_eq!(counts, Vec::from_iter(expected));
}

async fn apply_trash(store: &dyn Store, model: &mut Model, filter: Filter) {
    let (gone, rest) = std::mem::take(&mut model.listed)
        .into_iter()
        .partition::<Vec<_>, _>(|submission| model.matches(&filter, submission));
    model.listed = rest;
    model.moves += 1;
    let count = gone.len() as u64;
    let number = model.moves;
    let batch: BatchId = format!("bat_{number}").parse().unwrap();
    let request = UnlistRequest {
        form: form_id(),
        selection: Selection::matching(filter, count),
        state: UnlistedState::Trash,
        batch: batch.clone(),
        at: at(0),
        is_permanent: false,
    };
    let outcome = store.move_submissions(request).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::Moved { count, remaining: 0, is_restorable: true }));
    model.trash.push((batch, gone));
}

/// Returns a page. Checks it, and that a lookup by id returns the same submissions.
async fn check_page(
    store: &dyn Store,
    model: &Model,
    filter: &Filter,
    after: Option<&Position>,
    limit: usize,
) -> Page {
    let page = fixtures::list_page(store, filter, after, limit).await.unwrap();
    let mut rows = model.expected_page(filter, after, limit + 1);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    assert_eq!((row_jsons(&page.rows), page.has_more), (rows.clone(), has_more));
    assert_eq!(page.total, model.matching(filter).len() as u64);
    for (found, row) in page.rows.iter().zip(rows) {
        let one: Submission = serde_json::from_str(&row).unwrap();
        assert_eq!(found.position.submitted_at, one.metadata.submitted_at);
        let found = store.find_submission(&one.id).await.unwrap().unwrap();
        assert_eq!((found.submission.json, found.account_id.as_str()), (row, "acc_1"));
    }
    page
}

pub async fn check_lists(
    store: &dyn Store,
    first: Vec<Submission>,
    filter: Filter,
    steps: Vec<Step>,
    get_ready: impl AsyncFn(),
) {
    fixtures::owner_and_form(store).await;
    fixtures::define_status(store, "waiting").await;
    fixtures::insert_submissions(store, first.clone()).await;
    get_ready().await;
    let mut model = Model { listed: first, ..Model::default() };
    let mut throughout: HashSet<String> =
        model.matching(&filter).iter().map(|one| one.id.to_string()).collect();
    let mut seen = HashSet::new();
    let mut after: Option<Position> = None;
    let mut number = 0;
    // Steps that insert more rows than they read would never end.
    let seen_max = if test_servers::is_full_run() { 300 } else { 60 };
    for step in steps.into_iter().cycle() {
        let page = check_page(store, &model, &filter, after.as_ref(), step.rows_max).await;
        let rest = fixtures::export_all(store, &filter, after.as_ref(), step.rows_max * 400).await;
        assert_eq!(rest, model.expected_page(&filter, after.as_ref(), usize::MAX));
        let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
        assert_eq!(form.submission_count, model.listed.len() as u64);
        let Some(last) = page.rows.last() else { break };
        after = Some(last.position.clone());
        for row in page.rows {
            assert!(seen.insert(row.position.id.to_string()), "a row was repeated");
        }
        if seen.len() > seen_max {
            break;
        }
        for next in step.changes {
            // The steps repeat, so each id gets a unique suffix.
            let next = match next {
                FeedChange::Insert(one) => FeedChange::Insert(Box::new(Submission {
                    id: format!("{}_{}_{number}", one.id, seen.len()).parse().unwrap(),
                    ..*one
                })),
                other => other,
            };
            number += 1;
            apply_change(store, &mut model, next).await;
        }
        let matching = model.matching(&filter);
        throughout.retain(|id| matching.iter().any(|one| one.id.as_str() == id));
    }
    // A walk that was ended has not passed the rows after the last position.
    if let Some(last) = after.filter(|_| seen.len() > seen_max) {
        let last = (last.submitted_at.micros(), last.id.as_str());
        for rest in model.listed.iter().filter(|one| sort_key(one) < last) {
            throughout.remove(rest.id.as_str());
        }
    }
    assert!(throughout.is_subset(&seen), "a row was skipped");
    check_triage(store, &model).await;
    assert_eq!(
        fixtures::export_all(store, &filter, None, 1).await,
        model.expected_page(&filter, None, usize::MAX)
    );
}

/// Makes the ids unique.
pub fn with_unique_ids(all: Vec<Submission>) -> Vec<Submission> {
    let id = |n: usize| format!("sub_{}_{n}", n * 7 % 5).parse().unwrap();
    all.into_iter().enumerate().map(|(n, one)| Submission { id: id(n), ..one }).collect()
}
