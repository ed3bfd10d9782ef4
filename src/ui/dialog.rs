//! Modal dialogs on the browser's own `<dialog>`: it traps the focus, makes the rest inert,
//! and gives the focus back to the opener. What is inside lives only while it is open.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, html, prelude::*};
use web_sys::{Element, EventTarget};

use super::{
    button::{Button, ButtonVariant, IconButton},
    icon::Glyph,
    react, unique_id,
};
use crate::i18n;

/// Where the focus begins. Of several to choose one from, Tab reaches the one that is chosen.
const FIRST: [&str; 2] =
    [".dialog-body :is(input:not([type=radio]:not(:checked)), select)", ".dialog-actions button"];

/// Moves the focus past the close button: to the first field, else to the first act.
fn focus_first(dialog: &Element) {
    for selector in FIRST {
        if let Ok(Some(element)) = dialog.query_selector(selector) {
            super::focus(&element);
            return;
        }
    }
}

/// Opens and closes the element as `open` says.
fn follow(element: NodeRef<html::Dialog>, open: Signal<bool>) {
    react(move || {
        let Some(dialog) = element.get() else { return };
        if open.get() && !dialog.open() {
            // Fails only for an element outside the document, which this one is not.
            let _ = dialog.show_modal();
            leptos::task::spawn_local(async move {
                // The content comes to exist in this same turn, after this effect.
                leptos::task::tick().await;
                focus_first(&dialog);
            });
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
}

/// Returns whether a press is on the ground around a dialog, which belongs to its element.
fn is_outside(element: NodeRef<html::Dialog>, event: &ev::MouseEvent) -> bool {
    let dialog = element.get_untracked();
    let is_it = |target: &EventTarget| {
        dialog.as_ref().is_some_and(|dialog| dialog.unchecked_ref::<EventTarget>() == target)
    };
    event.target().as_ref().is_some_and(is_it)
}

/// A modal dialog, shown while `open`.
#[component]
pub fn Dialog(
    /// Whether it is shown.
    #[prop(into)]
    open: Signal<bool>,
    /// Its heading and accessible name.
    #[prop(into)]
    title: Signal<String>,
    /// Runs on Esc, on the close button and, where `backdrop_closes`, on a press outside.
    #[prop(into)]
    on_close: Callback<()>,
    /// Whether a press outside closes it: not where something typed would be lost.
    #[prop(default = true)]
    backdrop_closes: bool,
    /// Whether what it says is read out when it opens: where the focus goes to an act.
    #[prop(optional)]
    is_read: bool,
    /// The acts at its foot, the safe one first.
    #[prop(into, optional)]
    actions: ViewFn,
    /// What it says; built anew at each opening.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    let (title_id, body_id) = (unique_id("dialog"), unique_id("dialog"));
    follow(element, open);
    // The owner decides whether it closes, so the browser must not do it by itself.
    let on_cancel = move |event: ev::Event| {
        event.prevent_default();
        on_close.run(());
    };
    // Yet a second Esc in a row closes it without asking.
    let on_closed = move |_| {
        if open.get_untracked() {
            on_close.run(());
        }
    };
    let on_press = move |event: ev::MouseEvent| {
        if backdrop_closes && is_outside(element, &event) {
            on_close.run(());
        }
    };
    let close = move |_| on_close.run(());
    let (labelled_by, described_by) = (title_id.clone(), is_read.then(|| body_id.clone()));
    view! {
        <dialog
            class="dialog"
            node_ref=element
            aria-labelledby=labelled_by
            aria-describedby=described_by
            on:cancel=on_cancel
            on:close=on_closed
            on:mousedown=on_press
        >
            <div class="dialog-card">
                <div class="dialog-header">
                    <h2 class="dialog-title" id=title_id>
                        {title}
                    </h2>
                    <IconButton icon=Glyph::Close label=i18n::common().close on_click=close />
                </div>
                <Show when=move || open.get()>
                    <div class="dialog-body" id=body_id.clone()>
                        {children()}
                    </div>
                    <div class="dialog-actions">{actions.run()}</div>
                </Show>
            </div>
        </dialog>
    }
}

/// A dialog to fill in. Typed words are not lost by a press outside of it.
#[component]
pub fn FormDialog(
    /// Whether it is shown.
    #[prop(into)]
    open: Signal<bool>,
    /// Its heading and accessible name.
    title: &'static str,
    /// The verb on the button that sends it.
    verb: &'static str,
    /// How loud that button is.
    #[prop(default = ButtonVariant::Primary)]
    variant: ButtonVariant,
    /// It is on its way.
    #[prop(into)]
    busy: Signal<bool>,
    /// Sends it.
    #[prop(into)]
    on_send: Callback<()>,
    /// Runs when the asked thinks better of it.
    #[prop(into)]
    on_close: Callback<()>,
    /// What is asked; built anew at each opening.
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    view! {
        <Dialog
            open
            title
            on_close
            backdrop_closes=false
            actions=move || view! { <SendActs verb variant busy on_send on_close /> }
        >
            <SendForm on_send>{children.with_value(|children| children())}</SendForm>
        </Dialog>
    }
}

/// A form; Enter sends it, too. The server and the page check the fields, not the browser: their
/// messages are in the language of the page.
#[component]
pub fn SendForm(
    /// Sends it.
    on_send: Callback<()>,
    /// Its fields.
    children: Children,
) -> impl IntoView {
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        on_send.run(());
    };
    view! {
        <form class="form" novalidate on:submit=submit>
            {children()}
        </form>
    }
}

/// What can be done with it: to leave, or to send it.
#[component]
pub fn SendActs(
    /// The verb on the button that sends it.
    verb: &'static str,
    /// How loud that button is.
    #[prop(default = ButtonVariant::Primary)]
    variant: ButtonVariant,
    /// It is on its way.
    busy: Signal<bool>,
    /// Sends it.
    on_send: Callback<()>,
    /// Runs when the asked thinks better of it.
    on_close: Callback<()>,
) -> impl IntoView {
    view! {
        <Button on_click=move |_| on_close.run(())>{i18n::common().cancel}</Button>
        <Button variant busy on_click=move |_| on_send.run(())>
            {verb}
        </Button>
    }
}

/// A dialog that asks before an act that cannot be undone.
#[component]
pub fn ConfirmDialog(
    /// Whether it is shown.
    #[prop(into)]
    open: Signal<bool>,
    /// The question, naming the thing.
    #[prop(into)]
    title: Signal<String>,
    /// The verb on the button that acts.
    #[prop(into)]
    confirm: Signal<String>,
    /// The act is under way.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Why the act failed, in a sentence.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// The act.
    #[prop(into)]
    on_confirm: Callback<()>,
    /// Runs when the asked thinks better of it.
    #[prop(into)]
    on_close: Callback<()>,
    /// What will happen.
    children: ChildrenFn,
) -> impl IntoView {
    let actions = move || {
        view! {
            <Button on_click=move |_| on_close.run(())>{i18n::common().cancel}</Button>
            <Button variant=ButtonVariant::Danger busy on_click=move |_| on_confirm.run(())>
                {confirm}
            </Button>
        }
    };
    view! {
        <Dialog open title on_close is_read=true actions>
            {children()}
            <p class="dialog-error" role="alert">
                {move || error.get()}
            </p>
        </Dialog>
    }
}
