//! The triage of submissions: status, star, tags and assignee, with the statuses, tags and members
//! of the account. Changes appear immediately, and are reverted if the server refuses them.
//!
//! Code that is loaded after the first rows calls it.

mod groups;
mod requests;
mod turns;
mod unread;

use std::collections::HashMap;

use contract::triage::{AccountTriage, Member, Status, Tag, TagColor, Triage, TriageSettings};
use contract::{AccountId, FormId, PersonId, SubmissionId};
use leptos::{prelude::*, task::spawn_local};

use super::{session::SessionStore, toasts::Toasts};
use crate::{
    api::{self, ApiError},
    domain::triage_marks::TriageMarks,
    i18n,
};
use turns::Turns;
use unread::UnreadState;

/// The triage of the submissions of one form or of the inbox, and the settings of the account;
/// provided as context by the app. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct TriageState {
    session: SessionStore,
    toasts: Toasts,
    /// The form; `None` in the inbox.
    form: RwSignal<Option<FormId>>,
    /// The forms of the submissions of the inbox.
    forms: StoredValue<HashMap<SubmissionId, FormId>>,
    marks: RwSignal<TriageMarks>,
    /// Statuses, tags and members of the account.
    account: RwSignal<AccountTriage>,
    /// The account that was requested, and the email address of the member.
    was_requested: StoredValue<Option<(AccountId, String)>>,
    update_count: RwSignal<u32>,
    read_update_count: RwSignal<u32>,
    unread: UnreadState,
    turns: Turns,
}

impl TriageState {
    /// Creates a state without submissions, owned by the current reactive owner.
    pub fn new(session: SessionStore, toasts: Toasts) -> Self {
        Self {
            session,
            toasts,
            form: RwSignal::new(None),
            forms: StoredValue::new(HashMap::new()),
            marks: RwSignal::new(TriageMarks::default()),
            account: RwSignal::new(AccountTriage::default()),
            was_requested: StoredValue::new(None),
            update_count: RwSignal::new(0),
            read_update_count: RwSignal::new(0),
            unread: UnreadState::default(),
            turns: Turns::default(),
        }
    }

    /// Returns whether the server stores the triage of submissions. Then each user can mark them as
    /// read. Tracked.
    pub fn is_available(self) -> bool {
        self.session.capabilities().triage
    }

    /// Returns whether the user can change the triage that the members share. Tracked.
    pub fn can_edit(self) -> bool {
        self.is_available() && self.session.can_triage()
    }

    /// Sets the form that the other functions refer to; `None` for the inbox. Forgets the
    /// submissions of another list.
    pub fn show_form(self, form: Option<&FormId>) {
        if self.form.with_untracked(|now| now.as_ref() != form) {
            self.form.set(form.cloned());
            self.marks.update(TriageMarks::clear);
        }
    }

    /// Returns the triage of a submission, including changes that are being sent; that of a new
    /// submission until it is [loaded](Self::load).
    pub fn triage(self, id: &SubmissionId) -> Signal<Triage> {
        let id = id.clone();
        Memo::new(move |_| self.marks.with(|marks| marks.get(&id))).into()
    }

    /// Returns whether the user has read a submission; `None` while it is unknown. Tracked.
    pub fn read_state(self, id: &SubmissionId) -> Option<bool> {
        self.marks.with(|marks| marks.read_state(id))
    }

    /// Calls `read` with the triage of all known submissions. Tracked.
    pub fn with_marks<T>(self, read: impl FnOnce(&TriageMarks) -> T) -> T {
        self.marks.with(read)
    }

    /// Returns the number of successful changes so far. It tells filtered lists that they may be
    /// out of date. Changes of only the read state do not count: opening a submission must not
    /// remove it from a list of unread ones.
    pub fn update_count(self) -> Signal<u32> {
        self.update_count.into()
    }

    /// Returns the number of successful changes of read states that remove submissions from a list
    /// of unread ones: those of a selection, and their undo.
    pub fn read_update_count(self) -> Signal<u32> {
        self.read_update_count.into()
    }

    /// Counts a change of the read states of a selection.
    pub fn count_read_update(self) {
        self.read_update_count.try_update(|count| *count += 1);
    }

    /// Returns the statuses and tags of the account, requested at the first call; the defaults
    /// until they are loaded.
    pub fn settings(self) -> Signal<TriageSettings> {
        self.request_settings();
        Signal::derive(move || self.account.with(AccountTriage::settings))
    }

    fn request_settings(self) {
        let may_read = untrack(|| self.is_available());
        if !may_read || !self.mark_requested() {
            return;
        }
        spawn_local(async move {
            if let Err(error) = self.reload_settings().await {
                self.session.handle_error(&error);
                // The next call requests them again.
                self.was_requested.try_set_value(None);
            }
        });
    }

    /// Loads the statuses, tags and members of the account again.
    ///
    /// # Errors
    /// If the request fails.
    pub async fn reload_settings(self) -> Result<(), ApiError> {
        self.account.try_set(api::get_account_triage().await?);
        Ok(())
    }

    /// Replaces the statuses and tags of the account, after the server has stored them.
    pub fn set_settings(self, settings: TriageSettings) {
        self.account.try_update(|account| account.set_settings(settings));
    }

    /// Returns the statuses in their order: the built-in ones, then those of the account. Tracked.
    pub fn statuses(self) -> Vec<Status> {
        let built_in = Status::BUILT_IN.into_iter().filter_map(|name| name.parse().ok());
        self.request_settings();
        self.account.with(|account| {
            built_in.chain(account.statuses.iter().map(|custom| custom.id.clone())).collect()
        })
    }

    /// Returns the name of a status; the identifier of one that the account does not have. Tracked.
    pub fn status_name(self, status: &Status) -> String {
        let texts = i18n::triage();
        match status.as_str() {
            Status::OPEN => texts.open.to_owned(),
            "in_progress" => texts.in_progress.to_owned(),
            "done" => texts.done.to_owned(),
            other => {
                self.request_settings();
                self.account.with(|account| {
                    let custom = account.statuses.iter().find(|custom| custom.id == *status);
                    custom.map_or_else(|| other.to_owned(), |custom| custom.name.clone())
                })
            }
        }
    }

    /// Returns the colour of a tag. Tracked.
    pub fn tag_color(self, tag: &Tag) -> TagColor {
        self.request_settings();
        self.account.with(|account| {
            let known = account.tags.iter().find(|known| known.name == *tag);
            known.map(|known| known.color).unwrap_or_default()
        })
    }

    /// Returns the members of the account; empty until they are loaded. Tracked.
    pub fn members(self) -> Vec<Member> {
        self.request_settings();
        self.account.with(|account| account.members.clone())
    }

    /// Marks the data of the account as requested. Returns whether they were not. Data of another
    /// member are discarded.
    fn mark_requested(self) -> bool {
        let Some(session) = untrack(|| self.session.session()) else { return false };
        let email = session.person_email().to_owned();
        let member = Some((session.account.id, email));
        let is_same = self.was_requested.try_with_value(|requested| *requested == member);
        if is_same == Some(false) {
            self.was_requested.set_value(member);
            self.account.set(AccountTriage::default());
        }
        is_same == Some(false)
    }

    /// Returns the email address of a member; "A member" while it is unknown. Tracked.
    pub fn assignee_name(self, id: &PersonId) -> String {
        self.request_settings();
        self.account.with(|account| {
            let member = account.members.iter().find(|member| member.id == *id);
            member.map_or_else(|| i18n::triage().a_member.to_owned(), |member| member.email.clone())
        })
    }

    /// Returns the id of the signed-in member, once it is known. Tracked.
    pub fn own_id(self) -> Option<PersonId> {
        self.request_settings();
        self.account.with(|account| account.person_id.clone())
    }

    /// Returns the session, which must handle the errors of changes.
    pub fn session(self) -> SessionStore {
        self.session
    }

    /// Returns the toasts, for the errors of changes.
    pub fn toasts(self) -> Toasts {
        self.toasts
    }

    /// Adds new tags to those of the account, as the server does.
    fn add_account_tags(self, tags: &[Tag]) {
        let is_new = |account: &AccountTriage| {
            tags.iter().any(|tag| account.tags.iter().all(|known| known.name != *tag))
        };
        if self.account.try_with_untracked(is_new) == Some(true) {
            // The server has accepted the tags, so that there are not too many.
            self.account.try_update(|account| {
                let mut settings = account.settings();
                let _ = settings.add_tags(tags);
                account.set_settings(settings);
            });
        }
    }
}

/// Returns the value of `data-color` for a colour of tags, as in `style/`.
pub fn tag_color_name(color: TagColor) -> &'static str {
    match color {
        TagColor::Gray => "gray",
        TagColor::Red => "red",
        TagColor::Orange => "orange",
        TagColor::Yellow => "yellow",
        TagColor::Green => "green",
        TagColor::Blue => "blue",
        TagColor::Purple => "purple",
        TagColor::Pink => "pink",
    }
}
