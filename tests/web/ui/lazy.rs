//! A part that comes later: the wait for it, the part, and what helps where it does not come.

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

use crate::stage::{Stage, press, send, wait};

/// A server of parts that answers when it is told to.
#[derive(Clone, Default)]
struct Server {
    answers: Rc<RefCell<VecDeque<Loaded>>>,
    waiting: Rc<RefCell<Option<Waker>>>,
    asked: Rc<Cell<u32>>,
}

impl Server {
    fn answer(&self, loaded: Loaded) {
        self.answers.borrow_mut().push_back(loaded);
        if let Some(waker) = self.waiting.borrow_mut().take() {
            waker.wake();
        }
    }

    fn stage(&self) -> Stage {
        let load = self.loading();
        Stage::new(|| view! { <Lazy load fills="page" /> })
    }

    fn loading(&self) -> impl Fn() -> Pin<Box<dyn Future<Output = Loaded>>> + 'static {
        let server = self.clone();
        move || {
            server.asked.set(server.asked.get() + 1);
            let Server { answers, waiting, .. } = server.clone();
            Box::pin(poll_fn(move |context| {
                *waiting.borrow_mut() = Some(context.waker().clone());
                answers.borrow_mut().pop_front().map_or(Poll::Pending, Poll::Ready)
            }))
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as it comes")]
fn part() -> Loaded {
    Ok(ViewFn::from(|| view! { <h1 class="part">"Insights"</h1> }))
}

#[wasm_bindgen_test]
async fn shapes_stand_until_the_part_is_there() {
    let server = Server::default();
    let stage = server.stage();
    tick().await;
    assert_eq!(stage.all(".page .skeleton").len(), 1);
    server.answer(part());
    tick().await;
    tick().await;
    assert_eq!(stage.all(".page .skeleton").len(), 1, "it is shown in a task of its own");
    wait(20).await;
    assert_eq!(stage.text(".part"), "Insights");
    assert!(stage.all(".page").is_empty());
}

#[wasm_bindgen_test]
async fn a_part_that_is_there_already_shows_no_shapes() {
    let server = Server::default();
    server.answer(part());
    let stage = server.stage();
    tick().await;
    assert_eq!(stage.text(".part"), "Insights");
}

#[wasm_bindgen_test]
async fn what_nobody_sees_at_first_waits_for_a_press_or_for_the_rows() {
    let check = async |settle: fn(FirstPaint), wait_ms: u32| {
        let (server, settled) = (Server::default(), StoredValue::new(None));
        let load = server.loading();
        server.answer(part());
        let stage = Stage::new(move || {
            provide_context(FirstPaint::beginning(false));
            settled.set_value(use_context::<FirstPaint>());
            view! { <LazyIdle load fills="form" /> }
        });
        tick().await;
        assert_eq!((server.asked.get(), stage.all(".form .skeleton").len()), (0, 1));
        settle(settled.get_value().unwrap());
        wait(wait_ms).await;
        assert_eq!((server.asked.get(), stage.text(".part").as_str()), (1, "Insights"));
    };
    check(|_| assert!(!press(&document().body().unwrap(), "a")), 20).await;
    check(|_| send(&document().body().unwrap(), "pointerdown"), 20).await;
    check(FirstPaint::soon, 1100).await;
}

#[wasm_bindgen_test]
async fn what_does_not_come_is_asked_for_again() {
    let server = Server::default();
    server.answer(Err(ChunkLoadError));
    let stage = server.stage();
    tick().await;
    assert_eq!(stage.text("h1"), "This part could not be loaded");
    assert_eq!(server.asked.get(), 1);
    stage.all("button")[0].click();
    tick().await;
    assert_eq!(server.asked.get(), 2);
    assert_eq!(stage.all(".skeleton").len(), 1);
    server.answer(part());
    wait(20).await;
    assert_eq!(stage.text(".part"), "Insights");
}

#[wasm_bindgen_test]
async fn what_opens_over_the_page_is_there_by_then_or_says_so() {
    let (server, settled) = (Server::default(), StoredValue::new(None));
    let (open, missed) = (RwSignal::new(false), RwSignal::new(0));
    let load = server.loading();
    let stage = Stage::new(move || {
        provide_context(FirstPaint::beginning(false));
        settled.set_value(use_context::<FirstPaint>());
        let on_missing = move |_: ChunkLoadError| {
            open.set(false);
            missed.update(|missed| *missed += 1);
        };
        view! { <LazyOverlay open load on_missing /> }
    });
    tick().await;
    assert_eq!((server.asked.get(), stage.all("*").len()), (0, 0), "nothing asked, nothing shown");
    settled.get_value().unwrap().soon();
    server.answer(Err(ChunkLoadError));
    wait(1100).await;
    assert_eq!((server.asked.get(), missed.get_untracked()), (1, 0), "nobody asked for it");
    open.set(true);
    tick().await;
    server.answer(Err(ChunkLoadError));
    wait(20).await;
    let told = (server.asked.get(), missed.get_untracked(), open.get_untracked());
    assert_eq!(told, (2, 1, false));
    server.answer(part());
    open.set(true);
    tick().await;
    assert_eq!((server.asked.get(), stage.text(".part").as_str()), (3, "Insights"));
    open.set(false);
    open.set(true);
    tick().await;
    assert_eq!(server.asked.get(), 3, "it is there");
}
