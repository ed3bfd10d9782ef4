//! The confirmation dialog for irreversible actions.

use leptos::prelude::*;

use crate::{state::confirm::Confirm, ui::dialog::ConfirmDialog};

/// The open confirmation.
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
            on_confirm=move |()| confirm.confirm()
            on_close=move |()| confirm.close()
        >
            <p>{confirm.text()}</p>
        </ConfirmDialog>
    }
}
