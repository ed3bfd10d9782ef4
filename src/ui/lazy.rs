//! Parts whose code is a file of its own, fetched when they are first shown. What such a part
//! shows is its own affair; here stand the wait for it, and what helps where it does not come.

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
    react,
    skeleton::SkeletonLines,
};
use crate::i18n;

/// Time within which the code of a part comes, in milliseconds.
const PART_MS: u32 = 15_000;

/// The code of a part did not come: the network is away, or the server has a newer dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLoadError;

impl ChunkLoadError {
    /// Returns what that means to a person.
    pub fn text(self) -> &'static str {
        i18n::ui().part_missing_text
    }

    /// Returns what to tell whoever pressed something that needs it.
    pub fn told(self) -> String {
        (i18n::ui().not_opened)(self.text())
    }
}

#[cfg(split)]
impl From<leptos::wasm_split::SplitLoaderError> for ChunkLoadError {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// What comes with the code of a part: its view, to be built where it belongs.
pub type Loaded = Result<ViewFn, ChunkLoadError>;

/// Declares parts: `pub fn name(argument: Type) in file => view;` becomes an async function that
/// returns [`Loaded`]. Parts that name one `file` come together. Where the build does not split
/// there is one file for all, and every part is there at once.
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

/// The block that is a page of its own: there the excuse is the page's heading.
const PAGE: &str = "page";

/// What is on its way.
pub(super) type Coming<T = Loaded> = Pin<Box<dyn Future<Output = T>>>;

/// A part that is shown once its code is there.
#[component]
pub fn Lazy<Load, Code>(
    /// Begins to fetch the code; again at each retry.
    load: Load,
    /// The class of the block that the part fills.
    fills: &'static str,
) -> impl IntoView
where
    Load: Fn() -> Code + 'static,
    Code: Future<Output = Loaded> + 'static,
{
    later(Box::new(move || Box::pin(load())), fills, Signal::stored(true))
}

/// A part that is shown as soon as the first view is done with: what nobody can see before a
/// press, and what would compete with the rows.
#[component]
pub fn LazyIdle<Load, Code>(
    /// Begins to fetch the code; again at each retry.
    load: Load,
    /// The class of the block that the part fills.
    fills: &'static str,
) -> impl IntoView
where
    Load: Fn() -> Code + 'static,
    Code: Future<Output = Loaded> + 'static,
{
    later(Box::new(move || Box::pin(load())), fills, FirstPaint::in_context())
}

/// How long a page is left alone before what comes later is fetched.
const QUIET: Duration = Duration::from_secs(1);
/// How long at most, where no page says that it has what it needs.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the first view is done with; to be provided as context by the app.
#[derive(Clone, Copy, Debug)]
pub struct FirstPaint(RwSignal<bool>);

impl FirstPaint {
    /// Returns what becomes true by the first press of a button or a key, soon after a page has
    /// what it needs, and in the end by itself.
    pub fn listening() -> Self {
        // What is not split is there already.
        Self::beginning(cfg!(not(split)))
    }

    /// Returns the same, told whether the first view is done with.
    pub fn beginning(done: bool) -> Self {
        let settled = Self(RwSignal::new(done));
        for event in ["pointerdown", "keydown"] {
            // For as long as the window lives, as the app does.
            window_event_listener_untyped(event, move |_| settled.now());
        }
        set_timeout(move || settled.now(), PATIENCE);
        settled
    }

    /// Takes in that a page has what it needs.
    pub fn soon(self) {
        set_timeout(move || self.now(), QUIET);
    }

    /// Returns whether it is; that it is, where nobody looks after it.
    fn in_context() -> Signal<bool> {
        use_context::<Self>().map_or(Signal::stored(true), |settled| settled.0.into())
    }

    fn now(self) {
        self.0.try_maybe_update(|settled| (!std::mem::replace(settled, true), ()));
    }
}

fn later(load: Box<dyn Fn() -> Coming>, fills: &'static str, wanted: Signal<bool>) -> AnyView {
    let (part, attempt) = (RwSignal::new(None::<Loaded>), RwSignal::new(0_u32));
    react(move || {
        attempt.track();
        if !wanted.get() {
            return;
        }
        let arrive = move |loaded| {
            part.try_set(Some(loaded));
        };
        // What is there already must not flash the shapes of what is not.
        if let Some(coming) = not_yet(load(), arrive) {
            part.set(None);
            spawn_local(async move { arrive(alone(coming).await) });
        }
    });
    let show = move || match part.get() {
        Some(Ok(view)) => view.run(),
        Some(Err(missing)) => {
            view! { <div class=fills>{excuse(missing, attempt, fills == PAGE)}</div> }.into_any()
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
    static ON_MISSING: Cell<fn()> = const { Cell::new(|| {}) };
}

/// Calls a function whenever the code of a part does not come, in place of the one before.
pub fn on_missing(tell: fn()) {
    ON_MISSING.set(tell);
}

/// Waits for what is on its way, but not for long, to be shown in a task of its own: of several
/// parts that come in one file, each leaves room for a press.
async fn alone(coming: Coming) -> Loaded {
    let loaded = match select(coming, TimeoutFuture::new(PART_MS)).await {
        Either::Left((loaded, _)) => loaded,
        Either::Right(_) => Err(ChunkLoadError),
    };
    TimeoutFuture::new(0).await;
    if loaded.is_err() {
        ON_MISSING.get()();
    }
    loaded
}

/// Calls `arrive` at once with what is there already; returns what is not.
fn not_yet(coming: Coming, arrive: impl FnOnce(Loaded)) -> Option<Coming> {
    now(coming).map(arrive).err()
}

/// Returns what is there already, or else what is to be waited for.
fn now<T>(mut coming: Coming<T>) -> Result<T, Coming<T>> {
    match coming.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(it) => Ok(it),
        Poll::Pending => Err(coming),
    }
}

/// A part that shows nothing until it is to open: fetched then at the latest.
#[component]
pub fn LazyOverlay<Load, Code>(
    /// Whether it is to be open.
    #[prop(into)]
    open: Signal<bool>,
    /// Begins to fetch the code; again at each opening, until it is there.
    load: Load,
    /// Whether it is fetched ahead, as soon as the first view is done with.
    #[prop(default = true)]
    ahead: bool,
    /// Hears that it did not come, where it is to be open.
    #[prop(into)]
    on_missing: Callback<ChunkLoadError>,
) -> impl IntoView
where
    Load: Fn() -> Code + 'static,
    Code: Future<Output = Loaded> + 'static,
{
    let ahead = if ahead { FirstPaint::in_context() } else { Signal::stored(false) };
    over(open, ahead, Box::new(move || Box::pin(load())), on_missing)
}

fn over(
    open: Signal<bool>,
    ahead: Signal<bool>,
    load: Box<dyn Fn() -> Coming>,
    on_missing: Callback<ChunkLoadError>,
) -> AnyView {
    let part = RwSignal::new(None::<ViewFn>);
    let (is_coming, was_tried) = (StoredValue::new(false), StoredValue::new(false));
    let arrive = move |loaded: Loaded| match loaded {
        Ok(view) => {
            part.try_set(Some(view));
        }
        Err(missing) if open.try_get_untracked() == Some(true) => on_missing.run(missing),
        Err(_) => {}
    };
    react(move || {
        // Ahead of being opened once: what did not come then, may when it is wanted.
        let wanted = open.get() | (ahead.get() && !was_tried.get_value());
        if !wanted || is_coming.get_value() || part.with_untracked(Option::is_some) {
            return;
        }
        was_tried.set_value(true);
        if let Some(coming) = not_yet(load(), arrive) {
            is_coming.set_value(true);
            spawn_local(async move {
                let loaded = alone(coming).await;
                is_coming.try_set_value(false);
                arrive(loaded);
            });
        }
    });
    let show = move || part.get().map(|view| view.run());
    show.into_any()
}

/// Says what is missing, and offers what may help: to ask again, or to begin anew.
fn excuse(missing: ChunkLoadError, attempt: RwSignal<u32>, alone: bool) -> AnyView {
    let retry = move |_| attempt.update(|attempt| *attempt += 1);
    view! {
        <Empty
            icon=Glyph::Warning
            title=i18n::ui().part_missing
            text=missing.text()
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

/// Fetches the code of a part that is likely to be wanted soon. Where it does not come, the part
/// itself will say so.
pub fn fetch_ahead(code: impl Future<Output = Loaded> + 'static) {
    spawn_local(async move {
        let _ = code.await;
    });
}
