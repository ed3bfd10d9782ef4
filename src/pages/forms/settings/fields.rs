//! The tab to rename, type, order, hide, delete and add fields. All changes are saved together.

mod draft;

use contract::{FieldType, Form};
use leptos::prelude::*;

use crate::{
    components::listing::{Listing, MoveButtons},
    i18n,
    state::session::SessionStore,
    ui::{
        badge::{Badge, StatusTone},
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::{CellSelect, CellText, Choice},
        icon::Glyph,
        notice::Notice,
    },
};
use draft::{FieldRowDraft, FieldsDraft};

/// The tab.
#[component]
pub fn Fields(
    /// The form.
    form: Signal<Form>,
    /// Receives the changed form.
    session: SessionStore,
) -> impl IntoView {
    let texts = i18n::form_fields();
    let draft = FieldsDraft::new(form, session);
    draft.reset();
    draft.follow_form();
    let is_empty = move || {
        draft.rows.with(Vec::is_empty).then(|| {
            view! {
                <Notice tone=StatusTone::Info>{texts.none}</Notice>
            }
        })
    };
    let error = move || {
        let (_, text) = draft.error.get()?;
        Some(view! { <Notice tone=StatusTone::Negative>{text}</Notice> })
    };
    view! {
        <section>
            <h2 class="section-title">{texts.title}</h2>
            <p class="section-text">{texts.about}</p>
            <div class="form" data-wide="true">
                {is_empty}
                <FieldTable draft />
                <p class="visually-hidden" role="status">
                    {draft.announcement}
                </p>
                {error}
                <Actions draft />
            </div>
        </section>
    }
}

/// The buttons below the table.
#[component]
fn Actions(draft: FieldsDraft) -> impl IntoView {
    let texts = i18n::form_fields();
    let changed = Memo::new(move |_| draft.is_changed());
    let unchanged = Signal::derive(move || (!changed.get()).then(|| texts.unchanged.to_owned()));
    view! {
        <div class="form-acts">
            <span data-act="add">
                <Button icon=Glyph::Plus on_click=move |_| draft.add_row()>
                    {texts.add}
                </Button>
            </span>
            <Show when=move || changed.get() || draft.error.with(Option::is_some)>
                <Button variant=ButtonVariant::Ghost on_click=move |_| draft.discard_changes()>
                    {texts.discard}
                </Button>
            </Show>
            <Button
                variant=ButtonVariant::Primary
                busy=draft.busy
                disabled_reason=unchanged
                on_click=move |_| draft.save_or_confirm()
            >
                {texts.save}
            </Button>
        </div>
    }
}

#[component]
fn FieldTable(draft: FieldsDraft) -> impl IntoView {
    let texts = i18n::form_fields();
    let row = move |row: FieldRowDraft| view! { <FieldRow draft row /> };
    let heads = move || vec![i18n::common().name, texts.kind, texts.key];
    view! {
        <Show when=move || draft.rows.with(|rows| !rows.is_empty())>
            <Listing label=texts.title heads=heads() edits=true>
                <For each=move || draft.rows.get() key=|row| row.number children=row />
            </Listing>
        </Show>
    }
}

#[component]
fn FieldRow(draft: FieldsDraft, row: FieldRowDraft) -> impl IntoView {
    let texts = i18n::form_fields();
    let FieldRowDraft { number, id, key, name, kind, hidden } = row;
    let at = Memo::new(move |_| {
        draft.rows.with(|rows| rows.iter().position(|row| row.number == number)).unwrap_or_default()
    });
    let called = Signal::derive(move || match name.get().trim() {
        "" => (texts.unnamed)(at.get() + 1),
        name => name.to_owned(),
    });
    let invalid = Signal::derive(move || {
        draft
            .error
            .with(|error| matches!(error, Some((Some(position), _)) if *position == at.get()))
    });
    let choices = FieldType::ALL.map(|kind| Choice::new(kind.as_str(), type_name(kind))).to_vec();
    let choose = move |value: String| {
        if let Ok(to) = value.parse() {
            kind.set(to);
        }
    };
    let is_new = id.is_none();
    let key = if is_new {
        view! { <span class="missing">{texts.new}</span> }.into_any()
    } else {
        view! {
            <span class="id">{key}</span>
            " "
            <Show when=move || hidden.get()>
                <Badge text=texts.is_hidden tone=StatusTone::Neutral icon=Glyph::Info />
            </Show>
        }
        .into_any()
    };
    view! {
        <tr role="row" data-row=number.to_string()>
            <td role="cell">
                <CellText
                    label=Signal::derive(move || (texts.name_of)(&called.get()))
                    value=name
                    invalid
                    on_input=move |text| name.set(text)
                />
            </td>
            <td role="cell">
                <CellSelect
                    label=Signal::derive(move || (texts.kind_of)(&called.get()))
                    value=Signal::derive(move || kind.get().as_str().to_owned())
                    choices
                    on_change=choose
                />
            </td>
            <td role="cell">{key}</td>
            <td role="cell">
                <span class="row-acts">
                    {(!is_new).then(|| hide_button(hidden, called))}
                    {remove_button(draft, number, called, is_new)}
                    <MoveButtons
                        name=called
                        at
                        count=Signal::derive(move || draft.rows.with(Vec::len))
                        on_move=move |is_up| draft.move_row(number, is_up)
                    />
                </span>
            </td>
        </tr>
    }
}

fn hide_button(hidden: RwSignal<bool>, called: Signal<String>) -> AnyView {
    let texts = i18n::form_fields();
    view! {
        <Button size=ButtonSize::Small on_click=move |_| hidden.update(|hidden| *hidden = !*hidden)>
            {move || if hidden.get() { texts.show } else { texts.hide }}
            <span class="visually-hidden">{move || (texts.hide_of)(&called.get())}</span>
        </Button>
    }
    .into_any()
}

fn remove_button(draft: FieldsDraft, number: u32, called: Signal<String>, is_new: bool) -> AnyView {
    let texts = i18n::form_fields();
    let label = if is_new { texts.leave_out } else { texts.delete };
    view! {
        <IconButton
            icon=if is_new { Glyph::Close } else { Glyph::Trash }
            label=Signal::derive(move || label(&called.get()))
            size=ButtonSize::Small
            on_click=move |_| draft.remove_row(number)
        />
    }
    .into_any()
}

fn type_name(kind: FieldType) -> &'static str {
    let texts = i18n::form_fields();
    match kind {
        FieldType::Text => texts.text,
        FieldType::LongText => texts.long_text,
        FieldType::Number => texts.number,
        FieldType::Boolean => texts.boolean,
        FieldType::Choice => texts.choice,
        FieldType::Choices => texts.choices,
        FieldType::Rating => texts.rating,
        FieldType::Email => texts.email,
        FieldType::Phone => texts.phone,
        FieldType::Url => texts.url,
        FieldType::Date => texts.date,
    }
}
