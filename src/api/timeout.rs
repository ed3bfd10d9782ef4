//! Time limits of requests.

use std::{future::Future, pin::pin};

use futures_util::future::{Either, select};
use gloo_timers::{callback::Timeout, future::TimeoutFuture};
use js_sys::Array;
use web_sys::{AbortController, AbortSignal};

use super::{ApiError, connection::connection_error};

/// Maximum time until a response begins, and again until its body is complete, in milliseconds.
const ANSWER_MS: u32 = 15_000;

/// Aborts a request that is not answered in time. Dropping it cancels the timer.
pub(super) struct TimeLimit {
    signal: Option<AbortSignal>,
    _timeout: Timeout,
}

impl TimeLimit {
    /// Starts the timer. Aborting `signal` aborts the request, too.
    pub(super) fn start(signal: Option<&AbortSignal>) -> Self {
        let timeout = AbortController::new().ok();
        // Combine both signals, so that either the timer or the caller can abort the request.
        let signals: Array =
            timeout.iter().map(AbortController::signal).chain(signal.cloned()).collect();
        let signal = timeout.as_ref().map(|_| AbortSignal::any(&signals));
        let abort = move || timeout.iter().for_each(AbortController::abort);
        Self { signal, _timeout: Timeout::new(ANSWER_MS, abort) }
    }

    /// Returns the signal for the request.
    pub(super) fn signal(&self) -> Option<&AbortSignal> {
        self.signal.as_ref()
    }
}

/// Waits for a part of a response, at most [`ANSWER_MS`].
pub(super) async fn with_time_limit<T>(answer: impl Future<Output = T>) -> Result<T, ApiError> {
    match select(pin!(answer), TimeoutFuture::new(ANSWER_MS)).await {
        Either::Left((answer, _)) => Ok(answer),
        Either::Right(_) => Err(connection_error(None)),
    }
}
