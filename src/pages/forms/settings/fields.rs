//! The fields of a form: named, typed, ordered and added to, and saved together.

mod draft;

use contract::{FieldType, Form};
use leptos::prelude::*;

use crate::{
    shared::listing::Listing,
    stores::session::SessionStore,
    ui::{
        badge::Tone,
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        field::{CellSelect, CellText, Choice},
        icon::Glyph,
        notice::Notice,
    },
};
use draft::{Draft, Row};

/// The page.
#[component]
pub fn Fields(
    /// The form.
    form: Signal<Form>,
    /// Where a changed form goes to.
    session: SessionStore,
) -> impl IntoView {
    let draft = Draft::new(form, session);
    draft.reset();
    draft.follow();
    let none = move || {
        draft.rows.with(Vec::is_empty).then(|| {
            view! {
                <Notice tone=Tone::Info>
                    "The form has no fields yet. It learns them from the first submission, or you "
                    "add them here."
                </Notice>
            }
        })
    };
    let error = move || {
        let (_, text) = draft.error.get()?;
        Some(view! { <Notice tone=Tone::Negative>{text}</Notice> })
    };
    view! {
        <section>
            <h2 class="section-title">"Fields"</h2>
            <p class="section-text">
                "Lists and exports show them under these names and in this order. Pages send answers "
                "by the keys, which stay as they are."
            </p>
            <div class="form" data-wide="true">
                {none}
                <FieldTable draft />
                <p class="visually-hidden" role="status">
                    {draft.told}
                </p>
                {error}
                <Acts draft />
            </div>
        </section>
    }
}

/// What can be done with them together.
#[component]
fn Acts(draft: Draft) -> impl IntoView {
    let changed = Memo::new(move |_| draft.is_changed());
    let same = Signal::derive(move || {
        (!changed.get()).then(|| "There is nothing to save: nothing was changed".to_owned())
    });
    view! {
        <div class="form-acts">
            <span data-act="add">
                <Button icon=Glyph::Plus on_click=move |_| draft.add()>
                    "Add field"
                </Button>
            </span>
            <Show when=move || changed.get() || draft.error.with(Option::is_some)>
                <Button variant=ButtonVariant::Ghost on_click=move |_| draft.take_back()>
                    "Discard changes"
                </Button>
            </Show>
            <Button
                variant=ButtonVariant::Primary
                busy=draft.busy
                disabled_reason=same
                on_click=move |_| draft.save()
            >
                "Save fields"
            </Button>
        </div>
    }
}

#[component]
fn FieldTable(draft: Draft) -> impl IntoView {
    let row = move |row: Row| view! { <FieldRow draft row /> };
    view! {
        <Show when=move || draft.rows.with(|rows| !rows.is_empty())>
            <Listing label="Fields" heads=&["Name", "Type", "Key"] edits=true>
                <For each=move || draft.rows.get() key=|row| row.number children=row />
            </Listing>
        </Show>
    }
}

#[component]
fn FieldRow(draft: Draft, row: Row) -> impl IntoView {
    let Row { number, id, key, name, kind } = row;
    let at = Memo::new(move |_| {
        draft.rows.with(|rows| rows.iter().position(|row| row.number == number)).unwrap_or_default()
    });
    let called = Signal::derive(move || match name.get().trim() {
        "" => format!("field {}", at.get() + 1),
        name => name.to_owned(),
    });
    let invalid = Signal::derive(move || {
        draft.error.with(|error| matches!(error, Some((Some(wrong), _)) if *wrong == at.get()))
    });
    let choices = FieldType::ALL.map(|kind| Choice::new(kind.as_str(), type_word(kind))).to_vec();
    let choose = move |value: String| {
        if let Ok(to) = value.parse() {
            kind.set(to);
        }
    };
    let is_new = id.is_none();
    let key = if is_new {
        view! { <span class="missing">"New"</span> }.into_any()
    } else {
        view! { <span class="id">{key}</span> }.into_any()
    };
    view! {
        <tr role="row" data-row=number.to_string()>
            <td role="cell">
                <CellText
                    label=Signal::derive(move || format!("Name of {}", called.get()))
                    value=name
                    invalid
                    on_input=move |text| name.set(text)
                />
            </td>
            <td role="cell">
                <CellSelect
                    label=Signal::derive(move || format!("Type of {}", called.get()))
                    value=Signal::derive(move || kind.get().as_str().to_owned())
                    choices
                    on_change=choose
                />
            </td>
            <td role="cell">{key}</td>
            <td role="cell">
                <span class="row-acts">
                    {is_new.then(|| remove_button(draft, number, called))}
                    <MoveButtons draft number at called />
                </span>
            </td>
        </tr>
    }
}

/// Up and down, by one.
#[component]
fn MoveButtons(
    draft: Draft,
    number: u32,
    at: Memo<usize>,
    called: Signal<String>,
) -> impl IntoView {
    let first = Signal::derive(move || (at.get() == 0).then(|| "It is the first".to_owned()));
    let last = Signal::derive(move || {
        (at.get() + 1 == draft.rows.with(Vec::len)).then(|| "It is the last".to_owned())
    });
    view! {
        <span data-way="up">
            <IconButton
                icon=Glyph::ChevronUp
                label=Signal::derive(move || format!("Move {} up", called.get()))
                size=ButtonSize::Small
                disabled_reason=first
                on_click=move |_| draft.shift(number, true)
            />
        </span>
        <span data-way="down">
            <IconButton
                icon=Glyph::ChevronDown
                label=Signal::derive(move || format!("Move {} down", called.get()))
                size=ButtonSize::Small
                disabled_reason=last
                on_click=move |_| draft.shift(number, false)
            />
        </span>
    }
}

fn remove_button(draft: Draft, number: u32, called: Signal<String>) -> AnyView {
    view! {
        <IconButton
            icon=Glyph::Close
            label=Signal::derive(move || format!("Leave {} out", called.get()))
            size=ButtonSize::Small
            on_click=move |_| draft.leave_out(number)
        />
    }
    .into_any()
}

fn type_word(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Text => "Text",
        FieldType::LongText => "Long text",
        FieldType::Number => "Number",
        FieldType::Boolean => "Yes or no",
        FieldType::Choice => "One choice",
        FieldType::Choices => "Several choices",
        FieldType::Rating => "Rating",
        FieldType::Email => "E-mail",
        FieldType::Phone => "Phone",
        FieldType::Url => "Web address",
        FieldType::Date => "Date",
    }
}
