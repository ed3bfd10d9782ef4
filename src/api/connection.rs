//! Whether requests reach the gateway, according to the last one.

use std::cell::RefCell;

use web_sys::AbortSignal;

use super::ApiError;

/// Result of the last request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConnectionState {
    /// The gateway answered, or no request was sent yet.
    #[default]
    Online,
    /// No response, or not in time.
    Offline,
    /// An auth proxy requires a new sign-in.
    SessionEnded,
}

type Observer = Box<dyn Fn(ConnectionState)>;

thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Calls `observer` after each request. It replaces the previous observer.
pub fn set_observer(observer: impl Fn(ConnectionState) + 'static) {
    OBSERVER.set(Some(Box::new(observer)));
}

pub(super) fn notify_observer(connection: ConnectionState) {
    OBSERVER.with_borrow(|observer| observer.iter().for_each(|notify| notify(connection)));
}

/// Returns the error of a request without a response: cancelled by the dashboard, or failed by the
/// network or a timeout.
pub(super) fn connection_error(signal: Option<&AbortSignal>) -> ApiError {
    if signal.is_some_and(AbortSignal::aborted) {
        return ApiError::Aborted;
    }
    notify_observer(ConnectionState::Offline);
    ApiError::Network
}

pub(super) fn session_ended_error() -> ApiError {
    notify_observer(ConnectionState::SessionEnded);
    ApiError::SessionEnded
}
