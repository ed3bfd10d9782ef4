//! Picker of labels: a checkbox for each label that occurs, with its number of submissions.

use contract::filter::LabelProperty;
use contract::summary::Values;
use leptos::{ev, prelude::*};

use crate::{
    api::{ApiError, Remote},
    components::{
        filter_bar::{
            label_name,
            panel::{FilterPanelContext, move_focus},
            part_name,
        },
        occurring_values::OccurringValues,
    },
    domain::filter::{FilterPart, FilterProperty, toggle_label},
    i18n::{self, number},
    ui::{
        button::{Button, ButtonSize},
        field::SearchField,
        icon::Glyph,
        run_effect,
    },
};

/// Maximum number of labels without a search box.
const UNSEARCHED_MAX: usize = 8;

/// Label that can be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LabelOption {
    /// The label; `None` for submissions without one.
    label: Option<String>,
    /// Name in the language of the interface.
    name: String,
    /// Number of submissions, as text; empty if it is unknown.
    count: String,
}

/// Returns the options of a property: the labels that occur, most frequent first, then those that
/// are accepted but do not occur, and submissions without a label.
fn label_options(
    property: LabelProperty,
    values: &Values,
    accepted: &[Option<String>],
) -> Vec<LabelOption> {
    let option = |label: Option<&str>, count: String| LabelOption {
        label: label.map(str::to_owned),
        name: label_name(property, label),
        count,
    };
    let mut options: Vec<LabelOption> = values
        .values
        .iter()
        .map(|counted| option(Some(&counted.value), number(counted.count)))
        .collect();
    // The count of a label that is not listed is known only if the list is complete.
    let absent = if values.others == 0 { number(0) } else { String::new() };
    for label in accepted.iter().flatten() {
        if values.values.iter().all(|counted| counted.value != *label) {
            options.push(option(Some(label), absent.clone()));
        }
    }
    if values.missing > 0 || accepted.contains(&None) {
        options.push(option(None, number(values.missing)));
    }
    options
}

/// Searches the names and labels of options for a text, without regard to case.
fn search_options(options: &[LabelOption], text: &str) -> Vec<LabelOption> {
    let text = text.to_lowercase();
    let contains = |label: &str| label.to_lowercase().contains(&text);
    let matches = |option: &&LabelOption| {
        contains(&option.name) || option.label.as_deref().is_some_and(contains)
    };
    options.iter().filter(matches).cloned().collect()
}

/// Returns whether a filter accepts any label of a property. The others must be known.
fn is_free_text(property: LabelProperty) -> bool {
    !matches!(property, LabelProperty::Status | LabelProperty::Starred | LabelProperty::Assignee)
}

/// Returns the fields of the picker. `on_load` runs when the labels appear.
pub(crate) fn picker(
    context: FilterPanelContext,
    values: OccurringValues,
    property: LabelProperty,
    on_load: Callback<()>,
) -> impl IntoView {
    let part = FilterPart::Label(property);
    values.load(Some(&FilterProperty::Part(part)));
    let known = values.values(FilterProperty::Part(part));
    // Labels that were accepted at the start stay listed when they are unchecked.
    let accepted_now =
        move || context.filter.with(|current| current.labels.get(property).as_slice().to_vec());
    let accepted_before = untrack(accepted_now);
    let options = Memo::new(move |_| match known.get() {
        Remote::Loaded(values) => {
            let mut accepted = accepted_before.clone();
            accepted.extend(accepted_now().into_iter().filter(|it| !accepted_before.contains(it)));
            label_options(property, &values, &accepted)
        }
        Remote::Loading | Remote::Failed(_) => Vec::new(),
    });
    let state = Memo::new(move |_| known.with(|known| known.map(|values| values.others)));
    let is_loaded = Memo::new(move |_| !options.with(Vec::is_empty));
    run_effect(move || {
        if is_loaded.get() {
            on_load.run(());
        }
    });
    let search = RwSignal::new(String::new());
    let has_search = Memo::new(move |_| options.with(Vec::len) > UNSEARCHED_MAX);
    let has_others =
        move || state.with(|state| matches!(state, Remote::Loaded(others) if *others > 0));
    let shown = Memo::new(move |_| {
        let typed = search.with(|text| text.trim().to_owned());
        let mut shown = options.with(|options| search_options(options, &typed));
        // A label that is not listed can be typed.
        if has_others() && !typed.is_empty() && is_free_text(property) {
            let is_same = |text: &str| text.to_lowercase() == typed.to_lowercase();
            let is_listed = shown
                .iter()
                .any(|it| is_same(&it.name) || it.label.as_deref().is_some_and(is_same));
            let name = label_name(property, Some(&typed));
            let option = LabelOption { label: Some(typed), name, count: String::new() };
            shown.extend((!is_listed).then_some(option));
        }
        shown
    });
    let is_too_long = RwSignal::new(false);
    let item = move |option| option_view(context, property, option, is_too_long);
    let texts = i18n::filter_panel();
    let status = move || match state.get() {
        Remote::Loading => i18n::picks().loading.into_any(),
        Remote::Failed(error) => failure_view(&error, values, part).into_any(),
        Remote::Loaded(_) if options.with(Vec::is_empty) => i18n::picks().none_yet.into_any(),
        Remote::Loaded(_) if shown.with(Vec::is_empty) => i18n::picks().none_fits.into_any(),
        Remote::Loaded(0) => ().into_any(),
        Remote::Loaded(others) => (texts.others)(others).into_any(),
    };
    view! {
        <Show when=move || has_search.get()>
            <SearchField
                label=texts.search
                value=search
                on_input=move |text| search.set(text)
            />
        </Show>
        <ul
            class="filter-list"
            tabindex="-1"
            aria-label=part_name(part)
            on:keydown=|event| move_focus(&event, "input")
        >
            <For each=move || shown.get() key=|option| option.label.clone() children=item />
        </ul>
        <div class="pick-status" role="status">
            {status}
        </div>
        <p class="field-error" role="alert">
            {move || is_too_long.get().then_some(texts.too_long)}
        </p>
    }
}

fn option_view(
    context: FilterPanelContext,
    property: LabelProperty,
    option: LabelOption,
    is_too_long: RwSignal<bool>,
) -> impl IntoView {
    let FilterPanelContext { filter, on_change, .. } = context;
    let LabelOption { label, count, .. } = option;
    let label = StoredValue::new(label);
    // Names of statuses and members may arrive later.
    let name = move || label.with_value(|label| label_name(property, label.as_deref()));
    let is_accepted = Memo::new(move |_| {
        filter.with(|filter| {
            label.with_value(|label| filter.labels.get(property).as_slice().contains(label))
        })
    });
    let toggle = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let next = filter.with_untracked(|filter| {
            label.with_value(|label| toggle_label(filter, property, label))
        });
        is_too_long.set(next.is_none());
        match next {
            Some(next) => on_change.run(next),
            None => event.target().set_checked(is_accepted.get_untracked()),
        }
    };
    view! {
        <li>
            <label class="filter-item">
                <input
                    class="choice-input"
                    type="checkbox"
                    prop:checked=is_accepted
                    on:change:target=toggle
                />
                <span class="filter-item-name" dir="auto">
                    {name}
                </span>
                <span class="pick-note">{count}</span>
            </label>
        </li>
    }
}

fn failure_view(
    error: &ApiError,
    values: OccurringValues,
    part: FilterPart,
) -> impl IntoView + use<> {
    view! {
        {(i18n::utm().failed)(&error.message())}
        " "
        <Button
            size=ButtonSize::Small
            icon=Glyph::Refresh
            on_click=move |_| values.retry(&FilterProperty::Part(part))
        >
            {i18n::common().retry}
        </Button>
    }
}
