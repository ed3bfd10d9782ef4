//! Where the tray shows, on every page. Its code comes when something is first deleted, or was left
//! waiting by an earlier visit.

pub mod view;
pub mod work;

use leptos::{prelude::*, task::spawn_local};

use super::parts;
use crate::{
    stores::{toasts::Toasts, tray::Tray},
    texts,
    ui::react,
};

/// The place of the tray.
#[component]
pub fn TraySlot() -> impl IntoView {
    let (tray, toasts) = (expect_context::<Tray>(), expect_context::<Toasts>());
    let view = RwSignal::new(None::<ViewFn>);
    react(move || {
        if !tray.needed().get() || view.with_untracked(Option::is_some) {
            return;
        }
        spawn_local(async move {
            match parts::tray().await {
                Ok(loaded) => {
                    view.try_set(Some(loaded));
                }
                Err(missing) => toasts.failed((texts::deletion().unavailable)(missing.text())),
            }
        });
    });
    move || view.get().map(|view| view.run())
}
