//! Arrivals that wait, and the tasks that commit them: what comes while one transaction is made
//! durable goes together into the next.
//!
//! Of one form, no two transactions of this process are under way at once: they would only wait for
//! each other. A task ends when nothing waits, so none outlives what it was for. Those whose forms
//! somebody else has locked wait aside, and keep neither a task nor another form waiting.

use super::Ready;
use super::attempt::Group;
use super::commit::{self, Waiters};
use crate::connect::{Connections, Setup};
use crate::trouble::database;
use contract::FormId;
use futures_util::future::join_all;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::arrival::{Arrival, Arrived};
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

/// Where arrivals are handed in.
pub(crate) struct Desk {
    shared: Arc<Shared>,
}

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

struct Shared {
    connections: Arc<Connections>,
    committers_max: usize,
    /// How many bytes all that wait or are under way may hold.
    bytes_max: usize,
    /// As many as commit may wait for forms beside them, each on a connection.
    waits: Semaphore,
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

impl Desk {
    pub(crate) fn new(connections: Arc<Connections>, setup: &Setup) -> Self {
        let committers_max = setup.connections_max / CONNECTIONS_A_COMMITTER;
        let committers_max = committers_max.clamp(1, COMMITTERS_MAX);
        let bytes_max = setup.waiting_bytes_max;
        let (waits, state) = (Semaphore::new(committers_max), Mutex::default());
        Self { shared: Arc::new(Shared { connections, committers_max, bytes_max, waits, state }) }
    }

    /// Takes an arrival in. It is done also where whoever asks goes away meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where too many wait.
    pub(crate) async fn take(&self, arrival: Arrival) -> Result<Arrived> {
        let ready = Ready::new(arrival)?;
        let (answer, answered) = oneshot::channel();
        if self.shared.push(Coming { ready, answer })? {
            tokio::spawn(commit_all(Arc::clone(&self.shared)));
        }
        answered.await.unwrap_or_else(|_| Err(database("arrivals ended without an answer")))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one wait, and returns whether a further task is to be begun.
    fn push(&self, coming: Coming) -> Result<bool> {
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

    /// Begins a further task where something waits whose form is free. Who frees a form and takes
    /// no other turn calls this.
    fn wake(self: &Arc<Self>) {
        let mut state = self.lock();
        let waits = state.waiting.iter().any(|coming| !state.busy.contains(&coming.ready.form));
        if waits && state.committers < self.committers_max {
            state.committers += 1;
            drop(state);
            tokio::spawn(commit_all(Arc::clone(self)));
        }
    }

    /// Returns what is to be committed next. Where that is nothing, a task ends.
    fn next(self: &Arc<Self>) -> Option<Batch> {
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

/// A task that commits, until nothing waits.
struct Committer {
    shared: Arc<Shared>,
    is_done: bool,
}

impl Drop for Committer {
    fn drop(&mut self) {
        // Where it ended on its way, it takes no other turn.
        self.shared.lock().committers -= usize::from(!self.is_done);
    }
}

async fn commit_all(shared: Arc<Shared>) {
    let mut committer = Committer { shared: Arc::clone(&shared), is_done: false };
    while let Some(batch) = shared.next() {
        let locked = commit::commit(&shared.connections, batch).await;
        if !locked.is_empty() {
            tokio::spawn(wait_all(Arc::clone(&shared), locked));
        }
    }
    committer.is_done = true;
}

/// Takes arrivals in whose forms were locked, each form for itself, while others go on.
async fn wait_all(shared: Arc<Shared>, locked: Vec<(Group, Waiters)>) {
    let wait = async |(group, waiters)| {
        // Closed by nobody.
        let _place = shared.waits.acquire().await;
        commit::take(&shared.connections, vec![group], vec![waiters]).await;
        shared.wake();
    };
    join_all(locked.into_iter().map(wait)).await;
}
