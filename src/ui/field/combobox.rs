//! A text field with suggested values, after the WAI-ARIA combobox pattern. Typing filters the
//! suggestions; other values are allowed too.

use leptos::{ev, prelude::*};

use super::{FieldIds, error_view};
use crate::i18n;
use crate::ui::{
    button::{Button, ButtonSize},
    icon::Glyph,
    scroll_to_option,
};

/// Maximum number of listed values; typing finds others that are loaded.
const LISTED_VALUES_MAX: usize = 50;

/// Suggested value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The value.
    pub value: String,
    /// Text at the end of the line, such as the number of occurrences; may be empty.
    pub note: String,
}

/// State of the suggestions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Suggestions {
    /// No suggestions: the field is a plain text field.
    #[default]
    None,
    /// Suggestions are loading.
    Loading,
    /// Loading failed, with the reason in a sentence.
    Failed(String),
    /// The suggestions, and a note about values missing from them; the note may be empty.
    Loaded(Vec<Suggestion>, String),
}

/// Id of the input whose list is open; at most one of several fields. The list stays open when the
/// focus leaves the fields, so that nothing moves under the pointer.
pub type OpenListId = RwSignal<String>;

#[derive(Clone, Copy)]
struct ComboboxState {
    input_id: StoredValue<String>,
    open_list: OpenListId,
    value: Signal<String>,
    on_input: Callback<String>,
    on_choose: Option<Callback<()>>,
    suggestions: Signal<Suggestions>,
    /// Index of the value that the arrow keys are on.
    active: RwSignal<Option<usize>>,
    /// Whether something was typed since the list opened. Only then the text filters the list.
    typed: RwSignal<bool>,
}

impl ComboboxState {
    fn new(
        ids: &FieldIds,
        open_list: OpenListId,
        (value, on_input, on_choose): (Signal<String>, Callback<String>, Option<Callback<()>>),
        suggestions: Signal<Suggestions>,
    ) -> Self {
        Self {
            input_id: StoredValue::new(ids.input.clone()),
            open_list,
            value,
            on_input,
            on_choose,
            suggestions,
            active: RwSignal::new(None),
            typed: RwSignal::new(false),
        }
    }

    fn is_open(self) -> bool {
        self.input_id.with_value(|input_id| self.open_list.with(|open_id| open_id == input_id))
    }

    /// Returns whether the list is open and has values. Tracked.
    fn has_values(self) -> bool {
        self.is_open()
            && self.suggestions.with(
                |suggestions| matches!(suggestions, Suggestions::Loaded(all, _) if !all.is_empty()),
            )
    }

    fn open(self) {
        if !untrack(|| self.is_open()) {
            self.typed.set(false);
            self.active.set(None);
            self.open_list.set(self.input_id.get_value());
        }
    }

    fn close(self) {
        self.active.set(None);
        self.open_list.set(String::new());
    }

    /// Returns the values that contain the typed text, ignoring case. Tracked.
    fn matching_values(self) -> Vec<Suggestion> {
        let typed = if self.typed.get() { self.value.get() } else { String::new() };
        let typed = typed.trim().to_lowercase();
        self.suggestions.with(|picks| match picks {
            Suggestions::Loaded(all, _) => {
                let matches_text =
                    |suggestion: &&Suggestion| suggestion.value.to_lowercase().contains(&typed);
                all.iter().filter(matches_text).take(LISTED_VALUES_MAX).cloned().collect()
            }
            _ => Vec::new(),
        })
    }

    fn choose_value(self, value: String) {
        self.on_input.run(value);
        self.close();
        if let Some(on_choose) = self.on_choose {
            on_choose.run(());
        }
    }

    fn option_id(self, index: usize) -> String {
        self.input_id.with_value(|input_id| format!("{input_id}-{index}"))
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        let found = untrack(|| self.matching_values());
        let open = untrack(|| self.has_values());
        let active = self.active.get_untracked();
        let last = found.len().checked_sub(1);
        match (event.key().as_str(), last) {
            ("ArrowDown", _) if !open => self.open(),
            ("ArrowDown", Some(last)) => {
                let next = active.filter(|at| *at < last).map_or(0, |at| at + 1);
                self.active.set(Some(next));
            }
            ("ArrowUp", Some(last)) if open => {
                let next = active.and_then(|at| at.checked_sub(1)).unwrap_or(last);
                self.active.set(Some(next));
            }
            ("Enter", _) if open && active.is_some() => {
                if let Some(pick) = active.and_then(|at| found.get(at)) {
                    self.choose_value(pick.value.clone());
                }
            }
            ("Escape", _) if open => self.close(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
        if let Some(active) = self.active.get_untracked() {
            scroll_to_option(&self.option_id(active));
        }
    }

    fn option_view(self, (index, pick): (usize, Suggestion)) -> impl IntoView + use<> {
        let Suggestion { value, note } = pick;
        let option_value = value.clone();
        let shown = value.clone();
        view! {
            <li
                class="pick-option"
                role="option"
                id=self.option_id(index)
                aria-selected=move || {
                    if self.active.get() == Some(index) { "true" } else { "false" }
                }
                data-chosen=move || self.value.with(|text| *text == option_value).then_some("true")
                // Keep the focus in the field.
                on:mousedown=|event| event.prevent_default()
                on:click=move |_| self.choose_value(value.clone())
            >
                <span class="pick-value" dir="auto">{shown}</span>
                <span class="pick-note">{note}</span>
            </li>
        }
    }
}

/// List of values below the field.
fn list_view(combo: ComboboxState, id: String, label: Signal<String>) -> impl IntoView {
    let options = move || {
        let found = if combo.has_values() { combo.matching_values() } else { Vec::new() };
        found.into_iter().enumerate().map(|option| combo.option_view(option)).collect_view()
    };
    view! {
        <ul
            class="pick-list"
            role="listbox"
            id=id
            aria-label=label
            hidden=move || !combo.has_values()
        >
            {options}
        </ul>
    }
}

/// Status below the field: values are loading, failed to load, or are incomplete.
fn status_view(combo: ComboboxState, on_retry: Callback<()>) -> impl IntoView {
    let state =
        Memo::new(
            move |_| if combo.is_open() { combo.suggestions.get() } else { Suggestions::None },
        );
    let texts = i18n::picks();
    let has_no_match = move || combo.has_values() && combo.matching_values().is_empty();
    view! {
        <div class="pick-status" role="status">
            {move || match state.get() {
                Suggestions::Loading => texts.loading.into_any(),
                Suggestions::Failed(why) => {
                    view! {
                        {why}
                        " "
                        <Button
                            size=ButtonSize::Small
                            icon=Glyph::Refresh
                            on_click=move |_| on_retry.run(())
                        >
                            {i18n::common().retry}
                        </Button>
                    }
                        .into_any()
                }
                Suggestions::Loaded(all, others) if all.is_empty() && others.is_empty() => {
                    texts.none_yet.into_any()
                }
                Suggestions::Loaded(_, others) if others.is_empty() && has_no_match() => {
                    texts.none_fits.into_any()
                }
                Suggestions::Loaded(_, others) if has_no_match() => {
                    format!("{}. {others}", texts.none_fits).into_any()
                }
                Suggestions::Loaded(_, others) => others.into_any(),
                Suggestions::None => ().into_any(),
            }}
        </div>
    }
}

/// Labelled text field with suggestions; any other value may be typed too.
#[component]
pub fn PickField(
    /// Label above the input.
    #[prop(into)]
    label: Signal<String>,
    /// Current value.
    #[prop(into)]
    value: Signal<String>,
    /// Receives the typed or selected value.
    #[prop(into)]
    on_input: Callback<String>,
    /// Runs after a suggested value was selected and received.
    #[prop(into, optional)]
    on_choose: Option<Callback<()>>,
    /// Suggested values.
    #[prop(into)]
    picks: Signal<Suggestions>,
    /// Id of the field with the open list, shared by several fields.
    listing: OpenListId,
    /// Loads the values again.
    #[prop(into)]
    on_retry: Callback<()>,
    /// Example shown while the field is empty. Never a replacement for the label.
    #[prop(into)]
    placeholder: String,
    /// Maximum number of characters.
    length_max: u32,
    /// Whether the values are decimal numbers.
    #[prop(optional)]
    decimal: bool,
    /// Whether the list is open before the field gets the focus.
    #[prop(optional)]
    starts_open: bool,
    /// Error and how to correct it.
    #[prop(into, optional)]
    error: Signal<Option<String>>,
) -> impl IntoView {
    let ids = FieldIds::new();
    let combo = ComboboxState::new(&ids, listing, (value, on_input, on_choose), picks);
    if starts_open {
        combo.open();
    }
    let list_id = ids.hint.clone();
    let typed = move |text: String| {
        combo.open();
        combo.typed.set(true);
        combo.active.set(None);
        on_input.run(text);
    };
    view! {
        <div class="field">
            {ids.label_view(label)}
            <input
                class="input"
                dir="auto"
                id=ids.input.clone()
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                inputmode=decimal.then_some("decimal")
                aria-autocomplete="list"
                aria-controls=list_id.clone()
                aria-expanded=move || if combo.has_values() { "true" } else { "false" }
                aria-activedescendant=move || combo.active.get().map(|at| combo.option_id(at))
                placeholder=placeholder
                maxlength=length_max.to_string()
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=ids.described_by(Signal::default(), error)
                prop:value=value
                on:focus=move |_| combo.open()
                on:click=move |_| combo.open()
                on:input:target=move |event| typed(event.target().value())
                on:keydown=move |event| combo.on_key(&event)
            />
            {list_view(combo, list_id, label)}
            {status_view(combo, on_retry)}
            {error_view(&ids, error)}
        </div>
    }
}
