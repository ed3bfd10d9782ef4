//! Re-authentication: asks for the password when the server requires it for an action.
//!
//! The caller passes the action; the app renders the dialog, which sends the password. After a
//! correct password the action runs again, so that the user does not have to press the button
//! twice. No password is stored here.

use contract::error::ReauthMethod;
use js_sys::{Function, Promise};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::api::ApiError;

/// State of the dialog; provided as context by the app. Cheap to copy.
#[derive(Clone, Copy, Default)]
pub struct Reauthentication {
    open: RwSignal<bool>,
    /// Resolve function of the promise that the pending action awaits.
    resolve: StoredValue<Option<Function>, LocalStorage>,
}

impl Reauthentication {
    /// Runs an action. If the server requires the password first, asks for it and runs the action
    /// again. If the user cancels, or must sign in again instead, returns the server's error.
    pub async fn run_action<T, F: Future<Output = Result<T, ApiError>>>(
        self,
        action: impl Fn() -> F,
    ) -> Result<T, ApiError> {
        match action().await {
            Err(ApiError::ReauthenticationRequired(ReauthMethod::Password))
                if self.ask_password().await =>
            {
                action().await
            }
            result => result,
        }
    }

    /// Opens the dialog, and returns whether the password was confirmed. An earlier pending
    /// question is answered with `false`, because only one dialog is open at a time.
    async fn ask_password(self) -> bool {
        // `try_set` returns the value if the app is gone.
        if self.open.try_set(true).is_some() {
            return false;
        }
        self.resolve_pending(false);
        let confirmed = Promise::new(&mut |resolve, _| {
            self.resolve.try_set_value(Some(resolve));
        });
        JsFuture::from(confirmed).await.is_ok_and(|confirmed| confirmed.is_truthy())
    }

    /// Closes the dialog, and answers the pending question: `true` if the server accepted the
    /// password.
    pub fn close(self, is_confirmed: bool) {
        self.open.try_set(false);
        self.resolve_pending(is_confirmed);
    }

    fn resolve_pending(self, is_confirmed: bool) {
        let resolve = self.resolve.try_update_value(Option::take).flatten();
        // The resolve function of a promise does not throw.
        let _ = resolve.map(|resolve| resolve.call1(&JsValue::UNDEFINED, &is_confirmed.into()));
    }

    /// Returns whether the dialog is open.
    pub fn open(&self) -> Signal<bool> {
        self.open.into()
    }
}
