//! Changes the triage of one submission, and describes changes in sentences.

use contract::SubmissionId;
use contract::triage::{Tag, TriageChange, UpdatedSubmissions};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::ApiError,
    components::page::explain_failure,
    domain::triage_history::{TriageEvent, events_of_change},
    i18n,
    pages::submissions::{row_marks::RowMarks, selection::triage::TriageActions},
    state::triage::TriageState,
};

/// Returns an event as a short sentence without a full stop. Tracked.
pub(super) fn event_text(triage: TriageState, event: &TriageEvent) -> String {
    let texts = i18n::triage();
    let join = |tags: &[Tag]| tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ");
    match event {
        TriageEvent::Status { from: Some(from), to } => {
            (texts.history_status)(&triage.status_name(from), &triage.status_name(to))
        }
        TriageEvent::Status { from: None, to } => {
            (texts.history_status_to)(&triage.status_name(to))
        }
        TriageEvent::Starred(true) => texts.history_starred.to_owned(),
        TriageEvent::Starred(false) => texts.history_unstarred.to_owned(),
        TriageEvent::Assigned(Some(person)) => {
            (texts.history_assigned)(&triage.assignee_name(person))
        }
        TriageEvent::Assigned(None) => texts.history_unassigned.to_owned(),
        TriageEvent::TagsAdded(tags) => (texts.history_tags_added)(&join(tags)),
        TriageEvent::TagsRemoved(tags) => (texts.history_tags_removed)(&join(tags)),
    }
}

/// Shows a toast about a change that failed, and ends the session if the error is a 401.
pub fn show_error(triage: TriageState, error: &ApiError) {
    let reason = explain_failure(triage.session(), error);
    triage.toasts().show_error((i18n::triage().not_changed)(&reason));
}

/// Changes the triage of a submission, and announces the result to assistive technology. A change
/// that fails is reverted, and a toast explains why.
pub(super) fn change_submission(
    context: (TriageState, RowMarks),
    id: SubmissionId,
    change: TriageChange,
) {
    spawn_local(async move {
        apply_change(context, id, &change).await;
    });
}

/// Changes the triage of a submission of the list as `change_submission` does. A toast offers to
/// undo the change. Does nothing if the submission has that triage already.
pub fn change_with_undo(
    context: (TriageState, RowMarks),
    actions: TriageActions,
    id: SubmissionId,
    change: TriageChange,
) {
    let before = untrack(|| context.0.with_marks(|marks| marks.get(&id)));
    if change.inverse(&before).is_empty() {
        return;
    }
    let Some(list) = actions.shown_list() else { return };
    spawn_local(async move {
        if let Some(updated) = apply_change(context, id, &change).await {
            actions.show_result(updated, list);
        }
    });
}

/// Returns the result of the change if it succeeded.
async fn apply_change(
    (triage, marks): (TriageState, RowMarks),
    id: SubmissionId,
    change: &TriageChange,
) -> Option<UpdatedSubmissions> {
    let before = untrack(|| triage.with_marks(|marks| marks.get(&id)));
    let events = events_of_change(change, &before);
    let texts = i18n::triage();
    let read = change.read.map(|read| if read { texts.marked_read } else { texts.marked_unread });
    let result = triage.try_update_ids(&[id], change).await;
    match &result {
        Ok(_) => {
            let text = |event: &TriageEvent| untrack(|| event_text(triage, event));
            let events = events.iter().map(text).chain(read.map(str::to_owned));
            marks.announce(events.collect::<Vec<_>>().join(". "));
        }
        Err(error) => show_error(triage, error),
    }
    result.ok()
}
