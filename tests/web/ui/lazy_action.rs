//! Actions with lazily loaded code run in the order of their requests.

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    rc::Rc,
    task::{Poll, Waker},
};

use dashboard::ui::{lazy::ChunkLoadError, lazy_action::run_lazy_action};
use leptos::task::tick;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::Stage;

/// The code of a chunk, and a log of the actions that ran. Waiting actions are polled while a view
/// is mounted.
#[derive(Clone, Default)]
struct ChunkStub {
    result: Rc<RefCell<Option<Result<(), ChunkLoadError>>>>,
    waiting: Rc<RefCell<Vec<Waker>>>,
    done: Rc<RefCell<Vec<&'static str>>>,
}

impl ChunkStub {
    fn load(&self) -> impl Future<Output = Result<(), ChunkLoadError>> + 'static {
        let Self { result: came, waiting, .. } = self.clone();
        poll_fn(move |context| {
            waiting.borrow_mut().push(context.waker().clone());
            (*came.borrow()).map_or(Poll::Pending, Poll::Ready)
        })
    }

    /// Resolves the load. Wakes the last waiter first, to show that the order does not depend on
    /// it.
    fn resolve(&self, it: Result<(), ChunkLoadError>) {
        *self.result.borrow_mut() = Some(it);
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        waiting.into_iter().rev().for_each(Waker::wake);
    }

    fn run_action(&self, word: &'static str) {
        let code = self.load();
        let of_act = self.done.clone();
        let of_missing = self.done.clone();
        let act = async move {
            code.await?;
            of_act.borrow_mut().push(word);
            Ok(())
        };
        run_lazy_action(act, move |ChunkLoadError| of_missing.borrow_mut().push("missing"));
    }

    #[track_caller]
    fn assert_done(&self, words: &[&'static str]) {
        assert_eq!(*self.done.borrow(), words);
    }
}

#[wasm_bindgen_test]
async fn action_runs_once_loaded_or_reports_failure() {
    let _stage = Stage::new(|| ());
    let code = ChunkStub::default();
    code.run_action("later");
    tick().await;
    code.assert_done(&[]);
    code.resolve(Ok(()));
    tick().await;
    code.assert_done(&["later"]);
    code.run_action("at once");
    code.assert_done(&["later", "at once"]);
    code.resolve(Err(ChunkLoadError));
    code.run_action("never");
    code.assert_done(&["later", "at once", "missing"]);
}

#[wasm_bindgen_test]
async fn actions_run_in_request_order() {
    let _stage = Stage::new(|| ());
    let code = ChunkStub::default();
    code.run_action("pick one");
    tick().await;
    code.run_action("pick another");
    code.run_action("delete them");
    tick().await;
    code.resolve(Ok(()));
    // The code is loaded, but earlier actions have to run first.
    code.run_action("undo");
    code.assert_done(&[]);
    tick().await;
    code.assert_done(&["pick one", "pick another", "delete them", "undo"]);
}

#[wasm_bindgen_test]
async fn action_does_not_wait_for_other_chunk() {
    let _stage = Stage::new(|| ());
    let code = ChunkStub::default();
    let other = ChunkStub::default();
    code.run_action("pick");
    tick().await;
    other.resolve(Ok(()));
    other.run_action("take in");
    tick().await;
    other.assert_done(&["take in"]);
    code.assert_done(&[]);
    code.resolve(Err(ChunkLoadError));
    tick().await;
    code.assert_done(&["missing"]);
}
