//! Limits of the audit log.

use super::fixtures::{at, owner_and_form};
use contract::AccountId;
use contract::audit::{Action, Actor, AuditEntry, AuditEvent, AuditFilter};
use store::Store;
use store::audit::AuditScope;

fn refusal(account: &str, address: usize) -> AuditEvent {
    let actor = Actor { address: Some(address.to_string()), ..Actor::default() };
    let act = AuditEvent::new(at(0), &actor, Action::Refused);
    act.with_account(&account.parse().unwrap()).into_denied("forbidden")
}

pub async fn list_entries(store: &dyn Store, account: &str) -> Vec<AuditEntry> {
    let account: AccountId = account.parse().unwrap();
    let all = AuditFilter::default();
    store
        .list_audit_entries(AuditScope::Account(&account), &all, None, 1_000)
        .await
        .unwrap()
        .entries
}

pub async fn refusals_are_limited_per_account(store: &dyn Store) {
    owner_and_form(store).await;
    for address in 0..100 {
        store.enqueue_audit(refusal("acc_1", address));
    }
    store.enqueue_audit(refusal("acc_2", 0));
    let entries = list_entries(store, "acc_1").await;
    assert_eq!(entries.len(), 61);
    let last = &entries[0];
    assert_eq!((last.action.as_str(), last.code.as_deref()), ("request.omitted", Some("too_many")));
    assert_eq!(serde_json::to_string(&last.detail).unwrap(), r#"{"count":40}"#);
    assert_eq!(list_entries(store, "acc_1").await.len(), 61, "each is counted once");
    assert_eq!(list_entries(store, "acc_2").await.len(), 1, "another account is not affected");
}
