//! Audit entries of an export: its start, its outcome and its number of rows.

use crate::Service;
use contract::audit::{Action, AuditEvent};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Export in progress. If it is dropped before [`ExportAudit::complete`], the export failed.
pub(super) struct ExportAudit {
    service: Service,
    end_event: AuditEvent,
    rows: Arc<AtomicU64>,
    is_complete: bool,
}

impl ExportAudit {
    /// Records the start of an export.
    pub(super) fn start(service: &Service, begun: AuditEvent) -> Self {
        let ended = begun.clone().with_action(begun.at, Action::ExportEnded);
        service.store().enqueue_audit(begun);
        Self {
            service: service.clone(),
            end_event: ended,
            rows: Arc::default(),
            is_complete: false,
        }
    }

    /// Returns the row counter.
    pub(super) fn row_counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.rows)
    }

    /// Marks the file as complete.
    pub(super) fn complete(mut self) {
        self.is_complete = true;
    }
}

impl Drop for ExportAudit {
    fn drop(&mut self) {
        let ended = self.end_event.clone().with_action(self.service.now(), Action::ExportEnded);
        let ended = ended.with_value("rows", self.rows.load(Ordering::Relaxed));
        let ended = if self.is_complete { ended } else { ended.into_failed("broken_off") };
        self.service.store().enqueue_audit(ended);
    }
}
