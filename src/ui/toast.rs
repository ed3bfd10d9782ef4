//! Short notices over the page. What was done leaves by itself; what failed stays.

use std::{fmt, sync::Arc, time::Duration};

use leptos::{
    html,
    leptos_dom::helpers::TimeoutHandle,
    prelude::*,
    tachys::view::{Mountable, Render, any_view::AnyViewState},
};

use super::{
    button::{Button, ButtonSize, IconButton},
    icon::{Glyph, Icon},
    react,
};
use crate::i18n;

/// How long a notice of success stays, unless the pointer or the focus rests on it.
pub const STAY: Duration = Duration::from_secs(6);
/// How long one with a button stays: it must be reached in time, by keyboard too.
pub const STAY_WITH_ACTION: Duration = Duration::from_secs(15);

/// A button of a notice.
#[derive(Clone)]
pub struct ToastAction {
    /// What it says.
    pub label: &'static str,
    act: Arc<dyn Fn() + Send + Sync>,
}

impl ToastAction {
    /// Returns a button that does something.
    pub fn new(label: &'static str, act: impl Fn() + Send + Sync + 'static) -> Self {
        Self { label, act: Arc::new(act) }
    }

    /// Does it.
    pub fn run(&self) {
        (self.act)();
    }
}

impl fmt::Debug for ToastAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label)
    }
}

/// A notice.
#[derive(Clone, Debug)]
pub struct ToastItem {
    /// Tells it from the others.
    pub id: u64,
    /// What was done, or what failed and what to do.
    pub text: String,
    /// Whether it tells of a failure: then it interrupts, and stays until dismissed.
    pub failed: bool,
    /// A button, where something can be done about it.
    pub action: Option<ToastAction>,
}

/// The place where notices show: mounted once, always, or a screen reader misses the first.
#[component]
pub fn ToastRegion(
    /// What to show, oldest first.
    #[prop(into)]
    items: Signal<Vec<ToastItem>>,
    /// Takes the id of a notice that left or was dismissed.
    #[prop(into)]
    on_dismiss: Callback<u64>,
) -> impl IntoView {
    let (failures, acts) = (followed(items, true, on_dismiss), followed(items, false, on_dismiss));
    view! {
        <section class="toasts" aria-label=i18n::ui().notices>
            <div class="toasts-list" role="alert" node_ref=failures></div>
            <div class="toasts-list" role="status" node_ref=acts></div>
        </section>
    }
}

/// A notice on show.
struct Shown {
    id: u64,
    owner: Owner,
    view: AnyViewState,
}

/// Returns the place of one kind of notices, which puts each there as it comes and takes it away
/// as it leaves; the others stay as they are. By hand, since this is the only list of the first
/// view that could need `For`, which would weigh two kilobytes.
fn followed(
    items: Signal<Vec<ToastItem>>,
    failed: bool,
    on_dismiss: Callback<u64>,
) -> NodeRef<html::Div> {
    let place = NodeRef::<html::Div>::new();
    let mut shown: Vec<Shown> = Vec::new();
    // Not the present owner itself, which would never go then.
    let notices = Owner::new();
    react(move || {
        let Some(place) = place.get() else { return };
        let items = items.get();
        shown.retain_mut(|one| {
            let stays = items.iter().any(|item| item.id == one.id);
            if !stays {
                one.owner.cleanup();
                one.view.unmount();
            }
            stays
        });
        for item in items.into_iter().filter(|item| item.failed == failed) {
            if shown.iter().all(|one| one.id != item.id) {
                let (id, owner) = (item.id, notices.child());
                let build = || view! { <Toast item on_dismiss /> }.into_any().build();
                let mut view = owner.with(|| untrack(build));
                view.mount(&place, None);
                shown.push(Shown { id, owner, view });
            }
        }
    });
    place
}

#[component]
fn Toast(item: ToastItem, on_dismiss: Callback<u64>) -> impl IntoView {
    let ToastItem { id, text, failed, action } = item;
    let stay = if action.is_some() { STAY_WITH_ACTION } else { STAY };
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let pause = move || {
        if let Some(Some(handle)) = timer.try_update_value(Option::take) {
            handle.clear();
        }
    };
    let start = move || {
        pause();
        if !failed {
            timer.set_value(set_timeout_with_handle(move || on_dismiss.run(id), stay).ok());
        }
    };
    start();
    on_cleanup(pause);
    let glyph = if failed { Glyph::Warning } else { Glyph::Check };
    let button = action.map(|action| {
        let label = action.label;
        let press = move |_| {
            on_dismiss.run(id);
            action.run();
        };
        view! {
            <Button size=ButtonSize::Small on_click=press>
                {label}
            </Button>
        }
    });
    view! {
        <div
            class="toast"
            data-tone=if failed { "negative" } else { "positive" }
            on:mouseenter=move |_| pause()
            on:mouseleave=move |_| start()
            on:focusin=move |_| pause()
            on:focusout=move |_| start()
        >
            <Icon glyph />
            <p class="toast-text">{text}</p>
            {button}
            <IconButton
                icon=Glyph::Close
                label=i18n::ui().dismiss
                size=ButtonSize::Small
                on_click=move |_| on_dismiss.run(id)
            />
        </div>
    }
}
