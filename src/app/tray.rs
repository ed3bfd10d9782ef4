//! Where the tray shows, on every page. Its code comes when something is first deleted, or was left
//! waiting by an earlier visit.

pub mod failures;
pub mod view;
pub mod work;

use leptos::prelude::*;

use super::parts;
use crate::{
    stores::{toasts::Toasts, tray::Tray},
    texts,
    ui::later::{Missing, Over},
};

/// The place of the tray.
#[component]
pub fn TraySlot() -> impl IntoView {
    let (tray, toasts) = (expect_context::<Tray>(), expect_context::<Toasts>());
    let on_missing = move |missing: Missing| {
        toasts.failed((texts::ui().not_deleted)(missing.text()));
    };
    view! { <Over open=tray.needed() load=parts::tray ahead=false on_missing /> }
}
