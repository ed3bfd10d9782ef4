//! Keeps the numbers of unread submissions up to date.

use js_sys::Date;
use leptos::{ev, prelude::*};

use crate::state::{
    changes::{Change, Changes},
    triage::TriageState,
};

/// How long the window must have been hidden before the numbers are loaded again, in milliseconds.
const HIDDEN_MIN_MS: f64 = 30_000.0;

/// Loads the numbers now, after submissions were moved, deleted or restored, and when the window
/// becomes visible again. Lasts until the current owner is disposed of.
pub(super) fn follow_unread() {
    let triage = expect_context::<TriageState>();
    triage.clear_unread();
    triage.reload_unread();
    expect_context::<Changes>().listen(move |event| {
        if !matches!(event.change, Change::Updated(_)) {
            triage.reload_unread();
        }
    });
    let hidden_at_ms = StoredValue::new(None::<f64>);
    let listener = window_event_listener(ev::visibilitychange, move |_| {
        if document().hidden() {
            hidden_at_ms.try_set_value(Some(Date::now()));
            return;
        }
        let hidden_at = hidden_at_ms.try_update_value(Option::take).flatten();
        if hidden_at.is_some_and(|at| Date::now() - at > HIDDEN_MIN_MS) {
            triage.reload_unread();
        }
    });
    on_cleanup(move || listener.remove());
}
