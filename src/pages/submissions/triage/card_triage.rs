//! The triage of the open submission: state, requests and changes.

use contract::triage::{HistoryEntry, Note, SubmissionTriage, Triage, TriageChange};
use contract::{FormId, Submission, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::change::change_submission;
use crate::{
    api::{self, Remote},
    domain::triage_marks::TriageMarks,
    pages::submissions::row_marks::RowMarks,
    state::{
        changes::{Change, ChangeEvent, Changes},
        triage::TriageState,
    },
};

/// The triage of the open submission. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct CardTriage {
    pub(super) state: TriageState,
    row_marks: RowMarks,
    key: StoredValue<(FormId, SubmissionId)>,
    pub(super) marks: Signal<Triage>,
    /// Whether notes and history are loaded.
    pub(super) loaded: RwSignal<Remote<()>>,
    /// Notes, oldest first.
    pub(super) notes: RwSignal<Vec<Note>>,
    /// Latest changes, newest first.
    pub(super) history: RwSignal<Vec<HistoryEntry>>,
}

impl CardTriage {
    /// Returns the triage of a submission, and loads it.
    pub(super) fn new(submission: &Submission) -> Self {
        let state = expect_context::<TriageState>();
        let (form, id) = (submission.form_id.clone(), submission.id.clone());
        state.add_forms(std::slice::from_ref(submission));
        let card = Self {
            state,
            row_marks: expect_context(),
            marks: state.triage(&id),
            key: StoredValue::new((form, id)),
            loaded: RwSignal::new(Remote::Loading),
            notes: RwSignal::new(Vec::new()),
            history: RwSignal::new(Vec::new()),
        };
        card.load();
        expect_context::<Changes>().listen(move |event| card.follow_change(&event));
        card
    }

    /// Loads the triage again if another user has changed it.
    fn follow_change(self, event: &ChangeEvent) {
        let Some((form, id)) = self.key() else { return };
        if let Change::Updated(ids) = &event.change
            && event.form.as_ref().is_none_or(|changed| *changed == form)
            && (ids.is_empty() || ids.contains(&id))
        {
            self.load();
        }
    }

    /// Returns the form and the submission.
    pub(super) fn key(self) -> Option<(FormId, SubmissionId)> {
        self.key.try_get_value()
    }

    /// Loads triage, notes and history. Once they are shown, an error changes nothing.
    pub(super) fn load(self) {
        let Some((form, id)) = self.key() else { return };
        let sent_at = untrack(|| self.state.with_marks(TriageMarks::last_number));
        spawn_local(async move {
            match api::get_triage_detail(&form, &id).await {
                Ok(detail) => {
                    let notes_count = u32::try_from(detail.notes.len()).unwrap_or(u32::MAX);
                    let found = SubmissionTriage { id, triage: detail.triage, notes_count };
                    self.state.store(&form, found, sent_at);
                    self.notes.try_set(detail.notes);
                    self.history.try_set(detail.history);
                    self.loaded.try_maybe_update(|loaded| {
                        let is_first = *loaded != Remote::Loaded(());
                        *loaded = Remote::Loaded(());
                        (is_first, ())
                    });
                }
                Err(error) if self.loaded.try_get_untracked() == Some(Remote::Loading) => {
                    self.loaded.try_set(Remote::Failed(error));
                }
                Err(_) => {}
            }
        });
    }

    /// Changes the triage.
    pub(super) fn change(self, change: TriageChange) {
        if let Some((_, id)) = self.key() {
            change_submission((self.state, self.row_marks), id, change);
        }
    }

    /// Announces a result to assistive technology.
    pub(super) fn announce(self, text: &str) {
        self.row_marks.announce(text.to_owned());
    }
}
