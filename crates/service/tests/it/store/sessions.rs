//! Sessions and sign-in links.

use super::make::{self, at};
use contract::AccountId;
use contract::account::Client;
use service::store::access::SESSIONS_MAX;
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
    store.insert_session(session.clone(), Client::default()).await.unwrap();
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
        store.insert_session(session, Client::default()).await.unwrap();
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
        store.insert_session(session, Client::default()).await,
        store.insert_link([1; 32], &nobody, at(100)).await,
        store.insert_form(make::form("acc_1", "frm_1")).await,
        store.insert_key(&nobody, make::key("key_1"), [1; 32]).await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    }
}

fn session(token: u8, account: &str, seen: i64) -> SessionRecord {
    let account_id = account.parse().unwrap();
    SessionRecord { token_hash: [token; 32], account_id, created_at: at(1), seen_at: at(seen) }
}

async fn tokens(store: &dyn Store, account: &str) -> Vec<u8> {
    let all = store.list_sessions(&account.parse().unwrap()).await.unwrap();
    all.iter().map(|(session, _)| session.token_hash[0]).collect()
}

pub(crate) async fn an_owner_sees_their_sessions_and_ends_the_others(store: &dyn Store) {
    make::owner_and_form(store).await;
    store.insert_account(make::account("acc_2", "other@example.com")).await.unwrap();
    let firefox = Client { device: Some("desktop".to_owned()), browser: Some("Firefox".into()) };
    store.insert_session(session(1, "acc_1", 10), firefox.clone()).await.unwrap();
    store.insert_session(session(2, "acc_1", 30), Client::default()).await.unwrap();
    store.insert_session(session(3, "acc_1", 20), Client::default()).await.unwrap();
    store.insert_session(session(4, "acc_2", 20), Client::default()).await.unwrap();
    let owner: AccountId = "acc_1".parse().unwrap();
    let all = store.list_sessions(&owner).await.unwrap();
    assert_eq!(all[2], (session(1, "acc_1", 10), firefox));
    assert_eq!(tokens(store, "acc_1").await, [2, 3, 1]);

    store.delete_other_sessions(&owner, [3; 32]).await.unwrap();
    assert_eq!(tokens(store, "acc_1").await, [3]);
    assert_eq!(tokens(store, "acc_2").await, [4]);
}

pub(crate) async fn a_further_sign_in_ends_what_was_used_least_lately(store: &dyn Store) {
    make::owner_and_form(store).await;
    let most = u8::try_from(SESSIONS_MAX).unwrap();
    for token in 1..=most {
        let seen = if token == 7 { 1 } else { 100 + i64::from(token) };
        store.insert_session(session(token, "acc_1", seen), Client::default()).await.unwrap();
    }
    assert_eq!(tokens(store, "acc_1").await.len(), usize::from(most));
    // The new one stays, however old it says it is.
    store.insert_session(session(most + 1, "acc_1", 0), Client::default()).await.unwrap();
    let left = tokens(store, "acc_1").await;
    assert_eq!(left.len(), usize::from(most));
    assert!(!left.contains(&7) && left.contains(&(most + 1)), "{left:?}");
}

pub(crate) async fn a_new_password_ends_whatever_was_open(store: &dyn Store) {
    make::owner_and_form(store).await;
    store.insert_account(make::account("acc_2", "other@example.com")).await.unwrap();
    let (owner, other): (AccountId, AccountId) =
        ("acc_1".parse().unwrap(), "acc_2".parse().unwrap());
    store.insert_session(session(1, "acc_1", 10), Client::default()).await.unwrap();
    store.insert_session(session(2, "acc_2", 10), Client::default()).await.unwrap();
    store.insert_link([3; 32], &owner, at(100)).await.unwrap();
    store.insert_link([4; 32], &other, at(100)).await.unwrap();

    store.set_password(&owner, "$argon2id$new".to_owned()).await.unwrap();

    let hash = async |id| store.find_account(id).await.unwrap().unwrap().password_hash;
    assert_eq!(hash(&owner).await.as_deref(), Some("$argon2id$new"));
    assert_ne!(hash(&other).await.as_deref(), Some("$argon2id$new"));
    assert_eq!(store.find_session([1; 32]).await.unwrap(), None);
    assert!(store.find_session([2; 32]).await.unwrap().is_some());
    assert_eq!(store.take_link([3; 32], at(50)).await.unwrap(), None);
    assert_eq!(store.take_link([4; 32], at(50)).await.unwrap(), Some(other));
}
