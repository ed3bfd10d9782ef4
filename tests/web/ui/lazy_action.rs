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
struct Code {
    came: Rc<RefCell<Option<Result<(), ChunkLoadError>>>>,
    waiting: Rc<RefCell<Vec<Waker>>>,
    done: Rc<RefCell<Vec<&'static str>>>,
}

impl Code {
    fn load(&self) -> impl Future<Output = Result<(), ChunkLoadError>> + 'static {
        let Self { came, waiting, .. } = self.clone();
        poll_fn(move |context| {
            waiting.borrow_mut().push(context.waker().clone());
            (*came.borrow()).map_or(Poll::Pending, Poll::Ready)
        })
    }

    /// Resolves the load. Wakes the last waiter first, to show that the order does not depend on
    /// it.
    fn come(&self, it: Result<(), ChunkLoadError>) {
        *self.came.borrow_mut() = Some(it);
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        waiting.into_iter().rev().for_each(Waker::wake);
    }

    fn ask(&self, word: &'static str) {
        let (code, of_act, of_missing) = (self.load(), self.done.clone(), self.done.clone());
        let act = async move {
            code.await?;
            of_act.borrow_mut().push(word);
            Ok(())
        };
        run_lazy_action(act, move |ChunkLoadError| of_missing.borrow_mut().push("missing"));
    }

    #[track_caller]
    fn check(&self, words: &[&'static str]) {
        assert_eq!(*self.done.borrow(), words);
    }
}

#[wasm_bindgen_test]
async fn action_runs_once_loaded_or_reports_failure() {
    let (_stage, code) = (Stage::new(|| ()), Code::default());
    code.ask("later");
    tick().await;
    code.check(&[]);
    code.come(Ok(()));
    tick().await;
    code.check(&["later"]);
    code.ask("at once");
    code.check(&["later", "at once"]);
    code.come(Err(ChunkLoadError));
    code.ask("never");
    code.check(&["later", "at once", "missing"]);
}

#[wasm_bindgen_test]
async fn actions_run_in_request_order() {
    let (_stage, code) = (Stage::new(|| ()), Code::default());
    code.ask("pick one");
    tick().await;
    code.ask("pick another");
    code.ask("delete them");
    tick().await;
    code.come(Ok(()));
    // The code is loaded, but earlier actions have to run first.
    code.ask("undo");
    code.check(&[]);
    tick().await;
    code.check(&["pick one", "pick another", "delete them", "undo"]);
}

#[wasm_bindgen_test]
async fn action_does_not_wait_for_other_chunk() {
    let (_stage, code, other) = (Stage::new(|| ()), Code::default(), Code::default());
    code.ask("pick");
    tick().await;
    other.come(Ok(()));
    other.ask("take in");
    tick().await;
    other.check(&["take in"]);
    code.check(&[]);
    code.come(Err(ChunkLoadError));
    tick().await;
    code.check(&["missing"]);
}
