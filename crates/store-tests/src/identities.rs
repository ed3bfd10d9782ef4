//! External identities: their users and their sessions.

use super::fixtures::{self, at};
use contract::account::ClientInfo;
use contract::{AccountId, PersonId};
use store::identity::{IDENTITIES_MAX, IdentityRecord};
use store::{SessionProof, SessionRecord, Store, StoreError};

fn identity_record(number: u8, person: &str) -> IdentityRecord {
    IdentityRecord {
        digest: [number; 32],
        issuer: "https://issuer.example".to_owned(),
        subject: format!("user-{number}"),
        person_id: person.parse().unwrap(),
        created_at: at(i64::from(number)),
    }
}

async fn insert_session(store: &dyn Store, token: u8, person: &str) {
    let token_hash = [token; 32];
    let person_id = person.parse().unwrap();
    let session = SessionRecord {
        token_hash,
        person_id,
        created_at: at(1),
        authenticated_at: at(1),
        last_used_at: at(1),
    };
    store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.unwrap();
}

async fn has_session(store: &dyn Store, token: u8) -> bool {
    store.find_session([token; 32]).await.unwrap().is_some()
}

pub async fn identity_finds_its_linked_user(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    store.insert_member(fixtures::reader("acc_1", "psn_b", "b@example.com")).await.unwrap();
    let [first, second, third] =
        [identity_record(2, "psn_1"), identity_record(1, "psn_b"), identity_record(3, "psn_2")];
    for one in [&first, &second, &third] {
        store.insert_identity(one.clone()).await.unwrap();
        assert_eq!(store.find_identity(one.digest).await.unwrap().as_ref(), Some(&one.person_id));
    }
    assert_eq!(store.find_identity([9; 32]).await.unwrap(), None);
    let owner: AccountId = "acc_1".parse().unwrap();
    assert_eq!(store.list_identities(&owner).await.unwrap(), [second.clone(), first.clone()]);

    let taken = IdentityRecord { person_id: "psn_2".parse().unwrap(), ..first.clone() };
    let again = store.insert_identity(taken).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    assert_eq!(store.find_identity(first.digest).await.unwrap(), Some(first.person_id));
    let nobody = store.insert_identity(identity_record(4, "psn_none")).await;
    assert!(nobody.is_err(), "an identity without a user was inserted");

    // The deletion of a user deletes their identities.
    let bob: PersonId = "psn_b".parse().unwrap();
    assert!(store.delete_member(&owner, &bob).await.unwrap());
    assert_eq!(store.find_identity(second.digest).await.unwrap(), None);
}

pub async fn session_belongs_to_its_identity(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    for number in [1, 2] {
        store.insert_identity(identity_record(number, "psn_1")).await.unwrap();
        insert_session(store, number, "psn_1").await;
        store.set_session_identity([number; 32], [number; 32]).await.unwrap();
    }
    insert_session(store, 3, "psn_1").await;
    let of = async |identity: u8, token: u8| {
        store.find_session_identity([identity; 32], [token; 32]).await.unwrap()
    };
    let owner = Some("psn_1".parse().unwrap());
    assert_eq!((of(1, 1).await, of(2, 2).await), (owner.clone(), owner.clone()));
    assert_eq!((of(1, 2).await, of(2, 1).await), (None, None), "another identity's session");
    assert_eq!((of(1, 3).await, of(9, 3).await), (None, None), "a session without an identity");
    // A session with a new token still belongs to its identity.
    assert!(store.reauthenticate_session([2; 32], [4; 32], at(5)).await.unwrap());
    assert_eq!((of(2, 4).await, of(2, 2).await), (owner, None));
    // Unknown sessions and identities are ignored.
    store.set_session_identity([8; 32], [1; 32]).await.unwrap();
    store.set_session_identity([3; 32], [8; 32]).await.unwrap();

    assert!(store.delete_identity([1; 32]).await.unwrap());
    assert!(!store.delete_identity([1; 32]).await.unwrap());
    assert!(!has_session(store, 1).await, "an unlinked identity's session is open");
    assert!(has_session(store, 3).await && has_session(store, 4).await);
    store.delete_identity_sessions().await.unwrap();
    assert!(has_session(store, 3).await && !has_session(store, 4).await);
    assert!(store.find_identity([2; 32]).await.unwrap().is_some());
}

pub async fn account_and_identity_are_inserted_atomically(store: &dyn Store) {
    store.insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    let make = async |account: &str, email: &str, number: u8| {
        let identity = identity_record(number, "psn_none");
        store.insert_account_with_identity(fixtures::account(account, email), identity).await
    };
    make("acc_2", "new@example.com", 1).await.unwrap();
    assert_eq!(store.find_identity([1; 32]).await.unwrap(), Some("psn_2".parse().unwrap()));
    let same_address = make("acc_3", "OWNER@example.com", 3).await;
    assert!(matches!(same_address, Err(StoreError::Exists(_))), "{same_address:?}");
    let same_identity = make("acc_4", "fourth@example.com", 1).await;
    assert!(matches!(same_identity, Err(StoreError::Exists(_))), "{same_identity:?}");
    assert_eq!(store.list_accounts().await.unwrap().len(), 2, "a partial account");
    assert_eq!(store.find_identity([3; 32]).await.unwrap(), None);
}

pub async fn number_of_identities_is_limited(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let most = u8::try_from(IDENTITIES_MAX).unwrap();
    for number in 1..=most {
        store.insert_identity(identity_record(number, "psn_1")).await.unwrap();
    }
    let more = store.insert_identity(identity_record(most + 1, "psn_1")).await;
    assert!(matches!(more, Err(StoreError::TooManyIdentities)), "{more:?}");
}
