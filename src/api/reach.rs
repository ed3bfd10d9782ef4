//! Whether requests reach the gateway. Every request tells it, whoever made it.

use std::cell::RefCell;

/// What the last request met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// The gateway, as far as is known.
    #[default]
    Fine,
    /// Nobody, or nobody in time.
    Lost,
    /// An auth proxy that wants a new sign-in.
    SessionEnded,
}

type Observer = Box<dyn Fn(Reach)>;

thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Calls `observer` with what each request meets from now on, in place of the one before.
pub fn observe(observer: impl Fn(Reach) + 'static) {
    OBSERVER.set(Some(Box::new(observer)));
}

pub(super) fn tell(reach: Reach) {
    OBSERVER.with_borrow(|observer| observer.iter().for_each(|tell| tell(reach)));
}
