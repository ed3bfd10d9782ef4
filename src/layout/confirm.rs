//! The dialog that may open on every page: the question before what cannot be undone. It does
//! nothing by itself; its code comes after the first view.

pub mod dialog;

use leptos::prelude::*;

use crate::{
    lazy,
    state::{confirm::Confirm, toasts::Toasts},
    ui::lazy::{ChunkLoadError, LazyOverlay},
};

/// The place of the question. Where its code does not come, nothing is done.
#[component]
pub fn ConfirmSlot() -> impl IntoView {
    let (confirm, toasts) = (expect_context::<Confirm>(), expect_context::<Toasts>());
    let on_missing = move |missing: ChunkLoadError| {
        confirm.close();
        toasts.failed(missing.told());
    };
    view! { <LazyOverlay open=confirm.open() load=lazy::confirmation on_missing /> }
}
