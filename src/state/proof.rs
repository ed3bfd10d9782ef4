//! The proof that it is still the same person, where the server wants one before an act.
//!
//! Whoever acts says how; the app draws the dialog that asks for the password. The act is done
//! again by itself once that was right, so that nobody presses twice. No password is kept here.

use contract::error::Needs;
use js_sys::{Function, Promise};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::api::ApiError;

/// The store, to be provided as context by the app.
#[derive(Clone, Copy)]
pub struct Proofs {
    open: RwSignal<bool>,
    /// What goes on once it is known whether the proof was given.
    waiting: StoredValue<Option<Function>, LocalStorage>,
}

impl Default for Proofs {
    fn default() -> Self {
        Self::new()
    }
}

impl Proofs {
    /// Returns a store that asks for nothing, owned by the present reactive owner.
    pub fn new() -> Self {
        Self { open: RwSignal::new(false), waiting: StoredValue::new_local(None) }
    }

    /// Does an act. Where the server wants a proof first that a password can give, asks for it and
    /// does the act again; whoever gives none gets the server's refusal.
    pub async fn around<T, F: Future<Output = Result<T, ApiError>>>(
        self,
        act: impl Fn() -> F,
    ) -> Result<T, ApiError> {
        match act().await {
            Err(ApiError::Unproven(Needs::Password)) if self.ask().await => act().await,
            answer => answer,
        }
    }

    /// Asks, and tells whether the proof was given. One question is open at a time.
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

    /// Takes in whether the proof was given, and closes.
    pub fn close(self, is_given: bool) {
        self.open.try_set(false);
        self.settle(is_given);
    }

    fn settle(self, is_given: bool) {
        let waiting = self.waiting.try_update_value(Option::take).flatten();
        // A function of the browser's own does not fail.
        let _ = waiting.map(|go_on| go_on.call1(&JsValue::UNDEFINED, &is_given.into()));
    }

    /// Returns whether it is asked for.
    pub fn open(&self) -> Signal<bool> {
        self.open.into()
    }
}
