//! Concurrent access control in several processes: limits are exact, and a revocation applies to
//! all processes.

use super::{open, open_several, open_two, run_many, sql};
use contract::account::ClientInfo;
use contract::people::PEOPLE_MAX;
use contract::{AccountId, ApiKey, PersonId};
use store::access::{AccessStore as _, SESSIONS_MAX};
use store::identity::{IDENTITIES_MAX, IdentityRecord, IdentityStore as _};
use store::{KEYS_PER_HOUR_MAX, SessionProof, SessionRecord, Store as _, StoreError};
use store_postgres::PostgresStore;
use store_tests::fixtures::{self, at};

fn owner() -> AccountId {
    "acc_1".parse().unwrap()
}

fn person() -> PersonId {
    "psn_1".parse().unwrap()
}

fn digest(number: u32) -> [u8; 32] {
    let mut digest = [0; 32];
    digest[..4].copy_from_slice(&number.to_be_bytes());
    digest
}

fn identity(number: u32, person: &str) -> IdentityRecord {
    IdentityRecord {
        digest: digest(number),
        issuer: "https://issuer.example".to_owned(),
        subject: format!("user-{number}"),
        person_id: person.parse().unwrap(),
        created_at: at(1),
    }
}

fn session(number: u32, last_used: i64) -> SessionRecord {
    SessionRecord {
        token_hash: digest(number),
        person_id: person(),
        created_at: at(1),
        authenticated_at: at(1),
        last_used_at: at(last_used),
    }
}

/// Two stores with the account `acc_1`.
async fn open_with_account() -> ([PostgresStore; 2], String) {
    let (stores, database) = open_two().await;
    stores[0].insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    (stores, database)
}

/// Runs an action many times at once, on both stores in turn. Returns the number of successes, and
/// the errors.
async fn run_concurrently(
    stores: &[PostgresStore; 2],
    times: u32,
    insert: impl AsyncFn(&PostgresStore, u32) -> Result<(), StoreError>,
) -> (usize, Vec<StoreError>) {
    let insert = &insert;
    let inserts = (0..times).map(|number| async move {
        let store = if number.is_multiple_of(2) { &stores[0] } else { &stores[1] };
        insert(store, number).await
    });
    let done = run_many(inserts).await;
    let done_count = done.iter().filter(|result| result.is_ok()).count();
    (done_count, done.into_iter().filter_map(Result::err).collect())
}

#[tokio::test]
async fn concurrent_inserts_respect_active_key_limit() {
    let (stores, _) = open_with_account().await;
    let insert = async |store: &PostgresStore, number: u32| {
        store.insert_key(&owner(), fixtures::key(&format!("key_{number}")), digest(number)).await
    };
    let (done, errors) = run_concurrently(&stores, 40, insert).await;
    assert_eq!(done, contract::key::ACTIVE_KEYS_MAX);
    assert!(errors.iter().all(|error| matches!(error, StoreError::TooManyKeys)), "{errors:?}");
    assert_eq!(stores[1].list_keys(&owner()).await.unwrap().len(), done);
}

#[tokio::test]
async fn concurrent_inserts_respect_hourly_key_limit() {
    let (stores, _) = open_with_account().await;
    let insert = async |store: &PostgresStore, number: u32| {
        let key = ApiKey { revoked_at: Some(at(2)), ..fixtures::key(&format!("key_{number}")) };
        store.insert_key(&owner(), key, digest(number)).await
    };
    let (done, errors) = run_concurrently(&stores, 50, insert).await;
    assert_eq!(done, KEYS_PER_HOUR_MAX);
    assert!(errors.iter().all(|error| matches!(error, StoreError::KeysTooFast)), "{errors:?}");
}

#[tokio::test]
async fn concurrent_inserts_respect_member_limit() {
    let (stores, _) = open_with_account().await;
    let insert = async |store: &PostgresStore, number: u32| {
        let email = format!("{number}@example.com");
        store.insert_member(fixtures::reader("acc_1", &format!("psn_r{number}"), &email)).await
    };
    let (done, errors) = run_concurrently(&stores, 80, insert).await;
    // The owner is one of them.
    assert_eq!(done + 1, PEOPLE_MAX as usize);
    assert!(errors.iter().all(|error| matches!(error, StoreError::TooManyMembers)), "{errors:?}");
    assert_eq!(stores[0].list_people(&owner()).await.unwrap().len(), PEOPLE_MAX as usize);
}

#[tokio::test]
async fn concurrent_inserts_of_email_accept_one() {
    let (stores, _) = open_with_account().await;
    let insert = async |store: &PostgresStore, number: u32| match number % 3 {
        0 => store.insert_account(fixtures::account(&format!("acc_n{number}"), "A@b.de")).await,
        1 => {
            store
                .insert_member(fixtures::reader("acc_1", &format!("psn_n{number}"), "a@B.de"))
                .await
        }
        _ => {
            let account = fixtures::account(&format!("acc_n{number}"), "a@b.de");
            store.insert_account_with_identity(account, identity(number, "psn_none")).await
        }
    };
    let (done, errors) = run_concurrently(&stores, 30, insert).await;
    assert_eq!(done, 1, "{errors:?}");
    for error in errors {
        assert!(matches!(error, StoreError::Exists(_)), "{error:?}");
        assert!(error.to_string().to_lowercase().contains("mail address `a@b.de`"), "{error}");
    }
}

#[tokio::test]
async fn concurrent_identity_links_respect_limits() {
    let (stores, _) = open_with_account().await;
    let insert = async |store: &PostgresStore, number: u32| {
        store.insert_identity(identity(number, "psn_1")).await
    };
    let (done, errors) = run_concurrently(&stores, 40, insert).await;
    assert_eq!(done, IDENTITIES_MAX as usize);
    assert!(
        errors.iter().all(|error| matches!(error, StoreError::TooManyIdentities)),
        "{errors:?}"
    );
    assert_eq!(stores[0].list_identities(&owner()).await.unwrap().len(), done);

    for person in 0..8 {
        let reader =
            fixtures::reader("acc_1", &format!("psn_r{person}"), &format!("{person}@example.com"));
        stores[0].insert_member(reader).await.unwrap();
    }
    let insert = async |store: &PostgresStore, number: u32| {
        store.insert_identity(identity(1_000, &format!("psn_r{number}"))).await
    };
    let (done, errors) = run_concurrently(&stores, 8, insert).await;
    assert_eq!(done, 1);
    assert!(errors.iter().all(|error| matches!(error, StoreError::Exists(_))), "{errors:?}");
}

#[tokio::test]
async fn concurrent_logins_respect_session_limit() {
    let (stores, _) = open_with_account().await;
    let insert = async |store: &PostgresStore, number: u32| {
        let session = session(number, i64::from(number));
        store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.map(drop)
    };
    let (done, errors) = run_concurrently(&stores, 60, insert).await;
    assert_eq!(done, 60, "{errors:?}");
    let remaining = stores[1].list_sessions(&person()).await.unwrap();
    assert_eq!(remaining.len(), SESSIONS_MAX as usize);
}

#[tokio::test]
async fn concurrent_logins_use_link_once() {
    let (stores, _) = open_with_account().await;
    for number in 0..50 {
        stores[0].insert_link(digest(number), &person(), at(100)).await.unwrap();
    }
    let logins = (0..200).map(async |number: u32| {
        let store = if number.is_multiple_of(2) { &stores[0] } else { &stores[1] };
        let proof = SessionProof::Link(digest(number % 50));
        store.insert_session(session(number, 1), ClientInfo::default(), proof).await.unwrap()
    });
    let results = run_many(logins).await;
    assert_eq!(results.iter().filter(|results| **results).count(), 50);
}

#[tokio::test]
async fn revocation_applies_to_all_processes() {
    let ([first, second], _) = open_with_account().await;
    first.insert_key(&owner(), fixtures::key("key_1"), [1; 32]).await.unwrap();
    first
        .insert_session(session(1, 1), ClientInfo::default(), SessionProof::Identity)
        .await
        .unwrap();
    first
        .insert_session(session(2, 1), ClientInfo::default(), SessionProof::Identity)
        .await
        .unwrap();
    // The other store has read them before, so a cache in it would be noticed.
    assert!(second.find_key([1; 32]).await.unwrap().unwrap().key.revoked_at.is_none());
    assert!(second.find_session(digest(1)).await.unwrap().is_some());

    first.revoke_key(&owner(), &"key_1".parse().unwrap(), at(9)).await.unwrap();
    first.delete_session(digest(1)).await.unwrap();
    assert_eq!(second.find_key([1; 32]).await.unwrap().unwrap().key.revoked_at, Some(at(9)));
    assert_eq!(second.find_session(digest(1)).await.unwrap(), None);
    let was = first.find_person(&person()).await.unwrap().unwrap().password_hash;
    assert!(first.set_password(&person(), was, "$argon2id$new".to_owned()).await.unwrap());
    assert_eq!(second.find_session(digest(2)).await.unwrap(), None);
}

#[tokio::test]
async fn processes_share_the_cursor_secret() {
    let (stores, _) = open_two().await;
    let secrets = run_many(
        (0..20).map(async |number: usize| stores[number % 2].cursor_secret().await.unwrap()),
    );
    let secrets = secrets.await;
    assert!(secrets.iter().all(|secret| *secret == secrets[0] && *secret != [0; 32]));
}

#[tokio::test]
async fn last_use_is_written_once_per_minute() {
    let minute = 60_000_000;
    let ([first, second], database) = open_with_account().await;
    for number in 0..50 {
        // An hour apart, because of the limit per hour.
        let created_at = at(i64::from(number) * 60 * minute);
        let revoked_at = Some(created_at);
        let key = ApiKey { created_at, revoked_at, ..fixtures::key(&format!("key_{number}")) };
        first.insert_key(&owner(), key, digest(number)).await.unwrap();
    }
    first
        .insert_session(session(1, 0), ClientInfo::default(), SessionProof::Identity)
        .await
        .unwrap();
    let versions = |table: &str| {
        sql(&database, &format!("SELECT xmin::TEXT FROM {table} ORDER BY 1")).unwrap()
    };
    let touch = async |at_us: i64| {
        let requests = (0..100_u32).map(async |number| {
            let store = if number.is_multiple_of(2) { &first } else { &second };
            let key = format!("key_{}", number % 50).parse().unwrap();
            store.touch_key(&key, at(at_us)).await.unwrap();
            store.touch_session(digest(1), at(at_us)).await.unwrap();
        });
        run_many(requests).await;
    };
    touch(2 * minute).await;
    let used = first.list_keys(&owner()).await.unwrap();
    assert!(used.iter().all(|key| key.last_used_at == Some(at(2 * minute))), "{used:?}");
    let before = (versions("keys"), versions("sessions"));
    touch(3 * minute - 1).await;
    assert_eq!((versions("keys"), versions("sessions")), before, "updated within a minute");
    touch(3 * minute).await;
    let last_used = second.find_session(digest(1)).await.unwrap().unwrap().0.last_used_at;
    assert_eq!(last_used, at(3 * minute));
}

#[tokio::test]
async fn session_deletions_do_not_deadlock() {
    let (stores, _) = open_with_account().await;
    stores[0].insert_identity(identity(1, "psn_1")).await.unwrap();
    let set_password = async |store: &PostgresStore, number: u32| {
        let session = session(number, i64::from(number));
        let proof = if number.is_multiple_of(2) {
            store.insert_link(digest(number), &person(), at(1_000)).await?;
            SessionProof::Link(digest(number))
        } else {
            SessionProof::Identity
        };
        store.insert_session(session, ClientInfo::default(), proof).await?;
        store.set_session_identity(digest(number), digest(1)).await?;
        match number % 6 {
            0 => {
                let was =
                    store.find_person(&person()).await?.and_then(|record| record.password_hash);
                store.set_password(&person(), was, "$argon2id$x".to_owned()).await.map(drop)
            }
            1 => store.delete_other_sessions(&person(), digest(number)).await,
            2 => store.delete_identity_sessions().await,
            3 => store.delete_sessions(at(i64::from(number)), at(0)).await,
            4 => store.delete_identity(digest(1)).await.map(drop),
            _ => match store.insert_identity(identity(1, "psn_1")).await {
                Err(StoreError::Exists(_)) | Ok(()) => Ok(()),
                Err(error) => Err(error),
            },
        }
    };
    let (done, errors) = run_concurrently(&stores, 240, set_password).await;
    assert_eq!(done, 240, "{errors:?}");
}

/// Sessions must be locked in the order of their tokens. In another order, two transactions that
/// delete sessions of several members could deadlock.
#[tokio::test]
async fn reader_sessions_are_locked_by_token() {
    let group = open_several(2).await;
    let stores = &group.stores;
    stores[0].insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    stores[0].insert_member(fixtures::reader("acc_1", "psn_2", "b@example.com")).await.unwrap();
    for number in [2, 1] {
        let session = SessionRecord { person_id: "psn_2".parse().unwrap(), ..session(number, 1) };
        stores[0]
            .insert_session(session, ClientInfo::default(), SessionProof::Identity)
            .await
            .unwrap();
    }
    let holder = group.connect().await;
    let lock_session = |token: u32, clause: &str| {
        format!(
            "SELECT 1 FROM sessions WHERE token = '\\x{token:08x}{:056}' FOR UPDATE {clause}",
            0
        )
    };
    holder.batch_execute(&format!("BEGIN; {}", lock_session(1, ""))).await.unwrap();
    let reader = "psn_2".parse().unwrap();
    let account = owner();
    let run_waiting = async {
        let blocked_sql = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity
                       WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while group.sql(blocked_sql) != "t" {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let second = holder.batch_execute(&lock_session(2, "NOWAIT")).await;
        holder.batch_execute("ROLLBACK").await.unwrap();
        second
    };
    let (deleted, second) = tokio::join!(stores[1].delete_member(&account, &reader), run_waiting);
    assert!(deleted.unwrap());
    second.expect("the second session was locked before the first");
}

#[tokio::test]
async fn control_characters_are_read_back_unchanged() {
    let store = open().await;
    let email = "o\0dd\u{1}\u{7}@example.com";
    let account = fixtures::account("acc_1", email);
    store.insert_account(account.clone()).await.unwrap();
    assert_eq!(store.find_account_by_email(&email.to_uppercase()).await.unwrap(), Some(account));
    assert_eq!(store.find_person_by_email(email).await.unwrap().unwrap().person.email, email);
    for other in ["\0", "odd@example.com", "o\u{fffd}dd\u{1}\u{7}@example.com"] {
        assert_eq!(store.find_person_by_email(other).await.unwrap(), None, "{other:?}");
    }
    let key = ApiKey { name: "a\0b".to_owned(), ..fixtures::key("key_1") };
    store.insert_key(&owner(), key.clone(), [1; 32]).await.unwrap();
    let found = store.find_key([1; 32]).await.unwrap().unwrap();
    assert_eq!((&*found.key, found.account.email.as_str()), (&key, email));
    let client =
        ClientInfo { device: Some("\0".to_owned()), browser: Some("Fire\0fox".to_owned()) };
    store.insert_session(session(1, 1), client.clone(), SessionProof::Identity).await.unwrap();
    assert_eq!(store.list_sessions(&person()).await.unwrap()[0].1, client);
    assert_eq!(store.find_session(digest(1)).await.unwrap().unwrap().1.email, email);
    let linked = IdentityRecord { subject: "\0".to_owned(), ..identity(1, "psn_1") };
    store.insert_identity(linked.clone()).await.unwrap();
    assert_eq!(store.list_identities(&owner()).await.unwrap(), [linked]);
}

#[tokio::test]
async fn backup_is_rejected_for_postgres() {
    let error = open().await.backup("/nowhere/copy".as_ref()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unusable(_)));
    assert!(error.to_string().contains("use `sheaf dump /nowhere/copy`"), "{error}");
}
