//! Loads the list again after a change of triage, if it is filtered by it: rows may not match any
//! more, or match again, and the total changes.

use leptos::{
    prelude::*,
    task::{spawn_local, tick},
};

use super::{list_cache::ListCache, list_state::ListState, open_submission::in_table};
use crate::{
    state::{
        changes::{Change, Changes},
        triage::TriageState,
    },
    ui::{focus_is_lost, run_effect},
};

/// Follows changes of triage until the current owner is disposed of.
pub fn follow_updates(list: ListState) {
    let updates = expect_context::<TriageState>().update_count();
    let changes = expect_context::<Changes>();
    let cache = expect_context::<ListCache>();
    let seen = StoredValue::new(updates.get_untracked());
    // Whether a row had the focus before the last reload.
    let had_focus = StoredValue::new(false);
    run_effect(move || {
        let count = updates.get();
        if seen.try_update_value(|seen| std::mem::replace(seen, count)) == Some(count) {
            return;
        }
        let Some((environment, form, filter)) = list.location() else { return };
        if filter.labels.has_triage() {
            had_focus.set_value(in_table());
            changes.notify(environment, &form, Change::Restored(Vec::new()));
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

/// Focuses the row at the index of the focused one, if that row has left the list.
async fn keep_focus(list: ListState) {
    tick().await;
    let Some(count) = list.rows.count().try_get_untracked() else { return };
    if count > 0 && focus_is_lost() {
        list.rows.table.focus_row(list.rows.table.active().get_untracked().min(count - 1));
    }
}
