//! The insert queue: which submissions wait, and which are committed together next.
//!
//! This process runs at most one transaction per form at a time, because two would only wait for
//! each other.

use super::Ready;
use crate::connect::{Connections, Setup};
use contract::FormId;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::new_submission::Arrived;
use store::{Result, StoreError};
use tokio::sync::{Semaphore, oneshot};

/// Maximum submissions of this process that wait or are in progress. More are refused.
pub(crate) const ARRIVALS_MAX: usize = 1024;
/// Maximum submissions per transaction. With this many bytes, a transaction takes no more.
const BATCH_MAX: usize = 256;
const BATCH_BYTES_MAX: usize = 8 << 20;
/// Maximum committer tasks, and the connections of the pool per task.
const COMMITTERS_MAX: usize = 4;
const CONNECTIONS_A_COMMITTER: usize = 4;

/// A prepared submission, and the channel for its result.
pub(super) struct Coming {
    pub(super) ready: Ready,
    pub(super) answer: oneshot::Sender<Result<Arrived>>,
}

/// Submissions of one form that are committed together.
pub(super) struct Together {
    pub(super) form: FormId,
    pub(super) coming: Vec<Coming>,
    pub(super) held: Held,
}

/// Submissions that are committed together, by form, in the order of the form ids.
pub(super) type Batch = Vec<Together>;

/// State shared by the tasks of a store.
pub(super) struct Shared {
    pub(super) connections: Arc<Connections>,
    committers_max: usize,
    /// Maximum bytes of all submissions that wait or are in progress.
    bytes_max: usize,
    /// Permits to wait for a locked form, each on a connection: as many as committer tasks.
    pub(super) waits: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Coming>,
    /// Submissions in progress.
    under_way: usize,
    /// Bytes of all submissions that wait or are in progress.
    bytes: usize,
    /// Forms with submissions in progress.
    busy: HashSet<FormId>,
    committers: usize,
}

impl Shared {
    pub(super) fn new(connections: Arc<Connections>, setup: &Setup) -> Self {
        let committers_max = setup.connections_max / CONNECTIONS_A_COMMITTER;
        let committers_max = committers_max.clamp(1, COMMITTERS_MAX);
        let bytes_max = setup.waiting_bytes_max;
        let (waits, state) = (Semaphore::new(committers_max), Mutex::default());
        Self { connections, committers_max, bytes_max, waits, state }
    }

    /// Records that a task ended early.
    pub(super) fn forget_committer(&self) {
        self.lock().committers -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a submission, and returns whether to start another task.
    pub(super) fn push(&self, coming: Coming) -> Result<bool> {
        let mut state = self.lock();
        let (count, size) = (state.waiting.len() + state.under_way, coming.ready.size());
        if count >= ARRIVALS_MAX || state.bytes + size > self.bytes_max {
            return Err(StoreError::Busy(count));
        }
        let is_idle = !state.busy.contains(&coming.ready.form);
        state.bytes += size;
        state.waiting.push_back(coming);
        let begins = is_idle && state.committers < self.committers_max;
        state.committers += usize::from(begins);
        Ok(begins)
    }

    /// Returns whether to start another task, because a submission of a free form waits. Must be
    /// called after a form was freed outside of a committer task.
    pub(super) fn wakes(&self) -> bool {
        let mut state = self.lock();
        let waits = state.waiting.iter().any(|coming| !state.busy.contains(&coming.ready.form));
        let begins = waits && state.committers < self.committers_max;
        state.committers += usize::from(begins);
        begins
    }

    /// Returns the next batch. On `None`, the task no longer counts and must end.
    pub(super) fn next(self: &Arc<Self>) -> Option<Batch> {
        let mut state = self.lock();
        let mut forms: BTreeMap<FormId, Vec<Coming>> = BTreeMap::new();
        let (mut count, mut bytes) = (0, 0);
        // Submissions of busy forms stay queued, in their order.
        for coming in std::mem::take(&mut state.waiting) {
            let has_room = count < BATCH_MAX && bytes < BATCH_BYTES_MAX;
            if has_room && !state.busy.contains(&coming.ready.form) {
                count += 1;
                bytes += coming.ready.size();
                forms.entry(coming.ready.form.clone()).or_default().push(coming);
            } else {
                state.waiting.push_back(coming);
            }
        }
        if count == 0 {
            state.committers -= 1;
            return None;
        }
        state.busy.extend(forms.keys().cloned());
        state.under_way += count;
        drop(state);
        Some(forms.into_iter().map(|(form, coming)| self.together(form, coming)).collect())
    }

    fn together(self: &Arc<Self>, form: FormId, coming: Vec<Coming>) -> Together {
        let bytes = coming.iter().map(|coming| coming.ready.size()).sum();
        let (shared, count) = (Arc::clone(self), coming.len());
        Together { held: Held { shared, form: form.clone(), count, bytes }, form, coming }
    }
}

/// Guard of a form with submissions in progress. Frees the form on drop.
pub(super) struct Held {
    shared: Arc<Shared>,
    form: FormId,
    count: usize,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.busy.remove(&self.form);
        state.under_way -= self.count;
        state.bytes -= self.bytes;
    }
}
