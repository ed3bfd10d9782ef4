//! State of the section: the edited statuses and tags, and how they are saved.

use contract::triage::{
    CustomStatus, InvalidTriageSettings, STATUS_NAME_CHARS_MAX, Status, TAG_CHARS_MAX, Tag,
    TagColor, TagSettings, TriageSettings, TriageSettingsUpdate,
};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api::{self, ApiError},
    components::page::{rescue_focus, to_sentence},
    domain::status_id::status_id,
    i18n,
    state::{session::SessionStore, toasts::Toasts, triage::TriageState},
    ui::{component_owner::ComponentOwner, focus_after_render},
};

/// Editable status. Cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct StatusDraft {
    /// Identifies the row while the order changes.
    pub(super) number: u32,
    /// Identifier on the server; `None` for a new status.
    id: StoredValue<Option<Status>>,
    pub(super) name: RwSignal<String>,
}

/// Editable tag.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct TagDraft {
    pub(super) tag: Tag,
    pub(super) color: RwSignal<TagColor>,
}

/// State of the section. Cheap to copy.
#[derive(Clone, Copy)]
pub struct SettingsDraft {
    /// The settings on the server.
    original: RwSignal<TriageSettings>,
    pub(super) statuses: RwSignal<Vec<StatusDraft>>,
    pub(super) tags: RwSignal<Vec<TagDraft>>,
    next_number: StoredValue<u32>,
    owner: ComponentOwner,
    pub(super) new_tag: RwSignal<String>,
    pub(super) tag_error: RwSignal<Option<String>>,
    /// Announcement of the last change of the order, for screen readers.
    pub(super) announcement: RwSignal<String>,
    /// Number of the status with an invalid name, if any, and the problem.
    pub(super) error: RwSignal<Option<(Option<u32>, String)>>,
    pub(super) busy: RwSignal<bool>,
    session: SessionStore,
    toasts: Toasts,
    triage: TriageState,
}

impl SettingsDraft {
    /// Returns a draft of the settings, owned by the current reactive owner.
    pub(super) fn new(settings: TriageSettings) -> Self {
        let draft = Self {
            original: RwSignal::new(settings),
            statuses: RwSignal::new(Vec::new()),
            tags: RwSignal::new(Vec::new()),
            next_number: StoredValue::new(1),
            owner: ComponentOwner::current(),
            new_tag: RwSignal::new(String::new()),
            tag_error: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            session: expect_context(),
            toasts: expect_context(),
            triage: expect_context(),
        };
        draft.reset();
        draft
    }

    /// Discards the changes.
    fn reset(self) {
        let original = self.original.get_untracked();
        let status = |custom: CustomStatus| self.status_row(Some(custom.id), custom.name);
        self.statuses.set(original.statuses.into_iter().map(status).collect());
        let tag = |known: TagSettings| self.tag_row(known.name, known.color);
        self.tags.set(original.tags.into_iter().map(tag).collect());
        self.error.set(None);
    }

    fn status_row(self, id: Option<Status>, name: String) -> StatusDraft {
        let number = self.next_number.get_value();
        self.next_number.set_value(number + 1);
        self.owner.with(|| StatusDraft {
            number,
            id: StoredValue::new(id),
            name: RwSignal::new(name),
        })
    }

    fn tag_row(self, tag: Tag, color: TagColor) -> TagDraft {
        TagDraft { tag, color: self.owner.with(|| RwSignal::new(color)) }
    }

    /// Returns the edited settings. New statuses have an identifier derived from their name.
    /// Tracked.
    pub(super) fn settings(self) -> TriageSettings {
        let rows = self.statuses.get();
        let mut taken: Vec<Status> = rows.iter().filter_map(|row| row.id.get_value()).collect();
        let mut statuses = Vec::new();
        for row in rows {
            let name = row.name.get().trim().to_owned();
            let id = row.id.get_value().or_else(|| {
                let id = status_id(&name, &taken)?;
                taken.push(id.clone());
                Some(id)
            });
            statuses.extend(id.map(|id| CustomStatus { id, name }));
        }
        let tag = |row: &TagDraft| TagSettings { name: row.tag.clone(), color: row.color.get() };
        TriageSettings { statuses, tags: self.tags.with(|rows| rows.iter().map(tag).collect()) }
    }

    /// Returns whether there are unsaved changes. Tracked.
    pub(super) fn is_changed(self) -> bool {
        let settings = self.settings();
        self.original.with(|original| *original != settings)
    }

    /// Returns the place of a status. Tracked.
    pub(super) fn position(self, number: u32) -> Option<usize> {
        self.statuses.with(|rows| rows.iter().position(|row| row.number == number))
    }

    /// Adds a status without a name, and focuses its field.
    pub(super) fn add_status(self) {
        let row = self.status_row(None, String::new());
        self.statuses.update(|rows| rows.push(row));
        focus_after_render(format!("[data-status='{}'] input", row.number));
    }

    /// Removes a status. The server refuses that when the changes are saved, if it is in use.
    pub(super) fn remove_status(self, number: u32) {
        self.statuses.update(|rows| rows.retain(|row| row.number != number));
        focus_after_render("[data-act=add-status] button".to_owned());
    }

    /// Moves a status by one, keeps the focus on the pressed button, and announces the position.
    pub(super) fn move_status(self, number: u32, up: bool) {
        let count = self.statuses.with_untracked(Vec::len);
        let Some(from) = untrack(|| self.position(number)) else { return };
        let to = if up { from.checked_sub(1) } else { Some(from + 1).filter(|to| *to < count) };
        let Some(to) = to else { return };
        let name = self.statuses.with_untracked(|rows| rows[from].name.get_untracked());
        self.statuses.update(|rows| rows.swap(from, to));
        self.announcement.set((i18n::status_settings().now_at)(&name, to + 1, count));
        let way = if up { "up" } else { "down" };
        focus_after_render(format!("[data-status='{number}'] [data-way={way}] button"));
    }

    /// Adds the typed tag, unless it is invalid or exists.
    pub(super) fn add_tag(self) {
        let texts = i18n::status_settings();
        let typed = self.new_tag.get_untracked().trim().to_owned();
        let Ok(tag) = Tag::try_from(typed) else {
            self.tag_error.set(Some((texts.invalid_tag)(TAG_CHARS_MAX)));
            return;
        };
        if self.tags.with_untracked(|rows| rows.iter().any(|row| row.tag == tag)) {
            self.tag_error.set(Some((texts.tag_exists)(tag.as_str())));
            return;
        }
        self.new_tag.set(String::new());
        let row = self.tag_row(tag, TagColor::default());
        self.tags.update(|rows| rows.push(row));
    }

    /// Removes a tag. It stays on submissions.
    pub(super) fn remove_tag(self, tag: &Tag) {
        self.tags.update(|rows| rows.retain(|row| row.tag != *tag));
        focus_after_render("[data-act=add-tag] input".to_owned());
    }

    /// Saves the changes, or shows the first invalid name.
    pub(super) fn save(self) {
        if self.busy.get_untracked() {
            return;
        }
        let rows = self.statuses.get_untracked();
        let settings = untrack(|| self.settings());
        if let Err(problem) = settings.check() {
            self.show_problem(&settings, &problem);
            return;
        }
        self.error.set(None);
        self.busy.set(true);
        spawn_local(async move {
            let TriageSettings { statuses, tags } = settings;
            let before = self.original.try_get_untracked();
            let update = TriageSettingsUpdate { statuses, tags, before };
            match api::set_triage_settings(&update).await {
                Ok(saved) => self.store_saved(&rows, saved),
                Err(error) => {
                    self.session.handle_error(&error);
                    let text = self.explain_refusal(&error).await;
                    self.error.try_set(Some((None, text)));
                }
            }
            self.busy.try_set(false);
        });
    }

    /// Returns why the changes were not saved. If the settings were changed by others, loads these:
    /// the user can discard their changes, or save again.
    async fn explain_refusal(self, error: &ApiError) -> String {
        let texts = i18n::status_settings();
        let reason = to_sentence(&error.message());
        if error.status() != Some(409) {
            return reason;
        }
        let Ok(current) = api::get_account_triage().await else { return reason };
        let current = current.settings();
        if self.original.try_get_untracked().is_none_or(|before| before == current) {
            return (texts.in_use)(&reason);
        }
        self.triage.set_settings(current.clone());
        self.original.try_set(current);
        texts.changed_meanwhile.to_owned()
    }

    /// Stores the saved settings, with the statuses of `rows`. Changes that were made meanwhile
    /// stay.
    fn store_saved(self, rows: &[StatusDraft], saved: TriageSettings) {
        self.toasts.show_success(i18n::status_settings().saved);
        self.triage.set_settings(saved.clone());
        // New statuses keep the identifier that they were saved with.
        for (row, status) in rows.iter().zip(&saved.statuses) {
            row.id.try_set_value(Some(status.id.clone()));
        }
        self.original.try_set(saved);
    }

    /// Discards unsaved changes. The pressed button disappears.
    pub(super) fn discard_changes(self) {
        self.reset();
        spawn_local(rescue_focus());
    }

    fn show_problem(self, settings: &TriageSettings, problem: &InvalidTriageSettings) {
        let InvalidTriageSettings::StatusName(wrong) = problem else {
            self.error.set(Some((None, to_sentence(&problem.to_string()))));
            return;
        };
        let at = settings.statuses.iter().position(|status| status.id == *wrong);
        let row = self.statuses.with_untracked(|rows| at.and_then(|at| rows.get(at).copied()));
        let text = (i18n::status_settings().invalid_name)(STATUS_NAME_CHARS_MAX);
        self.error.set(Some((row.map(|row| row.number), text)));
        if let Some(row) = row {
            focus_after_render(format!("[data-status='{}'] input", row.number));
        }
    }
}
