//! Exports that were interrupted by a reload. They are offered only to the account that started
//! them.

use export_worker::task::{InterruptedExport, WorkerCommand};
use js_sys::Array;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;

use super::run::{ExportRun, ExportState};
use crate::components::save::request_write_permission;

impl ExportRun {
    /// Stores the interrupted exports that the worker reports, with their file handles. Discards
    /// those of other accounts.
    pub(super) fn set_interrupted(self, exports: Vec<InterruptedExport>, handles: &Array) {
        // Without a session it is unknown which exports belong to the user.
        let Some(session) = untrack(|| self.session.session()) else { return };
        let exports = exports.into_iter().zip(handles.iter());
        let resumable = exports.filter(|(export, _)| !self.is_current(&export.id));
        let (own_exports, other_exports): (Vec<_>, Vec<_>) =
            resumable.partition(|(export, _)| export.account == session.account.id);
        for (export, _) in other_exports {
            self.send_command(&WorkerCommand::Discard { id: export.id }, None);
        }
        self.interrupted.try_set(own_exports);
    }

    /// Resumes an interrupted export. Must be called in a click handler, because the browser may
    /// ask for permission to write.
    pub fn resume_interrupted(self, export: InterruptedExport, handle: JsValue) {
        spawn_local(async move {
            if export.chosen && !request_write_permission(&handle).await {
                return;
            }
            // A second click can arrive while the first waits for the permission.
            if !self.remove_interrupted(&export.id) {
                return;
            }
            self.name.try_set_value(export.name);
            self.state.try_set(ExportState::Running(export.progress));
            self.send_command(&WorkerCommand::Resume { id: export.id }, None);
        });
    }

    /// Discards an interrupted export.
    pub fn discard_interrupted(self, id: &str) {
        self.remove_interrupted(id);
        self.send_command(&WorkerCommand::Discard { id: id.to_owned() }, None);
    }

    /// Removes an interrupted export from the list. Returns whether it was there.
    fn remove_interrupted(self, id: &str) -> bool {
        let forget = |exports: &mut Vec<(InterruptedExport, JsValue)>| {
            let before = exports.len();
            exports.retain(|(export, _)| export.id != id);
            exports.len() < before
        };
        self.interrupted.try_update(forget) == Some(true)
    }
}
