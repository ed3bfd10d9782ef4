//! The filter bar: search as you type, panels of dates and of properties, and a chip per active
//! part. It only stores the text being typed; the filter itself is in the URL. The panels are
//! loaded on demand.

pub mod dates;
pub mod lazy;
pub mod panel;
mod parts;
mod pickers;
mod typing;

use contract::{Field, Filter};
use leptos::{html, prelude::*};

use super::occurring_values::{LoadedUtmValues, ValuesSource};
use crate::{
    domain::filter::{FilterPart, FilterProperty},
    i18n,
    state::session::SessionStore,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize, ButtonVariant},
        chip::Chip,
        field::SearchField,
        focus,
        icon::Glyph,
        lazy::{Lazy, fetch_ahead},
        lazy_action::run_lazy_action,
        notice::Notice,
        popover::{Popover, PopoverHandle},
    },
};
pub use dates::preset_name;
use panel::FilterPanelContext;
pub use parts::{
    criterion_text, field_name, label_name, part_name, part_value, read_name, value_text,
};
use parts::{plain_value, property_name};
use typing::SearchInput;

/// Returns the value of a property of a filter as text.
pub type PropertyValue = fn(&FilterProperty, &Filter) -> String;

/// Filter bar.
#[component]
pub fn FilterBar(
    /// Filter, from the URL.
    #[prop(into)]
    filter: Signal<Filter>,
    /// Parts of the URL that could not be parsed.
    #[prop(into)]
    problems: Signal<Vec<String>>,
    /// Whether a request is running.
    #[prop(into)]
    busy: Signal<bool>,
    /// Receives the new filter.
    #[prop(into)]
    on_change: Callback<Filter>,
    /// Search box, for the shortcut that focuses it.
    search_box: NodeRef<html::Input>,
    /// Submissions of the page, for their fields and suggested values.
    #[prop(into)]
    source: Signal<Option<ValuesSource>>,
    /// Returns the UTM values of the loaded rows, for servers without summaries.
    #[prop(into, optional)]
    loaded_values: Option<LoadedUtmValues>,
    /// Minimum interval between searches while typing, in milliseconds; `None` to search only after
    /// a pause.
    #[prop(into, optional)]
    keys_apart_ms: Signal<Option<u32>>,
    /// Name of the saved view that matches the filter, and whether it is the default.
    #[prop(into, optional)]
    named: Signal<Option<(String, bool)>>,
) -> impl IntoView {
    let texts = i18n::filter_bar();
    let search = SearchInput::new(filter, keys_apart_ms, on_change);
    // The pressed button is removed with its chip, so focus the search box.
    let change = Callback::new(move |filter: Filter| {
        on_change.run(filter);
        if let Some(input) = search_box.get_untracked() {
            focus(&input);
        }
    });
    let notes = move || problems.get().into_iter().map(ignored_part_notice).collect_view();
    let fetched = StoredValue::new(false);
    let prefetch = move || {
        let was_fetched = fetched.try_update_value(|fetched| std::mem::replace(fetched, true));
        if was_fetched == Some(false) {
            fetch_ahead(lazy::dates(filter, on_change));
        }
    };
    let dates = PopoverHandle::default();
    let panel = PopoverHandle::default();
    let chosen = RwSignal::new(None::<FilterProperty>);
    let session = use_context::<SessionStore>();
    let fields = Memo::new(move |_| {
        let Some(ValuesSource::Form(form)) = source.get() else { return Vec::new() };
        let form = session.and_then(|session| session.form(&form));
        form.map(|form| form.fields).unwrap_or_default()
    });
    let context = FilterPanelContext { filter, on_change, source, fields, loaded_values, chosen };
    let edit = Callback::new(move |property: FilterProperty| match property {
        FilterProperty::Part(FilterPart::From | FilterPart::To) => dates.show(),
        FilterProperty::Part(FilterPart::Search) => {
            if let Some(input) = search_box.get_untracked() {
                focus(&input);
            }
        }
        _ => {
            chosen.set(Some(property));
            panel.show();
        }
    });
    view! {
        <div class="filter-bar" on:pointerenter=move |_| prefetch() on:focusin=move |_| prefetch()>
            <SearchField
                label=texts.search_answers
                value=search.text
                busy=Signal::derive(move || busy.get() && filter.with(|now| now.search.is_some()))
                on_input=move |text| search.on_input(text)
                node_ref=search_box
            />
            <Popover label=texts.date icon=Glyph::Calendar handle=dates>
                <Lazy load=move || lazy::dates(filter, on_change) fills="form" />
            </Popover>
            <Popover
                label=texts.filter
                icon=Glyph::Filter
                handle=panel
                on_close=move |()| chosen.set(None)
            >
                <Lazy load=move || lazy::panel(context) fills="form" />
            </Popover>
            <Chips filter fields named on_change=change on_edit=edit />
        </div>
        {notes}
    }
}

/// Notice about a part of the URL that could not be parsed.
fn ignored_part_notice(problem: String) -> impl IntoView {
    view! { <Notice tone=StatusTone::Mixed>{(i18n::filter_bar().left_out)(&problem)}</Notice> }
}

/// Chips of the active properties. Each has a button that removes it and one that edits it.
#[component]
fn Chips(
    filter: Signal<Filter>,
    fields: Memo<Vec<Field>>,
    named: Signal<Option<(String, bool)>>,
    on_change: Callback<Filter>,
    on_edit: Callback<FilterProperty>,
) -> impl IntoView {
    let texts = i18n::filter_bar();
    let remove = move |property: &FilterProperty| {
        let mut filter = filter.get_untracked();
        property.clear(&mut filter);
        on_change.run(filter);
    };
    let clear = move |()| on_change.run(Filter::default());
    // Removing a view clears the whole filter.
    let view = move || {
        named.get().map(|(value, is_default)| {
            let name = if is_default { texts.default_view } else { texts.view };
            view! { <Chip name value on_remove=clear /> }
        })
    };
    let clear_all = move || {
        let clear = move |_| clear(());
        view! {
            <Button variant=ButtonVariant::Ghost size=ButtonSize::Small on_click=clear>
                {texts.clear_all}
            </Button>
        }
    };
    let values = RwSignal::new(None::<PropertyValue>);
    let chip_value = move |property: FilterProperty, filter: &Filter| {
        if let FilterProperty::Part(part) = property
            && (!part.is_triage() || part == FilterPart::Read)
        {
            return Signal::stored(plain_value(&property, filter));
        }
        // If the names fail to load, the chip shows the values of the query.
        run_lazy_action(lazy::load_values(values), |_| {});
        let filter = filter.clone();
        Signal::derive(move || values.get().unwrap_or(plain_value)(&property, &filter))
    };
    move || {
        let filter = filter.get();
        let set = FilterProperty::active(&filter);
        let has_several = set.len() > 1;
        let chip = |property: FilterProperty| {
            let named = property.clone();
            let name = Signal::derive(move || property_name(&named, fields));
            let value = chip_value(property.clone(), &filter);
            let edited = property.clone();
            let edit = move |()| on_edit.run(edited.clone());
            view! { <Chip name value on_edit=edit on_remove=move |()| remove(&property) /> }
        };
        (!set.is_empty()).then(|| {
            view! {
                <div class="chips">
                    {view} {set.into_iter().map(chip).collect_view()} {has_several.then(clear_all)}
                </div>
            }
        })
    }
}
