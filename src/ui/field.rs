//! Fields of forms: label, hint, error and input, tied together for assistive technology.
//! Each is controlled: it shows `value` and reports what is typed, and keeps nothing itself.

pub mod area;
pub mod cell;
pub mod choice;
pub mod combobox;
pub mod search;

pub use area::AreaField;
pub use cell::{CellSelect, CellText};
pub use choice::{CheckField, Choice, RadioField, SelectField};
pub use combobox::{Pick, PickField, Picks};
pub use search::SearchField;

use leptos::{html, prelude::*};

use super::{
    icon::{Glyph, Icon},
    unique_id,
};

/// What a text field takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// Anything.
    #[default]
    Text,
    /// An e-mail address.
    Email,
    /// A password, drawn as dots.
    Password,
    /// A calendar day, as `YYYY-MM-DD`.
    Date,
    /// A day and a time of it by the viewer's clock, as `YYYY-MM-DDTHH:MM`.
    DateTime,
}

impl FieldKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Email => "email",
            Self::Password => "password",
            Self::Date => "date",
            Self::DateTime => "datetime-local",
        }
    }
}

/// The ids by which an input refers to the texts around it.
#[derive(Clone)]
struct Ids {
    input: String,
    hint: String,
    error: String,
}

impl Ids {
    fn new() -> Self {
        let input = unique_id("field");
        Self { hint: format!("{input}-hint"), error: format!("{input}-error"), input }
    }

    /// The label of the input.
    fn label(&self, text: Signal<String>) -> impl IntoView + use<> {
        view! {
            <label class="field-label" for=self.input.clone()>
                {text}
            </label>
        }
    }

    /// Returns the value of `aria-describedby`, naming only what is there.
    fn described_by(
        &self,
        hint: Signal<String>,
        error: Signal<Option<String>>,
    ) -> impl Fn() -> Option<String> + Send + Clone + use<> {
        let Self { hint: hint_id, error: error_id, .. } = self.clone();
        move || match (error.with(Option::is_some), hint.with(|hint| !hint.is_empty())) {
            (true, true) => Some(format!("{error_id} {hint_id}")),
            (true, false) => Some(error_id.clone()),
            (false, true) => Some(hint_id.clone()),
            (false, false) => None,
        }
    }
}

/// Hint and error of a field: the error comes first, since it is what must be read.
fn notes(ids: &Ids, hint: Signal<String>, error: Signal<Option<String>>) -> impl IntoView + use<> {
    let Ids { hint: hint_id, error: error_id, .. } = ids.clone();
    view! {
        <p class="field-error" id=error_id role="alert">
            {move || {
                error
                    .get()
                    .map(|text| view! { <Icon glyph=Glyph::Warning /> <span>{text}</span> })
            }}
        </p>
        <p class="field-hint" id=hint_id>
            {hint}
        </p>
    }
}

/// A labelled line of text.
#[component]
pub fn TextField(
    /// The label above it.
    #[prop(into)]
    label: Signal<String>,
    /// What it shows.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what was typed.
    #[prop(into)]
    on_input: Callback<String>,
    /// What it takes.
    #[prop(optional)]
    kind: FieldKind,
    /// A sentence that helps to fill it in; empty for none.
    #[prop(into, optional)]
    hint: Signal<String>,
    /// What is wrong with it and how to mend it.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
    /// The name by which password managers know it.
    #[prop(into, optional)]
    name: Option<String>,
    /// The value of `autocomplete`.
    #[prop(into, optional)]
    autocomplete: Option<String>,
    /// An example, shown while it is empty. Never a label.
    #[prop(into, optional)]
    placeholder: Option<String>,
    /// The most characters it takes.
    #[prop(into, optional)]
    length_max: Option<u32>,
    /// For days: the first one that may be chosen.
    #[prop(into, optional)]
    min: Signal<Option<String>>,
    /// For days: the last one that may be chosen.
    #[prop(into, optional)]
    max: Signal<Option<String>>,
    /// Whether it must be filled in.
    #[prop(optional)]
    required: bool,
    /// The input element, for those who move the focus there.
    #[prop(optional)]
    node_ref: NodeRef<html::Input>,
) -> impl IntoView {
    let ids = Ids::new();
    let described = ids.described_by(hint, error);
    view! {
        <div class="field">
            {ids.label(label)}
            <input
                class="input" dir="auto"
                node_ref=node_ref
                id=ids.input.clone()
                type=kind.name()
                name=name
                autocomplete=autocomplete
                placeholder=placeholder
                maxlength=length_max.map(|length| length.to_string())
                min=move || min.get()
                max=move || max.get()
                required=required
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=described
                prop:value=value
                on:input:target=move |event| on_input.run(event.target().value())
            />
            {notes(&ids, hint, error)}
        </div>
    }
}
