//! Live updates of the list: changes of other users, and new submissions of all forms, as
//! server-sent events. The events name the changed submissions, and the list requests what it
//! shows of them. A hidden page has no stream, because a browser opens only a few connections to a
//! server. Where events do not get through, everything is requested again at intervals.

use std::time::Duration;

use contract::live::{ChangeKind, FormChange, LiveEvent};
use contract::{FormId, SubmissionId};
use leptos::{ev, prelude::*, task::spawn_local};

use crate::{
    api::{ConnectionState, EventStream},
    pages::submissions::list_state::ListState,
    state::{
        changes::{Change, Changes},
        triage::TriageState,
    },
    ui::{run_effect, throttle::Throttle},
};

/// Minimum interval between requests for the numbers of unread submissions.
const UNREAD_INTERVAL: Duration = Duration::from_secs(2);

/// The stream and its effects on the list. Cheap to copy.
#[derive(Clone, Copy)]
struct LiveUpdates {
    list: ListState,
    triage: TriageState,
    changes: Changes,
    /// Whether a stream has been ready before, so that events may have been missed since.
    was_ready: StoredValue<bool>,
    checks: Throttle,
    reloads: Throttle,
    unread: Throttle,
}

/// Follows the events of the list's environment until the current owner is disposed of.
pub(super) fn follow_events(list: ListState) {
    let updates = LiveUpdates {
        list,
        triage: expect_context(),
        changes: expect_context(),
        was_ready: StoredValue::new(false),
        checks: Throttle::default(),
        reloads: Throttle::default(),
        unread: Throttle::default(),
    };
    let stream = StoredValue::new_local(None);
    let is_visible = RwSignal::new(!document().hidden());
    let listener = window_event_listener(ev::visibilitychange, move |_| {
        is_visible.try_set(!document().hidden());
    });
    on_cleanup(move || listener.remove());
    let environment = Memo::new(move |_| list.source.get().map(|source| source.environment));
    run_effect(move || {
        let is_open = is_visible.get() && updates.triage.is_available();
        let environment = environment.get().filter(|_| is_open);
        stream.set_value(environment.map(|environment| {
            EventStream::open(environment, move |event| {
                untrack(|| match event {
                    Some(event) => updates.handle_event(event),
                    None => updates.poll(),
                });
            })
        }));
    });
}

impl LiveUpdates {
    fn handle_event(self, event: LiveEvent) {
        match event {
            LiveEvent::Ready => {
                if self.was_ready.try_update_value(|was| std::mem::replace(was, true)) == Some(true)
                {
                    self.catch_up();
                } else {
                    // Submissions may have arrived since the list was loaded.
                    self.check_new_submissions();
                }
            }
            LiveEvent::Reset => self.catch_up(),
            LiveEvent::Change(kind, change) => self.apply_change(kind, change),
        }
    }

    /// Requests everything that missed events may have changed.
    fn catch_up(self) {
        self.refresh();
        if self.is_filtered_by_triage() {
            self.reload_list();
        }
    }

    /// Requests what may have changed, where events do not get through. The list is loaded again
    /// only if its number of submissions has changed: the server may be unreachable, and then the
    /// rows must stay.
    fn poll(self) {
        // The first event comes after unknown changes.
        self.was_ready.try_set_value(true);
        if self.list.session.connection().get_untracked() == ConnectionState::Online {
            self.refresh();
        }
    }

    fn refresh(self) {
        self.check_new_submissions();
        self.triage.forget();
        self.notify(None, Change::Updated(Vec::new()));
        self.reload_unread();
    }

    fn is_filtered_by_triage(self) -> bool {
        self.list.filter.with_untracked(|filter| filter.labels.has_triage())
    }

    fn apply_change(self, kind: ChangeKind, change: FormChange) {
        let is_shown = self.list.source.with_untracked(|source| {
            source.as_ref().is_some_and(|source| source.has_form(&change.form_id))
        });
        let form = change.form_id;
        match kind {
            ChangeKind::Created if is_shown => self.check_new_submissions(),
            ChangeKind::Updated if is_shown => self.update(&form, change.ids),
            ChangeKind::Analyzed if is_shown => self.show_insights(&change.ids),
            ChangeKind::Removed if is_shown => self.remove(&form, &change.ids),
            _ => {}
        }
        if matches!(kind, ChangeKind::Created | ChangeKind::Removed) {
            self.reload_unread();
        }
    }

    /// Counts new submissions. If others were restored or removed, loads the list again.
    fn check_new_submissions(self) {
        let rows = self.list.rows;
        self.checks.run(rows.event_interval(), move || {
            rows.check_now(move || {
                if !self.was_ready.is_disposed() {
                    self.reload_list();
                }
            });
        });
    }

    fn reload_unread(self) {
        let triage = self.triage;
        self.unread.run(UNREAD_INTERVAL, move || triage.reload_unread());
    }

    /// Loads the list again, at its position.
    fn reload_list(self) {
        let interval = self.list.rows.event_interval();
        self.reloads.run(interval, move || self.notify(None, Change::Restored(Vec::new())));
    }

    /// Notifies list and card of a change in a form; by default in all forms of the list.
    fn notify(self, form: Option<&FormId>, change: Change) {
        if let Some(source) = self.list.source.get_untracked() {
            let form = form.or(source.form.as_ref());
            self.changes.notify(source.environment, form, change);
        }
    }

    /// Loads what the list and the card show of the triage of submissions. A list that is filtered
    /// by triage is loaded again if that has changed; own changes arrive here, too. The board may
    /// show submissions that the list has not loaded.
    fn update(self, form: &FormId, ids: Vec<SubmissionId>) {
        self.notify(Some(form), Change::Updated(ids.clone()));
        let rows = self.list.rows;
        if ids.is_empty() {
            self.triage.forget();
            self.triage.count_update();
            return;
        }
        let has_triage = self.is_filtered_by_triage() || untrack(|| self.list.is_board());
        let is_needed = |id: &SubmissionId| has_triage || rows.position(id).is_some();
        let needed: Vec<_> = ids.into_iter().filter(is_needed).collect();
        if needed.is_empty() {
            return;
        }
        self.triage.add_ids(form, &needed);
        spawn_local(async move {
            // After an error, the rows show the known triage. Their next load corrects it.
            if self.triage.refresh(&needed).await == Ok(true) {
                self.triage.count_update();
            }
        });
    }

    /// Loads the list again if it has one of the submissions, and the board in any case.
    fn show_insights(self, ids: &[SubmissionId]) {
        if ids.is_empty()
            || untrack(|| self.list.is_board())
            || ids.iter().any(|id| self.list.rows.position(id).is_some())
        {
            self.reload_list();
        }
    }

    /// Removes rows. If some are not loaded, the list is loaded again for its length. Those that
    /// the user has removed are gone already.
    fn remove(self, form: &FormId, ids: &[SubmissionId]) {
        let rows = self.list.rows;
        let mut keys = Vec::new();
        let mut has_unknown = ids.is_empty();
        for id in ids {
            match rows.position(id).and_then(|index| rows.loaded_row(index)) {
                Some(row) => keys.push((row.metadata.submitted_at, id.clone())),
                None => has_unknown |= !rows.is_removed(id),
            }
        }
        if !keys.is_empty() {
            self.notify(Some(form), Change::Removed(keys));
        }
        if has_unknown {
            self.reload_list();
        }
    }
}
