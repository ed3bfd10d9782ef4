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
    components::{calendar::millis_of, page::to_sentence},
    domain::mentions::{NotePiece, split_mentions},
    i18n,
    state::{
        confirm::{Confirm, Question},
        session::SessionStore,
    },
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
    let session = expect_context::<SessionStore>();
    let members = Memo::new(move |_| card.state.members());
    let drafts = expect_context();
    let scene = NoteScene { card, editing, confirm, focus, drafts, session, members };
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
    session: SessionStore,
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
        let author_of = note.clone();
        let text = note.text.clone();
        let at_ms = millis_of(note.created_at);
        let edited = note.edited_at.map(|_| {
            view! { <span class="note-edited">{texts.edited}</span> }
        });
        let id = note.id.clone();
        let is_editing =
            Memo::new(move |_| self.editing.with(|editing| editing.as_ref() == Some(&id)));
        let own = note.clone();
        let is_own =
            move || can_edit && own.author.is_some() && own.author == self.card.state.own_id();
        let edited_note = note.clone();
        let body = move || {
            if !is_editing.get() {
                let text = text.clone();
                let marked = move || self.marked_text(&text);
                return view! { <p class="note-text" dir="auto">{marked}</p> }.into_any();
            }
            let id = edited_note.id.clone();
            view! {
                <NoteEditor
                    label=(texts.edit_note)(&untrack(|| self.author_name(&edited_note)))
                    initial=text.clone()
                    members=self.other_members()
                    save=move |request| self.edit(id.clone(), request)
                    on_cancel=move |()| self.editing.set(None)
                />
            }
            .into_any()
        };
        let buttons = move || {
            let shows_buttons = is_own() && !is_editing.get();
            shows_buttons.then(|| self.note_buttons(&note))
        };
        view! {
            <li class="note">
                <div class="note-head">
                    <span class="note-author">{move || self.author_name(&author_of)}</span>
                    <RelativeTime at_ms />
                    {edited}
                    {buttons}
                </div>
                {body}
            </li>
        }
    }

    fn note_buttons(self, note: &Note) -> impl IntoView + use<> {
        let texts = i18n::triage();
        let (edited, deleted) = (note.id.clone(), note.id.clone());
        let ask = move |_| {
            let id = deleted.clone();
            let delete = move || self.delete(id.clone());
            let verb = i18n::common().delete;
            self.confirm.open_question(Question::new(
                texts.delete_note_title,
                texts.delete_note_text,
                verb,
                delete,
            ));
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
        match answer {
            Ok(note) => {
                self.card.announce(i18n::triage().note_saved);
                Ok(note)
            }
            Err(error) => {
                self.session.handle_error(&error);
                Err((i18n::triage().note_failed)(&to_sentence(&error.message())))
            }
        }
    }

    async fn delete(self, note: NoteId) -> Result<(), String> {
        let texts = i18n::triage();
        let Some((form, id)) = self.card.key() else { return Ok(()) };
        let answer = api::delete_note(&form, &id, &note).await;
        // A note that does not exist any more is deleted, too.
        if let Err(error) = answer.or_else(|error| match error.status() {
            Some(404) => Ok(()),
            _ => Err(error),
        }) {
            self.session.handle_error(&error);
            return Err((texts.note_not_deleted)(&to_sentence(&error.message())));
        }
        self.card.notes.try_update(|notes| notes.retain(|other| other.id != note));
        self.card.announce(texts.note_deleted);
        // The pressed button is removed.
        self.focus.request(TriageField::Note);
        Ok(())
    }
}
