//! Slot of the dialog that asks for the password again. Its code is loaded when it opens.

pub mod dialog;

use leptos::prelude::*;

use crate::{
    lazy,
    state::{reauthentication::Reauthentication, toasts::Toasts},
    ui::lazy::{ChunkLoadError, LazyOverlay},
};

/// Slot of the dialog. If its code fails to load, the request counts as declined.
#[component]
pub fn ProofSlot() -> impl IntoView {
    let proofs = expect_context::<Reauthentication>();
    let toasts = expect_context::<Toasts>();
    let on_missing = move |missing: ChunkLoadError| {
        proofs.close(false);
        toasts.show_error(missing.action_error_text());
    };
    view! { <LazyOverlay open=proofs.open() load=lazy::proof ahead=false on_missing /> }
}
