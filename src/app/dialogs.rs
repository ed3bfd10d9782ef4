//! The dialogs that may open on every page: the question before what cannot be undone, and the help
//! with the keys. They do nothing by themselves; their code comes after the first view.

use leptos::prelude::*;

use super::parts;
use crate::{
    stores::{confirm::Confirm, toasts::Toasts},
    texts,
    ui::{
        dialog::{ConfirmDialog, Dialog},
        later::{Missing, Over},
        quiet::Kbd,
    },
};

/// What the keys do, as the help says it.
fn keys() -> [(&'static str, &'static str); 12] {
    let texts = texts::help();
    [
        ("/", texts.search),
        (texts.key_find, texts.find),
        ("j", texts.next),
        ("k", texts.previous),
        (texts.key_enter, texts.open),
        (texts.key_leave, texts.leave),
        ("x", texts.select),
        (texts.key_all, texts.select_all),
        ("e", texts.export),
        ("#", texts.delete),
        ("u", texts.undo),
        ("?", texts.help),
    ]
}

/// The place of the question. Where its code does not come, nothing is done.
#[component]
pub fn ConfirmSlot() -> impl IntoView {
    let (confirm, toasts) = (expect_context::<Confirm>(), expect_context::<Toasts>());
    let on_missing = move |missing: Missing| {
        confirm.close();
        toasts.failed((texts::dialogs().not_asked)(missing.text()));
    };
    view! { <Over open=confirm.open() load=parts::confirmation on_missing /> }
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

/// The help with the keys.
#[component]
pub fn KeyHelp(
    /// Whether it is shown.
    open: RwSignal<bool>,
) -> impl IntoView {
    let line = |(key, act): (&'static str, &'static str)| {
        view! {
            <dt class="facts-name">
                <Kbd key />
            </dt>
            <dd class="facts-value">{act}</dd>
        }
    };
    view! {
        <Dialog open title=texts::help().keys on_close=move |()| open.set(false)>
            <dl class="facts">{keys().map(line).into_iter().collect_view()}</dl>
        </Dialog>
    }
}
