//! Whether requests reach the gateway, as the last one showed.

use std::cell::RefCell;

use web_sys::AbortSignal;

use super::ApiError;

/// Who answered the last request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// The gateway, as far as is known.
    #[default]
    Fine,
    /// No answer came, or none in time.
    Lost,
    /// An auth proxy that wants a new sign-in.
    SessionEnded,
}

type Observer = Box<dyn Fn(Reach)>;

thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Calls `observer` after each request. It replaces the observer before.
pub fn observe(observer: impl Fn(Reach) + 'static) {
    OBSERVER.set(Some(Box::new(observer)));
}

pub(super) fn tell(reach: Reach) {
    OBSERVER.with_borrow(|observer| observer.iter().for_each(|tell| tell(reach)));
}

/// Tells a request that we gave up from one that the network lost or that took too long.
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
