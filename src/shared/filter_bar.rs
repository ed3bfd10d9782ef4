//! The filter: search as one types, days of the viewer's calendar, UTM values, and a chip for each
//! part that is set. It holds what is being typed; the filter itself lives in the URL.

use std::time::Duration;

use contract::{Filter, FormId};
use leptos::{ev, html, leptos_dom::helpers::TimeoutHandle, prelude::*};
use wasm_bindgen::JsCast;

use super::{calendar, offers::Offers};
use crate::{
    model::{
        filter::Part,
        time::{Preset, bounds, parse_day, write_day},
    },
    parts,
    ui::{
        badge::Tone,
        button::{Button, ButtonSize, ButtonVariant},
        chip::Chip,
        field::{ComboField, FieldKind, SearchField, TextField},
        focus,
        icon::Glyph,
        later::Soon,
        notice::Notice,
        popover::Popover,
        react,
    },
};

/// How long typing must pause before the list follows.
const PAUSE: Duration = Duration::from_millis(250);

/// The parts that are typed letter by letter and applied as a whole.
const UTM: [(Part, &str, &str); 3] = [
    (Part::UtmSource, "Source", "google"),
    (Part::UtmMedium, "Medium", "cpc"),
    (Part::UtmCampaign, "Campaign", "spring-launch"),
];

parts! {
    fn dates(filter: Signal<Filter>, on_change: Callback<Filter>) in tools
        => view! { <Dates filter on_change /> };
    fn utm(filter: Signal<Filter>, on_change: Callback<Filter>, form: Signal<Option<FormId>>)
        in tools => view! { <UtmForm filter on_change form /> };
}

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
) -> impl IntoView {
    let search = Typing::new(filter, on_change);
    // What was pressed goes with the act, so the focus must find another place.
    let change = Callback::new(move |filter: Filter| {
        on_change.run(filter);
        if let Some(input) = search_box.get_untracked() {
            focus(&input);
        }
    });
    let notes = move || {
        let note = |problem: String| {
            view! {
                <Notice tone=Tone::Mixed>"Left out of this link: " {problem}</Notice>
            }
        };
        problems.get().into_iter().map(note).collect_view()
    };
    view! {
        <div class="filter-bar">
            <SearchField
                label="Search answers"
                value=search.text
                busy=Signal::derive(move || busy.get() && filter.with(|one| one.search.is_some()))
                on_input=move |text| search.typed(text)
                node_ref=search_box
            />
            <Popover label="Date" icon=Glyph::Calendar>
                <Soon load=move || dates(filter, on_change) fills="form" />
            </Popover>
            <Popover label="UTM" icon=Glyph::Filter>
                <Soon load=move || utm(filter, on_change, form) fills="form" />
            </Popover>
            <Chips filter on_change=change />
        </div>
        {notes}
    }
}

/// The parts that are set, each with a way to take it off.
#[component]
fn Chips(filter: Signal<Filter>, on_change: Callback<Filter>) -> impl IntoView {
    let remove = move |part: Part| {
        let mut filter = filter.get_untracked();
        part.clear(&mut filter);
        on_change.run(filter);
    };
    let clear_all = move || {
        let clear = move |_| on_change.run(Filter::default());
        view! {
            <Button variant=ButtonVariant::Ghost size=ButtonSize::Small on_click=clear>
                "Clear all"
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
                    {set.into_iter().map(chip).collect_view()} {many.then(clear_all)}
                </div>
            }
        })
    }
}

fn name(part: Part) -> &'static str {
    match part {
        Part::From => "From",
        Part::To => "To",
        Part::Search => "Search",
        Part::UtmSource => "Source",
        Part::UtmMedium => "Medium",
        Part::UtmCampaign => "Campaign",
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

/// What is being typed into the search box.
#[derive(Clone, Copy)]
struct Typing {
    text: RwSignal<String>,
    filter: Signal<Filter>,
    on_change: Callback<Filter>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl Typing {
    fn new(filter: Signal<Filter>, on_change: Callback<Filter>) -> Self {
        let text = RwSignal::new(String::new());
        let typing = Self { text, filter, on_change, timer: StoredValue::new(None) };
        let search = Memo::new(move |_| filter.with(|one| Part::Search.text(one).to_owned()));
        // The URL may change by itself: a chip is taken away, Back is pressed. What is being typed
        // stays, spaces and all, as long as it means what the URL says.
        react(move || {
            let search = search.get();
            if text.with_untracked(|text| text.trim() != search) && !typing.is_waiting() {
                text.set(search);
            }
        });
        on_cleanup(move || typing.stop());
        typing
    }

    fn is_waiting(self) -> bool {
        self.timer.try_with_value(Option::is_some).unwrap_or(false)
    }

    fn stop(self) {
        if let Some(Some(timer)) = self.timer.try_update_value(Option::take) {
            timer.clear();
        }
    }

    fn typed(self, text: String) {
        self.stop();
        let empty = text.is_empty();
        self.text.set(text);
        if empty {
            // Clearing is one act: there is nothing to wait for.
            self.apply();
        } else {
            let timer = set_timeout_with_handle(move || self.apply(), PAUSE).ok();
            self.timer.set_value(timer);
        }
    }

    fn apply(self) {
        self.timer.try_update_value(Option::take);
        let (Some(mut filter), Some(text)) =
            (self.filter.try_get_untracked(), self.text.try_get_untracked())
        else {
            return;
        };
        let before = filter.clone();
        Part::Search.set_text(&mut filter, &text);
        if filter != before {
            self.on_change.run(filter);
        }
    }
}

/// Presets, and a first and a last day.
#[component]
fn Dates(filter: Signal<Filter>, on_change: Callback<Filter>) -> impl IntoView {
    let days = Memo::new(move |_| filter.with(calendar::days_of));
    let text = |day: Option<chrono::NaiveDate>| day.map(write_day).unwrap_or_default();
    let (first, last) =
        (Signal::derive(move || text(days.get().0)), Signal::derive(move || text(days.get().1)));
    let apply = move |first, last| {
        let (date_from, date_to) = bounds(first, last, calendar::midnight);
        on_change.run(Filter { date_from, date_to, ..filter.get_untracked() });
    };
    // While one types the browser reports no day at all, which must not clear the other parts; an
    // emptied field reports the same, and clears this one.
    let set_first = move |typed: String| {
        let last = days.get_untracked().1;
        let first = parse_day(&typed);
        if first.is_some() || typed.is_empty() {
            apply(first, last.filter(|last| first.is_none_or(|first| first <= *last)));
        }
    };
    let set_last = move |typed: String| {
        let first = days.get_untracked().0;
        let last = parse_day(&typed);
        if last.is_some() || typed.is_empty() {
            apply(first.filter(|first| last.is_none_or(|last| *first <= last)), last);
        }
    };
    let preset = move |preset: Preset| {
        let word = match preset {
            Preset::Today => "Today",
            Preset::Week => "7 days",
            Preset::Month => "This month",
        };
        let press = move |_| {
            if let Some(today) = calendar::today() {
                apply(Some(preset.first_day(today)), None);
            }
        };
        view! {
            <Button size=ButtonSize::Small on_click=press>
                {word}
            </Button>
        }
    };
    view! {
        <div class="form">
            <div class="chips">{Preset::ALL.map(preset).into_iter().collect_view()}</div>
            <TextField label="First day" kind=FieldKind::Date value=first on_input=set_first />
            <TextField
                label="Last day"
                kind=FieldKind::Date
                value=last
                on_input=set_last
                hint=format!("Days of your time zone, {}", calendar::time_zone())
            />
        </div>
    }
}

/// The UTM values, applied together.
#[component]
fn UtmForm(
    filter: Signal<Filter>,
    on_change: Callback<Filter>,
    form: Signal<Option<FormId>>,
) -> impl IntoView {
    let offers = Offers::new(filter, form);
    let drafts = UTM.map(|(part, ..)| {
        let draft = RwSignal::new(String::new());
        react(move || draft.set(filter.with(|one| part.text(one).to_owned())));
        draft
    });
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let mut next = filter.get_untracked();
        for ((part, ..), draft) in UTM.iter().zip(drafts) {
            part.set_text(&mut next, draft.get_untracked().trim());
        }
        on_change.run(next);
        close_popover(&event);
    };
    let field = |((part, label, example), draft): (
        (Part, &'static str, &'static str),
        RwSignal<String>,
    )| {
        view! {
            <ComboField
                label
                placeholder=example
                value=draft
                on_input=move |text| draft.set(text)
                length_max=200
                options=offers.of(part)
            />
        }
    };
    view! {
        <form class="form" on:submit=submit on:focusin=move |_| offers.ask()>
            {UTM.into_iter().zip(drafts).map(field).collect_view()}
            <p class="field-hint">"Each must match letter by letter."</p>
            <Button variant=ButtonVariant::Primary submit=true>
                "Apply"
            </Button>
        </form>
    }
}

/// Closes the popover around the form that was sent.
fn close_popover(event: &ev::SubmitEvent) {
    let form = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let panel = form.and_then(|form| form.closest("[popover]").ok().flatten());
    if let Some(panel) = panel.and_then(|panel| panel.dyn_into::<web_sys::HtmlElement>().ok()) {
        // Refused only where it is closed already.
        let _ = panel.hide_popover();
    }
}
