//! Sessions and sign-in links.

use super::make::{self, at};
use contract::AccountId;
use service::store::{SessionRecord, Store, StoreError};

pub(crate) async fn a_link_works_once_and_only_in_time(store: &dyn Store) {
    make::owner_and_form(store).await;
    let owner: AccountId = "acc_1".parse().unwrap();
    store.insert_link([1; 32], &owner, at(100)).await.unwrap();
    store.insert_link([2; 32], &owner, at(100)).await.unwrap();

    assert_eq!(store.take_link([9; 32], at(50)).await.unwrap(), None);
    assert_eq!(store.take_link([1; 32], at(99)).await.unwrap(), Some(owner));
    assert_eq!(store.take_link([1; 32], at(99)).await.unwrap(), None, "it worked twice");
    assert_eq!(store.take_link([2; 32], at(100)).await.unwrap(), None, "it worked too late");
    assert_eq!(store.take_link([2; 32], at(50)).await.unwrap(), None, "the late one is gone");
}

pub(crate) async fn a_session_lives_until_it_is_deleted(store: &dyn Store) {
    make::owner_and_form(store).await;
    let session = SessionRecord {
        token_hash: [7; 32],
        account_id: "acc_1".parse().unwrap(),
        created_at: at(10),
        seen_at: at(10),
    };
    store.insert_session(session.clone()).await.unwrap();
    assert_eq!(store.find_session([7; 32]).await.unwrap(), Some(session.clone()));
    assert_eq!(store.find_session([8; 32]).await.unwrap(), None);

    store.touch_session([7; 32], at(70)).await.unwrap();
    store.touch_session([7; 32], at(60)).await.unwrap();
    store.touch_session([8; 32], at(70)).await.unwrap();
    // A note of use may be written later, but not later than the next thing that is waited for.
    store.delete_session([8; 32]).await.unwrap();
    let seen = SessionRecord { seen_at: at(70), ..session };
    assert_eq!(store.find_session([7; 32]).await.unwrap(), Some(seen));

    store.delete_session([7; 32]).await.unwrap();
    assert_eq!(store.find_session([7; 32]).await.unwrap(), None);
}

pub(crate) async fn old_sessions_are_deleted_together(store: &dyn Store) {
    make::owner_and_form(store).await;
    for (token, created, seen) in [(1, 10, 20), (2, 10, 30), (3, 11, 20), (4, 11, 21)] {
        let session = SessionRecord {
            token_hash: [token; 32],
            account_id: "acc_1".parse().unwrap(),
            created_at: at(created),
            seen_at: at(seen),
        };
        store.insert_session(session).await.unwrap();
    }
    store.delete_sessions(at(20), at(10)).await.unwrap();
    for token in 1..=4 {
        let found = store.find_session([token; 32]).await.unwrap();
        assert_eq!(found.is_some(), token == 4, "{token}");
    }
}

pub(crate) async fn nothing_belongs_to_an_account_that_does_not_exist(store: &dyn Store) {
    let nobody: AccountId = "acc_1".parse().unwrap();
    let session = SessionRecord {
        token_hash: [7; 32],
        account_id: nobody.clone(),
        created_at: at(1),
        seen_at: at(1),
    };
    let refused = [
        store.insert_session(session).await,
        store.insert_link([1; 32], &nobody, at(100)).await,
        store.insert_form(make::form("acc_1", "frm_1")).await,
        store.insert_key(&nobody, make::key("key_1"), [1; 32]).await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    }
}
