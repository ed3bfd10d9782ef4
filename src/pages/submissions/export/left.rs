//! Exports that were interrupted by a reload. They are offered only to the account that started
//! them.

use export_worker::task::{Ask, Left};
use js_sys::Array;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::run::{Run, Stage};
use crate::components::save::allow;

impl Run {
    /// Stores the interrupted exports that the worker reports, with their file handles. Discards
    /// those of other accounts.
    pub(super) fn left_arrive(self, left: Vec<Left>, handles: &Array) {
        // Without a session it is unknown which exports belong to the user.
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

    /// Resumes an interrupted export. Must be called in a click handler, because the browser may
    /// ask for permission to write.
    pub fn go_on_with(self, left: Left, handle: JsValue) {
        spawn_local(async move {
            if left.chosen && !allow(&handle).await {
                return;
            }
            // A second click can arrive while the first waits for the permission.
            if !self.forget_left(&left.id) {
                return;
            }
            self.name.try_set_value(left.name);
            self.stage.try_set(Stage::Running(left.progress));
            self.ask(&Ask::GoOn { id: left.id }, None);
        });
    }

    /// Discards an interrupted export.
    pub fn discard_left(self, id: &str) {
        self.forget_left(id);
        self.ask(&Ask::Discard { id: id.to_owned() }, None);
    }

    /// Removes an interrupted export from the list. Returns whether it was there.
    fn forget_left(self, id: &str) -> bool {
        let forget = |left: &mut Vec<(Left, JsValue)>| {
            let before = left.len();
            left.retain(|(one, _)| one.id != id);
            left.len() < before
        };
        self.left.try_update(forget) == Some(true)
    }
}
