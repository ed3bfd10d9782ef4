//! Loads the list again after a change of triage, or of the read states of the selection, if it is
//! filtered by it: rows may not match any more, or match again, and the total changes.

use leptos::{
    prelude::*,
    task::{spawn_local, tick},
};

use super::{
    list::ListSource, list_cache::ListCache, list_state::ListState, open_submission::in_table,
};
use crate::{
    components::page::focus_heading,
    state::{
        changes::{Change, Changes},
        triage::TriageState,
    },
    ui::{focus_is_lost, run_effect},
};

/// Follows changes of triage until the current owner is disposed of.
pub fn follow_updates(list: ListState) {
    let triage = expect_context::<TriageState>();
    let changes = expect_context::<Changes>();
    let cache = expect_context::<ListCache>();
    let counts = move || (triage.update_count().get(), triage.read_update_count().get());
    let seen = StoredValue::new(untrack(counts));
    // Whether a row had the focus before the last reload.
    let had_focus = StoredValue::new(false);
    run_effect(move || {
        let now = counts();
        let before = seen.try_update_value(|seen| std::mem::replace(seen, now)).unwrap_or(now);
        if before == now {
            return;
        }
        let Some(ListSource { environment, form, filter, .. }) = list.location() else { return };
        let is_filtered = (before.0 != now.0 && filter.labels.has_triage())
            || (before.1 != now.1 && filter.read.is_some());
        if is_filtered {
            had_focus.set_value(in_table());
            changes.notify(environment, form.as_ref(), Change::Restored(Vec::new()));
        } else {
            // Cached lists may be filtered.
            cache.clear();
        }
    });
    run_effect(move || {
        list.rows.generation();
        if had_focus.try_update_value(std::mem::take) == Some(true) {
            spawn_local(keep_focus(list));
        }
    });
}

/// Focuses the row at the index of the focused one, if that row has left the list; the heading if
/// no rows are left.
async fn keep_focus(list: ListState) {
    tick().await;
    if list.source.try_with_untracked(|_| ()).is_none() || !focus_is_lost() {
        return;
    }
    let count = list.rows.count().get_untracked();
    if count == 0 {
        focus_heading();
    } else {
        list.rows.table.focus_row(list.rows.table.active().get_untracked().min(count - 1));
    }
}
