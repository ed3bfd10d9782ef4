//! Accounts and the cursor secret.

use super::fixtures;
use store::{Store, StoreError};

pub async fn account_is_found_by_id_and_email(store: &dyn Store) {
    let ada = fixtures::account("acc_1", "Ada.Ünal@Example.com");
    let link_only =
        store::AccountRecord { password_hash: None, ..fixtures::account("acc_2", "b@c.de") };
    store.insert_account(ada.clone()).await.unwrap();
    store.insert_account(link_only.clone()).await.unwrap();

    assert_eq!(store.find_account(&ada.account.id).await.unwrap(), Some(ada.clone()));
    assert_eq!(store.find_account(&link_only.account.id).await.unwrap(), Some(link_only));
    assert_eq!(store.find_account_by_email("ada.ÜNAL@example.COM").await.unwrap(), Some(ada));
    assert_eq!(store.find_account_by_email("nobody@example.com").await.unwrap(), None);
    assert_eq!(store.find_account(&"acc_3".parse().unwrap()).await.unwrap(), None);
}

pub async fn duplicate_email_is_rejected(store: &dyn Store) {
    store.insert_account(fixtures::account("acc_1", "ada@example.com")).await.unwrap();
    let again = store.insert_account(fixtures::account("acc_2", "ADA@example.com")).await;
    let error = again.unwrap_err();
    assert!(matches!(error, StoreError::Exists(_)));
    assert_eq!(
        error.to_string(),
        "an account with the mail address `ADA@example.com` exists already"
    );
    let same_id = store.insert_account(fixtures::account("acc_1", "other@example.com")).await;
    assert!(matches!(same_id, Err(StoreError::Exists(_))));
    assert_eq!(store.list_accounts().await.unwrap().len(), 1);
}

pub async fn accounts_are_listed_oldest_first(store: &dyn Store) {
    for (id, created_at) in [("acc_b", 2), ("acc_a", 3), ("acc_c", 1)] {
        let mut record = fixtures::account(id, &format!("{id}@example.com"));
        record.created_at = fixtures::at(created_at);
        store.insert_account(record).await.unwrap();
    }
    let ids: Vec<String> =
        store.list_accounts().await.unwrap().into_iter().map(|a| a.account.id.into()).collect();
    assert_eq!(ids, ["acc_c", "acc_b", "acc_a"]);
}

pub async fn cursor_secret_is_created_once(store: &dyn Store) {
    let (one, other) = tokio::join!(store.cursor_secret(), store.cursor_secret());
    let secret = one.unwrap();
    assert_ne!(secret, [0; 32]);
    assert_eq!(other.unwrap(), secret);
    assert_eq!(store.cursor_secret().await.unwrap(), secret);
}
