//! The dialog that may open on every page: the question before what cannot be undone. It does
//! nothing by itself; its code comes after the first view.

use leptos::prelude::*;

use crate::{
    lazy,
    state::{confirm::Confirm, toasts::Toasts},
    ui::{
        dialog::ConfirmDialog,
        later::{Missing, Over},
    },
};

/// The place of the question. Where its code does not come, nothing is done.
#[component]
pub fn ConfirmSlot() -> impl IntoView {
    let (confirm, toasts) = (expect_context::<Confirm>(), expect_context::<Toasts>());
    let on_missing = move |missing: Missing| {
        confirm.close();
        toasts.failed(missing.told());
    };
    view! { <Over open=confirm.open() load=lazy::confirmation on_missing /> }
}

/// The question that is open.
#[component]
pub fn Confirmation() -> impl IntoView {
    let confirm = expect_context::<Confirm>();
    view! {
        <ConfirmDialog
            open=confirm.open()
            title=confirm.title()
            confirm=confirm.verb()
            busy=confirm.busy()
            error=confirm.error()
            on_confirm=move |()| confirm.act()
            on_close=move |()| confirm.close()
        >
            <p>{confirm.text()}</p>
        </ConfirmDialog>
    }
}
