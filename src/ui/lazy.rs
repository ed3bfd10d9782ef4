//! Views whose code is a chunk of its own, loaded when they are first shown. This module handles
//! the wait and the load errors; the content belongs to the callers.

use std::{
    cell::Cell,
    future::Future,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use leptos::{prelude::*, task::spawn_local};

use super::{
    button::{Button, ButtonVariant, Reload},
    empty::Empty,
    icon::Glyph,
    run_effect,
    skeleton::SkeletonLines,
};
use crate::i18n;

/// Timeout for loading a chunk, in milliseconds.
const LOAD_TIMEOUT_MS: u32 = 15_000;

/// A chunk failed to load: the network is down, or the server has a newer dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLoadError;

impl ChunkLoadError {
    /// Returns the explanation for the user.
    pub fn error_text(self) -> &'static str {
        i18n::ui().part_missing_text
    }

    /// Returns the message for an action that could not run without the chunk.
    pub fn action_error_text(self) -> String {
        (i18n::ui().not_opened)(self.error_text())
    }
}

#[cfg(split)]
impl From<leptos::wasm_split::SplitLoaderError> for ChunkLoadError {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// Result of loading a lazy view: a function that builds the view.
pub type Loaded = Result<ViewFn, ChunkLoadError>;

/// Declares lazy views: `pub fn name(argument: Type) in file => view;` becomes an async function
/// that returns [`Loaded`]. Views with the same `file` share a chunk. A build without splitting has
/// one file for everything, and each view is available immediately.
#[macro_export]
macro_rules! lazy_views {
    ($($(#[$doc:meta])* $sight:vis fn $name:ident($($argument:ident: $kind:ty),*) in $file:ident
       => $view:expr;)*) => {$(
        $(#[$doc])*
        #[cfg(split)]
        #[::leptos::wasm_split::wasm_split(
            $file, wasm_split_path = ::leptos::wasm_split, fallible
        )]
        $sight fn $name($($argument: $kind),*) -> $crate::ui::lazy::Loaded {
            Ok(::leptos::prelude::ViewFn::from(move || $view))
        }

        $(#[$doc])*
        #[cfg(not(split))]
        $sight async fn $name($($argument: $kind),*) -> $crate::ui::lazy::Loaded {
            Ok(::leptos::prelude::ViewFn::from(move || $view))
        }
    )*};
}

/// Class of the block that is a whole page. Its load error is the page's heading.
const PAGE_CLASS: &str = "page";

/// Pending load.
pub(super) type LoadFuture<T = Loaded> = Pin<Box<dyn Future<Output = T>>>;

/// View that renders once its code is loaded.
#[component]
pub fn Lazy<Load, Code>(
    /// Starts loading the code; called again at each retry.
    load: Load,
    /// Class of the block that contains the view.
    fills: &'static str,
) -> impl IntoView
where
    Load: Fn() -> Code + 'static,
    Code: Future<Output = Loaded> + 'static,
{
    lazy_view(Box::new(move || Box::pin(load())), fills, Signal::stored(true))
}

/// View that is loaded after the first paint. For content that is invisible before a key or button
/// press, or that would compete with the rows.
#[component]
pub fn LazyIdle<Load, Code>(
    /// Starts loading the code; called again at each retry.
    load: Load,
    /// Class of the block that contains the view.
    fills: &'static str,
) -> impl IntoView
where
    Load: Fn() -> Code + 'static,
    Code: Future<Output = Loaded> + 'static,
{
    lazy_view(Box::new(move || Box::pin(load())), fills, FirstPaint::in_context())
}

/// Delay between the page having its data and the loading of deferred code.
const IDLE_DELAY: Duration = Duration::from_secs(1);
/// Maximum delay, for pages that do not report that they have their data.
const IDLE_DELAY_MAX: Duration = Duration::from_secs(5);

/// Whether the first view is complete. The app provides it as context.
#[derive(Clone, Copy, Debug)]
pub struct FirstPaint(RwSignal<bool>);

impl FirstPaint {
    /// Returns a state that becomes true at the first press of a button or key, shortly after a
    /// page has its data, or at the latest after a timeout.
    pub fn with_listeners() -> Self {
        // Without splitting, all code is loaded already.
        Self::with_state(cfg!(not(split)))
    }

    /// Returns the same state, with `done` as its initial value.
    pub fn with_state(done: bool) -> Self {
        let settled = Self(RwSignal::new(done));
        for event in ["pointerdown", "keydown"] {
            // Never removed: the app lives as long as the window.
            window_event_listener_untyped(event, move |_| settled.complete());
        }
        set_timeout(move || settled.complete(), IDLE_DELAY_MAX);
        settled
    }

    /// Reports that the page has its data.
    pub fn complete_soon(self) {
        set_timeout(move || self.complete(), IDLE_DELAY);
    }

    /// Returns the state in context; constantly true if there is no such context.
    fn in_context() -> Signal<bool> {
        use_context::<Self>().map_or(Signal::stored(true), |settled| settled.0.into())
    }

    fn complete(self) {
        self.0.try_maybe_update(|settled| (!std::mem::replace(settled, true), ()));
    }
}

fn lazy_view(
    load: Box<dyn Fn() -> LoadFuture>,
    fills: &'static str,
    is_open: Signal<bool>,
) -> AnyView {
    let part = RwSignal::new(None::<Loaded>);
    let attempt = RwSignal::new(0_u32);
    run_effect(move || {
        attempt.track();
        if !is_open.get() {
            return;
        }
        let on_loaded = move |loaded| {
            part.try_set(Some(loaded));
        };
        // A view that is loaded already must not flash its placeholder.
        if let Some(future) = deliver_if_ready(load(), on_loaded) {
            part.set(None);
            spawn_local(async move { on_loaded(load_with_timeout(future).await) });
        }
    });
    let show = move || match part.get() {
        Some(Ok(view)) => view.run(),
        Some(Err(missing)) => {
            let error = load_error_view(missing, attempt, fills == PAGE_CLASS);
            view! { <div class=fills>{error}</div> }.into_any()
        }
        None => view! {
            <div class=fills>
                <SkeletonLines label=i18n::common().loading />
            </div>
        }
        .into_any(),
    };
    show.into_any()
}

thread_local! {
    static ON_LOAD_ERROR: Cell<fn()> = const { Cell::new(|| {}) };
}

/// Sets the function that is called whenever a chunk fails to load. Replaces the previous one.
pub fn set_on_load_error(notify: fn()) {
    ON_LOAD_ERROR.set(notify);
}

/// Waits for a chunk, up to [`LOAD_TIMEOUT_MS`]. Then yields to the event loop once, so that views
/// from the same chunk render in separate tasks and input events can run in between.
async fn load_with_timeout(future: LoadFuture) -> Loaded {
    let loaded = match select(future, TimeoutFuture::new(LOAD_TIMEOUT_MS)).await {
        Either::Left((loaded, _)) => loaded,
        Either::Right(_) => Err(ChunkLoadError),
    };
    TimeoutFuture::new(0).await;
    if loaded.is_err() {
        ON_LOAD_ERROR.get()();
    }
    loaded
}

/// Calls `on_ready` immediately if the code is loaded; otherwise returns the pending future.
fn deliver_if_ready(future: LoadFuture, on_ready: impl FnOnce(Loaded)) -> Option<LoadFuture> {
    poll_once(future).map(on_ready).err()
}

/// Polls the future once. Returns its output, or the future if it is pending.
fn poll_once<T>(mut future: LoadFuture<T>) -> Result<T, LoadFuture<T>> {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err(future),
    }
}

/// Overlay that renders nothing until it opens. Its code is loaded then at the latest.
#[component]
pub fn LazyOverlay<Load, Code>(
    /// Whether the overlay is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Starts loading the code; called again at each opening until the code is loaded.
    load: Load,
    /// Whether to load the code ahead, after the first paint.
    #[prop(default = true)]
    ahead: bool,
    /// Called if the code fails to load while the overlay is open.
    #[prop(into)]
    on_missing: Callback<ChunkLoadError>,
) -> impl IntoView
where
    Load: Fn() -> Code + 'static,
    Code: Future<Output = Loaded> + 'static,
{
    let ahead = if ahead { FirstPaint::in_context() } else { Signal::stored(false) };
    overlay_view(open, ahead, Box::new(move || Box::pin(load())), on_missing)
}

fn overlay_view(
    open: Signal<bool>,
    ahead: Signal<bool>,
    load: Box<dyn Fn() -> LoadFuture>,
    on_missing: Callback<ChunkLoadError>,
) -> AnyView {
    let part = RwSignal::new(None::<ViewFn>);
    let is_coming = StoredValue::new(false);
    let was_tried = StoredValue::new(false);
    let on_loaded = move |loaded: Loaded| match loaded {
        Ok(view) => {
            part.try_set(Some(view));
        }
        Err(missing) if open.try_get_untracked() == Some(true) => on_missing.run(missing),
        Err(_) => {}
    };
    run_effect(move || {
        // Prefetch once. If that failed, opening the overlay loads again.
        let is_needed = open.get() | (ahead.get() && !was_tried.get_value());
        if !is_needed || is_coming.get_value() || part.with_untracked(Option::is_some) {
            return;
        }
        was_tried.set_value(true);
        if let Some(future) = deliver_if_ready(load(), on_loaded) {
            is_coming.set_value(true);
            spawn_local(async move {
                let loaded = load_with_timeout(future).await;
                is_coming.try_set_value(false);
                on_loaded(loaded);
            });
        }
    });
    let show = move || part.get().map(|view| view.run());
    show.into_any()
}

/// Error view for a missing chunk, with buttons to retry and to reload the page.
fn load_error_view(missing: ChunkLoadError, attempt: RwSignal<u32>, alone: bool) -> AnyView {
    let retry = move |_| attempt.update(|attempt| *attempt += 1);
    view! {
        <Empty
            icon=Glyph::Warning
            title=i18n::ui().part_missing
            text=missing.error_text()
            alone
        >
            <Button icon=Glyph::Refresh variant=ButtonVariant::Primary on_click=retry>
                {i18n::common().retry}
            </Button>
            <Reload variant=ButtonVariant::Ghost />
        </Empty>
    }
    .into_any()
}

/// Prefetches the code of a view. Ignores errors: the view itself reports them.
pub fn fetch_ahead(code: impl Future<Output = Loaded> + 'static) {
    spawn_local(async move {
        let _ = code.await;
    });
}
