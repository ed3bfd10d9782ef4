//! The number of unread submissions of each form, and the open submission that stays unread. Own
//! changes are counted at once. The server counts again after other changes.

use contract::triage::UnreadCount;
use contract::{FormId, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::TriageState;
use crate::api;

/// Maximum number; larger ones appear as "999+".
const SHOWN_MAX: u64 = 999;

/// Counts by form, and the state of the requests. Cheap to copy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UnreadState {
    /// `None` while they are unknown.
    counts: RwSignal<Option<Vec<UnreadCount>>>,
    progress: StoredValue<Progress>,
}

/// State of the requests for the numbers, and the open submission.
#[derive(Debug, Default)]
struct Progress {
    /// Number of events that made earlier responses outdated.
    events: u32,
    is_requesting: bool,
    /// The open submission, if the user has marked it as unread.
    kept_unread: Option<SubmissionId>,
}

impl UnreadState {
    /// Counts an own change of a form, before it is stored, if the numbers are known.
    pub(super) fn change(self, form: &FormId, before: usize, after: usize) {
        if before == after {
            return;
        }
        // A response to a running request may be older than the change.
        self.progress.try_update_value(|progress| progress.events += 1);
        self.counts.try_update(|counts| {
            let Some(counts) = counts else { return };
            let place = counts.iter().position(|count| count.form_id == *form);
            let known = place.map_or(0, |place| counts[place].unread);
            let unread = (known + after as u64).saturating_sub(before as u64);
            match place {
                Some(place) if unread == 0 => drop(counts.swap_remove(place)),
                Some(place) => counts[place].unread = unread,
                None if unread == 0 => {}
                None => counts.push(UnreadCount { form_id: form.clone(), unread }),
            }
        });
    }
}

impl TriageState {
    /// Returns the number of unread submissions of a form as text, at most "999+"; empty if there
    /// are none, or while the number is unknown. Tracked.
    pub fn unread_text(self, form: &FormId) -> String {
        self.unread_text_of(|id| id == form)
    }

    /// Returns the number of unread submissions of the forms that `is_counted` selects, as
    /// [`Self::unread_text`] does. Tracked.
    pub fn unread_text_of(self, is_counted: impl Fn(&FormId) -> bool) -> String {
        let unread: u64 = self.unread.counts.with(|counts| {
            let counts = counts.iter().flatten().filter(|count| is_counted(&count.form_id));
            counts.map(|count| count.unread).sum()
        });
        match unread {
            0 => String::new(),
            1..=SHOWN_MAX => unread.to_string(),
            _ => format!("{SHOWN_MAX}+"),
        }
    }

    /// Sets the open submission that stays unread, because the user has marked it so.
    pub fn set_kept_unread(self, id: Option<SubmissionId>) {
        self.unread.progress.try_update_value(|progress| progress.kept_unread = id);
    }

    /// Returns whether the user has marked the open submission as unread.
    pub fn is_kept_unread(self, id: &SubmissionId) -> bool {
        let is_kept = |progress: &Progress| progress.kept_unread.as_ref() == Some(id);
        self.unread.progress.try_with_value(is_kept) == Some(true)
    }

    /// Removes the numbers of unread submissions, for another user.
    pub fn clear_unread(self) {
        self.unread.counts.try_set(None);
    }

    /// Loads the numbers of unread submissions, after the changes that are being sent. If more
    /// happens during the request, they are loaded again. Errors are ignored: the known numbers
    /// stay, and a session that has ended is noticed by the requests of the user.
    pub fn reload_unread(self) {
        if !self.can_count_unread() {
            return;
        }
        let progress = self.unread.progress;
        let was_requesting = progress.try_update_value(|progress| {
            progress.events += 1;
            std::mem::replace(&mut progress.is_requesting, true)
        });
        if was_requesting != Some(false) {
            return;
        }
        spawn_local(async move {
            self.load_unread().await;
            progress.try_update_value(|progress| progress.is_requesting = false);
        });
    }

    /// Returns whether a user is signed in, and the server knows which submissions are unread.
    fn can_count_unread(self) -> bool {
        untrack(|| self.is_available() && self.session.session().is_some())
    }

    async fn load_unread(self) {
        loop {
            self.turns.take().start().await;
            if !self.can_count_unread() {
                return;
            }
            let events = || self.unread.progress.try_with_value(|progress| progress.events);
            let sent_at = events();
            match api::list_unread().await {
                Ok(counts) if events() == sent_at => {
                    self.unread.counts.try_set(Some(counts));
                    return;
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}
