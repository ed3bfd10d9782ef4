//! Dialogs: modal, closed only by their owner, and emptied when closed.

use dashboard::ui::dialog::{ConfirmDialog, Dialog};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlDialogElement;

use crate::stage::{Stage, attr, dispatch_event, is_focused, owner, settle};

fn is_open(stage: &Stage) -> bool {
    stage.one("dialog").unchecked_into::<HtmlDialogElement>().open()
}

#[wasm_bindgen_test]
async fn dialog_takes_focus_and_drops_content() {
    let _owner = owner();
    let open = RwSignal::new(false);
    let stage = Stage::new(move || {
        view! {
            <button id="opener">"open"</button>
            <Dialog open title="New key" on_close=move |()| open.set(false)>
                <p id="secret">"sk_live"</p>
                <input id="name" />
            </Dialog>
        }
    });
    stage.one("#opener").focus().unwrap();
    assert!(stage.all("#secret").is_empty());

    open.set(true);
    settle().await;
    assert!(is_open(&stage));
    assert!(stage.one("dialog").matches(":modal").unwrap());
    assert!(is_focused(&stage.one("#name")));
    let labelled_by = attr(&stage.one("dialog"), "aria-labelledby").unwrap();
    assert_eq!(stage.text(&format!("#{labelled_by}")), "New key");

    // Escape sends `cancel`; the owner then closes the dialog.
    dispatch_event(&stage.one("dialog"), "cancel");
    settle().await;
    assert!(!is_open(&stage));
    assert!(stage.all("#secret").is_empty());
    assert!(is_focused(&stage.one("#opener")));
}

#[wasm_bindgen_test]
async fn checked_radio_gets_initial_focus() {
    let _owner = owner();
    let stage = Stage::new(|| {
        view! {
            <Dialog open=RwSignal::new(true) title="T" on_close=|()| ()>
                <input type="radio" name="what" id="all" />
                <input type="radio" name="what" id="some" prop:checked=true />
                <input id="name" />
            </Dialog>
        }
    });
    settle().await;
    assert!(is_focused(&stage.one("#some")));
}

#[wasm_bindgen_test]
async fn browser_close_is_reported_to_owner() {
    let _owner = owner();
    let open = RwSignal::new(true);
    let stage = Stage::new(move || {
        view! { <Dialog open title="T" on_close=move |()| open.set(false)>"text"</Dialog> }
    });
    settle().await;
    stage.one("dialog").unchecked_into::<HtmlDialogElement>().close();
    settle().await;
    assert!(!open.get_untracked());
    open.set(true);
    settle().await;
    assert!(is_open(&stage));
}

#[wasm_bindgen_test]
async fn dialog_that_its_owner_keeps_open_stays_visible() {
    let _owner = owner();
    let open = RwSignal::new(true);
    let stage = Stage::new(move || {
        view! { <Dialog open title="T" on_close=|()| ()>"text"</Dialog> }
    });
    settle().await;
    stage.one("dialog").unchecked_into::<HtmlDialogElement>().close();
    settle().await;
    assert!(is_open(&stage));
}

#[wasm_bindgen_test]
async fn backdrop_click_closes_only_if_enabled() {
    let _owner = owner();
    for backdrop_closes in [true, false] {
        let open = RwSignal::new(true);
        let stage = Stage::new(move || {
            view! {
                <Dialog open title="T" backdrop_closes on_close=move |()| open.set(false)>
                    <p id="inside">"text"</p>
                </Dialog>
            }
        });
        settle().await;
        dispatch_event(&stage.one("#inside"), "mousedown");
        assert!(open.get_untracked());
        dispatch_event(&stage.one("dialog"), "mousedown");
        assert_eq!(open.get_untracked(), !backdrop_closes);
    }
}

#[wasm_bindgen_test]
async fn confirm_dialog_focuses_cancel_and_shows_error() {
    let _owner = owner();
    let confirmed = RwSignal::new(0);
    let closed = RwSignal::new(0);
    let busy = RwSignal::new(false);
    let error = RwSignal::new(None::<String>);
    let stage = Stage::new(move || {
        view! {
            <ConfirmDialog
                open=true
                title="Delete it?"
                confirm="Delete"
                busy
                error
                on_confirm=move |()| confirmed.update(|n| *n += 1)
                on_close=move |()| closed.update(|n| *n += 1)
            >
                "It will be gone."
            </ConfirmDialog>
        }
    });
    settle().await;
    let buttons = stage.all(".dialog-actions button");
    assert!(is_focused(&buttons[0]));
    buttons[0].click();
    buttons[1].click();
    assert_eq!((confirmed.get_untracked(), closed.get_untracked()), (1, 1));

    busy.set(true);
    error.set(Some("The server is not reachable".to_owned()));
    settle().await;
    buttons[1].click();
    assert_eq!(confirmed.get_untracked(), 1);
    assert_eq!(stage.text(".dialog-body [role=alert]"), "The server is not reachable");
}
