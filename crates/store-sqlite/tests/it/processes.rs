//! Two stores over one file, as with the command line and a running server.

use super::TestFolder;
use contract::{AccountId, Filter};
use std::sync::Arc;
use store::{Store, StoreError};
use store_tests::fixtures::{self, at, form_id, submission};

#[tokio::test]
async fn writes_are_visible_to_other_process() {
    let place = TestFolder::new();
    let server = place.open();
    let tool = place.open();
    assert_eq!(server.find_form(&form_id()).await.unwrap(), None);
    fixtures::owner_and_form(&tool).await;
    assert!(server.find_form(&form_id()).await.unwrap().is_some());

    let owner: AccountId = "acc_1".parse().unwrap();
    tool.insert_key(&owner, fixtures::key("key_1"), [1; 32]).await.unwrap();
    assert!(server.find_key([1; 32]).await.unwrap().unwrap().key.revoked_at.is_none());
    tool.revoke_key(&owner, &"key_1".parse().unwrap(), at(5)).await.unwrap();
    assert!(server.find_key([1; 32]).await.unwrap().unwrap().key.revoked_at.is_some());

    fixtures::insert_submissions(&tool, vec![submission("sub_1", 1, "x")]).await;
    let page = fixtures::list_page(&server, &Filter::default(), None, 10).await.unwrap();
    assert_eq!((page.total, page.rows.len()), (1, 1));
    for n in 2..6 {
        assert!(
            server.find_submission(&format!("sub_{n}").parse().unwrap()).await.unwrap().is_none()
        );
        fixtures::insert_submissions(&tool, vec![submission(&format!("sub_{n}"), n, "x")]).await;
        let owner = fixtures::owner();
        let form = form_id();
        let filter = Filter::default();
        let page = server.list_page(&owner, &form, &filter, None, 1).await.unwrap().unwrap();
        assert_eq!(i64::try_from(page.total).unwrap(), n);
        assert_eq!(page.rows[0].position.id.as_str(), format!("sub_{n}"));
    }
    assert!(server.find_owner(&"frm_2".parse().unwrap()).await.unwrap().is_none());
    tool.insert_form(fixtures::form("acc_1", "frm_2")).await.unwrap();
    assert_eq!(
        server.find_owner(&"frm_2".parse().unwrap()).await.unwrap().unwrap().account_id,
        owner
    );
    server.delete_submission(&"sub_1".parse().unwrap()).await.unwrap();
    assert_eq!(tool.find_submission(&"sub_1".parse().unwrap()).await.unwrap(), None);
    assert_eq!(server.cursor_secret().await.unwrap(), tool.cursor_secret().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_key_creation_respects_limit() {
    let place = TestFolder::new();
    let stores = [Arc::new(place.open()), Arc::new(place.open())];
    fixtures::owner_and_form(&*stores[0]).await;
    let owner: AccountId = "acc_1".parse().unwrap();
    let created: Vec<_> = (0..50_u8)
        .map(|n| {
            let store = Arc::clone(&stores[usize::from(n % 2)]);
            let owner = owner.clone();
            let key = fixtures::key(&format!("key_{n}"));
            tokio::spawn(async move { store.insert_key(&owner, key, [n; 32]).await })
        })
        .collect();
    let mut count = 0;
    for created in created {
        match created.await.unwrap() {
            Ok(()) => count += 1,
            Err(error) => assert!(matches!(error, StoreError::TooManyKeys), "{error}"),
        }
    }
    assert_eq!(count, 10);
    assert_eq!(stores[1].list_keys(&owner).await.unwrap().len(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counts_are_exact_with_two_writers() {
    let place = TestFolder::new();
    let stores = [Arc::new(place.open()), Arc::new(place.open())];
    fixtures::owner_and_form(&*stores[0]).await;
    let spawn_writer = |side: usize| {
        let store = Arc::clone(&stores[side]);
        tokio::spawn(async move {
            for n in 0..40 {
                // Every tenth source is long, so the store imports it like a file.
                let count = if n % 10 == 0 { 100 } else { 1 };
                let id = |row: usize| format!("sub_{side}_{n}_{row}");
                let rows = (0..count).map(|row| submission(&id(row), 7, "x")).collect();
                fixtures::insert_submissions(&*store, rows).await;
                if n % 3 == 0 {
                    assert!(store.delete_submission(&id(0).parse().unwrap()).await.unwrap());
                }
            }
        })
    };
    let reader = Arc::clone(&stores[0]);
    let workers = [spawn_writer(0), spawn_writer(1)];
    // The rows and the total of a page belong to the same instant.
    while !workers.iter().all(tokio::task::JoinHandle::is_finished) {
        let page = fixtures::list_page(&*reader, &Filter::default(), None, 2000).await.unwrap();
        assert_eq!(page.total, page.rows.len() as u64);
    }
    for side in workers {
        side.await.unwrap();
    }
    let expected = 2 * (4 * 100 + 36 - 14);
    for store in &stores {
        let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
        assert_eq!(form.submission_count, expected);
    }
}

#[tokio::test]
async fn panicking_source_affects_no_other_write() {
    let place = TestFolder::new();
    let store = place.open();
    fixtures::owner_and_form(&store).await;
    for rows_before in [0, 200] {
        let rows = (0..rows_before).map(|n| Ok(submission(&format!("sub_{n}"), 1, "x")));
        let panics = std::iter::from_fn(|| panic!("a panic by the test"));
        let source = Box::new(rows.collect::<Vec<_>>().into_iter().chain(panics));
        let failed = store.insert_submissions(&form_id(), Vec::new(), source).await;
        assert!(matches!(failed, Err(StoreError::Database(_))), "{failed:?}");
        let form = store.find_form(&form_id()).await.unwrap().unwrap().form;
        assert_eq!(form.submission_count, 0);
    }
    fixtures::insert_submissions(&store, vec![submission("sub_1", 1, "x")]).await;
}
