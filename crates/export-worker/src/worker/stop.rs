//! Stops an export: on a command of the page, on a response, or if the file cannot be written.

use std::cell::{Cell, RefCell};

use export_worker::task::{Failure, Unwritable};
use web_sys::{AbortController, AbortSignal};

/// Reason why a step did not succeed.
#[derive(Debug)]
pub(super) enum StopReason {
    /// The page requested it.
    Requested,
    /// Too many requests, with the seconds to wait if the response contains them.
    Refused(Option<u64>),
    /// The response was cut off.
    Truncated,
    /// The requested object does not exist.
    NotFound,
    /// Any other failure.
    Failed(Failure),
}

impl StopReason {
    /// Returns the reason for a file that cannot be written.
    pub(super) fn unwritable(reason: Unwritable) -> Self {
        Self::Failed(Failure::Unwritable(reason))
    }
}

/// Handle that stops a running export.
pub(super) struct ExportControl {
    id: String,
    abort: RefCell<Option<AbortController>>,
    is_stopped: Cell<bool>,
    is_discarded: Cell<bool>,
}

impl ExportControl {
    /// Returns the control of an export.
    pub(super) fn for_export(id: String) -> Self {
        Self {
            id,
            abort: RefCell::new(AbortController::new().ok()),
            is_stopped: Cell::new(false),
            is_discarded: Cell::new(false),
        }
    }

    /// Returns the id of the export.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Stops the export until it is resumed.
    pub(super) fn stop(&self) {
        self.is_stopped.set(true);
        if let Some(abort) = &*self.abort.borrow() {
            abort.abort();
        }
    }

    /// Stops the export permanently.
    pub(super) fn discard(&self) {
        self.is_discarded.set(true);
        self.stop();
    }

    pub(super) fn is_discarded(&self) -> bool {
        self.is_discarded.get()
    }

    /// Returns an error if the page requested a stop.
    pub(super) fn check_stopped(&self) -> Result<(), StopReason> {
        if self.is_stopped.get() { Err(StopReason::Requested) } else { Ok(()) }
    }

    pub(super) fn abort_signal(&self) -> Option<AbortSignal> {
        self.abort.borrow().as_ref().map(AbortController::signal)
    }
}
