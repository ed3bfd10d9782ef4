//! What is left of exports that a reload broke off: offered to whose it is, and to nobody else.

use exporter::task::{Ask, Left};
use js_sys::Array;
use leptos::{prelude::*, task::spawn_local};

use super::job::{Job, Stage};
use crate::shared::save::allow;

impl Job {
    /// Takes in what the worker knows of, with the handles of the files. What another account has
    /// left in this browser is removed.
    pub(super) fn left_arrive(self, left: Vec<Left>, handles: &Array) {
        let session = untrack(|| self.desk.session.session());
        let is_own = |one: &Left| session.as_ref().is_some_and(|own| own.account.id == one.account);
        let under_way = self.stage.try_with_untracked(|stage| stage.under_way().cloned()).flatten();
        let (mut own, mut own_handles) = (Vec::new(), Vec::new());
        for (one, handle) in left.into_iter().zip(handles.iter()) {
            if under_way.as_ref().is_some_and(|under_way| under_way.id == one.id) {
                continue;
            }
            if is_own(&one) {
                own.push(one);
                own_handles.push(handle);
            } else {
                self.ask(&Ask::Discard { id: one.id }, None);
            }
        }
        self.handles.try_set_value(own_handles);
        self.left.try_set(own);
    }

    /// Goes on with what a reload broke off, within a press of the person's.
    pub fn go_on_with(self, left: Left) {
        let at = self.left.with_untracked(|all| all.iter().position(|one| one.id == left.id));
        let handle = self.handles.with_value(|handles| handles.get(at?).cloned());
        spawn_local(async move {
            if left.chosen && !allow(&handle.unwrap_or_default()).await {
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
        let found = self.left.try_with_untracked(|left| left.iter().position(|one| one.id == id));
        let Some(at) = found.flatten() else { return false };
        self.left.try_update(|left| drop(left.remove(at)));
        self.handles.try_update_value(|handles| {
            if at < handles.len() {
                drop(handles.remove(at));
            }
        });
        true
    }
}
