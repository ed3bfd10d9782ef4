//! The insert queue: which submissions wait, and which are committed together next.
//!
//! This process runs at most one transaction per form at a time, because two would only wait for
//! each other.

use crate::connect::{Connections, Setup};
use contract::FormId;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::new_submission::{InsertOutcome, PreparedInsert};
use store::{Result, StoreError};
use tokio::sync::{Semaphore, oneshot};

/// Maximum submissions of this process that wait or are in progress. More are refused.
pub(crate) const QUEUED_MAX: usize = 1024;
/// Maximum submissions per transaction. With this many bytes, a transaction takes no more.
const BATCH_MAX: usize = 256;
const BATCH_BYTES_MAX: usize = 8 << 20;
/// Maximum committer tasks, and the connections of the pool per task.
const COMMITTERS_MAX: usize = 4;
const CONNECTIONS_PER_COMMITTER: usize = 4;

/// A prepared submission, and the channel for its result.
pub(super) struct QueuedInsert {
    pub(super) insert: PreparedInsert,
    pub(super) result: oneshot::Sender<Result<InsertOutcome>>,
}

/// Submissions of one form that are committed together.
pub(super) struct FormBatch {
    pub(super) form: FormId,
    pub(super) inserts: Vec<QueuedInsert>,
    pub(super) busy_form: BusyForm,
}

/// Submissions that are committed together, by form, in the order of the form ids.
pub(super) type Batch = Vec<FormBatch>;

/// State shared by the tasks of a store.
pub(super) struct SharedQueue {
    pub(super) connections: Arc<Connections>,
    committers_max: usize,
    /// Maximum bytes of all submissions that wait or are in progress.
    bytes_max: usize,
    /// Permits to wait for a locked form, each on a connection: as many as committer tasks.
    pub(super) lock_wait_permits: Semaphore,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<QueuedInsert>,
    /// Submissions in progress.
    in_progress: usize,
    /// Bytes of all submissions that wait or are in progress.
    bytes: usize,
    /// Forms with submissions in progress.
    busy: HashSet<FormId>,
    committers: usize,
}

impl SharedQueue {
    pub(super) fn new(connections: Arc<Connections>, setup: &Setup) -> Self {
        let committers_max = setup.connections_max / CONNECTIONS_PER_COMMITTER;
        let committers_max = committers_max.clamp(1, COMMITTERS_MAX);
        let bytes_max = setup.waiting_bytes_max;
        let permits = Semaphore::new(committers_max);
        let state = Mutex::default();
        Self { connections, committers_max, bytes_max, lock_wait_permits: permits, state }
    }

    /// Records that a task ended early.
    pub(super) fn deregister_committer(&self) {
        self.lock().committers -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a submission, and returns whether to start another task.
    pub(super) fn push(&self, queued: QueuedInsert) -> Result<bool> {
        let mut state = self.lock();
        let count = state.waiting.len() + state.in_progress;
        let size = queued.insert.row.size();
        if count >= QUEUED_MAX || state.bytes + size > self.bytes_max {
            return Err(StoreError::Busy(count));
        }
        let is_idle = !state.busy.contains(&queued.insert.form);
        state.bytes += size;
        state.waiting.push_back(queued);
        let starts_task = is_idle && state.committers < self.committers_max;
        state.committers += usize::from(starts_task);
        Ok(starts_task)
    }

    /// Returns whether to start another task, because a submission of a free form waits. Must be
    /// called after a form was freed outside of a committer task.
    pub(super) fn should_spawn(&self) -> bool {
        let mut state = self.lock();
        let has_free_form =
            state.waiting.iter().any(|queued| !state.busy.contains(&queued.insert.form));
        let starts_task = has_free_form && state.committers < self.committers_max;
        state.committers += usize::from(starts_task);
        starts_task
    }

    /// Returns the next batch. On `None`, the task no longer counts and must end.
    pub(super) fn next_batch(self: &Arc<Self>) -> Option<Batch> {
        let mut state = self.lock();
        let mut forms: BTreeMap<FormId, Vec<QueuedInsert>> = BTreeMap::new();
        let mut count = 0;
        let mut bytes = 0;
        // Submissions of busy forms stay queued, in their order.
        for queued in std::mem::take(&mut state.waiting) {
            let has_room = count < BATCH_MAX && bytes < BATCH_BYTES_MAX;
            if has_room && !state.busy.contains(&queued.insert.form) {
                count += 1;
                bytes += queued.insert.row.size();
                forms.entry(queued.insert.form.clone()).or_default().push(queued);
            } else {
                state.waiting.push_back(queued);
            }
        }
        if count == 0 {
            state.committers -= 1;
            return None;
        }
        state.busy.extend(forms.keys().cloned());
        state.in_progress += count;
        drop(state);
        Some(forms.into_iter().map(|(form, queued)| self.form_batch(form, queued)).collect())
    }

    fn form_batch(self: &Arc<Self>, form: FormId, inserts: Vec<QueuedInsert>) -> FormBatch {
        let bytes = inserts.iter().map(|inserts| inserts.insert.row.size()).sum();
        let shared = Arc::clone(self);
        let count = inserts.len();
        FormBatch {
            busy_form: BusyForm { shared, form: form.clone(), count, bytes },
            form,
            inserts,
        }
    }
}

/// Guard of a form with submissions in progress. Frees the form on drop.
pub(super) struct BusyForm {
    shared: Arc<SharedQueue>,
    form: FormId,
    count: usize,
    bytes: usize,
}

impl Drop for BusyForm {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.busy.remove(&self.form);
        state.in_progress -= self.count;
        state.bytes -= self.bytes;
    }
}
