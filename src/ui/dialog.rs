//! Modal dialogs based on the native `<dialog>` element. The browser traps the focus, makes the
//! rest of the page inert and returns the focus to the opener. The content exists only while the
//! dialog is open.

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, html, prelude::*};
use web_sys::{Element, EventTarget};

use super::{
    button::{Button, ButtonVariant, IconButton},
    icon::Glyph,
    run_effect, unique_id,
};
use crate::i18n;

/// Selectors of the element that gets the focus first, in order of preference. In a group of radio
/// buttons this is the checked one, as with Tab.
const INITIAL_FOCUS: [&str; 2] =
    [".dialog-body :is(input:not([type=radio]:not(:checked)), select)", ".dialog-actions button"];

/// Moves the focus past the close button: to the first field, or else to the first action.
fn focus_first(dialog: &Element) {
    for selector in INITIAL_FOCUS {
        if let Ok(Some(element)) = dialog.query_selector(selector) {
            super::focus(&element);
            return;
        }
    }
}

/// Opens and closes the element when `open` changes.
fn sync_open_state(element: NodeRef<html::Dialog>, open: Signal<bool>) {
    run_effect(move || {
        let Some(dialog) = element.get() else { return };
        if open.get() && !dialog.open() {
            // Fails only for an element outside of the document; this one is inside.
            let _ = dialog.show_modal();
            leptos::task::spawn_local(async move {
                // The content is rendered after this effect, in the same tick.
                leptos::task::tick().await;
                focus_first(&dialog);
            });
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
}

/// Returns whether a press hit the backdrop. Its target is then the `<dialog>` element itself.
fn is_on_backdrop(element: NodeRef<html::Dialog>, event: &ev::MouseEvent) -> bool {
    let dialog = element.get_untracked();
    let is_it = |target: &EventTarget| {
        dialog.as_ref().is_some_and(|dialog| dialog.unchecked_ref::<EventTarget>() == target)
    };
    event.target().as_ref().is_some_and(is_it)
}

/// Modal dialog, visible while `open` is true.
#[component]
pub fn Dialog(
    /// Whether the dialog is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Heading and accessible name.
    #[prop(into)]
    title: Signal<String>,
    /// Runs on Esc, on the close button and, if `backdrop_closes`, on a press outside.
    #[prop(into)]
    on_close: Callback<()>,
    /// Whether a press outside closes the dialog. Off where typed text would be lost.
    #[prop(default = true)]
    backdrop_closes: bool,
    /// Whether screen readers read the body when the dialog opens. Set it if an action gets the
    /// first focus.
    #[prop(optional)]
    is_read: bool,
    /// Actions at the bottom, the safe one first.
    #[prop(into, optional)]
    actions: ViewFn,
    /// Content; built again at each opening.
    children: ChildrenFn,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    let [title_id, body_id] = ["dialog", "dialog"].map(unique_id);
    sync_open_state(element, open);
    // The caller decides whether the dialog closes, so the browser must not close it.
    let on_cancel = move |event: ev::Event| {
        event.prevent_default();
        on_close.run(());
    };
    // A second Esc in a row closes the dialog without a `cancel` event. If the caller keeps it
    // open, it must be visible.
    let on_closed = move |_| {
        if open.get_untracked() {
            on_close.run(());
        }
        if open.try_get_untracked() == Some(true)
            && let Some(dialog) = element.try_get_untracked().flatten()
        {
            let _ = dialog.show_modal();
        }
    };
    let on_press = move |event: ev::MouseEvent| {
        if backdrop_closes && is_on_backdrop(element, &event) {
            on_close.run(());
        }
    };
    let close = move |_| on_close.run(());
    let labelled_by = title_id.clone();
    let described_by = is_read.then(|| body_id.clone());
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
                    <h2 class="dialog-title" id=title_id>{title}</h2>
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

/// Dialog with a form. A press outside does not close it, so that typed text is not lost.
#[component]
pub fn FormDialog(
    /// Whether the dialog is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Heading and accessible name.
    #[prop(into)]
    title: Signal<String>,
    /// Verb on the submit button.
    #[prop(into)]
    verb: Signal<String>,
    /// Visual emphasis of the submit button.
    #[prop(default = ButtonVariant::Primary)]
    variant: ButtonVariant,
    /// Whether the request is in flight.
    #[prop(into)]
    busy: Signal<bool>,
    /// Submits the form.
    #[prop(into)]
    on_send: Callback<()>,
    /// Runs when the user cancels.
    #[prop(into)]
    on_close: Callback<()>,
    /// Fields; built again at each opening.
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

/// Form that Enter submits. The browser's own validation is off, because its messages are in the
/// language of the browser; the page and the server check the fields.
#[component]
pub fn SendForm(
    /// Submits the form.
    on_send: Callback<()>,
    /// Fields of the form.
    children: Children,
) -> impl IntoView {
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        on_send.run(());
    };
    view! {
        <form class="form" novalidate on:submit=submit>
            {children()}
            // Without a submit button, browsers ignore Enter in a form of several text fields.
            <button type="submit" hidden></button>
        </form>
    }
}

/// Buttons of a form dialog: cancel and submit.
#[component]
fn SendActs(
    /// Verb on the submit button.
    verb: Signal<String>,
    /// Visual emphasis of the submit button.
    variant: ButtonVariant,
    /// Whether the request is in flight.
    busy: Signal<bool>,
    /// Submits the form.
    on_send: Callback<()>,
    /// Runs when the user cancels.
    on_close: Callback<()>,
) -> impl IntoView {
    view! {
        <Button on_click=move |_| on_close.run(())>{i18n::common().cancel}</Button>
        <Button variant busy on_click=move |_| on_send.run(())>
            {verb}
        </Button>
    }
}

/// Buttons of a dialog that shows a result after the request: cancel and submit, then close.
#[component]
pub fn SendOrDone(
    /// Verb on the submit button.
    #[prop(into)]
    verb: Signal<String>,
    /// Whether the request is in flight.
    #[prop(into)]
    busy: Signal<bool>,
    /// Whether the dialog shows the result.
    #[prop(into)]
    is_done: Signal<bool>,
    /// Submits the form.
    #[prop(into)]
    on_send: Callback<()>,
    /// Runs when the user closes the dialog.
    #[prop(into)]
    on_close: Callback<()>,
) -> impl IntoView {
    let variant = ButtonVariant::Primary;
    let send = move || view! { <SendActs verb variant busy on_send on_close /> };
    view! {
        <Show when=move || is_done.get() fallback=send>
            <Button variant on_click=move |_| on_close.run(())>
                {i18n::common().done}
            </Button>
        </Show>
    }
}

/// Confirmation dialog for an action that affects much or cannot be undone.
#[component]
pub fn ConfirmDialog(
    /// Whether the dialog is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Question that names the affected object.
    #[prop(into)]
    title: Signal<String>,
    /// Verb on the confirm button.
    #[prop(into)]
    confirm: Signal<String>,
    /// Whether the action is running.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Reason why the action failed, in a sentence.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// Action to confirm.
    #[prop(into)]
    on_confirm: Callback<()>,
    /// Runs when the user cancels.
    #[prop(into)]
    on_close: Callback<()>,
    /// Description of the consequences.
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
