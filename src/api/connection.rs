//! Whether requests reach the gateway, according to the last one.

use std::cell::RefCell;

use web_sys::AbortSignal;

use super::ApiError;

/// Result of the last request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// The gateway answered, or no request was sent yet.
    #[default]
    Fine,
    /// No response, or not in time.
    Lost,
    /// An auth proxy requires a new sign-in.
    SessionEnded,
}

type Observer = Box<dyn Fn(Reach)>;

thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Calls `observer` after each request. It replaces the previous observer.
pub fn observe(observer: impl Fn(Reach) + 'static) {
    OBSERVER.set(Some(Box::new(observer)));
}

pub(super) fn tell(reach: Reach) {
    OBSERVER.with_borrow(|observer| observer.iter().for_each(|tell| tell(reach)));
}

/// Returns the error of a request without a response: cancelled by the dashboard, or failed by the
/// network or a timeout.
pub(super) fn lost(signal: Option<&AbortSignal>) -> ApiError {
    if signal.is_some_and(AbortSignal::aborted) {
        return ApiError::Aborted;
    }
    tell(Reach::Lost);
    ApiError::Network
}

pub(super) fn session_ended() -> ApiError {
    tell(Reach::SessionEnded);
    ApiError::SessionEnded
}
