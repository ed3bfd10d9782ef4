//! Sessions, sign-in links and users.

use super::fixtures::{self, at};
use contract::account::ClientInfo;
use contract::people::{PEOPLE_MAX, PersonChange, Preferences};
use contract::{AccountId, FormAccess, PersonId, Role};
use store::access::SESSIONS_MAX;
use store::{PersonRecord, SessionOwner, SessionProof, SessionRecord, Store, StoreError};

pub async fn sign_in_link_works_once_before_expiry(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let owner: PersonId = "psn_1".parse().unwrap();
    store.insert_link([1; 32], &owner, at(100)).await.unwrap();
    store.insert_link([2; 32], &owner, at(100)).await.unwrap();

    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    let find = async |link: u8, now: i64| store.find_link([link; 32], at(now)).await.unwrap();
    assert_eq!(find(9, 50).await, None, "an unknown link");
    assert_eq!(find(1, 99).await.as_ref(), Some(&owner));
    assert_eq!(find(1, 99).await.as_ref(), Some(&owner), "finding a link does not use it up");
    assert_eq!(find(1, 100).await, None, "an expired link");

    let sign_in = async |link: u8, person: &str, now: i64| {
        let token_hash = [100 + link; 32];
        let session =
            SessionRecord { token_hash, created_at: at(now), ..session_record(0, person, now) };
        let proof = SessionProof::Link([link; 32]);
        let inserted = store.insert_session(session, ClientInfo::default(), proof).await.unwrap();
        let is_there = store.find_session(token_hash).await.unwrap().is_some();
        store.delete_session(token_hash).await.unwrap();
        assert_eq!(inserted, is_there);
        inserted
    };
    assert!(!sign_in(9, "psn_1", 50).await, "an unknown link");
    assert!(!sign_in(1, "psn_2", 50).await, "another person's link");
    assert!(sign_in(1, "psn_1", 99).await);
    assert!(!sign_in(1, "psn_1", 99).await, "the link worked twice");
    assert!(!sign_in(2, "psn_1", 100).await, "the link worked after its expiry");
    assert_eq!(find(2, 50).await, None, "the expired link is deleted");
}

pub async fn session_lasts_until_deleted(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    insert_session(store, 7, "psn_1", 10).await;
    let session = session_record(7, "psn_1", 10);
    let account_id = "acc_1".parse().unwrap();
    let email = "owner@example.com".to_owned();
    let forms = FormAccess::default();
    let owner = SessionOwner { account_id, role: Role::Owner, forms, email };
    let found = store.find_session([7; 32]).await.unwrap();
    assert_eq!(found, Some((session.clone(), owner.clone())));
    assert_eq!(store.find_session([8; 32]).await.unwrap(), None);

    // The latest time wins, in any order of the calls.
    let before = at(60_000_010);
    let last = at(70_000_010);
    store.touch_session([7; 32], last).await.unwrap();
    store.touch_session([7; 32], before).await.unwrap();
    store.touch_session([8; 32], last).await.unwrap();
    // The write of a last use may be delayed, but not beyond the next write that is awaited.
    store.delete_session([8; 32]).await.unwrap();
    let seen = SessionRecord { last_used_at: last, ..session };
    assert_eq!(store.find_session([7; 32]).await.unwrap(), Some((seen, owner)));

    store.delete_session([7; 32]).await.unwrap();
    assert_eq!(store.find_session([7; 32]).await.unwrap(), None);
}

pub async fn delete_sessions_removes_old_ones(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    for (token, created, seen) in [(1, 10, 20), (2, 10, 30), (3, 11, 20), (4, 11, 21)] {
        let session =
            SessionRecord { created_at: at(created), ..session_record(token, "psn_1", seen) };
        store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.unwrap();
    }
    store.delete_sessions(at(20), at(10)).await.unwrap();
    for token in 1..=4 {
        let found = store.find_session([token; 32]).await.unwrap();
        assert_eq!(found.is_some(), token == 4, "{token}");
    }
}

pub async fn insert_for_unknown_account_fails(store: &dyn Store) {
    let nobody: AccountId = "acc_1".parse().unwrap();
    let session = session_record(7, "psn_1", 1);
    let refused = [
        store
            .insert_session(session, ClientInfo::default(), SessionProof::Identity)
            .await
            .map(drop),
        store.insert_link([1; 32], &"psn_1".parse().unwrap(), at(100)).await,
        store.insert_member(fixtures::reader("acc_1", "psn_2", "b@example.com")).await,
        store.insert_form(fixtures::form("acc_1", "frm_1")).await,
        store.insert_key(&nobody, fixtures::key("key_1"), [1; 32]).await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StoreError::Database(_))), "{refused:?}");
    }
}

fn session_record(token: u8, person: &str, seen: i64) -> SessionRecord {
    SessionRecord {
        token_hash: [token; 32],
        person_id: person.parse().unwrap(),
        created_at: at(1),
        authenticated_at: at(1),
        last_used_at: at(seen),
    }
}

/// Inserts the session of [`session_record`].
async fn insert_session(store: &dyn Store, token: u8, person: &str, seen: i64) {
    let session = session_record(token, person, seen);
    store.insert_session(session, ClientInfo::default(), SessionProof::Identity).await.unwrap();
}

async fn list_tokens(store: &dyn Store, person: &str) -> Vec<u8> {
    let all = store.list_sessions(&person.parse().unwrap()).await.unwrap();
    all.iter().map(|(session, _)| session.token_hash[0]).collect()
}

pub async fn sessions_are_listed_and_others_deleted(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    let firefox =
        ClientInfo { device: Some("desktop".to_owned()), browser: Some("Firefox".into()) };
    store
        .insert_session(session_record(1, "psn_1", 10), firefox.clone(), SessionProof::Identity)
        .await
        .unwrap();
    insert_session(store, 2, "psn_1", 30).await;
    insert_session(store, 3, "psn_1", 20).await;
    insert_session(store, 4, "psn_2", 20).await;
    let owner: PersonId = "psn_1".parse().unwrap();
    let all = store.list_sessions(&owner).await.unwrap();
    assert_eq!(all[2], (session_record(1, "psn_1", 10), firefox));
    assert_eq!(list_tokens(store, "psn_1").await, [2, 3, 1]);

    store.delete_other_sessions(&owner, [3; 32]).await.unwrap();
    assert_eq!(list_tokens(store, "psn_1").await, [3]);
    assert_eq!(list_tokens(store, "psn_2").await, [4]);
}

pub async fn excess_sign_in_ends_least_recent_session(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let most = u8::try_from(SESSIONS_MAX).unwrap();
    for token in 1..=most {
        let seen = if token == 7 { 1 } else { 100 + i64::from(token) };
        insert_session(store, token, "psn_1", seen).await;
    }
    assert_eq!(list_tokens(store, "psn_1").await.len(), usize::from(most));
    // The new session stays, even with the oldest time.
    insert_session(store, most + 1, "psn_1", 0).await;
    let left = list_tokens(store, "psn_1").await;
    assert_eq!(left.len(), usize::from(most));
    assert!(!left.contains(&7) && left.contains(&(most + 1)), "{left:?}");
}

pub async fn new_password_ends_sessions_and_links(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    let (owner, other): (PersonId, PersonId) = ("psn_1".parse().unwrap(), "psn_2".parse().unwrap());
    insert_session(store, 1, "psn_1", 10).await;
    insert_session(store, 2, "psn_2", 10).await;
    store.insert_link([3; 32], &owner, at(100)).await.unwrap();
    store.insert_link([4; 32], &other, at(100)).await.unwrap();

    let hash = async |id| store.find_person(id).await.unwrap().unwrap().password_hash;
    let was = hash(&owner).await;
    assert!(store.set_password(&owner, was, "$argon2id$new".to_owned()).await.unwrap());

    assert_eq!(hash(&owner).await.as_deref(), Some("$argon2id$new"));
    assert_ne!(hash(&other).await.as_deref(), Some("$argon2id$new"));
    assert_eq!(store.find_session([1; 32]).await.unwrap(), None);
    assert!(store.find_session([2; 32]).await.unwrap().is_some());
    assert_eq!(store.find_link([3; 32], at(50)).await.unwrap(), None);
    assert_eq!(store.find_link([4; 32], at(50)).await.unwrap(), Some(other));
}

pub async fn proof_of_old_password_is_rejected(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let owner: PersonId = "psn_1".parse().unwrap();
    let was = store.find_person(&owner).await.unwrap().unwrap().password_hash;
    let [one, two] = ["$argon2id$one", "$argon2id$two"].map(str::to_owned);
    assert!(store.set_password(&owner, was.clone(), one.clone()).await.unwrap());
    assert!(!store.set_password(&owner, was.clone(), two).await.unwrap());

    let sign_in = async |token: u8, hash: String| {
        let session = session_record(token, "psn_1", 10);
        let proof = SessionProof::Password(hash);
        store.insert_session(session, ClientInfo::default(), proof).await.unwrap()
    };
    assert!(!sign_in(1, was.unwrap()).await);
    assert!(sign_in(2, one.clone()).await);
    let found = async |token: u8| store.find_session([token; 32]).await.unwrap().is_some();
    assert_eq!((found(1).await, found(2).await), (false, true));
    let hash = store.find_person(&owner).await.unwrap().unwrap().password_hash;
    assert_eq!(hash, Some(one));
}

pub async fn prove_session_replaces_token(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    insert_session(store, 1, "psn_1", 10).await;
    assert!(store.reauthenticate_session([1; 32], [2; 32], at(50)).await.unwrap());
    assert_eq!(store.find_session([1; 32]).await.unwrap(), None);
    let (proven, _) = store.find_session([2; 32]).await.unwrap().unwrap();
    let expected = SessionRecord { authenticated_at: at(50), ..session_record(2, "psn_1", 10) };
    assert_eq!(proven, expected);
    assert!(
        !store.reauthenticate_session([1; 32], [3; 32], at(60)).await.unwrap(),
        "the session has ended"
    );
}

pub async fn account_lists_owner_and_readers(store: &dyn Store) {
    store.insert_account(fixtures::account("acc_1", "owner@example.com")).await.unwrap();
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    let mut claims = fixtures::reader("acc_1", "psn_b", "Bob@Example.com");
    claims.person.role = Role::Owner;
    store.insert_member(claims).await.unwrap();
    let list = async |account: &str| -> Vec<PersonRecord> {
        store.list_people(&account.parse().unwrap()).await.unwrap()
    };
    let members: Vec<_> = list("acc_1")
        .await
        .into_iter()
        .map(|it| (it.person.id.to_string(), it.person.role))
        .collect();
    assert_eq!(members, [("psn_1".to_owned(), Role::Owner), ("psn_b".to_owned(), Role::Reader)]);
    let bob = store.find_person_by_email("bob@example.com").await.unwrap().unwrap();
    assert_eq!(bob, fixtures::reader("acc_1", "psn_b", "Bob@Example.com"));
    assert_eq!(list("acc_2").await.len(), 1);

    for taken in ["BOB@example.com", "owner@example.com", "other@example.com"] {
        let again = store.insert_member(fixtures::reader("acc_2", "psn_c", taken)).await;
        assert!(matches!(again, Err(StoreError::Exists(_))), "{taken}: {again:?}");
        let account = store.insert_account(fixtures::account("acc_3", taken)).await;
        assert!(matches!(account, Err(StoreError::Exists(_))), "{taken}: {account:?}");
    }
    assert_eq!(store.list_accounts().await.unwrap().len(), 2, "a partial account was inserted");
}

fn to_role(role: Role) -> PersonChange {
    PersonChange { role: Some(role), forms: None }
}

pub async fn role_of_member_can_be_changed(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    let mut editor = fixtures::reader("acc_1", "psn_e", "e@example.com");
    editor.person.role = Role::Editor;
    store.insert_member(editor.clone()).await.unwrap();
    let (here, id): (AccountId, PersonId) = ("acc_1".parse().unwrap(), "psn_e".parse().unwrap());
    assert_eq!(store.find_person(&id).await.unwrap(), Some(editor));
    insert_session(store, 1, "psn_e", 10).await;
    let role = async || store.find_session([1; 32]).await.unwrap().unwrap().1.role;
    assert_eq!(role().await, Role::Editor);
    for new in [Role::Reader, Role::Editor, Role::Editor] {
        assert!(store.change_member(&here, &id, to_role(new)).await.unwrap());
        assert_eq!(role().await, new, "a session has the present role");
    }
    let owner: PersonId = "psn_1".parse().unwrap();
    for (account, person, role) in [
        ("acc_2", &id, Role::Reader),
        ("acc_1", &id, Role::Owner),
        ("acc_1", &owner, Role::Reader),
        ("acc_1", &"psn_none".parse().unwrap(), Role::Reader),
    ] {
        let account = account.parse().unwrap();
        let changed = store.change_member(&account, person, to_role(role)).await.unwrap();
        assert!(!changed, "{account} {person} {role}");
    }
    assert_eq!(role().await, Role::Editor);
    assert_eq!(store.find_person(&owner).await.unwrap().unwrap().person.role, Role::Owner);
    assert!(store.delete_member(&here, &id).await.unwrap());
}

pub async fn forms_of_member_can_be_changed(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    let named = |ids: &[&str]| Some(ids.iter().map(|id| id.parse().unwrap()).collect::<Vec<_>>());
    let mut reader = fixtures::reader("acc_1", "psn_r", "r@example.com");
    reader.person.forms = named(&["frm_1"]);
    store.insert_member(reader.clone()).await.unwrap();
    let (here, id): (AccountId, PersonId) = ("acc_1".parse().unwrap(), "psn_r".parse().unwrap());
    assert_eq!(store.find_person(&id).await.unwrap(), Some(reader));
    insert_session(store, 1, "psn_r", 10).await;
    let access = async || store.find_session([1; 32]).await.unwrap().unwrap().1;
    assert_eq!(access().await.forms, FormAccess(named(&["frm_1"])));
    // A list may name a form that was deleted.
    for (role, forms) in [
        (None, named(&["frm_2", "frm_1"])),
        (Some(Role::Editor), None),
        (Some(Role::Reader), named(&["frm_9"])),
    ] {
        let change = PersonChange { role, forms: Some(forms.clone()) };
        assert!(store.change_member(&here, &id, change).await.unwrap());
        assert_eq!(store.list_people(&here).await.unwrap()[1].person.forms, forms);
        assert_eq!(access().await.forms, FormAccess(forms), "a session has the present forms");
    }
    assert!(store.change_member(&here, &id, to_role(Role::Editor)).await.unwrap());
    let owner = access().await;
    assert_eq!((owner.role, owner.forms), (Role::Editor, FormAccess(named(&["frm_9"]))));
    let of_owner = PersonChange { role: None, forms: Some(named(&["frm_1"])) };
    assert!(!store.change_member(&here, &"psn_1".parse().unwrap(), of_owner).await.unwrap());
    assert_eq!(store.list_people(&here).await.unwrap()[0].person.forms, None);
}

pub async fn preferences_of_member_are_stored(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_member(fixtures::reader("acc_1", "psn_r", "r@example.com")).await.unwrap();
    let [owner, reader, unknown] = ["psn_1", "psn_r", "psn_none"].map(|id| id.parse().unwrap());
    let off = Preferences { mention_emails: false };
    for id in [&owner, &reader] {
        assert_eq!(store.find_preferences(id).await.unwrap(), Some(Preferences::default()));
    }
    assert!(store.set_preferences(&reader, off.clone()).await.unwrap());
    assert_eq!(store.find_preferences(&reader).await.unwrap(), Some(off.clone()));
    assert_eq!(store.find_preferences(&owner).await.unwrap(), Some(Preferences::default()));
    assert!(
        store
            .change_member(&"acc_1".parse().unwrap(), &reader, to_role(Role::Editor))
            .await
            .unwrap()
    );
    assert_eq!(store.find_preferences(&reader).await.unwrap(), Some(off.clone()));
    assert!(!store.set_preferences(&unknown, off).await.unwrap());
    assert_eq!(store.find_preferences(&unknown).await.unwrap(), None);
}

pub async fn number_of_members_is_limited(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    for n in 1..PEOPLE_MAX {
        let reader = fixtures::reader("acc_1", &format!("psn_r{n}"), &format!("{n}@example.com"));
        store.insert_member(reader).await.unwrap();
    }
    let more = store.insert_member(fixtures::reader("acc_1", "psn_more", "more@example.com")).await;
    assert!(matches!(more, Err(StoreError::TooManyMembers)), "{more:?}");
}

pub async fn deleted_reader_loses_access_at_once(store: &dyn Store) {
    fixtures::owner_and_form(store).await;
    store.insert_account(fixtures::account("acc_2", "other@example.com")).await.unwrap();
    store.insert_member(fixtures::reader("acc_1", "psn_b", "b@example.com")).await.unwrap();
    let (here, bob): (AccountId, PersonId) = ("acc_1".parse().unwrap(), "psn_b".parse().unwrap());
    insert_session(store, 1, "psn_b", 10).await;
    insert_session(store, 2, "psn_1", 10).await;
    store.insert_link([3; 32], &bob, at(100)).await.unwrap();
    assert_eq!(store.find_session([1; 32]).await.unwrap().unwrap().1.role, Role::Reader);

    let elsewhere: AccountId = "acc_2".parse().unwrap();
    assert!(!store.delete_member(&elsewhere, &bob).await.unwrap(), "another account's");
    let owner: PersonId = "psn_1".parse().unwrap();
    assert!(!store.delete_member(&here, &owner).await.unwrap(), "an owner");
    assert_eq!(list_tokens(store, "psn_b").await, [1]);

    assert!(store.delete_member(&here, &bob).await.unwrap());
    assert_eq!(store.find_session([1; 32]).await.unwrap(), None);
    assert_eq!(store.find_link([3; 32], at(50)).await.unwrap(), None);
    assert_eq!(store.find_person(&bob).await.unwrap(), None);
    assert!(store.find_session([2; 32]).await.unwrap().is_some());
    assert!(!store.delete_member(&here, &bob).await.unwrap());
}
