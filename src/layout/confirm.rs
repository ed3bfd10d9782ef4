//! Slot of the confirmation dialog for irreversible actions, on every page. Its code is loaded
//! after the first paint.

pub mod dialog;

use leptos::prelude::*;

use crate::{
    lazy,
    state::{confirm::Confirm, toasts::Toasts},
    ui::lazy::{ChunkLoadError, LazyOverlay},
};

/// Slot of the dialog. If the dialog opens and its code fails to load, the action is cancelled.
#[component]
pub fn ConfirmSlot() -> impl IntoView {
    let confirm = expect_context::<Confirm>();
    let toasts = expect_context::<Toasts>();
    let on_missing = move |missing: ChunkLoadError| {
        confirm.close();
        toasts.show_error(missing.action_error_text());
    };
    view! { <LazyOverlay open=confirm.open() load=lazy::confirmation on_missing /> }
}
