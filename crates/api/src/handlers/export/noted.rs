//! Audit entries of an export: its start, its outcome and its number of rows.

use crate::Service;
use contract::audit::{Act, Action};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Export in progress. If it is dropped before [`Noted::end`], the export failed.
pub(super) struct Noted {
    service: Service,
    ended: Act,
    rows: Arc<AtomicU64>,
    is_whole: bool,
}

impl Noted {
    /// Records the start of an export.
    pub(super) fn begin(service: &Service, begun: Act) -> Self {
        let ended = begun.clone().again(begun.at, Action::ExportEnded);
        service.store().note_soon(begun);
        Self { service: service.clone(), ended, rows: Arc::default(), is_whole: false }
    }

    /// Returns the row counter.
    pub(super) fn rows(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.rows)
    }

    /// Marks the file as complete.
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
