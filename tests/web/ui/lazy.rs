//! Lazily loaded views: skeleton, view, and retry after a failed load.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    rc::Rc,
    task::{Poll, Waker},
};

use dashboard::ui::lazy::{ChunkLoadError, FirstPaint, Lazy, LazyIdle, LazyOverlay, Loaded};
use leptos::prelude::*;
use leptos::task::tick;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, dispatch_event, press_key, wait};

/// A chunk loader that returns the results queued by a test.
#[derive(Clone, Default)]
struct ChunkServer {
    answers: Rc<RefCell<VecDeque<Loaded>>>,
    waiting: Rc<RefCell<Option<Waker>>>,
    request_count: Rc<Cell<u32>>,
}

impl ChunkServer {
    fn push_answer(&self, loaded: Loaded) {
        self.answers.borrow_mut().push_back(loaded);
        if let Some(waker) = self.waiting.borrow_mut().take() {
            waker.wake();
        }
    }

    fn mount(&self) -> Stage {
        let load = self.loader();
        Stage::new(|| view! { <Lazy load fills="page" /> })
    }

    fn loader(&self) -> impl Fn() -> Pin<Box<dyn Future<Output = Loaded>>> + 'static {
        let server = self.clone();
        move || {
            server.request_count.set(server.request_count.get() + 1);
            let ChunkServer { answers, waiting, .. } = server.clone();
            Box::pin(poll_fn(move |context| {
                *waiting.borrow_mut() = Some(context.waker().clone());
                answers.borrow_mut().pop_front().map_or(Poll::Pending, Poll::Ready)
            }))
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a load result")]
fn loaded_view() -> Loaded {
    Ok(ViewFn::from(|| view! { <h1 class="part">"Insights"</h1> }))
}

#[wasm_bindgen_test]
async fn skeleton_is_shown_until_view_loads() {
    let server = ChunkServer::default();
    let stage = server.mount();
    tick().await;
    assert_eq!(stage.all(".page .skeleton").len(), 1);
    server.push_answer(loaded_view());
    tick().await;
    tick().await;
    assert_eq!(stage.all(".page .skeleton").len(), 1, "the view is rendered in a separate task");
    wait(20).await;
    assert_eq!(stage.text(".part"), "Insights");
    assert!(stage.all(".page").is_empty());
}

#[wasm_bindgen_test]
async fn loaded_view_shows_no_skeleton() {
    let server = ChunkServer::default();
    server.push_answer(loaded_view());
    let stage = server.mount();
    tick().await;
    assert_eq!(stage.text(".part"), "Insights");
}

#[wasm_bindgen_test]
async fn idle_view_loads_after_input_or_paint() {
    let check = async |settle: fn(FirstPaint), wait_ms: u32| {
        let server = ChunkServer::default();
        let settled = StoredValue::new(None);
        let load = server.loader();
        server.push_answer(loaded_view());
        let stage = Stage::new(move || {
            provide_context(FirstPaint::with_state(false));
            settled.set_value(use_context::<FirstPaint>());
            view! { <LazyIdle load fills="form" /> }
        });
        tick().await;
        assert_eq!((server.request_count.get(), stage.all(".form .skeleton").len()), (0, 1));
        settle(settled.get_value().unwrap());
        wait(wait_ms).await;
        assert_eq!((server.request_count.get(), stage.text(".part").as_str()), (1, "Insights"));
    };
    check(|_| assert!(!press_key(&document().body().unwrap(), "a")), 20).await;
    check(|_| dispatch_event(&document().body().unwrap(), "pointerdown"), 20).await;
    check(FirstPaint::complete_soon, 1100).await;
}

#[wasm_bindgen_test]
async fn failed_load_can_be_retried() {
    let server = ChunkServer::default();
    server.push_answer(Err(ChunkLoadError));
    let stage = server.mount();
    tick().await;
    assert_eq!(stage.text("h1"), "Could not load this content");
    assert_eq!(server.request_count.get(), 1);
    stage.all("button")[0].click();
    tick().await;
    assert_eq!(server.request_count.get(), 2);
    assert_eq!(stage.all(".skeleton").len(), 1);
    server.push_answer(loaded_view());
    wait(20).await;
    assert_eq!(stage.text(".part"), "Insights");
}

#[wasm_bindgen_test]
async fn overlay_is_preloaded_or_reports_failure() {
    let server = ChunkServer::default();
    let settled = StoredValue::new(None);
    let open = RwSignal::new(false);
    let reported_failures = RwSignal::new(0);
    let load = server.loader();
    let stage = Stage::new(move || {
        provide_context(FirstPaint::with_state(false));
        settled.set_value(use_context::<FirstPaint>());
        let on_missing = move |_: ChunkLoadError| {
            open.set(false);
            reported_failures.update(|missed| *missed += 1);
        };
        view! { <LazyOverlay open load on_missing /> }
    });
    tick().await;
    assert_eq!(
        (server.request_count.get(), stage.all("*").len()),
        (0, 0),
        "nothing is loaded or shown"
    );
    settled.get_value().unwrap().complete_soon();
    server.push_answer(Err(ChunkLoadError));
    wait(1100).await;
    assert_eq!(
        (server.request_count.get(), reported_failures.get_untracked()),
        (1, 0),
        "a failed preload is not reported"
    );
    open.set(true);
    tick().await;
    server.push_answer(Err(ChunkLoadError));
    wait(20).await;
    let outcome =
        (server.request_count.get(), reported_failures.get_untracked(), open.get_untracked());
    assert_eq!(outcome, (2, 1, false));
    server.push_answer(loaded_view());
    open.set(true);
    tick().await;
    assert_eq!((server.request_count.get(), stage.text(".part").as_str()), (3, "Insights"));
    open.set(false);
    open.set(true);
    tick().await;
    assert_eq!(server.request_count.get(), 3, "the view is already loaded");
}
