//! The state of the fields tab: the rows, the unsaved changes, and how they are saved.

use contract::{Field, FieldEdits, FieldId, FieldType, Form, FormId};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    api,
    components::page::{rescue_focus, to_sentence},
    domain::{
        answers::isolate_bidi,
        fields::{EditedField, deleted_fields, field_edits, find_invalid_name, is_changed},
    },
    i18n,
    pages::forms::settings::reload_form,
    state::{confirm::Confirm, session::SessionStore, toasts::Toasts},
    ui::{component_owner::ComponentOwner, focus_after_render, run_effect},
};

/// Row of the tab.
#[derive(Clone)]
pub(super) struct FieldRowDraft {
    /// Identifies the row while the order changes.
    pub(super) number: u32,
    pub(super) id: Option<FieldId>,
    /// Key of the field's answers; empty for a new field.
    pub(super) key: String,
    pub(super) name: RwSignal<String>,
    pub(super) kind: RwSignal<FieldType>,
    pub(super) hidden: RwSignal<bool>,
}

impl FieldRowDraft {
    fn to_edited(&self) -> EditedField {
        EditedField {
            id: self.id.clone(),
            name: self.name.get(),
            kind: self.kind.get(),
            hidden: self.hidden.get(),
        }
    }
}

/// State of the tab. Cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct FieldsDraft {
    form: Signal<Form>,
    /// The fields before the changes.
    original: RwSignal<Vec<Field>>,
    pub(super) rows: RwSignal<Vec<FieldRowDraft>>,
    next_number: StoredValue<u32>,
    owner: ComponentOwner,
    /// Announcement of the last change of rows, for screen readers.
    pub(super) announcement: RwSignal<String>,
    pub(super) error: RwSignal<Option<(Option<usize>, String)>>,
    pub(super) busy: RwSignal<bool>,
    session: SessionStore,
    confirm: Confirm,
    toasts: Toasts,
}

impl FieldsDraft {
    /// Returns a draft without rows.
    pub(super) fn new(form: Signal<Form>, session: SessionStore) -> Self {
        Self {
            form,
            original: RwSignal::new(Vec::new()),
            rows: RwSignal::new(Vec::new()),
            next_number: StoredValue::new(1),
            owner: ComponentOwner::current(),
            announcement: RwSignal::new(String::new()),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            session,
            confirm: expect_context(),
            toasts: expect_context(),
        }
    }

    fn new_row(self, field: Option<&Field>) -> FieldRowDraft {
        let number = self.next_number.get_value();
        self.next_number.set_value(number + 1);
        self.owner.with(|| FieldRowDraft {
            number,
            id: field.map(|field| field.id.clone()),
            key: field.map(|field| field.key.clone()).unwrap_or_default(),
            name: RwSignal::new(field.map(|field| field.name.clone()).unwrap_or_default()),
            kind: RwSignal::new(field.map(|field| field.kind).unwrap_or_default()),
            hidden: RwSignal::new(field.is_some_and(|field| field.hidden)),
        })
    }

    /// Resets the rows to the fields of the form. Does nothing if the user has left the tab while
    /// the fields were saved.
    pub(super) fn reset(self) {
        if self.rows.is_disposed() {
            return;
        }
        let Some(fields) = self.form.try_with_untracked(|form| form.fields.clone()) else { return };
        self.rows.set(fields.iter().map(|field| self.new_row(Some(field))).collect());
        self.original.set(fields);
        self.error.set(None);
    }

    pub(super) fn is_changed(self) -> bool {
        self.original.with(|was| is_changed(was, &self.edited_fields()))
    }

    /// Resets the rows whenever the fields of the form change, unless there are unsaved changes.
    pub(super) fn follow_form(self) {
        let fields = Memo::new(move |_| self.form.with(|form| form.fields.clone()));
        run_effect(move || {
            let is_other = fields.with(|fields| self.original.with_untracked(|was| was != fields));
            if is_other && !untrack(|| self.is_changed()) {
                self.reset();
            }
        });
    }

    fn edited_fields(self) -> Vec<EditedField> {
        self.rows.with(|rows| rows.iter().map(FieldRowDraft::to_edited).collect())
    }

    fn index_of(self, number: u32) -> Option<usize> {
        self.rows.with_untracked(|rows| rows.iter().position(|row| row.number == number))
    }

    /// Moves a row by one, restores the focus to the pressed button, and announces the new
    /// position.
    pub(super) fn move_row(self, number: u32, up: bool) {
        let Some(from) = self.index_of(number) else { return };
        let count = self.rows.with_untracked(Vec::len);
        let to = if up { from.checked_sub(1) } else { Some(from + 1).filter(|to| *to < count) };
        let Some(to) = to else { return };
        let name = self.rows.with_untracked(|rows| rows[from].name.get_untracked());
        self.rows.update(|rows| rows.swap(from, to));
        self.announcement.set((i18n::form_fields().now_at)(&name, to + 1, count));
        let way = if up { "up" } else { "down" };
        focus_after_render(format!("[data-row='{number}'] [data-way={way}] button"));
    }

    pub(super) fn add_row(self) {
        let row = self.new_row(None);
        let number = row.number;
        self.rows.update(|rows| rows.push(row));
        focus_after_render(format!("[data-row='{number}'] input"));
    }

    /// Removes a row. A field that exists on the server is deleted when the changes are saved.
    pub(super) fn remove_row(self, number: u32) {
        let Some(at) = self.index_of(number) else { return };
        let row = self.rows.try_update(|rows| rows.remove(at));
        if let Some(row) = row.filter(|row| row.id.is_some()) {
            self.announcement.set((i18n::form_fields().will_go)(&row.name.get_untracked()));
        }
        focus_after_render("[data-act=add] button".to_owned());
    }

    pub(super) fn save_or_confirm(self) {
        let was = self.original.get_untracked();
        let now = untrack(|| self.edited_fields());
        if self.busy.get_untracked() {
            return;
        }
        if let Some((at, wrong)) = find_invalid_name(&was, &now) {
            let number = self.rows.with_untracked(|rows| rows.get(at).map(|row| row.number));
            self.error.set(Some((Some(at), to_sentence(&wrong))));
            return focus_after_render(format!(
                "[data-row='{}'] input",
                number.unwrap_or_default()
            ));
        }
        self.error.set(None);
        let edits = field_edits(&was, &now);
        // The dialog stays open if the user leaves the tab by the history.
        let form = self.form.with_untracked(|form| form.id.clone());
        let names: Vec<String> =
            deleted_fields(&was, &now).map(|field| isolate_bidi(field.name.clone())).collect();
        if !names.is_empty() {
            let texts = i18n::form_fields();
            let title = (texts.delete_title)(names.len());
            let text = (texts.delete_text)(&names.join(", "));
            let send = move || {
                let (form, edits, now) = (form.clone(), edits.clone(), now.clone());
                async move {
                    let answer = self.send_edits(form, edits, now).await;
                    // The dialog would send the same edits again, without the new fields.
                    let text = i18n::form_fields().changed_meanwhile;
                    let is_outdated = |problem: &String| problem == text;
                    if answer.as_ref().is_err_and(is_outdated) {
                        self.error.try_set(Some((None, text.to_owned())));
                        return Ok(());
                    }
                    answer
                }
            };
            let verb = (texts.delete_verb)(names.len());
            return self.confirm.ask(title, text, verb, send);
        }
        self.busy.set(true);
        spawn_local(async move {
            let answer = self.send_edits(form, edits, now).await;
            self.busy.try_set(false);
            if let Err(problem) = answer {
                self.error.try_set(Some((None, problem)));
            }
        });
    }

    /// Sends edits that result in the fields `edited`.
    async fn send_edits(
        self,
        id: FormId,
        edits: FieldEdits,
        edited: Vec<EditedField>,
    ) -> Result<(), String> {
        let rows = self.rows.try_get_untracked().unwrap_or_default();
        match api::set_fields(&id, &edits).await {
            Ok(form) => {
                self.store_saved(&rows, &edited, form.fields.clone());
                self.session.upsert_form(form);
                self.toasts.show_success(i18n::form_fields().saved);
                Ok(())
            }
            Err(problem) => {
                self.session.handle_error(&problem);
                if matches!(problem.status(), Some(400 | 409)) && self.add_new_fields(&id).await {
                    return Err(i18n::form_fields().changed_meanwhile.to_owned());
                }
                Err(to_sentence(&problem.message()))
            }
        }
    }

    /// Stores the saved fields of rows. What the user has changed meanwhile stays.
    fn store_saved(self, rows: &[FieldRowDraft], edited: &[EditedField], saved: Vec<Field>) {
        if saved.len() != edited.len() {
            return self.reset();
        }
        for ((row, edited), field) in rows.iter().zip(edited).zip(&saved) {
            if row.name.try_get_untracked().as_ref() == Some(&edited.name) {
                row.name.try_set(field.name.clone());
            }
            if row.id.is_none() {
                self.replace_row(row, field);
            }
        }
        self.original.try_set(saved);
        self.error.try_set(None);
    }

    /// Replaces the row of a new field after it was saved.
    fn replace_row(self, row: &FieldRowDraft, field: &Field) {
        let FieldRowDraft { number, id, key, .. } = self.new_row(Some(field));
        let saved = FieldRowDraft { number, id, key, ..row.clone() };
        let selector = format!("[data-row='{}'] input:focus", row.number);
        if document().query_selector(&selector).is_ok_and(|input| input.is_some()) {
            focus_after_render(format!("[data-row='{number}'] input"));
        }
        self.rows.try_update(|rows| {
            if let Some(place) = rows.iter_mut().find(|other| other.number == row.number) {
                *place = saved;
            }
        });
    }

    /// Adds the fields that the form has got since it was loaded, for example by a submission. The
    /// server refuses edits without them. Returns whether there are any.
    async fn add_new_fields(self, id: &FormId) -> bool {
        let Ok(form) = api::get_form(id).await else { return false };
        let Some(known) = self.original.try_get_untracked() else { return false };
        let is_new = |field: &&Field| known.iter().all(|known| known.id != field.id);
        let new: Vec<Field> = form.fields.iter().filter(is_new).cloned().collect();
        let rows: Vec<_> = new.iter().map(|field| self.new_row(Some(field))).collect();
        let has_new = !new.is_empty();
        self.rows.try_update(|all| all.extend(rows));
        self.original.try_update(|fields| fields.extend(new));
        has_new
    }

    /// Discards unsaved changes and loads the form again, because another user may have changed it.
    pub(super) fn discard_changes(self) {
        let id = self.form.get_untracked().id;
        spawn_local(async move {
            reload_form(self.session, &id).await;
            self.reset();
            // The pressed button disappears.
            rescue_focus().await;
        });
    }
}
