//! Spam and trash: moved submissions are in no list, and are restored unchanged.

use super::make::{self, at, form_id, search, submission};
use contract::filter::Search;
use contract::insight::{Correction, SetAnalysis};
use contract::{BatchId, Filter, SpamReason, Submission, SubmissionId};
use store::unlisted::{
    Chosen, Move, MoveOutcome, SPAM_ROWS_MAX, Selection, State, TrashQuery, TrashRows,
};
use store::{Store, StoreError};

const DAY_US: i64 = 86_400_000_000;

fn batch(number: u32) -> BatchId {
    format!("bat_{number}").parse().unwrap()
}

fn ids(ids: &[&str]) -> Vec<SubmissionId> {
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

fn request(selection: Selection, state: State, number: u32, micros: i64) -> Move {
    Move {
        form: form_id(),
        selection,
        state,
        batch: batch(number),
        at: at(micros),
        is_permanent: false,
    }
}

fn moved(count: u64) -> MoveOutcome {
    MoveOutcome::Moved { count, remaining: 0, is_kept: true }
}

/// Moves submissions with these ids to the trash at an instant.
async fn trash(store: &dyn Store, given: &[&str], number: u32, micros: i64) {
    let request = request(Selection::Ids(ids(given)), State::Trash, number, micros);
    assert_eq!(store.move_submissions(request).await.unwrap(), Some(moved(given.len() as u64)));
}

async fn listed(store: &dyn Store, filter: &Filter) -> (Vec<String>, u64) {
    let page = store.list_submissions(&form_id(), filter, None, 100).await.unwrap();
    (page.rows.into_iter().map(|row| row.position.id.into()).collect(), page.total)
}

async fn trash_page(store: &dyn Store, wanted: &str, micros: i64, rows_max: usize) -> TrashRows {
    let search = Search::new(wanted).unwrap();
    let (form, now) = (form_id(), at(micros));
    store.list_trash(TrashQuery { form, search, now, behind: None, rows_max }).await.unwrap()
}

fn ids_of(page: &TrashRows) -> Vec<&str> {
    page.rows.iter().map(|row| row.position.id.as_str()).collect()
}

pub async fn trashed_submissions_are_hidden_and_restored(store: &dyn Store) {
    make::owner_and_form(store).await;
    let mut first = submission("sub_1", 1, "apple");
    first.metadata.utm_source = Some("a\0b".to_owned());
    let all = vec![first, submission("sub_2", 2, "apple pie\0"), submission("sub_3", 3, "pear")];
    make::insert(store, all.clone()).await;
    let before = make::export(store, &Filter::default(), None, 100_000).await;

    let given = Selection::Ids(ids(&["sub_1", "sub_unknown", "sub_2", "sub_1"]));
    let outcome = store.move_submissions(request(given, State::Trash, 7, 50)).await.unwrap();
    assert_eq!(outcome, Some(moved(2)));
    assert_eq!(listed(store, &Filter::default()).await, (vec!["sub_3".to_owned()], 1));
    assert_eq!(listed(store, &search("apple")).await.1, 0);
    assert_eq!(make::count_all(store).await, 1);
    assert!(store.find_submission(&"sub_1".parse().unwrap()).await.unwrap().is_none());
    assert!(!store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.last_submission_at), (1, Some(at(3))));

    let page = trash_page(store, "", 60, 10).await;
    assert_eq!((ids_of(&page), page.total), (vec!["sub_2", "sub_1"], 2));
    assert_eq!((page.rows[0].moved_at, &page.rows[0].batch), (at(50), &batch(7)));
    assert_eq!(page.rows[0].json, serde_json::to_string(&all[1]).unwrap());

    let restored = store.restore(&form_id(), State::Trash, Chosen::Batch(batch(7))).await;
    assert_eq!(restored.unwrap(), 2);
    assert_eq!(make::export(store, &Filter::default(), None, 100_000).await, before);
    assert_eq!(listed(store, &search("apple")).await.1, 2);
    let source = Filter { utm_source: Some("a\0b".to_owned()), ..Filter::default() };
    assert_eq!(listed(store, &source).await, (vec!["sub_1".to_owned()], 1));
    assert_eq!(trash_page(store, "", 60, 10).await.total, 0);
    let again = store.restore(&form_id(), State::Trash, Chosen::Batch(batch(7))).await;
    assert_eq!(again.unwrap(), 0);
}

pub async fn move_by_filter_checks_count(store: &dyn Store) {
    make::owner_and_form(store).await;
    let row = |n: i64| {
        let mut row = submission(&format!("sub_{n}"), n, ["apple", "pear"][usize::from(n % 2 > 0)]);
        row.metadata.utm_source = Some(["x", "y"][usize::from(n % 3 > 0)].to_owned());
        row
    };
    make::insert(store, (0..60).map(row).collect()).await;
    let utm = Filter { utm_source: Some("x".to_owned()), ..Filter::default() };
    let dates = Filter { date_from: Some(at(10)), date_to: Some(at(20)), ..Filter::default() };
    let both = Filter { utm_source: utm.utm_source.clone(), ..search("APPLE") };
    let matching = |filter: &Filter, count| Selection::Matching { filter: filter.clone(), count };
    for (filter, count, number) in [(&utm, 20, 1), (&dates, 10, 2), (&both, 10, 3)] {
        assert_eq!(listed(store, filter).await.1, count);
        let wrong = request(matching(filter, count + 1), State::Trash, number, 100);
        let outcome = store.move_submissions(wrong).await.unwrap();
        assert_eq!(outcome, Some(MoveOutcome::Changed(count)));
        assert_eq!(make::count_all(store).await, 60);
        let right = request(matching(filter, count), State::Trash, number, 100);
        assert_eq!(store.move_submissions(right).await.unwrap(), Some(moved(count)));
        assert_eq!((listed(store, filter).await.1, make::count_all(store).await), (0, 60 - count));
        let restored = store.restore(&form_id(), State::Trash, Chosen::Batch(batch(number))).await;
        assert_eq!(restored.unwrap(), count);
        assert_eq!(listed(store, filter).await.1, count);
    }
    let all = request(matching(&Filter::default(), 60), State::Trash, 4, 100);
    assert_eq!(store.move_submissions(all).await.unwrap(), Some(moved(60)));
    assert_eq!(make::count_all(store).await, 0);
    let none = request(matching(&Filter::default(), 0), State::Trash, 5, 100);
    assert_eq!(store.move_submissions(none).await.unwrap(), Some(moved(0)));
    let unknown = Move {
        form: "frm_none".parse().unwrap(),
        ..request(Selection::Ids(Vec::new()), State::Trash, 6, 100)
    };
    assert_eq!(store.move_submissions(unknown).await.unwrap(), None);
}

pub async fn trash_is_searched_and_paged(store: &dyn Store) {
    make::owner_and_form(store).await;
    let row =
        |n: i64| submission(&format!("sub_{n:02}"), n, ["apple", "pear"][usize::from(n % 2 > 0)]);
    make::insert(store, (0..30).map(row).collect()).await;
    let filter = Filter::default();
    let all = request(Selection::Matching { filter, count: 30 }, State::Trash, 1, 100);
    store.move_submissions(all).await.unwrap();
    for (wanted, total) in [("", 30), ("APP", 15), ("nothing", 0)] {
        let (mut behind, mut found) = (None, Vec::new());
        loop {
            let query = TrashQuery {
                form: form_id(),
                search: Search::new(wanted).unwrap(),
                now: at(100),
                behind,
                rows_max: 4,
            };
            let page = store.list_trash(query).await.unwrap();
            assert_eq!(page.total, total);
            found.extend(page.rows.iter().map(|row| row.position.id.to_string()));
            behind = page.rows.into_iter().next_back().map(|row| row.position);
            if behind.is_none() {
                break;
            }
        }
        let expected = (0..30).rev().filter(|n| wanted.is_empty() || n % 2 == 0);
        let expected =
            expected.map(|n| format!("sub_{n:02}")).take(usize::try_from(total).unwrap());
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
    // A page is limited to 2 MiB.
    let long = |n: i64| submission(&format!("sub_l{n}"), 50 - n, &"x".repeat(300_000));
    make::insert(store, (0..12).map(long).collect()).await;
    let filter = Filter { date_from: Some(at(30)), ..Filter::default() };
    let all = request(Selection::Matching { filter, count: 12 }, State::Trash, 2, 100);
    store.move_submissions(all).await.unwrap();
    for wanted in ["", "xxx"] {
        let page = trash_page(store, wanted, 100, 100).await;
        assert!((7..=8).contains(&page.rows.len()), "{}", page.rows.len());
    }
}

pub async fn trash_is_deleted_after_retention(store: &dyn Store) {
    make::owner_and_form(store).await;
    make::insert(store, (1..=4).map(|n| submission(&format!("sub_{n}"), n, "x")).collect()).await;
    trash(store, &["sub_1", "sub_2"], 1, DAY_US).await;
    trash(store, &["sub_3"], 2, 20 * DAY_US).await;
    assert_eq!(store.purge(at(31 * DAY_US - 1)).await.unwrap(), 0);
    assert_eq!(trash_page(store, "", 31 * DAY_US - 1, 9).await.total, 3);
    let page = trash_page(store, "", 31 * DAY_US, 9).await;
    assert_eq!((ids_of(&page), page.total), (vec!["sub_3"], 1), "expired rows are hidden first");
    assert_eq!(trash_page(store, "x", 31 * DAY_US, 9).await.total, 1);
    assert_eq!(store.purge(at(31 * DAY_US)).await.unwrap(), 2);
    assert!(store.set_trash_days(&form_id(), 3).await.unwrap());
    assert!(!store.set_trash_days(&"frm_none".parse().unwrap(), 3).await.unwrap());
    assert_eq!(trash_page(store, "", 23 * DAY_US, 9).await.total, 0);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.trash_days, 3);
    assert_eq!(trash_page(store, "", 23 * DAY_US - 1, 9).await.total, 1);
    // A form without trash deletes at once.
    assert!(store.set_trash_days(&form_id(), 0).await.unwrap());
    let given = request(Selection::Ids(ids(&["sub_4"])), State::Trash, 3, 30 * DAY_US);
    let outcome = store.move_submissions(given.clone()).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::NotKept));
    assert_eq!(make::count_all(store).await, 1);
    let given = Move { is_permanent: true, ..given };
    let outcome = store.move_submissions(given).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::Moved { count: 1, remaining: 0, is_kept: false }));
    assert!(store.set_trash_days(&form_id(), 90).await.unwrap());
    assert_eq!(ids_of(&trash_page(store, "", 30 * DAY_US, 9).await), ["sub_3"]);
    assert_eq!(make::count_all(store).await, 0);
}

pub async fn trash_is_restored_or_deleted_by_ids(store: &dyn Store) {
    make::owner_and_form(store).await;
    make::insert(store, (1..=5).map(|n| submission(&format!("sub_{n}"), n, "x")).collect()).await;
    trash(store, &["sub_1", "sub_2", "sub_3", "sub_4"], 1, 10).await;
    let chosen = |given: &[&str]| Chosen::Ids(ids(given));
    let form = form_id();
    assert_eq!(store.restore(&form, State::Trash, chosen(&["sub_1", "sub_5"])).await.unwrap(), 1);
    assert_eq!(store.restore(&form, State::Spam, chosen(&["sub_2"])).await.unwrap(), 0);
    let deleted = store.delete_unlisted(&form, State::Trash, chosen(&["sub_2", "sub_2"])).await;
    assert_eq!(deleted.unwrap(), 1);
    assert_eq!(store.delete_unlisted(&form, State::Spam, Chosen::All).await.unwrap(), 0);
    assert_eq!(ids_of(&trash_page(store, "", 10, 9).await), ["sub_4", "sub_3"]);
    // If one id is taken again, nothing is restored.
    make::insert(store, vec![submission("sub_3", 30, "new")]).await;
    let taken = store.restore(&form, State::Trash, Chosen::All).await;
    assert!(matches!(taken, Err(StoreError::Exists(_))), "{taken:?}");
    assert_eq!(ids_of(&trash_page(store, "", 10, 9).await), ["sub_4", "sub_3"]);
    assert_eq!(make::count_all(store).await, 3);
    // A move replaces a row with the same id and instant.
    assert!(store.delete_submission(&"sub_3".parse().unwrap()).await.unwrap());
    make::insert(store, vec![submission("sub_3", 3, "newer")]).await;
    trash(store, &["sub_3"], 2, 11).await;
    let page = trash_page(store, "newer", 11, 9).await;
    assert_eq!((ids_of(&page), page.total), (vec!["sub_3"], 1));
    assert_eq!(store.delete_unlisted(&form, State::Trash, Chosen::All).await.unwrap(), 2);
    assert_eq!(store.delete_unlisted(&form, State::Trash, Chosen::All).await.unwrap(), 0);
}

pub async fn marked_submission_is_spam_until_restored(store: &dyn Store) {
    make::owner_and_form(store).await;
    let all: Vec<Submission> = (1..=3).map(|n| submission(&format!("sub_{n}"), n, "x")).collect();
    make::insert(store, all.clone()).await;
    let now = 400 * DAY_US;
    let given = request(Selection::Ids(ids(&["sub_1", "sub_2"])), State::Spam, 1, now);
    assert_eq!(store.move_submissions(given).await.unwrap(), Some(moved(2)));
    assert_eq!(make::count_all(store).await, 1);
    // Its age counts from the move.
    let page = store.list_spam(&form_id(), at(now - 1), None, 9).await.unwrap();
    assert_eq!((page.total, page.rows[0].reason), (2, SpamReason::Marked));
    assert_eq!(page.rows[0].json, serde_json::to_string(&all[1]).unwrap());
    assert_eq!(store.purge(at(now + 30 * DAY_US - 1)).await.unwrap(), 0);
    let restored = store.restore(&form_id(), State::Spam, Chosen::Ids(ids(&["sub_1"]))).await;
    assert_eq!(restored.unwrap(), 1);
    assert_eq!(listed(store, &search("x")).await.1, 2);
    assert_eq!(store.purge(at(now + 30 * DAY_US)).await.unwrap(), 1);
    assert_eq!(trash_page(store, "", now, 9).await.total, 0);
}

pub async fn marked_spam_has_no_count_limit(store: &dyn Store) {
    make::owner_and_form(store).await;
    let count = SPAM_ROWS_MAX as u64 + 5;
    let row = |n: u64| submission(&format!("sub_{n:04}"), n.cast_signed(), "x");
    make::insert(store, (0..count).map(row).collect()).await;
    let all = Selection::Matching { filter: Filter::default(), count };
    let outcome = store.move_submissions(request(all, State::Spam, 1, 5000)).await.unwrap();
    assert_eq!(outcome, Some(moved(count)));
    assert_eq!(store.list_spam(&form_id(), at(0), None, 9).await.unwrap().total, count);
    let restored = store.restore(&form_id(), State::Spam, Chosen::Batch(batch(1))).await;
    assert_eq!(restored.unwrap(), count);
}

pub async fn insights_survive_trash(store: &dyn Store) {
    make::owner_and_form(store).await;
    let switch = SetAnalysis { analysis: true, again: false };
    assert!(store.set_analysis(&form_id(), switch).await.unwrap());
    make::insert(store, vec![submission("sub_1", 1, "x"), submission("sub_2", 2, "x")]).await;
    let id: SubmissionId = "sub_1".parse().unwrap();
    let said = Correction { sentiment: Some("negative".to_owned()), ..Correction::default() };
    assert!(store.correct_insight(&id, Some(said), at(5)).await.unwrap());
    let before = store.find_insight(&id).await.unwrap().unwrap();
    let pending = async || store.find_analysis(&form_id()).await.unwrap().unwrap().pending;
    let waiting = pending().await;
    trash(store, &["sub_1", "sub_2"], 1, 10).await;
    assert_eq!((pending().await, store.find_insight(&id).await.unwrap()), (0, None));
    store.restore(&form_id(), State::Trash, Chosen::Batch(batch(1))).await.unwrap();
    assert_eq!(store.find_insight(&id).await.unwrap().unwrap(), before);
    assert_eq!((waiting, pending().await), (2, 2), "both are pending again");
    let detail = store.find_insight(&"sub_2".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(detail.shown, None);
}

/// Uses enough rows for an index in memory.
pub async fn large_moves_preserve_search_results(store: &dyn Store) {
    make::owner_and_form(store).await;
    let word = |n: i64| ["apple", "pear", "plum"][usize::try_from(n % 3).unwrap()];
    let row = |n: i64| submission(&format!("sub_{n:05}"), n, word(n));
    make::insert(store, (0..4500).map(row).collect()).await;
    let before = make::export(store, &Filter::default(), None, 100_000).await;
    for turn in 0..3 {
        assert_eq!(listed(store, &search("apple")).await.1, 1500);
        let matching = Selection::Matching { filter: search("apple"), count: 1500 };
        let given = request(matching, State::Trash, turn, 9000);
        assert_eq!(store.move_submissions(given).await.unwrap(), Some(moved(1500)));
        assert_eq!(listed(store, &search("apple")).await.1, 0);
        assert_eq!(listed(store, &search("p")).await.1, 3000);
        assert_eq!(make::count_all(store).await, 3000);
        let restored = store.restore(&form_id(), State::Trash, Chosen::Batch(batch(turn))).await;
        assert_eq!(restored.unwrap(), 1500);
        assert_eq!(listed(store, &search("p")).await.1, 4500);
    }
    assert_eq!(make::export(store, &Filter::default(), None, 100_000).await, before);
}
