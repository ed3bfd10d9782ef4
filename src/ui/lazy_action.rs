//! Actions whose code is loaded on demand. Each runs as soon as its code is loaded; those that wait
//! for the same code run in the order of the requests. Nothing is shown here.

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    mem,
    task::{Context, Poll, Waker},
};

use leptos::task::spawn_local;

use super::lazy::{ChunkLoadError, Coming};

/// Declares acts whose code comes with a part: `pub fn name(argument: Type) in file => act;`
/// becomes an async function that does it. [`run_lazy_action`] calls it.
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

/// Does what comes with a part: at once where its code is there and nothing waits, else as soon as
/// it is. `on_missing` hears that it did not come.
pub fn run_lazy_action(
    act: impl Future<Output = Result<(), ChunkLoadError>> + 'static,
    on_missing: impl FnOnce(ChunkLoadError) + 'static,
) {
    stand_in_line(Command { coming: Box::pin(act), on_missing: Box::new(on_missing) });
}

/// Something that was asked for.
struct Command {
    coming: Coming<Result<(), ChunkLoadError>>,
    on_missing: Box<dyn FnOnce(ChunkLoadError)>,
}

impl Command {
    /// Does it where its code is there; returns it where that is not.
    fn try_once(mut self, context: &mut Context<'_>) -> Option<Self> {
        match self.coming.as_mut().poll(context) {
            Poll::Ready(done) => {
                done.unwrap_or_else(self.on_missing);
                None
            }
            Poll::Pending => Some(self),
        }
    }
}

/// What waits, first come first, and who calls the one task that looks after it. A task for each
/// would not do: what its code wakes is run in an order of its own.
#[derive(Default)]
struct Line {
    acts: Vec<Command>,
    keeper: Option<Waker>,
}

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

fn stand_in_line(act: Command) {
    let keeper = LINE.with_borrow(|line| line.keeper.clone());
    if let Some(keeper) = keeper {
        LINE.with_borrow_mut(|line| line.acts.push(act));
        keeper.wake();
    } else if let Some(act) = act.try_once(&mut Context::from_waker(Waker::noop())) {
        LINE.with_borrow_mut(|line| {
            line.acts.push(act);
            line.keeper = Some(Waker::noop().clone());
        });
        spawn_local(poll_fn(keep));
    }
}

/// Looks at all that waits, in turn, until nothing does. What is done may ask for more.
fn keep(context: &mut Context<'_>) -> Poll<()> {
    let acts = LINE.with_borrow_mut(|line| {
        line.keeper = Some(context.waker().clone());
        mem::take(&mut line.acts)
    });
    let mut left: Vec<Command> = acts.into_iter().filter_map(|act| act.try_once(context)).collect();
    LINE.with_borrow_mut(|line| {
        left.append(&mut line.acts);
        line.acts = left;
        if line.acts.is_empty() {
            line.keeper = None;
            return Poll::Ready(());
        }
        Poll::Pending
    })
}
