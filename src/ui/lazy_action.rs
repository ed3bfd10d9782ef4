//! Actions whose code is loaded on demand. Each runs as soon as its code is loaded; those that wait
//! for the same code run in the order of the requests. This module renders nothing.

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    mem,
    task::{Context, Poll, Waker},
};

use leptos::task::spawn_local;

use super::lazy::{ChunkLoadError, LoadFuture};

/// Declares lazy actions: `pub fn name(argument: Type) in file => act;` becomes an async function
/// that loads the chunk and runs `act`. Call it with [`run_lazy_action`].
#[macro_export]
macro_rules! lazy_actions {
    ($($(#[$doc:meta])* $sight:vis fn $name:ident($($argument:ident: $kind:ty),*) in $file:ident
       => $act:expr;)*) => {$(
        $(#[$doc])*
        #[cfg(split)]
        #[::leptos::wasm_split::wasm_split(
            $file, wasm_split_path = ::leptos::wasm_split, fallible
        )]
        $sight fn $name(
            $($argument: $kind),*
        ) -> Result<(), $crate::ui::lazy::ChunkLoadError> {
            $act;
            Ok(())
        }

        $(#[$doc])*
        #[cfg(not(split))]
        $sight async fn $name(
            $($argument: $kind),*
        ) -> Result<(), $crate::ui::lazy::ChunkLoadError> {
            $act;
            Ok(())
        }
    )*};
}

/// Runs a lazy action: immediately if its code is loaded and the queue is empty, otherwise once the
/// code is loaded. Calls `on_missing` if the code fails to load.
pub fn run_lazy_action(
    action: impl Future<Output = Result<(), ChunkLoadError>> + 'static,
    on_missing: impl FnOnce(ChunkLoadError) + 'static,
) {
    enqueue_action(QueuedAction { future: Box::pin(action), on_missing: Box::new(on_missing) });
}

/// Queued action.
struct QueuedAction {
    future: LoadFuture<Result<(), ChunkLoadError>>,
    on_missing: Box<dyn FnOnce(ChunkLoadError)>,
}

impl QueuedAction {
    /// Polls the action once. Returns it if its code is not loaded yet.
    fn poll_action(mut self, context: &mut Context<'_>) -> Option<Self> {
        match self.future.as_mut().poll(context) {
            Poll::Ready(done) => {
                done.unwrap_or_else(self.on_missing);
                None
            }
            Poll::Pending => Some(self),
        }
    }
}

/// Queue of pending actions in order of request, and the waker of the task that polls them. A
/// single task polls all of them: the executor may run separate tasks in another order once their
/// chunk is loaded.
#[derive(Default)]
struct ActionQueue {
    actions: Vec<QueuedAction>,
    waker: Option<Waker>,
}

thread_local! {
    static QUEUE: RefCell<ActionQueue> = RefCell::default();
}

fn enqueue_action(action: QueuedAction) {
    let keeper = QUEUE.with_borrow(|line| line.waker.clone());
    if let Some(keeper) = keeper {
        QUEUE.with_borrow_mut(|line| line.actions.push(action));
        keeper.wake();
    } else if let Some(action) = action.poll_action(&mut Context::from_waker(Waker::noop())) {
        QUEUE.with_borrow_mut(|line| {
            line.actions.push(action);
            line.waker = Some(Waker::noop().clone());
        });
        spawn_local(poll_fn(poll_queue));
    }
}

/// Polls all queued actions in order. Ready when the queue is empty.
fn poll_queue(context: &mut Context<'_>) -> Poll<()> {
    // The queue is taken out before the actions run: a running action may enqueue another.
    let actions = QUEUE.with_borrow_mut(|line| {
        line.waker = Some(context.waker().clone());
        mem::take(&mut line.actions)
    });
    let mut pending: Vec<QueuedAction> =
        actions.into_iter().filter_map(|action| action.poll_action(context)).collect();
    QUEUE.with_borrow_mut(|line| {
        pending.append(&mut line.actions);
        line.actions = pending;
        if line.actions.is_empty() {
            line.waker = None;
            return Poll::Ready(());
        }
        Poll::Pending
    })
}
