//! How an export is stopped: by the page, by an answer, by a file that cannot be written.

use std::cell::{Cell, RefCell};

use export_worker::task::{Failure, Unwritable};
use web_sys::{AbortController, AbortSignal};

/// Why a step did not succeed.
#[derive(Debug)]
pub(super) enum Stop {
    /// The page asked.
    Asked,
    /// Too many requests: seconds to wait, where the answer says.
    Refused(Option<u64>),
    /// The answer ended before its end.
    Cut,
    /// What was asked for is not there.
    Gone,
    /// Anything else.
    Failed(Failure),
}

impl Stop {
    /// A file that cannot be written.
    pub(super) fn unwritable(why: Unwritable) -> Self {
        Self::Failed(Failure::Unwritable(why))
    }
}

/// By which the page stops an export.
pub(super) struct Control {
    id: String,
    abort: RefCell<Option<AbortController>>,
    is_stopped: Cell<bool>,
    is_discarded: Cell<bool>,
}

impl Control {
    /// Makes what stops the export of an id.
    pub(super) fn of(id: String) -> Self {
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

    /// Stops, for now.
    pub(super) fn stop(&self) {
        self.is_stopped.set(true);
        if let Some(abort) = &*self.abort.borrow() {
            abort.abort();
        }
    }

    /// Stops, for good.
    pub(super) fn discard(&self) {
        self.is_discarded.set(true);
        self.stop();
    }

    pub(super) fn is_discarded(&self) -> bool {
        self.is_discarded.get()
    }

    /// Fails where the page has asked to stop.
    pub(super) fn check(&self) -> Result<(), Stop> {
        if self.is_stopped.get() { Err(Stop::Asked) } else { Ok(()) }
    }

    pub(super) fn signal(&self) -> Option<AbortSignal> {
        self.abort.borrow().as_ref().map(AbortController::signal)
    }
}
