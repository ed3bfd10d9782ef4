//! The filter: search as one types, days of the viewer's calendar, UTM values, and a chip for each
//! part that is set. It holds what is being typed; the filter itself lives in the URL. What its
//! panels show is a part that comes when they are wanted.

pub mod dates;
pub mod lazy;
mod typing;
pub mod utm;

use contract::{Filter, FormId};
use leptos::{html, prelude::*};

use super::{calendar, value_suggestions::Held};
use crate::{
    domain::filter::Part,
    i18n,
    ui::{
        badge::Tone,
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
pub use dates::word;
use typing::Typing;

/// The bar.
#[component]
pub fn FilterBar(
    /// The filter, as the URL has it.
    #[prop(into)]
    filter: Signal<Filter>,
    /// What of the URL could not be read.
    #[prop(into)]
    problems: Signal<Vec<String>>,
    /// Whether an answer is on its way.
    #[prop(into)]
    busy: Signal<bool>,
    /// Takes the new filter.
    #[prop(into)]
    on_change: Callback<Filter>,
    /// The search box, for the key that leads there.
    search_box: NodeRef<html::Input>,
    /// The form, whose UTM values are offered.
    #[prop(into)]
    form: Signal<Option<FormId>>,
    /// Tells the UTM values of the rows that are held, for a server that offers none.
    #[prop(into, optional)]
    held: Option<Held>,
    /// How far apart the keys must be that a search follows, in milliseconds; `None` where it waits
    /// until typing rests.
    #[prop(into, optional)]
    keys_apart_ms: Signal<Option<u32>>,
    /// The name of the saved view that the filter is, and whether it is the default.
    #[prop(into, optional)]
    named: Signal<Option<(String, bool)>>,
) -> impl IntoView {
    let texts = i18n::filter_bar();
    let search = Typing::new(filter, keys_apart_ms, on_change);
    // What was pressed goes with the act, so the focus must find another place.
    let change = Callback::new(move |filter: Filter| {
        on_change.run(filter);
        if let Some(input) = search_box.get_untracked() {
            focus(&input);
        }
    });
    let notes = move || problems.get().into_iter().map(left_out).collect_view();
    let fetched = StoredValue::new(false);
    let near = move || {
        if !fetched.try_update_value(|it| std::mem::replace(it, true)).unwrap_or(true) {
            fetch_ahead(lazy::dates(filter, on_change));
        }
    };
    view! {
        <div class="filter-bar" on:pointerenter=move |_| near() on:focusin=move |_| near()>
            <SearchField
                label=texts.search_answers
                value=search.text
                busy=Signal::derive(move || busy.get() && filter.with(|one| one.search.is_some()))
                on_input=move |text| search.typed(text)
                node_ref=search_box
            />
            <Popover label=texts.date icon=Glyph::Calendar>
                <Lazy load=move || lazy::dates(filter, on_change) fills="form" />
            </Popover>
            <Popover label=texts.utm icon=Glyph::Filter>
                <Lazy load=move || lazy::utm(filter, on_change, form, held) fills="form" />
            </Popover>
            <Chips filter named on_change=change />
        </div>
        {notes}
    }
}

/// Says what of the URL could not be read.
fn left_out(problem: String) -> impl IntoView {
    view! { <Notice tone=Tone::Mixed>{(i18n::filter_bar().left_out)(&problem)}</Notice> }
}

/// The parts that are set, each with a way to take it off.
#[component]
fn Chips(
    filter: Signal<Filter>,
    named: Signal<Option<(String, bool)>>,
    on_change: Callback<Filter>,
) -> impl IntoView {
    let texts = i18n::filter_bar();
    let remove = move |part: Part| {
        let mut filter = filter.get_untracked();
        part.clear(&mut filter);
        on_change.run(filter);
    };
    let clear = move |()| on_change.run(Filter::default());
    // Taking a view away takes away all that it set.
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
        let set = Part::ALL.into_iter().filter(|part| part.is_set(&filter)).collect::<Vec<_>>();
        let many = set.len() > 1;
        let chip = |part: Part| {
            let (name, value) = (name(part), value(part, &filter));
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

/// Returns what a part is called.
pub(super) fn name(part: Part) -> &'static str {
    let texts = i18n::filter_bar();
    match part {
        Part::From => texts.from,
        Part::To => texts.to,
        Part::Search => texts.search,
        Part::UtmSource => texts.source,
        Part::UtmMedium => texts.medium,
        Part::UtmCampaign => texts.campaign,
    }
}

fn value(part: Part, filter: &Filter) -> String {
    let instant = match part {
        Part::From => filter.date_from,
        Part::To => filter.date_to,
        _ => return part.text(filter).to_owned(),
    };
    instant.map(|at| calendar::bound_text(at, part == Part::To)).unwrap_or_default()
}
