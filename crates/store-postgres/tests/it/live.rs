//! Live updates between processes.

use crate::{StoreGroup, open_several, poll_until};
use contract::live::{ChangeKind, IDS_MAX};
use std::time::Duration;
use store::Store as _;
use store::live::{LiveMessage, LiveReceiver, LiveStore as _};
use store_tests::fixtures::{self, submission};
use tokio::time::timeout;

const LISTENERS: &str = "FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN sheaf_live'";

/// Returns the kind of the next change and its number of ids; `None` for a reset.
async fn next(receiver: &mut LiveReceiver) -> Option<(ChangeKind, usize)> {
    let message = timeout(Duration::from_mins(1), receiver.next()).await.unwrap().unwrap();
    match message.as_ref() {
        LiveMessage::Reset => None,
        LiveMessage::Change(change) => Some((change.kind, change.change.ids.len())),
    }
}

fn count_listeners(group: &StoreGroup) -> String {
    group.sql(&format!("SELECT count(*) {LISTENERS}"))
}

#[tokio::test]
async fn changes_reach_all_processes() {
    let group = open_several(3).await;
    let [writer, second, third] = &group.stores[..] else { panic!() };
    fixtures::owner_and_form(writer).await;
    assert_eq!(count_listeners(&group), "0", "nobody is subscribed");
    let mut receivers = [
        writer.subscribe_changes().await,
        second.subscribe_changes().await,
        second.subscribe_changes().await,
        third.subscribe_changes().await,
    ];
    assert_eq!(count_listeners(&group), "3", "one connection of each process");
    let rows = (0..IDS_MAX).map(|n| submission(&format!("sub_{n}"), 1, "x")).collect();
    fixtures::insert_submissions(writer, rows).await;
    third.delete_submission(&"sub_1".parse().unwrap()).await.unwrap();
    for receiver in &mut receivers {
        assert_eq!(next(receiver).await, Some((ChangeKind::Created, IDS_MAX)));
        assert_eq!(next(receiver).await, Some((ChangeKind::Removed, 1)));
    }
}

#[tokio::test]
async fn lost_connection_is_replaced_and_resets_subscribers() {
    let group = open_several(1).await;
    let store = &group.stores[0];
    fixtures::owner_and_form(store).await;
    let mut receiver = store.subscribe_changes().await;
    group.sql(&format!("SELECT pg_terminate_backend(pid) {LISTENERS}"));
    assert_eq!(next(&mut receiver).await, None);
    fixtures::insert_submissions(store, vec![submission("sub_1", 1, "x")]).await;
    assert_eq!(next(&mut receiver).await, Some((ChangeKind::Created, 1)));
}

#[tokio::test]
async fn closed_store_stops_listening() {
    let mut group = open_several(1).await;
    let mut receiver = group.stores[0].subscribe_changes().await;
    assert_eq!(count_listeners(&group), "1");
    group.stores.clear();
    assert!(timeout(Duration::from_mins(1), receiver.next()).await.unwrap().is_none());
    poll_until("the connection ends", async || count_listeners(&group) == "0").await;
}
