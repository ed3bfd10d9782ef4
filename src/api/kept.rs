//! Which answers came from this device, because the network is away: `public/offline.js` puts the
//! moment on them at which it kept them. It is told on, and nothing else is done about it.

use std::cell::Cell;

use leptos::prelude::*;

thread_local! {
    static TOLD: Cell<Option<RwSignal<Option<f64>>>> = const { Cell::new(None) };
}

/// Tells from now on since when what is shown was kept; nothing while answers come from the
/// server.
pub fn tell_kept(since_ms: RwSignal<Option<f64>>) {
    TOLD.set(Some(since_ms));
}

/// Takes in what an answer says of this. Of several that were kept, the oldest counts.
pub(super) fn hear(kept: Option<&str>) {
    let Some(told) = TOLD.get() else { return };
    // Read as a whole number: to read a fraction takes tables that weigh more than this whole part.
    let now = kept.and_then(|text| text.parse::<u64>().ok());
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of dates fit in 2^53")]
    let now = now.map(|now_ms| now_ms as f64);
    let Some(before) = told.try_get_untracked() else { return };
    let oldest = now.map(|now| before.map_or(now, |before| now.min(before)));
    if oldest != before {
        told.try_set(oldest);
    }
}
