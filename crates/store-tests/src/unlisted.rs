//! Spam and trash: moved submissions are in no list, and are restored unchanged.

use super::fixtures::{self, at, form_id, search_filter, submission};
use contract::filter::Search;
use contract::insight::{InsightCorrection, SetAnalysis};
use contract::{BatchId, Filter, SpamReason, Submission, SubmissionId};
use store::unlisted::{
    MoveOutcome, SPAM_ROWS_MAX, Selection, TrashPage, TrashQuery, UnlistRequest, UnlistedSelection,
    UnlistedState,
};
use store::{Store, StoreError};

const DAY_US: i64 = 86_400_000_000;

fn batch(number: u32) -> BatchId {
    format!("bat_{number}").parse().unwrap()
}

fn parse_ids(ids: &[&str]) -> Vec<SubmissionId> {
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

fn move_request(
    selection: Selection,
    state: UnlistedState,
    number: u32,
    micros: i64,
) -> UnlistRequest {
    UnlistRequest {
        form: form_id(),
        selection,
        state,
        batch: batch(number),
        at: at(micros),
        is_permanent: false,
    }
}

fn moved_outcome(count: u64) -> MoveOutcome {
    MoveOutcome::Moved { count, remaining: 0, is_restorable: true }
}

/// Moves submissions with these ids to the trash at an instant.
async fn move_to_trash(store: &dyn Store, given: &[&str], number: u32, micros: i64) {
    let request =
        move_request(Selection::Ids(parse_ids(given)), UnlistedState::Trash, number, micros);
    assert_eq!(
        store.move_submissions(request).await.unwrap(),
        Some(moved_outcome(given.len() as u64))
    );
}

async fn list_ids(store: &dyn Store, filter: &Filter) -> (Vec<String>, u64) {
    let page = fixtures::list_page(store, filter, None, 100).await.unwrap();
    (page.rows.into_iter().map(|row| row.position.id.into()).collect(), page.total)
}

async fn trash_page(store: &dyn Store, wanted: &str, micros: i64, rows_max: usize) -> TrashPage {
    let search = Search::new(wanted).unwrap();
    let form = form_id();
    let now = at(micros);
    store.list_trash(TrashQuery { form, search, now, after: None, rows_max }).await.unwrap()
}

fn ids_of(page: &TrashPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.position.id.as_str()).collect()
}

pub async fn trashed_submissions_are_hidden_and_restored(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let mut first = submission("sub_1", 1, "apple");
    first.metadata.utm_source = Some("a\0b".to_owned());
    let all = vec![first, submission("sub_2", 2, "apple pie\0"), submission("sub_3", 3, "pear")];
    fixtures::insert_submissions(store, all.clone()).await;
    let before = fixtures::export_all(store, &Filter::default(), None, 100_000).await;

    let given = Selection::Ids(parse_ids(&["sub_1", "sub_unknown", "sub_2", "sub_1"]));
    let outcome =
        store.move_submissions(move_request(given, UnlistedState::Trash, 7, 50)).await.unwrap();
    assert_eq!(outcome, Some(moved_outcome(2)));
    assert_eq!(list_ids(store, &Filter::default()).await, (vec!["sub_3".to_owned()], 1));
    assert_eq!(list_ids(store, &search_filter("apple")).await.1, 0);
    assert_eq!(fixtures::count_all(store).await, 1);
    assert!(store.find_submission(&"sub_1".parse().unwrap()).await.unwrap().is_none());
    assert!(!store.delete_submission(&"sub_1".parse().unwrap()).await.unwrap());
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!((form.submission_count, form.last_submission_at), (1, Some(at(3))));

    let page = trash_page(store, "", 60, 10).await;
    assert_eq!((ids_of(&page), page.total), (vec!["sub_2", "sub_1"], 2));
    assert_eq!((page.rows[0].moved_at, &page.rows[0].batch), (at(50), &batch(7)));
    assert_eq!(page.rows[0].json, serde_json::to_string(&all[1]).unwrap());

    let restored = store
        .restore_submissions(&form_id(), UnlistedState::Trash, UnlistedSelection::Batch(batch(7)))
        .await;
    assert_eq!(restored.unwrap(), 2);
    assert_eq!(fixtures::export_all(store, &Filter::default(), None, 100_000).await, before);
    assert_eq!(list_ids(store, &search_filter("apple")).await.1, 2);
    let source = Filter { utm_source: Some("a\0b".to_owned()), ..Filter::default() };
    assert_eq!(list_ids(store, &source).await, (vec!["sub_1".to_owned()], 1));
    assert_eq!(trash_page(store, "", 60, 10).await.total, 0);
    let again = store
        .restore_submissions(&form_id(), UnlistedState::Trash, UnlistedSelection::Batch(batch(7)))
        .await;
    assert_eq!(again.unwrap(), 0);
}

pub async fn move_by_filter_checks_count(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let row = |n: i64| {
        let mut row = submission(&format!("sub_{n}"), n, ["apple", "pear"][usize::from(n % 2 > 0)]);
        row.metadata.utm_source = Some(["x", "y"][usize::from(n % 3 > 0)].to_owned());
        row
    };
    fixtures::insert_submissions(store, (0..60).map(row).collect()).await;
    let utm = Filter { utm_source: Some("x".to_owned()), ..Filter::default() };
    let dates = Filter { date_from: Some(at(10)), date_to: Some(at(20)), ..Filter::default() };
    let both = Filter { utm_source: utm.utm_source.clone(), ..search_filter("APPLE") };
    let matching = |filter: &Filter, count| Selection::matching(filter.clone(), count);
    for (filter, count, number) in [(&utm, 20, 1), (&dates, 10, 2), (&both, 10, 3)] {
        assert_eq!(list_ids(store, filter).await.1, count);
        let wrong = move_request(matching(filter, count + 1), UnlistedState::Trash, number, 100);
        let outcome = store.move_submissions(wrong).await.unwrap();
        assert_eq!(outcome, Some(MoveOutcome::Changed(count)));
        assert_eq!(fixtures::count_all(store).await, 60);
        let right = move_request(matching(filter, count), UnlistedState::Trash, number, 100);
        assert_eq!(store.move_submissions(right).await.unwrap(), Some(moved_outcome(count)));
        assert_eq!(
            (list_ids(store, filter).await.1, fixtures::count_all(store).await),
            (0, 60 - count)
        );
        let restored = store
            .restore_submissions(
                &form_id(),
                UnlistedState::Trash,
                UnlistedSelection::Batch(batch(number)),
            )
            .await;
        assert_eq!(restored.unwrap(), count);
        assert_eq!(list_ids(store, filter).await.1, count);
    }
    let all = move_request(matching(&Filter::default(), 60), UnlistedState::Trash, 4, 100);
    assert_eq!(store.move_submissions(all).await.unwrap(), Some(moved_outcome(60)));
    assert_eq!(fixtures::count_all(store).await, 0);
    let none = move_request(matching(&Filter::default(), 0), UnlistedState::Trash, 5, 100);
    assert_eq!(store.move_submissions(none).await.unwrap(), Some(moved_outcome(0)));
    let unknown = UnlistRequest {
        form: "frm_none".parse().unwrap(),
        ..move_request(Selection::Ids(Vec::new()), UnlistedState::Trash, 6, 100)
    };
    assert_eq!(store.move_submissions(unknown).await.unwrap(), None);
}

pub async fn trash_is_searched_and_paged(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let row =
        |n: i64| submission(&format!("sub_{n:02}"), n, ["apple", "pear"][usize::from(n % 2 > 0)]);
    fixtures::insert_submissions(store, (0..30).map(row).collect()).await;
    let filter = Filter::default();
    let all = move_request(Selection::matching(filter, 30), UnlistedState::Trash, 1, 100);
    store.move_submissions(all).await.unwrap();
    for (wanted, total) in [("", 30), ("APP", 15), ("nothing", 0)] {
        let mut after = None;
        let mut found = Vec::new();
        loop {
            let query = TrashQuery {
                form: form_id(),
                search: Search::new(wanted).unwrap(),
                now: at(100),
                after,
                rows_max: 4,
            };
            let page = store.list_trash(query).await.unwrap();
            assert_eq!(page.total, total);
            found.extend(page.rows.iter().map(|row| row.position.id.to_string()));
            after = page.rows.into_iter().next_back().map(|row| row.position);
            if after.is_none() {
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
    fixtures::insert_submissions(store, (0..12).map(long).collect()).await;
    let filter = Filter { date_from: Some(at(30)), ..Filter::default() };
    let all = move_request(Selection::matching(filter, 12), UnlistedState::Trash, 2, 100);
    store.move_submissions(all).await.unwrap();
    for wanted in ["", "xxx"] {
        let page = trash_page(store, wanted, 100, 100).await;
        assert!((7..=8).contains(&page.rows.len()), "{}", page.rows.len());
    }
}

pub async fn trash_is_deleted_after_retention(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(
        store,
        (1..=4).map(|n| submission(&format!("sub_{n}"), n, "x")).collect(),
    )
    .await;
    move_to_trash(store, &["sub_1", "sub_2"], 1, DAY_US).await;
    move_to_trash(store, &["sub_3"], 2, 20 * DAY_US).await;
    assert_eq!(store.purge_expired(at(31 * DAY_US - 1)).await.unwrap(), 0);
    assert_eq!(trash_page(store, "", 31 * DAY_US - 1, 9).await.total, 3);
    let page = trash_page(store, "", 31 * DAY_US, 9).await;
    assert_eq!((ids_of(&page), page.total), (vec!["sub_3"], 1), "expired rows are hidden first");
    assert_eq!(trash_page(store, "x", 31 * DAY_US, 9).await.total, 1);
    assert_eq!(store.purge_expired(at(31 * DAY_US)).await.unwrap(), 2);
    assert!(store.set_trash_days(&form_id(), 3).await.unwrap());
    assert!(!store.set_trash_days(&"frm_none".parse().unwrap(), 3).await.unwrap());
    assert_eq!(trash_page(store, "", 23 * DAY_US, 9).await.total, 0);
    let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
    assert_eq!(form.trash_days, 3);
    assert_eq!(trash_page(store, "", 23 * DAY_US - 1, 9).await.total, 1);
    // A form without trash deletes at once.
    assert!(store.set_trash_days(&form_id(), 0).await.unwrap());
    let given =
        move_request(Selection::Ids(parse_ids(&["sub_4"])), UnlistedState::Trash, 3, 30 * DAY_US);
    let outcome = store.move_submissions(given.clone()).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::TrashDisabled));
    assert_eq!(fixtures::count_all(store).await, 1);
    let given = UnlistRequest { is_permanent: true, ..given };
    let outcome = store.move_submissions(given).await.unwrap();
    assert_eq!(outcome, Some(MoveOutcome::Moved { count: 1, remaining: 0, is_restorable: false }));
    assert!(store.set_trash_days(&form_id(), 90).await.unwrap());
    assert_eq!(ids_of(&trash_page(store, "", 30 * DAY_US, 9).await), ["sub_3"]);
    assert_eq!(fixtures::count_all(store).await, 0);
}

pub async fn trash_is_restored_or_deleted_by_ids(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    fixtures::insert_submissions(
        store,
        (1..=5).map(|n| submission(&format!("sub_{n}"), n, "x")).collect(),
    )
    .await;
    move_to_trash(store, &["sub_1", "sub_2", "sub_3", "sub_4"], 1, 10).await;
    let chosen = |given: &[&str]| UnlistedSelection::Ids(parse_ids(given));
    let form = form_id();
    assert_eq!(
        store
            .restore_submissions(&form, UnlistedState::Trash, chosen(&["sub_1", "sub_5"]))
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        store.restore_submissions(&form, UnlistedState::Spam, chosen(&["sub_2"])).await.unwrap(),
        0
    );
    let deleted =
        store.delete_unlisted(&form, UnlistedState::Trash, chosen(&["sub_2", "sub_2"])).await;
    assert_eq!(deleted.unwrap(), 1);
    assert_eq!(
        store.delete_unlisted(&form, UnlistedState::Spam, UnlistedSelection::All).await.unwrap(),
        0
    );
    assert_eq!(ids_of(&trash_page(store, "", 10, 9).await), ["sub_4", "sub_3"]);
    // If one id is taken again, nothing is restored.
    fixtures::insert_submissions(store, vec![submission("sub_3", 30, "new")]).await;
    let taken =
        store.restore_submissions(&form, UnlistedState::Trash, UnlistedSelection::All).await;
    assert!(matches!(taken, Err(StoreError::Exists(_))), "{taken:?}");
    assert_eq!(ids_of(&trash_page(store, "", 10, 9).await), ["sub_4", "sub_3"]);
    assert_eq!(fixtures::count_all(store).await, 3);
    // A move replaces a row with the same id and instant.
    assert!(store.delete_submission(&"sub_3".parse().unwrap()).await.unwrap());
    fixtures::insert_submissions(store, vec![submission("sub_3", 3, "newer")]).await;
    move_to_trash(store, &["sub_3"], 2, 11).await;
    let page = trash_page(store, "newer", 11, 9).await;
    assert_eq!((ids_of(&page), page.total), (vec!["sub_3"], 1));
    assert_eq!(
        store.delete_unlisted(&form, UnlistedState::Trash, UnlistedSelection::All).await.unwrap(),
        2
    );
    assert_eq!(
        store.delete_unlisted(&form, UnlistedState::Trash, UnlistedSelection::All).await.unwrap(),
        0
    );
}

pub async fn marked_submission_is_spam_until_restored(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let all: Vec<Submission> = (1..=3).map(|n| submission(&format!("sub_{n}"), n, "x")).collect();
    fixtures::insert_submissions(store, all.clone()).await;
    let now = 400 * DAY_US;
    let given =
        move_request(Selection::Ids(parse_ids(&["sub_1", "sub_2"])), UnlistedState::Spam, 1, now);
    assert_eq!(store.move_submissions(given).await.unwrap(), Some(moved_outcome(2)));
    assert_eq!(fixtures::count_all(store).await, 1);
    // Its age counts from the move.
    let page = store.list_spam(&form_id(), at(now - 1), None, 9).await.unwrap();
    assert_eq!((page.total, page.rows[0].reason), (2, SpamReason::Marked));
    assert_eq!(page.rows[0].json, serde_json::to_string(&all[1]).unwrap());
    assert_eq!(store.purge_expired(at(now + 30 * DAY_US - 1)).await.unwrap(), 0);
    let restored = store
        .restore_submissions(
            &form_id(),
            UnlistedState::Spam,
            UnlistedSelection::Ids(parse_ids(&["sub_1"])),
        )
        .await;
    assert_eq!(restored.unwrap(), 1);
    assert_eq!(list_ids(store, &search_filter("x")).await.1, 2);
    assert_eq!(store.purge_expired(at(now + 30 * DAY_US)).await.unwrap(), 1);
    assert_eq!(trash_page(store, "", now, 9).await.total, 0);
}

pub async fn marked_spam_has_no_count_limit(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let count = SPAM_ROWS_MAX as u64 + 5;
    let row = |n: u64| submission(&format!("sub_{n:04}"), n.cast_signed(), "x");
    fixtures::insert_submissions(store, (0..count).map(row).collect()).await;
    let all = Selection::matching(Filter::default(), count);
    let outcome =
        store.move_submissions(move_request(all, UnlistedState::Spam, 1, 5000)).await.unwrap();
    assert_eq!(outcome, Some(moved_outcome(count)));
    assert_eq!(store.list_spam(&form_id(), at(0), None, 9).await.unwrap().total, count);
    let restored = store
        .restore_submissions(&form_id(), UnlistedState::Spam, UnlistedSelection::Batch(batch(1)))
        .await;
    assert_eq!(restored.unwrap(), count);
}

pub async fn insights_survive_trash(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let switch = SetAnalysis { analysis: true, again: false };
    assert!(store.set_analysis(&form_id(), switch).await.unwrap());
    fixtures::insert_submissions(
        store,
        vec![submission("sub_1", 1, "x"), submission("sub_2", 2, "x")],
    )
    .await;
    let id: SubmissionId = "sub_1".parse().unwrap();
    let said = InsightCorrection {
        sentiment: Some("negative".to_owned()),
        ..InsightCorrection::default()
    };
    assert!(store.correct_insight(&id, Some(said), at(5)).await.unwrap());
    let before = store.find_insight(&id).await.unwrap().unwrap();
    let pending = async || store.find_analysis(&form_id()).await.unwrap().unwrap().pending;
    let waiting = pending().await;
    move_to_trash(store, &["sub_1", "sub_2"], 1, 10).await;
    assert_eq!((pending().await, store.find_insight(&id).await.unwrap()), (0, None));
    store
        .restore_submissions(&form_id(), UnlistedState::Trash, UnlistedSelection::Batch(batch(1)))
        .await
        .unwrap();
    assert_eq!(store.find_insight(&id).await.unwrap().unwrap(), before);
    assert_eq!((waiting, pending().await), (2, 2), "both are pending again");
    let detail = store.find_insight(&"sub_2".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(detail.shown, None);
}

/// Uses enough rows for an index in memory.
pub async fn large_moves_preserve_search_results(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let word = |n: i64| ["apple", "pear", "plum"][usize::try_from(n % 3).unwrap()];
    let row = |n: i64| submission(&format!("sub_{n:05}"), n, word(n));
    fixtures::insert_submissions(store, (0..4500).map(row).collect()).await;
    let before = fixtures::export_all(store, &Filter::default(), None, 100_000).await;
    for turn in 0..3 {
        assert_eq!(list_ids(store, &search_filter("apple")).await.1, 1500);
        let matching = Selection::matching(search_filter("apple"), 1500);
        let given = move_request(matching, UnlistedState::Trash, turn, 9000);
        assert_eq!(store.move_submissions(given).await.unwrap(), Some(moved_outcome(1500)));
        assert_eq!(list_ids(store, &search_filter("apple")).await.1, 0);
        assert_eq!(list_ids(store, &search_filter("p")).await.1, 3000);
        assert_eq!(fixtures::count_all(store).await, 3000);
        let restored = store
            .restore_submissions(
                &form_id(),
                UnlistedState::Trash,
                UnlistedSelection::Batch(batch(turn)),
            )
            .await;
        assert_eq!(restored.unwrap(), 1500);
        assert_eq!(list_ids(store, &search_filter("p")).await.1, 4500);
    }
    assert_eq!(fixtures::export_all(store, &Filter::default(), None, 100_000).await, before);
}
