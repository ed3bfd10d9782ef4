//! Signals that outlive the event handler or the effect that creates them.

use leptos::{prelude::*, reactive::owner::WeakOwner};

/// Reactive owner of a component. Signals that an event handler creates are disposed with the
/// element of the event, and those of an effect before its next run, unless they are created with
/// this owner. Cheap to copy.
#[derive(Clone, Copy)]
pub struct ComponentOwner(StoredValue<Option<WeakOwner>>);

impl ComponentOwner {
    /// Returns the current owner. Call it in the body of a component.
    pub fn current() -> Self {
        Self(StoredValue::new(Owner::current().map(|owner| owner.downgrade())))
    }

    /// Creates signals that live as long as the component.
    pub fn with<T>(self, create: impl FnOnce() -> T) -> T {
        match self.0.try_get_value().flatten().and_then(|owner| owner.upgrade()) {
            Some(owner) => owner.with(create),
            None => create(),
        }
    }
}
