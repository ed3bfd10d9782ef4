//! The notes about the open submission: list, new note, and editing and deletion of own notes.

use contract::NoteId;
use contract::triage::{Member, Note};
use leptos::{prelude::*, task::spawn_local};

use super::{
    NoteDrafts, TriageField, TriageFocus,
    card_triage::CardTriage,
    note_editor::{NoteEditor, SaveRequest},
};
use crate::{
    api::{self, ApiError},
    components::{calendar::millis_of, page::explain_failure},
    domain::mentions::{NotePiece, split_mentions},
    i18n,
    state::confirm::Confirm,
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        time::RelativeTime,
    },
};

/// The notes, oldest first, and the field for a new one.
#[component]
pub fn Notes(
    /// The open submission.
    card: CardTriage,
    /// Whether the user can write notes.
    can_edit: bool,
) -> impl IntoView {
    let texts = i18n::triage();
    let editing = RwSignal::new(None::<NoteId>);
    let confirm = expect_context::<Confirm>();
    let focus = expect_context::<TriageFocus>();
    let members = Memo::new(move |_| card.state.members());
    let drafts = expect_context();
    let scene = NoteScene { card, editing, confirm, focus, drafts, members };
    let has_notes = Memo::new(move |_| card.notes.with(|notes| !notes.is_empty()));
    let list = move || {
        // Keyed, so that a note of another user does not close an editor.
        has_notes.get().then(|| {
            view! {
                <ul class="notes">
                    <For
                        each=move || card.notes.get()
                        key=|note| (note.id.clone(), note.edited_at)
                        children=move |note| scene.note_view(note, can_edit)
                    />
                </ul>
            }
        })
    };
    let new_note = move || {
        let id = card.key().map(|(_, id)| id);
        let initial = id.as_ref().map(|id| scene.drafts.get(id)).unwrap_or_default();
        let keep = move |text: String| id.iter().for_each(|id| scene.drafts.set(id, &text));
        view! {
            <div class="triage-note">
                <NoteEditor
                    label=texts.add_note
                    initial
                    members=scene.other_members()
                    on_type=keep
                    save=move |text| scene.create(text)
                />
            </div>
        }
    };
    view! {
        <div class="triage-notes" role="group" aria-label=texts.notes>
            {list}
            {can_edit.then(new_note)}
        </div>
    }
}

/// State that the notes share. Cheap to copy.
#[derive(Clone, Copy)]
struct NoteScene {
    card: CardTriage,
    editing: RwSignal<Option<NoteId>>,
    confirm: Confirm,
    focus: TriageFocus,
    drafts: NoteDrafts,
    /// Members of the account; empty until they are loaded.
    members: Memo<Vec<Member>>,
}

impl NoteScene {
    /// Returns the addresses of the members but the user, to offer them in a note.
    fn other_members(self) -> Signal<Vec<String>> {
        Signal::derive(move || {
            let own = self.card.state.own_id();
            let others = self.members.get().into_iter().filter(|it| Some(&it.id) != own.as_ref());
            others.map(|member| member.email).collect()
        })
    }

    /// Returns the text of a note, with its mentions of members highlighted. Tracked.
    fn marked_text(self, text: &str) -> impl IntoView + use<> {
        let emails: Vec<String> =
            self.members.with(|all| all.iter().map(|member| member.email.clone()).collect());
        let pieces =
            split_mentions(text, &emails).into_iter().map(|NotePiece { text, is_mention }| {
                let text = text.to_owned();
                if is_mention {
                    view! { <mark class="mention">{text}</mark> }.into_any()
                } else {
                    text.into_any()
                }
            });
        pieces.collect_view()
    }

    /// Returns the name of a note's author. Tracked.
    fn author_name(self, note: &Note) -> String {
        match &note.author {
            Some(author) => self.card.state.assignee_name(author),
            None => i18n::triage().removed_member.to_owned(),
        }
    }

    fn note_view(self, note: Note, can_edit: bool) -> impl IntoView {
        let texts = i18n::triage();
        let at_ms = millis_of(note.created_at);
        let edited = note.edited_at.map(|_| {
            view! { <span class="note-edited">{texts.edited}</span> }
        });
        let note = StoredValue::new(note);
        let id = move || note.with_value(|note| note.id.clone());
        let author = move || note.with_value(|note| self.author_name(note));
        let is_editing = Memo::new(move |_| self.editing.get() == Some(id()));
        let is_own = move || {
            let author = note.with_value(|note| note.author.clone());
            can_edit && author.is_some() && author == self.card.state.own_id()
        };
        let body = move || {
            if !is_editing.get() {
                let marked = move || note.with_value(|note| self.marked_text(&note.text));
                return view! { <p class="note-text" dir="auto">{marked}</p> }.into_any();
            }
            view! {
                <NoteEditor
                    label=(texts.edit_note)(&untrack(author))
                    initial=note.with_value(|note| note.text.clone())
                    members=self.other_members()
                    save=move |request| self.edit(id(), request)
                    on_cancel=move |()| self.editing.set(None)
                />
            }
            .into_any()
        };
        let buttons = move || {
            let shows_buttons = is_own() && !is_editing.get();
            shows_buttons.then(|| self.note_buttons(id()))
        };
        view! {
            <li class="note">
                <div class="note-head">
                    <span class="note-author">{author}</span>
                    <RelativeTime at_ms />
                    {edited}
                    {buttons}
                </div>
                {body}
            </li>
        }
    }

    fn note_buttons(self, id: NoteId) -> impl IntoView {
        let texts = i18n::triage();
        let edited = id.clone();
        let ask = move |_| {
            let id = id.clone();
            let delete = move || self.delete(id.clone());
            let verb = i18n::common().delete;
            self.confirm.ask(texts.delete_note_title, texts.delete_note_text, verb, delete);
        };
        view! {
            <span class="note-buttons">
                <Button
                    size=ButtonSize::Small
                    variant=ButtonVariant::Ghost
                    on_click=move |_| self.editing.set(Some(edited.clone()))
                >
                    {texts.edit}
                </Button>
                <Button size=ButtonSize::Small variant=ButtonVariant::Ghost on_click=ask>
                    {i18n::common().delete}
                </Button>
            </span>
        }
    }

    fn create(self, (text, on_end): SaveRequest) {
        let Some((form, id)) = self.card.key() else { return };
        spawn_local(async move {
            let answer = api::create_note(&form, &id, text.clone()).await;
            let saved = self.handle(answer).map(|note| {
                // The editor is gone if the user has opened another submission. Text that was typed
                // meanwhile stays.
                if self.drafts.get(&id).trim() == text.trim() {
                    self.drafts.set(&id, "");
                }
                self.card.notes.try_update(|notes| notes.push(note));
            });
            on_end.try_run(saved);
        });
    }

    fn edit(self, note: NoteId, (text, on_end): SaveRequest) {
        let Some((form, id)) = self.card.key() else { return };
        spawn_local(async move {
            let answer = api::edit_note(&form, &id, &note, text).await;
            let saved = self.handle(answer).map(|saved| {
                self.editing.try_set(None);
                self.card.notes.try_update(|notes| {
                    if let Some(note) = notes.iter_mut().find(|note| note.id == saved.id) {
                        *note = saved;
                    }
                });
                self.focus.request(TriageField::Note);
            });
            on_end.try_run(saved);
        });
    }

    /// Announces a success, or returns the error in a sentence.
    fn handle(self, answer: Result<Note, ApiError>) -> Result<Note, String> {
        let note =
            answer.map_err(|error| self.describe_error(&error, i18n::triage().note_failed))?;
        self.card.announce(i18n::triage().note_saved);
        Ok(note)
    }

    /// Returns an error in a sentence.
    fn describe_error(self, error: &ApiError, text: fn(&str) -> String) -> String {
        text(&explain_failure(self.card.state.session(), error))
    }

    async fn delete(self, note: NoteId) -> Result<(), String> {
        let texts = i18n::triage();
        let Some((form, id)) = self.card.key() else { return Ok(()) };
        let answer = api::delete_note(&form, &id, &note).await;
        // A note that does not exist any more is deleted, too.
        if let Err(error) = answer
            && error.status() != Some(404)
        {
            return Err(self.describe_error(&error, texts.note_not_deleted));
        }
        self.card.notes.try_update(|notes| notes.retain(|other| other.id != note));
        self.card.announce(texts.note_deleted);
        // The pressed button is removed.
        self.focus.request(TriageField::Note);
        Ok(())
    }
}
