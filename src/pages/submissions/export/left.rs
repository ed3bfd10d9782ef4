//! What is left of exports that a reload broke off: offered to whose it is, and to nobody else.

use export_worker::task::{Ask, Left};
use js_sys::Array;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::run::{Run, Stage};
use crate::components::save::allow;

impl Run {
    /// Takes in what the worker knows of, with the handles of the files. What another account has
    /// left in this browser is removed.
    pub(super) fn left_arrive(self, left: Vec<Left>, handles: &Array) {
        // Where nobody is signed in, nobody's is told apart from another's.
        let Some(session) = untrack(|| self.session.session()) else { return };
        let under_way = self.stage.try_with_untracked(|stage| stage.under_way().cloned()).flatten();
        let is_under_way = |one: &Left| under_way.as_ref().is_some_and(|own| own.id == one.id);
        let all = left.into_iter().zip(handles.iter()).filter(|(one, _)| !is_under_way(one));
        let (own, others): (Vec<_>, Vec<_>) =
            all.partition(|(one, _)| one.account == session.account.id);
        for (one, _) in others {
            self.ask(&Ask::Discard { id: one.id }, None);
        }
        self.left.try_set(own);
    }

    /// Goes on with what a reload broke off, within a press of the person's.
    pub fn go_on_with(self, left: Left, handle: JsValue) {
        spawn_local(async move {
            if left.chosen && !allow(&handle).await {
                return;
            }
            // Of two presses one may have been waiting for the permission.
            if !self.forget_left(&left.id) {
                return;
            }
            self.name.try_set_value(left.name);
            self.stage.try_set(Stage::Running(left.progress));
            self.ask(&Ask::GoOn { id: left.id }, None);
        });
    }

    /// Forgets what a reload broke off.
    pub fn discard_left(self, id: &str) {
        self.forget_left(id);
        self.ask(&Ask::Discard { id: id.to_owned() }, None);
    }

    /// Returns whether it was there.
    fn forget_left(self, id: &str) -> bool {
        let forget = |left: &mut Vec<(Left, JsValue)>| {
            let before = left.len();
            left.retain(|(one, _)| one.id != id);
            left.len() < before
        };
        self.left.try_update(forget) == Some(true)
    }
}
