//! The field for the text of a note.

use contract::triage::{NOTE_CHARS_MAX, NoteText};
use leptos::{
    ev::{KeyboardEvent, SubmitEvent},
    html,
    prelude::*,
};

use super::mention_picker::MentionPicker;
use crate::{
    i18n,
    ui::{
        button::{Button, ButtonSize, ButtonVariant},
        field::AreaField,
    },
};

/// Text to save, and a callback for the result: success, or an error in a sentence.
pub type SaveRequest = (String, Callback<Result<(), String>>);

/// Field for the text of a note. `Ctrl+Enter` saves, `@` offers members.
#[component]
pub fn NoteEditor(
    /// Label of the field.
    #[prop(into)]
    label: String,
    /// Text at the start.
    initial: String,
    /// Addresses of the members that a note can mention.
    #[prop(into)]
    members: Signal<Vec<String>>,
    /// Receives the text whenever it changes, to keep it.
    #[prop(into, optional)]
    on_type: Option<Callback<String>>,
    /// Saves the text, and reports the result.
    #[prop(into)]
    save: Callback<SaveRequest>,
    /// Ends editing without saving. Without it, the field is for a new note.
    #[prop(into, optional)]
    on_cancel: Option<Callback<()>>,
) -> impl IntoView {
    let texts = i18n::triage();
    let text = RwSignal::new(initial);
    let error = RwSignal::new(None::<String>);
    let busy = RwSignal::new(false);
    let set_text = move |now: String| {
        if let Some(on_type) = on_type {
            on_type.run(now.clone());
        }
        text.try_set(now);
    };
    let sent = StoredValue::new(String::new());
    let on_end = Callback::new(move |saved: Result<(), String>| {
        busy.try_set(false);
        // Text that was typed meanwhile stays.
        let is_same = text.try_get_untracked() == sent.try_get_value();
        if saved.is_ok() && on_cancel.is_none() && is_same {
            set_text(String::new());
        }
        error.try_set(saved.err());
    });
    let submit = move || {
        let note = NoteText { text: text.get_untracked() };
        if busy.get_untracked() || note.text.trim().is_empty() {
            return;
        }
        match note.checked() {
            Ok(checked) => {
                busy.set(true);
                sent.set_value(text.get_untracked());
                save.run((checked.to_owned(), on_end));
            }
            Err(_) => error.set(Some((texts.note_too_long)(NOTE_CHARS_MAX as u64))),
        }
    };
    let area = NodeRef::<html::Textarea>::new();
    let picker = MentionPicker::new(area, members, Callback::new(set_text));
    let on_key = move |event: KeyboardEvent| {
        if picker.completion.on_key(&event) {
            return;
        }
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            submit();
        }
    };
    let cancel = on_cancel.map(|on_cancel| {
        view! {
            <Button
                size=ButtonSize::Small
                variant=ButtonVariant::Ghost
                on_click=move |_| on_cancel.run(())
            >
                {i18n::common().cancel}
            </Button>
        }
    });
    view! {
        <form
            class="note-editor"
            on:keydown=on_key
            // The caret may have moved.
            on:click=move |_| picker.close()
            on:focusout=move |_| picker.close()
            on:submit=move |event: SubmitEvent| {
                event.prevent_default();
                submit();
            }
        >
            <AreaField
                label
                value=text
                on_input=move |typed| {
                    error.set(None);
                    set_text(typed);
                    picker.update();
                }
                hint=texts.note_hint
                error
                completion=picker.completion
                node_ref=area
            />
            {picker.list_view()}
            <div class="note-actions">
                <Button size=ButtonSize::Small submit=true busy>
                    {texts.save_note}
                </Button>
                {cancel}
            </div>
        </form>
    }
}
