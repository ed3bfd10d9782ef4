//! Live updates: the changes of this process's transactions.
//!
//! Jobs of the writer record changes by the number of the form. Just before the commit, the form's
//! owner is looked up in the same transaction. They record only while there are subscribers.

use super::{SqliteStore, query};
use crate::index::Change;
use async_trait::async_trait;
use contract::FormId;
use contract::live::{ChangeKind, FormChange, IDS_MAX};
use rusqlite::Connection;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::columns::parse;
use store::live::{LiveChange, LiveFeed, LiveMessage, LiveReceiver, LiveStore};
use store::{Owner, Result, Store as _};

#[async_trait]
impl LiveStore for SqliteStore {
    async fn subscribe_changes(&self) -> LiveReceiver {
        self.memory_index.live().feed().subscribe()
    }
}

impl SqliteStore {
    /// Sends the end of an insertion over a connection of its own, after its commit.
    pub(super) async fn send_inserted(&self, form: &FormId, inserted: u64) {
        let feed = self.memory_index.live().feed();
        if inserted == 0 || !feed.has_subscribers() {
            return;
        }
        let message = match self.find_owner(form).await {
            Ok(None) => return,
            Ok(Some(owner)) => {
                let change = FormChange { form_id: form.clone(), ids: Vec::new() };
                LiveMessage::Change(LiveChange { owner, kind: ChangeKind::Created, change })
            }
            Err(error) => reset_after(&error),
        };
        feed.send(message);
    }
}

/// Changes of the current write transaction that are to be sent.
#[derive(Default)]
pub(super) struct LiveRecorder {
    feed: LiveFeed,
    pending: Mutex<Vec<PendingChange>>,
}

/// A recorded change.
enum PendingChange {
    /// Submissions of a form, which has this number. The ids are empty if there are too many.
    Submissions(i64, ChangeKind, Vec<String>),
    /// A change with its owner.
    Complete(LiveChange),
}

impl LiveRecorder {
    /// Returns the feed to the subscribers.
    pub(super) fn feed(&self) -> &LiveFeed {
        &self.feed
    }

    /// Records submissions of a form. Empty ids mean that there are too many to name.
    pub(super) fn record(&self, form: i64, kind: ChangeKind, ids: Vec<String>) {
        if self.feed.has_subscribers() {
            self.pending().push(PendingChange::Submissions(form, kind, ids));
        }
    }

    /// Records the changes of a form for its indexes, except read marks.
    pub(super) fn record_changes(&self, form: i64, changes: &[Change]) {
        if !self.feed.has_subscribers() {
            return;
        }
        for kind in ChangeKind::ALL {
            let of_kind = || changes.iter().filter_map(changed_id).filter(|(of, _)| *of == kind);
            match of_kind().count() {
                0 => {}
                1..=IDS_MAX => {
                    self.record(form, kind, of_kind().map(|(_, id)| id.to_owned()).collect());
                }
                _ => self.record(form, kind, Vec::new()),
            }
        }
    }

    /// Records the deletion of a form, before it loses its owner.
    pub(super) fn record_form_deletion(&self, conn: &Connection, form: i64) -> Result<()> {
        if self.feed.has_subscribers()
            && let Some((form_id, owner)) = find_form(conn, form)?
        {
            let change = FormChange { form_id, ids: Vec::new() };
            let change = LiveChange { owner, kind: ChangeKind::Removed, change };
            self.pending().push(PendingChange::Complete(change));
        }
        Ok(())
    }

    /// Returns the number of recorded changes.
    pub(super) fn recorded_count(&self) -> usize {
        self.pending().len()
    }

    /// Discards the changes after the first `count`.
    pub(super) fn discard_after(&self, count: usize) {
        self.pending().truncate(count);
    }

    /// Takes the recorded changes, with the owners of their forms. Consecutive changes of a form
    /// are merged.
    pub(super) fn take_messages(&self, conn: &Connection) -> Vec<LiveMessage> {
        let mut messages: Vec<LiveMessage> = Vec::new();
        for pending in std::mem::take(&mut *self.pending()) {
            let change = match pending {
                PendingChange::Complete(change) => change,
                PendingChange::Submissions(form, kind, ids) => match find_form(conn, form) {
                    Ok(None) => continue,
                    Ok(Some((form_id, owner))) => {
                        let ids = ids.into_iter().map(TryInto::try_into).collect();
                        let change = FormChange { form_id, ids: Result::unwrap_or_default(ids) };
                        LiveChange { owner, kind, change }
                    }
                    Err(error) => {
                        messages.push(reset_after(&error));
                        continue;
                    }
                },
            };
            match messages.last_mut() {
                Some(LiveMessage::Change(last))
                    if last.kind == change.kind && last.change.form_id == change.change.form_id =>
                {
                    last.change.add_ids(&change.change.ids);
                }
                _ => messages.push(LiveMessage::Change(change)),
            }
        }
        messages
    }

    fn pending(&self) -> MutexGuard<'_, Vec<PendingChange>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how a change of the indexes changes a submission, and its id; `None` for read marks.
fn changed_id(change: &Change) -> Option<(ChangeKind, &str)> {
    match change {
        Change::Insert(row) => Some((ChangeKind::Created, &row.id)),
        Change::Delete(row) => Some((ChangeKind::Removed, &row.id)),
        Change::Rewrite { id, .. } => Some((ChangeKind::Analyzed, id)),
        Change::Triage { id, .. } => Some((ChangeKind::Updated, id)),
        Change::Read { .. } => None,
    }
}

/// Finds the id and the owner of a form by its number; `None` if it is deleted.
fn find_form(conn: &Connection, form: i64) -> Result<Option<(FormId, Owner)>> {
    let sql = "SELECT id, account, environment FROM forms WHERE seq = ?";
    let found: Option<(String, String, String)> =
        query::find(conn, sql, [form], |row| row.try_into())?;
    let Some((id, account, environment)) = found else { return Ok(None) };
    // A deleted form has no valid id any more.
    let Ok(id) = id.parse() else { return Ok(None) };
    Ok(Some((id, Owner { account_id: parse(&account)?, environment: parse(&environment)? })))
}

/// Returns the message if a change cannot be sent.
fn reset_after(error: &store::StoreError) -> LiveMessage {
    tracing::warn!(%error, "live update failed; clients load again");
    LiveMessage::Reset
}
