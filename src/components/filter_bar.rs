//! The filter bar: search as you type, date and UTM panels, and a chip per active part. It only
//! stores the text being typed; the filter itself is in the URL. The panels are loaded on demand.

pub mod dates;
pub mod lazy;
mod typing;
pub mod utm;

use contract::{Filter, FormId};
use leptos::{html, prelude::*};

use super::{calendar, value_suggestions::LoadedUtmValues};
use crate::{
    domain::filter::FilterPart,
    i18n,
    ui::{
        badge::StatusTone,
        button::{Button, ButtonSize, ButtonVariant},
        chip::Chip,
        field::SearchField,
        focus,
        icon::Glyph,
        lazy::{Lazy, fetch_ahead},
        notice::Notice,
        popover::Popover,
    },
};
pub use dates::preset_name;
use typing::SearchInput;

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
    /// Form, for UTM suggestions.
    #[prop(into)]
    form: Signal<Option<FormId>>,
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
        if !fetched.try_update_value(|it| std::mem::replace(it, true)).unwrap_or(true) {
            fetch_ahead(lazy::dates(filter, on_change));
        }
    };
    view! {
        <div class="filter-bar" on:pointerenter=move |_| prefetch() on:focusin=move |_| prefetch()>
            <SearchField
                label=texts.search_answers
                value=search.text
                busy=Signal::derive(move || busy.get() && filter.with(|one| one.search.is_some()))
                on_input=move |text| search.on_input(text)
                node_ref=search_box
            />
            <Popover label=texts.date icon=Glyph::Calendar>
                <Lazy load=move || lazy::dates(filter, on_change) fills="form" />
            </Popover>
            <Popover label=texts.utm icon=Glyph::Filter>
                <Lazy load=move || lazy::utm(filter, on_change, form, loaded_values) fills="form" />
            </Popover>
            <Chips filter named on_change=change />
        </div>
        {notes}
    }
}

/// Notice about a part of the URL that could not be parsed.
fn ignored_part_notice(problem: String) -> impl IntoView {
    view! { <Notice tone=StatusTone::Mixed>{(i18n::filter_bar().left_out)(&problem)}</Notice> }
}

/// Chips of the active parts, each with a remove button.
#[component]
fn Chips(
    filter: Signal<Filter>,
    named: Signal<Option<(String, bool)>>,
    on_change: Callback<Filter>,
) -> impl IntoView {
    let texts = i18n::filter_bar();
    let remove = move |part: FilterPart| {
        let mut filter = filter.get_untracked();
        part.clear(&mut filter);
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
    move || {
        let filter = filter.get();
        let set =
            FilterPart::ALL.into_iter().filter(|part| part.is_set(&filter)).collect::<Vec<_>>();
        let many = set.len() > 1;
        let chip = |part: FilterPart| {
            let name = part_name(part);
            let value = part_value(part, &filter);
            view! { <Chip name value on_remove=move |()| remove(part) /> }
        };
        (!set.is_empty()).then(|| {
            view! {
                <div class="chips">
                    {view} {set.into_iter().map(chip).collect_view()} {many.then(clear_all)}
                </div>
            }
        })
    }
}

/// Returns the name of a part.
pub(super) fn part_name(part: FilterPart) -> &'static str {
    let texts = i18n::filter_bar();
    match part {
        FilterPart::From => texts.from,
        FilterPart::To => texts.to,
        FilterPart::Search => texts.search,
        FilterPart::UtmSource => texts.source,
        FilterPart::UtmMedium => texts.medium,
        FilterPart::UtmCampaign => texts.campaign,
    }
}

fn part_value(part: FilterPart, filter: &Filter) -> String {
    let instant = match part {
        FilterPart::From => filter.date_from,
        FilterPart::To => filter.date_to,
        _ => return part.text(filter).to_owned(),
    };
    instant.map(|at| calendar::bound_text(at, part == FilterPart::To)).unwrap_or_default()
}
