//! Slot of the re-authentication dialog, which asks for the password again. Its code is loaded when
//! it opens, because few visits need it.

pub mod dialog;

use leptos::prelude::*;

use crate::{
    lazy,
    state::{reauthentication::Reauthentication, toasts::Toasts},
    ui::lazy::{ChunkLoadError, LazyOverlay},
};

/// Slot of the dialog. If its code fails to load, the action ends as if the user had cancelled.
#[component]
pub fn ReauthenticationSlot() -> impl IntoView {
    let reauthentication = expect_context::<Reauthentication>();
    let toasts = expect_context::<Toasts>();
    let on_missing = move |missing: ChunkLoadError| {
        reauthentication.close(false);
        toasts.show_error(missing.action_error_text());
    };
    let open = reauthentication.open();
    view! { <LazyOverlay open load=lazy::reauthentication ahead=false on_missing /> }
}
