//! The place of the dialog that asks for the password again. Its code is loaded when it opens.

pub mod dialog;

use leptos::prelude::*;

use crate::{
    lazy,
    state::{proof::Proofs, toasts::Toasts},
    ui::lazy::{ChunkLoadError, LazyOverlay},
};

/// The place of the dialog. Where its code does not come, nothing is proven.
#[component]
pub fn ProofSlot() -> impl IntoView {
    let (proofs, toasts) = (expect_context::<Proofs>(), expect_context::<Toasts>());
    let on_missing = move |missing: ChunkLoadError| {
        proofs.close(false);
        toasts.failed(missing.told());
    };
    view! { <LazyOverlay open=proofs.open() load=lazy::proof ahead=false on_missing /> }
}
