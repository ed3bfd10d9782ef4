//! What the audit log is told of an export: that it began, how it ended, and with how many rows.

use crate::Service;
use contract::audit::{Act, Action};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An export under way. Where it is dropped before its end, it broke off.
pub(super) struct Noted {
    service: Service,
    ended: Act,
    rows: Arc<AtomicU64>,
    is_whole: bool,
}

impl Noted {
    /// Notes that an export begins.
    pub(super) fn begin(service: &Service, begun: Act) -> Self {
        let ended = begun.clone().again(begun.at, Action::ExportEnded);
        service.store().note_soon(begun);
        Self { service: service.clone(), ended, rows: Arc::default(), is_whole: false }
    }

    /// What counts the rows.
    pub(super) fn rows(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.rows)
    }

    /// The file is whole.
    pub(super) fn end(mut self) {
        self.is_whole = true;
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        let ended = self.ended.clone().again(self.service.now(), Action::ExportEnded);
        let ended = ended.with("rows", self.rows.load(Ordering::Relaxed));
        let ended = if self.is_whole { ended } else { ended.failed("broken_off") };
        self.service.store().note_soon(ended);
    }
}
