//! Which answers came from this device, because the network is away: `public/offline.js` puts the
//! moment on them at which it kept them. It is told on, and nothing else is done about it.

use std::cell::Cell;

use leptos::prelude::*;

/// The header of an answer that was kept: since when, in milliseconds since 1970.
pub(super) const KEPT_HEADER: &str = "x-sheaf-kept";

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

#[cfg(not(target_arch = "wasm32"))]
#[cfg(test)]
mod tests {
    use contract::{Environment, FormId, ListQuery, SubmissionId, page::LIMIT_MAX};

    use crate::paths;

    const WORKER: &str = include_str!("../../public/offline.js");

    /// Whether the worker names what the dashboard does.
    #[track_caller]
    fn check(text: &str) {
        assert!(WORKER.contains(text), "{text}");
    }

    #[test]
    fn the_worker_and_the_dashboard_mean_the_same() {
        check(&format!("const KEPT = \"{}\";", super::KEPT_HEADER));
        check(&format!("const PAGE_LIMIT = \"{LIMIT_MAX}\";"));
        check(&format!("[\"{}\", \"{}\"]", paths::SESSION, paths::ACCOUNT_FORMS));
        let escaped = |path: String| path.replace('/', "\\/");
        let form: FormId = "frm_1".parse().unwrap();
        let list = paths::api_list(Environment::Live, &form, &ListQuery::default());
        let path = list.split('?').next().unwrap().to_owned();
        let path = escaped(path).replace("live", "(live|test)").replace("frm_1", "frm_[\\w-]+");
        check(&format!("const LIST = /^{path}$/;"));
        let id: SubmissionId = "sub_2".parse().unwrap();
        let card = escaped(paths::api_submission(Environment::Live, &id));
        let card = card.replace("live", "(?:live|test)").replace("sub_2", "(sub_[\\w-]+)");
        check(&format!("const CARD = /^{card}$/;"));
    }
}
