//! Panel of properties: a list of them, or the picker of the chosen one.

use contract::{Field, Filter};
use leptos::{
    ev, html,
    prelude::*,
    task::{spawn_local, tick},
    wasm_bindgen::JsCast,
};

use super::{
    parts::{property_name, property_value},
    pickers,
};
use crate::{
    components::occurring_values::{LoadedUtmValues, OccurringValues, ValuesSource},
    domain::filter::{FilterPart, FilterProperty},
    i18n,
    ui::{
        button::{Button, ButtonSize, ButtonVariant, IconButton},
        focus,
        icon::{Glyph, Icon},
        run_effect,
    },
};

/// Data of the panel. Cheap to copy.
#[derive(Clone, Copy)]
pub struct FilterPanelContext {
    /// Filter, from the URL.
    pub filter: Signal<Filter>,
    /// Receives the new filter.
    pub on_change: Callback<Filter>,
    /// The list, for suggested values.
    pub source: Signal<Option<ValuesSource>>,
    /// Fields of the form; empty while the form is loading.
    pub fields: Memo<Vec<Field>>,
    /// Returns the UTM values of the loaded rows, on pages with a list.
    pub loaded_values: Option<LoadedUtmValues>,
    /// Property of the open picker; `None` for the list of properties.
    pub chosen: RwSignal<Option<FilterProperty>>,
}

/// Panel of properties.
#[component]
pub fn FilterPanel(
    /// Data of the panel.
    context: FilterPanelContext,
) -> impl IntoView {
    let FilterPanelContext { filter, source, fields, loaded_values, chosen, .. } = context;
    let values = OccurringValues::new(filter, source, fields, loaded_values);
    let root = NodeRef::<html::Div>::new();
    let view = move || match chosen.get() {
        Some(property) => view! { <Picker context values property root /> }.into_any(),
        None => property_list(context, values).into_any(),
    };
    follow_choice(chosen, values, root);
    let prefetch = move || {
        if chosen.with_untracked(Option::is_none) {
            values.load(None);
        }
    };
    prefetch();
    view! {
        <div
            class="filter-panel"
            node_ref=root
            on:focusin=move |_| prefetch()
            on:pointerenter=move |_| prefetch()
        >
            {view}
        </div>
    }
}

fn is_open(root: NodeRef<html::Div>) -> bool {
    let panel = root.get_untracked().and_then(|root| root.closest("[popover]").ok().flatten());
    panel.is_some_and(|panel| panel.matches(":popover-open").unwrap_or(false))
}

/// Moves the focus with the content: into the picker of a chosen property, and back to the property
/// in the list. Does nothing while the panel is closed, because hidden elements take no focus.
fn follow_choice(
    chosen: RwSignal<Option<FilterProperty>>,
    values: OccurringValues,
    root: NodeRef<html::Div>,
) {
    let previous = StoredValue::new(None::<FilterProperty>);
    run_effect(move || {
        let property = chosen.get();
        let is_list = property.is_none();
        let before = previous.try_update_value(|before| std::mem::replace(before, property));
        match before.flatten() {
            _ if !is_list => focus_picker(root),
            Some(before) => {
                let key = property_key(&before);
                focus_later(root, format!("[data-part=\"{key}\"]"), String::new());
            }
            None => {}
        }
        // The panel stays built while it is closed. The next opening requests new counts.
        if is_list && !is_open(root) {
            values.discard();
        }
    });
}

/// Moves the focus from the Back button to the first field, which was still loading before.
fn focus_loaded_field(root: NodeRef<html::Div>) {
    let active = document().active_element();
    if active.is_some_and(|active| active.matches(".filter-head > button").unwrap_or(false)) {
        focus_picker(root);
    }
}

/// Returns a key that identifies a property in the list.
fn property_key(property: &FilterProperty) -> String {
    match property {
        FilterProperty::Part(part) => {
            let index = FilterPart::ALL.into_iter().position(|candidate| candidate == *part);
            index.unwrap_or_default().to_string()
        }
        FilterProperty::Field { id, .. } => id.to_string(),
    }
}

/// Focuses the first field of the picker, or its Back button while there is no field.
fn focus_picker(root: NodeRef<html::Div>) {
    let fields = "select, input:not([type=search])";
    focus_later(root, fields.to_owned(), "button".to_owned());
}

/// Focuses the first element in the panel that matches `selector`, or else `other`, after the next
/// render.
fn focus_later(root: NodeRef<html::Div>, selector: String, other: String) {
    spawn_local(async move {
        tick().await;
        let Some(root) = root.try_get_untracked().flatten() else { return };
        let find = |selector: &str| root.query_selector(selector).ok().flatten();
        if let Some(element) = find(&selector).or_else(|| find(&other)) {
            focus(&element);
        }
    });
}

/// Moves the focus between the elements of a list that match `selector`, by the arrow keys.
pub fn move_focus(event: &ev::KeyboardEvent, selector: &str) {
    let list = event.current_target().and_then(|list| list.dyn_into::<web_sys::Element>().ok());
    let Some(nodes) = list.and_then(|list| list.query_selector_all(selector).ok()) else { return };
    let items: Vec<web_sys::Element> =
        (0..nodes.length()).filter_map(|at| nodes.get(at)?.dyn_into().ok()).collect();
    let active = document().active_element();
    let Some(position) = items.iter().position(|item| Some(item) == active.as_ref()) else {
        return;
    };
    let next = match event.key().as_str() {
        "ArrowDown" => position + 1,
        "ArrowUp" if position > 0 => position - 1,
        "Home" => 0,
        "End" => items.len() - 1,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(item) = items.get(next) {
        focus(item);
    }
}

/// The fields of the form and the other properties, each with its value.
fn property_list(context: FilterPanelContext, values: OccurringValues) -> impl IntoView {
    let FilterPanelContext { filter, fields, chosen, .. } = context;
    let has_properties = Memo::new(move |_| values.has_properties());
    let has_triage = Memo::new(move |_| values.has_triage());
    let item = move |(property, is_first_part): (FilterProperty, bool)| {
        let name = property_name(&property, fields);
        let key = property_key(&property);
        let shown = property.clone();
        let value = move || filter.with(|filter| property_value(&shown, filter));
        view! {
            <li class:filter-split=is_first_part>
                <button
                    class="filter-item"
                    type="button"
                    data-part=key
                    on:click=move |_| chosen.set(Some(property.clone()))
                >
                    <span class="filter-item-name" dir="auto">
                        {name}
                    </span>
                    <span class="filter-item-value">{value}</span>
                    <Icon glyph=Glyph::ChevronRight />
                </button>
            </li>
        }
    };
    let items = move || {
        let (has_properties, has_triage) = (has_properties.get(), has_triage.get());
        let is_supported = |part: &FilterPart| part.is_available(has_properties, has_triage);
        let mut fields = if has_properties { fields.get() } else { Vec::new() };
        fields.retain(|field| !field.hidden);
        let count = fields.len();
        let fields = fields.into_iter().map(|field| FilterProperty::field(field.id));
        let parts = FilterPart::ALL.into_iter().filter(|part| part.is_in_panel());
        let parts = parts.filter(is_supported).map(FilterProperty::Part);
        let is_first_part = |at| at > 0 && at == count;
        let items = fields.chain(parts).enumerate();
        items.map(|(at, property)| item((property, is_first_part(at)))).collect_view()
    };
    view! {
        <ul
            class="filter-list"
            tabindex="-1"
            aria-label=i18n::filter_panel().properties
            on:keydown=|event| move_focus(&event, ".filter-item")
        >
            {items}
        </ul>
    }
}

/// Picker of a property: its name, a button back to the list, and its fields.
#[component]
fn Picker(
    context: FilterPanelContext,
    values: OccurringValues,
    property: FilterProperty,
    root: NodeRef<html::Div>,
) -> impl IntoView {
    let FilterPanelContext { filter, on_change, chosen, fields, .. } = context;
    let texts = i18n::filter_panel();
    let name = property_name(&property, fields);
    let title = name.clone();
    // Clears all criteria of a field.
    let whole = match &property {
        FilterProperty::Part(part) => FilterProperty::Part(*part),
        FilterProperty::Field { id, .. } => FilterProperty::field(id.clone()),
    };
    let whole = StoredValue::new(whole);
    let is_set = Memo::new(move |_| {
        filter.with(|filter| whole.with_value(|property| property.is_set(filter)))
    });
    let clear = move |_| {
        let mut filter = filter.get_untracked();
        whole.with_value(|property| property.clear(&mut filter));
        on_change.run(filter);
        // The pressed button is removed.
        focus_picker(root);
    };
    let fields = match property {
        FilterProperty::Field { id, criterion } => {
            pickers::field::picker(context, values, &id, criterion).into_any()
        }
        FilterProperty::Part(part) => match part {
            FilterPart::Label(property) => {
                let on_load = Callback::new(move |()| focus_loaded_field(root));
                pickers::labels::picker(context, values, property, on_load).into_any()
            }
            FilterPart::Read => pickers::read::picker(context).into_any(),
            FilterPart::Seconds | FilterPart::Score => {
                pickers::range::picker(context, part).into_any()
            }
            _ => pickers::utm::picker(context, values, part).into_any(),
        },
    };
    view! {
        <div role="group" class="filter-picker" aria-label=name>
            <header class="filter-head">
                <IconButton
                    icon=Glyph::ChevronLeft
                    label=texts.back
                    size=ButtonSize::Small
                    on_click=move |_| chosen.set(None)
                />
                <h2 class="filter-title" dir="auto">
                    {title}
                </h2>
                <Show when=move || is_set.get()>
                    <Button
                        variant=ButtonVariant::Ghost
                        size=ButtonSize::Small
                        on_click=clear
                    >
                        {texts.clear}
                    </Button>
                </Show>
            </header>
            {fields}
        </div>
    }
}
