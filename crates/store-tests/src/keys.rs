//! API keys.

use super::fixtures::{self, at};
use contract::{AccountId, ApiKey, KeyId};
use store::{KeyRecord, Store, StoreError};

fn owner() -> AccountId {
    "acc_1".parse().unwrap()
}

fn id(id: &str) -> KeyId {
    id.parse().unwrap()
}

pub async fn key_is_found_by_secret_hash(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_key(&owner(), fixtures::key("key_1"), [1; 32]).await.unwrap();

    let account = store.find_account(&owner()).await.unwrap().unwrap().account;
    let found = store.find_key([1; 32]).await.unwrap();
    assert_eq!(
        found,
        Some(KeyRecord { account: account.into(), key: fixtures::key("key_1").into() })
    );
    assert_eq!(store.find_key([2; 32]).await.unwrap(), None);
    for (key, secret) in [("key_1", [3; 32]), ("key_2", [1; 32])] {
        let again = store.insert_key(&owner(), fixtures::key(key), secret).await;
        assert!(matches!(again, Err(StoreError::Exists(_))));
    }

    for used_at in [80, 70] {
        store.touch_key(&id("key_1"), at(used_at)).await.unwrap();
    }
    store.revoke_key(&owner(), &id("key_1"), at(90)).await.unwrap();
    let key = store.find_key([1; 32]).await.unwrap().unwrap().key;
    let revoked =
        ApiKey { last_used_at: Some(at(80)), revoked_at: Some(at(90)), ..fixtures::key("key_1") };
    assert_eq!(*key, revoked);
}

pub async fn keys_are_listed_newest_first(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "b@example.com")).await.unwrap();
    store.insert_key(&"acc_2".parse().unwrap(), fixtures::key("key_x"), [9; 32]).await.unwrap();
    for (number, created_at) in [(1_u8, 5), (2, 7), (3, 6)] {
        let key = ApiKey { created_at: at(created_at), ..fixtures::key(&format!("key_{number}")) };
        store.insert_key(&owner(), key, [number; 32]).await.unwrap();
    }
    store.revoke_key(&owner(), &id("key_2"), at(9)).await.unwrap();
    let ids: Vec<String> =
        store.list_keys(&owner()).await.unwrap().into_iter().map(|key| key.id.into()).collect();
    assert_eq!(ids, ["key_2", "key_3", "key_1"]);
}

pub async fn key_is_revoked_once_by_owner(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "b@example.com")).await.unwrap();
    store.insert_key(&owner(), fixtures::key("key_1"), [1; 32]).await.unwrap();

    let revoke = async |account: &str, key: &str, now: i64| {
        store.revoke_key(&account.parse().unwrap(), &id(key), at(now)).await.unwrap()
    };
    assert!(!revoke("acc_2", "key_1", 5).await);
    assert!(!revoke("acc_1", "key_2", 5).await);
    assert!(revoke("acc_1", "key_1", 6).await);
    assert!(!revoke("acc_1", "key_1", 7).await);
    assert_eq!(store.find_key([1; 32]).await.unwrap().unwrap().key.revoked_at, Some(at(6)));
}

pub async fn number_of_active_keys_is_limited(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let insert = async |number: u8| {
        store.insert_key(&owner(), fixtures::key(&format!("key_{number}")), [number; 32]).await
    };
    for number in 0..10 {
        insert(number).await.unwrap();
    }
    let error = insert(10).await.unwrap_err();
    assert!(matches!(error, StoreError::TooManyKeys));
    assert!(error.to_string().starts_with("an account may hold at most 10 active keys"));
    store.revoke_key(&owner(), &id("key_3"), at(5)).await.unwrap();
    insert(11).await.unwrap();
    assert!(matches!(insert(12).await, Err(StoreError::TooManyKeys)));
}

pub async fn restrictions_of_key_are_stored(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let only_access = ApiKey { forms: None, expires_at: None, ..fixtures::restricted_key("key_2") };
    let keys = [fixtures::restricted_key("key_1"), only_access, fixtures::key("key_3")];
    for (number, key) in (1..).zip(&keys) {
        store.insert_key(&owner(), key.clone(), [number; 32]).await.unwrap();
        assert_eq!(*store.find_key([number; 32]).await.unwrap().unwrap().key, *key);
    }
    let listed = store.list_keys(&owner()).await.unwrap();
    assert_eq!(listed.into_iter().rev().collect::<Vec<_>>(), keys);
}

pub async fn expired_key_is_not_active(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let insert = async |number: u8, created_at: i64| {
        let key = fixtures::restricted_key(&format!("key_{number}"));
        let expires_at = (number == 0).then(|| at(1000));
        let key = ApiKey { created_at: at(created_at), expires_at, ..key };
        store.insert_key(&owner(), key, [number; 32]).await
    };
    for number in 0..10 {
        insert(number, 1).await.unwrap();
    }
    assert!(matches!(insert(10, 999).await, Err(StoreError::TooManyKeys)));
    insert(11, 1000).await.unwrap();
    assert!(matches!(insert(12, 1001).await, Err(StoreError::TooManyKeys)));
    assert!(store.revoke_key(&owner(), &id("key_0"), at(1002)).await.unwrap());
}
