//! Limits of the audit log.

use super::make::{at, owner_and_form};
use contract::AccountId;
use contract::audit::{Act, Action, Actor, AuditFilter, Note};
use store::Store;
use store::audit::Whose;

fn refused(account: &str, address: usize) -> Act {
    let actor = Actor { address: Some(address.to_string()), ..Actor::default() };
    let act = Act::new(at(0), &actor, Action::Refused);
    act.of(&account.parse().unwrap()).denied("forbidden")
}

async fn notes(store: &dyn Store, account: &str) -> Vec<Note> {
    let account: AccountId = account.parse().unwrap();
    let all = AuditFilter::default();
    store.list_notes(Whose::Account(&account), &all, None, 1_000).await.unwrap().notes
}

pub async fn refusals_are_limited_per_account(store: &dyn Store) {
    owner_and_form(store).await;
    for address in 0..100 {
        store.note_soon(refused("acc_1", address));
    }
    store.note_soon(refused("acc_2", 0));
    let told = notes(store, "acc_1").await;
    assert_eq!(told.len(), 61);
    let last = &told[0];
    assert_eq!((last.action.as_str(), last.code.as_deref()), ("request.omitted", Some("too_many")));
    assert_eq!(serde_json::to_string(&last.detail).unwrap(), r#"{"count":40}"#);
    assert_eq!(notes(store, "acc_1").await.len(), 61, "each is counted once");
    assert_eq!(notes(store, "acc_2").await.len(), 1, "another account is not affected");
}
