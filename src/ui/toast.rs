//! Short notices over the page. Notices of success disappear after a while; failures stay until
//! dismissed.

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
    run_effect,
};
use crate::i18n;

/// Duration of a success notice. The pointer or the focus on it pauses the timer.
pub const TOAST_DURATION: Duration = Duration::from_secs(6);
/// Duration of a notice with a button, which must be reachable by keyboard in time.
pub const TOAST_WITH_ACTION_DURATION: Duration = Duration::from_secs(15);

/// Button of a notice.
#[derive(Clone)]
pub struct ToastAction {
    /// Text of the button.
    pub label: &'static str,
    act: Arc<dyn Fn() + Send + Sync>,
}

impl ToastAction {
    /// Returns a button with an action.
    pub fn new(label: &'static str, action: impl Fn() + Send + Sync + 'static) -> Self {
        Self { label, act: Arc::new(action) }
    }

    /// Runs the action.
    pub fn run(&self) {
        (self.act)();
    }
}

impl fmt::Debug for ToastAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label)
    }
}

/// Notice.
#[derive(Clone, Debug)]
pub struct ToastItem {
    /// Unique id.
    pub id: u64,
    /// Result, or the failure and the next step.
    pub text: String,
    /// Whether it reports a failure: it then interrupts screen readers, and stays until dismissed.
    pub failed: bool,
    /// Optional button.
    pub action: Option<ToastAction>,
}

/// Region that contains the notices. Mount it once and permanently: screen readers miss notices of
/// a region that is added together with them.
#[component]
pub fn ToastRegion(
    /// Notices, oldest first.
    #[prop(into)]
    items: Signal<Vec<ToastItem>>,
    /// Receives the id of a notice that expired or was dismissed.
    #[prop(into)]
    on_dismiss: Callback<u64>,
) -> impl IntoView {
    let failures = toast_list(items, true, on_dismiss);
    let action_list = toast_list(items, false, on_dismiss);
    view! {
        <section class="toasts" aria-label=i18n::ui().notices>
            <div class="toasts-list" role="alert" node_ref=failures></div>
            <div class="toasts-list" role="status" node_ref=action_list></div>
        </section>
    }
}

/// Mounted notice.
struct MountedToast {
    id: u64,
    owner: Owner,
    view: AnyViewState,
}

/// Returns the node of one kind of notices, and mounts and unmounts them there as `items` changes;
/// the other notices keep their nodes. Written by hand: this is the only list of the first view
/// that could need `For`, which adds two kilobytes.
fn toast_list(
    items: Signal<Vec<ToastItem>>,
    failed: bool,
    on_dismiss: Callback<u64>,
) -> NodeRef<html::Div> {
    let container = NodeRef::<html::Div>::new();
    let mut shown: Vec<MountedToast> = Vec::new();
    // A child owner: capturing the current owner itself would be a cycle, and it would never be
    // disposed of.
    let notices = Owner::new();
    run_effect(move || {
        let Some(element) = container.get() else { return };
        let items = items.get();
        shown.retain_mut(|toast| {
            let is_active = items.iter().any(|item| item.id == toast.id);
            if !is_active {
                toast.owner.cleanup();
                toast.view.unmount();
            }
            is_active
        });
        for item in items.into_iter().filter(|item| item.failed == failed) {
            if shown.iter().all(|toast| toast.id != item.id) {
                let id = item.id;
                let owner = notices.child();
                let build = || view! { <Toast item on_dismiss /> }.into_any().build();
                let mut view = owner.with(|| untrack(build));
                view.mount(&element, None);
                shown.push(MountedToast { id, owner, view });
            }
        }
    });
    container
}

#[component]
fn Toast(item: ToastItem, on_dismiss: Callback<u64>) -> impl IntoView {
    let ToastItem { id, text, failed, action } = item;
    let stay = if action.is_some() { TOAST_WITH_ACTION_DURATION } else { TOAST_DURATION };
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
