//! Re-authentication: asks for the password when the server requires it for an action.
//!
//! The caller passes the action; the app renders the dialog. After a correct password the action
//! runs again, so that the user does not have to press the button twice. No password is stored
//! here.

use contract::error::Needs;
use js_sys::{Function, Promise};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::api::ApiError;

/// State of the dialog; provided as context by the app.
#[derive(Clone, Copy)]
pub struct Proofs {
    open: RwSignal<bool>,
    /// Resolve function of the promise that the pending action awaits.
    waiting: StoredValue<Option<Function>, LocalStorage>,
}

impl Default for Proofs {
    fn default() -> Self {
        Self::new()
    }
}

impl Proofs {
    /// Creates a store with a closed dialog, owned by the current reactive owner.
    pub fn new() -> Self {
        Self { open: RwSignal::new(false), waiting: StoredValue::new_local(None) }
    }

    /// Runs an action. If the server requires the password first, asks for it and runs the action
    /// again. If the user cancels, returns the server's error.
    pub async fn around<T, F: Future<Output = Result<T, ApiError>>>(
        self,
        act: impl Fn() -> F,
    ) -> Result<T, ApiError> {
        match act().await {
            Err(ApiError::Unproven(Needs::Password)) if self.ask().await => act().await,
            answer => answer,
        }
    }

    /// Opens the dialog, and returns whether the password was confirmed. An earlier pending
    /// question is answered with `false`, because only one dialog is open at a time.
    async fn ask(self) -> bool {
        if self.open.try_set(true).is_some() {
            return false;
        }
        self.settle(false);
        let until = Promise::new(&mut |resolve, _| {
            self.waiting.try_set_value(Some(resolve));
        });
        JsFuture::from(until).await.is_ok_and(|given| given.is_truthy())
    }

    /// Closes the dialog, and resolves the pending question.
    pub fn close(self, is_given: bool) {
        self.open.try_set(false);
        self.settle(is_given);
    }

    fn settle(self, is_given: bool) {
        let waiting = self.waiting.try_update_value(Option::take).flatten();
        // The resolve function of a promise does not throw.
        let _ = waiting.map(|go_on| go_on.call1(&JsValue::UNDEFINED, &is_given.into()));
    }

    /// Returns whether the dialog is open.
    pub fn open(&self) -> Signal<bool> {
        self.open.into()
    }
}
