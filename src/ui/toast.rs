//! Short notices over the page. What was done leaves by itself; what failed stays.

use std::time::Duration;

use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};

use super::{
    button::{ButtonSize, IconButton},
    icon::{Glyph, Icon},
};
use crate::texts;

/// How long a notice of success stays, unless the pointer or the focus rests on it.
pub const STAY: Duration = Duration::from_secs(6);

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToastItem {
    /// Tells it from the others.
    pub id: u64,
    /// What was done, or what failed and what to do.
    pub text: String,
    /// Whether it tells of a failure: then it interrupts, and stays until dismissed.
    pub failed: bool,
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
    let list = move |failed: bool| {
        view! {
            <For
                each=move || items.get().into_iter().filter(move |item| item.failed == failed)
                key=|item| item.id
                children=move |item| view! { <Toast item on_dismiss /> }
            />
        }
    };
    view! {
        <section class="toasts" aria-label=texts::ui().notices>
            <div class="toasts-list" role="alert">
                {list(true)}
            </div>
            <div class="toasts-list" role="status">
                {list(false)}
            </div>
        </section>
    }
}

#[component]
fn Toast(item: ToastItem, on_dismiss: Callback<u64>) -> impl IntoView {
    let ToastItem { id, text, failed } = item;
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let pause = move || {
        if let Some(Some(handle)) = timer.try_update_value(Option::take) {
            handle.clear();
        }
    };
    let start = move || {
        pause();
        if !failed {
            timer.set_value(set_timeout_with_handle(move || on_dismiss.run(id), STAY).ok());
        }
    };
    start();
    on_cleanup(pause);
    let glyph = if failed { Glyph::Warning } else { Glyph::Check };
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
            <IconButton
                icon=Glyph::Close
                label=texts::ui().dismiss
                size=ButtonSize::Small
                on_click=move |_| on_dismiss.run(id)
            />
        </div>
    }
}
