//! The queue of arrivals: which of them wait, and which are committed together next.
//!
//! Of one form, no two transactions of this process are under way at once: they would only wait for
//! each other.

use super::Ready;
use crate::connect::{Connections, Setup};
use contract::FormId;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::new_submission::Arrived;
use store::{Result, StoreError};
use tokio::sync::{Semaphore, oneshot};

/// How many arrivals of this process may wait or be under way; one more is refused.
pub(crate) const ARRIVALS_MAX: usize = 1024;
/// How many share a transaction, and with how many bytes one takes no more.
const BATCH_MAX: usize = 256;
const BATCH_BYTES_MAX: usize = 8 << 20;
/// How many transactions of arrivals are under way at most, and one for so many connections.
const COMMITTERS_MAX: usize = 4;
const CONNECTIONS_A_COMMITTER: usize = 4;

/// An arrival, and who waits for word of it.
pub(super) struct Coming {
    pub(super) ready: Ready,
    pub(super) answer: oneshot::Sender<Result<Arrived>>,
}

/// Arrivals of one form that are committed together.
pub(super) struct Together {
    pub(super) form: FormId,
    pub(super) coming: Vec<Coming>,
    pub(super) held: Held,
}

/// Arrivals that are committed together, by form, in the order of their ids.
pub(super) type Batch = Vec<Together>;

/// What the tasks of a store share.
pub(super) struct Shared {
    pub(super) connections: Arc<Connections>,
    committers_max: usize,
    /// How many bytes all that wait or are under way may hold.
    bytes_max: usize,
    /// As many as commit may wait for forms beside them, each on a connection.
    pub(super) waits: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Coming>,
    /// How many are under way.
    under_way: usize,
    /// How much memory all of them hold.
    bytes: usize,
    /// Whose arrivals are under way.
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

    /// Notes that a task ended before nothing waited.
    pub(super) fn forget_committer(&self) {
        self.lock().committers -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one wait, and returns whether a further task is to be begun.
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

    /// Whether a further task is to be begun, since something waits whose form is free. Who frees a
    /// form and takes no other turn asks this.
    pub(super) fn wakes(&self) -> bool {
        let mut state = self.lock();
        let waits = state.waiting.iter().any(|coming| !state.busy.contains(&coming.ready.form));
        let begins = waits && state.committers < self.committers_max;
        state.committers += usize::from(begins);
        begins
    }

    /// Returns what is to be committed next. Where that is nothing, a task ends.
    pub(super) fn next(self: &Arc<Self>) -> Option<Batch> {
        let mut state = self.lock();
        let mut forms: BTreeMap<FormId, Vec<Coming>> = BTreeMap::new();
        let (mut count, mut bytes) = (0, 0);
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

/// A form whose arrivals are under way. However that ends, it is free afterwards.
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
