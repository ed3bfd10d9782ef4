//! A calendar for selecting a date range, by pointer or by the keys of the WAI-ARIA grid pattern.
//! It shows two months side by side, or one in a narrow window. Its only state is the visible month
//! and the first selected day.

use chrono::{Datelike, NaiveDate};
use js_sys::{Date, Function, Intl, Object, Reflect};
use leptos::wasm_bindgen::{JsCast, JsValue};
use leptos::{ev, html, prelude::*};

use super::{
    button::{ButtonSize, IconButton},
    icon::Glyph,
    react, unique_id,
};
use crate::i18n;
use crate::ui::calc::month;

/// Minimum window width for two months, in px.
const TWO_MONTHS_PX: f64 = 760.0;

/// Date formatters in the language of the interface.
#[derive(Clone)]
struct Words {
    month: Function,
    day: Function,
    weekday: [Function; 2],
}

impl Words {
    fn of_viewer() -> Self {
        Self {
            month: writer(&[("month", "long"), ("year", "numeric")]),
            day: writer(&[("dateStyle", "full")]),
            weekday: [writer(&[("weekday", "short")]), writer(&[("weekday", "long")])],
        }
    }
}

/// Returns a formatter for calendar days, which have no time zone.
fn writer(pairs: &[(&str, &str)]) -> Function {
    let options = Object::new();
    for (key, value) in pairs.iter().chain(&[("timeZone", "UTC")]) {
        // A new plain object accepts every property.
        let _ = Reflect::set(&options, &(*key).into(), &(*value).into());
    }
    Intl::DateTimeFormat::new(&i18n::words(), &options).format()
}

fn written(writer: &Function, day: NaiveDate) -> String {
    let date = Date::new(&(f64::from(day.to_epoch_days()) * 86_400_000.0).into());
    let text = writer.call1(&JsValue::UNDEFINED, &date).ok().and_then(|text| text.as_string());
    text.unwrap_or_else(|| day.to_string())
}

/// State of one calendar.
#[derive(Clone, Copy)]
struct Calendar {
    words: StoredValue<Words, LocalStorage>,
    frame: NodeRef<html::Div>,
    first_weekday: u32,
    today: NaiveDate,
    /// First day of the first visible month, and the number of visible months.
    base: RwSignal<NaiveDate>,
    months: RwSignal<i32>,
    /// Day that Tab reaches.
    cursor: RwSignal<NaiveDate>,
    /// First selected day of an incomplete range, and the day that would currently complete it.
    pressed: RwSignal<Option<NaiveDate>>,
    ahead: RwSignal<Option<NaiveDate>>,
    range: Signal<(Option<NaiveDate>, Option<NaiveDate>)>,
    on_choose: Callback<(NaiveDate, NaiveDate)>,
}

impl Calendar {
    /// Scrolls the month of `day` into view, at the near end of the visible months.
    fn show(self, day: NaiveDate) {
        let (base, months) = (self.base.get_untracked(), self.months.get_untracked());
        let (month, last) = (month::first_of(day), month::shift(base, months - 1));
        if month < base {
            self.base.set(month);
        } else if month > last {
            self.base.set(month::shift(month, 1 - months));
        }
    }

    fn turn(self, months: i32) {
        self.base.update(|base| *base = month::shift(*base, months));
        // The day that Tab reaches must stay visible.
        self.cursor.update(|day| *day = month::shift(*day, months));
    }

    fn press(self, day: NaiveDate) {
        self.cursor.set(day);
        self.ahead.set(None);
        match self.pressed.get_untracked() {
            None => self.pressed.set(Some(day)),
            Some(before) => {
                self.pressed.set(None);
                self.on_choose.run(month::range(before, day));
            }
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        let on_day = event.target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
        if !on_day.is_some_and(|it| it.class_list().contains("calendar-day")) {
            return;
        }
        if event.key() == "Escape" && self.pressed.with_untracked(Option::is_some) {
            event.prevent_default();
            event.stop_propagation();
            self.pressed.set(None);
            self.ahead.set(None);
            return;
        }
        let cursor = self.cursor.get_untracked();
        let to = month::step(cursor, &event.key(), event.shift_key(), self.first_weekday);
        if let Some(to) = to {
            event.prevent_default();
            self.cursor.set(to);
            self.ahead.set(Some(to));
            self.show(to);
            leptos::task::spawn_local(async move {
                leptos::task::tick().await;
                let Some(frame) = self.frame.try_get_untracked().flatten() else { return };
                if let Ok(Some(day)) = frame.query_selector("[tabindex='0'].calendar-day") {
                    super::focus(&day);
                }
            });
        }
    }

    /// Returns the selected range, or the preview of an incomplete one. Tracked.
    fn chosen(self) -> (Option<NaiveDate>, Option<NaiveDate>) {
        match self.pressed.get() {
            Some(one) => {
                let (first, last) = month::range(one, self.ahead.get().unwrap_or(one));
                (Some(first), Some(last))
            }
            None => self.range.get(),
        }
    }

    /// Returns whether `day` is in the selected range, and which edge of it. Tracked.
    fn state(self, day: NaiveDate) -> (bool, Option<&'static str>) {
        let (first, last) = self.chosen();
        let within = (first.is_some() || last.is_some())
            && first.is_none_or(|first| first <= day)
            && last.is_none_or(|last| day <= last);
        let edge = match (first == Some(day), last == Some(day)) {
            (true, true) => Some("both"),
            (true, false) => Some("first"),
            (false, true) => Some("last"),
            (false, false) => None,
        };
        (within, edge)
    }

    fn day(self, day: NaiveDate) -> impl IntoView + use<> {
        let state = Memo::new(move |_| self.state(day));
        let name = self.words.with_value(|words| written(&words.day, day));
        view! {
            <td
                role="gridcell"
                class="calendar-cell"
                aria-selected=move || if state.get().0 { "true" } else { "false" }
                data-edge=move || state.get().1
            >
                <button
                    type="button"
                    class="calendar-day"
                    tabindex=move || if self.cursor.get() == day { "0" } else { "-1" }
                    aria-label=name
                    aria-current=(day == self.today).then_some("date")
                    on:click=move |_| self.press(day)
                    on:pointerenter=move |_| self.ahead.set(Some(day))
                >
                    {day.day()}
                </button>
            </td>
        }
    }

    fn week(self, week: [Option<NaiveDate>; 7]) -> impl IntoView + use<> {
        let cell = |day: Option<NaiveDate>| match day {
            Some(day) => self.day(day).into_any(),
            None => view! { <td role="gridcell" class="calendar-cell"></td> }.into_any(),
        };
        view! { <tr role="row">{week.map(cell).into_iter().collect_view()}</tr> }
    }

    /// Column headers: short weekday names, with the full names for assistive technology.
    fn weekdays(self) -> impl IntoView + use<> {
        // 1 January 2024 was a Monday.
        let name = |place: u32| {
            let day = NaiveDate::from_ymd_opt(2024, 1, 1 + (self.first_weekday + place) % 7);
            let text = |whole: usize| {
                self.words.with_value(|it| day.map(|day| written(&it.weekday[whole], day)))
            };
            view! {
                <th role="columnheader" scope="col" class="calendar-weekday" abbr=text(1)>
                    {text(0)}
                </th>
            }
        };
        (0..7).map(name).collect_view()
    }

    /// Month view, `place` months after the first visible month.
    fn month(self, place: i32, months: i32) -> impl IntoView + use<> {
        let month = Memo::new(move |_| month::shift(self.base.get(), place));
        let title = move || self.words.with_value(|words| written(&words.month, month.get()));
        let (id, texts) = (unique_id("month"), i18n::calendar());
        let turn = move |label: &'static str, icon: Glyph, by: i32| {
            let press = move |_| self.turn(by);
            view! { <IconButton icon label size=ButtonSize::Small on_click=press /> }
        };
        view! {
            <div>
                <div class="calendar-head">
                    {(place == 0).then(|| turn(texts.previous_month, Glyph::ChevronLeft, -1))}
                    <p class="calendar-title" id=id.clone() aria-live="polite">
                        {title}
                    </p>
                    {(place == months - 1).then(|| turn(texts.next_month, Glyph::ChevronRight, 1))}
                </div>
                <table
                    class="calendar-grid"
                    role="grid"
                    aria-multiselectable="true"
                    aria-labelledby=id
                >
                    <thead>
                        <tr role="row">{self.weekdays()}</tr>
                    </thead>
                    <tbody>
                        {move || {
                            let weeks = month::weeks(month.get(), self.first_weekday);
                            weeks.into_iter().map(|week| self.week(week)).collect_view()
                        }}
                    </tbody>
                </table>
            </div>
        }
    }
}

/// Follows changes of the selected range and of the window width.
fn follow(calendar: Calendar) {
    let measure = move || {
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        let months = if width.unwrap_or_default() < TWO_MONTHS_PX { 1 } else { 2 };
        if calendar.months.try_get_untracked().is_some_and(|now| now != months) {
            calendar.months.set(months);
            calendar.base.set(month::first_of(calendar.cursor.get_untracked()));
        }
    };
    measure();
    let listener = window_event_listener(ev::resize, move |_| measure());
    on_cleanup(move || listener.remove());
    react(move || {
        let (first, last) = calendar.range.get();
        let to = last.or(first).unwrap_or(calendar.today);
        calendar.cursor.set(to);
        calendar.show(to);
    });
}

/// Calendar for a range of days; first and last are inclusive.
#[component]
pub fn RangeCalendar(
    /// Selected range; a missing side is unbounded.
    #[prop(into)]
    range: Signal<(Option<NaiveDate>, Option<NaiveDate>)>,
    /// Today.
    today: NaiveDate,
    /// First day of the week; Monday is 0.
    first_weekday: u32,
    /// Receives the first and the last day once both are selected.
    #[prop(into)]
    on_choose: Callback<(NaiveDate, NaiveDate)>,
) -> impl IntoView {
    let calendar = Calendar {
        words: StoredValue::new_local(Words::of_viewer()),
        frame: NodeRef::new(),
        first_weekday,
        today,
        base: RwSignal::new(month::shift(month::first_of(today), -1)),
        months: RwSignal::new(2),
        cursor: RwSignal::new(today),
        pressed: RwSignal::new(None),
        ahead: RwSignal::new(None),
        range,
        on_choose,
    };
    follow(calendar);
    let note = move || {
        let day = calendar.pressed.get()?;
        let day = calendar.words.with_value(|words| written(&words.day, day));
        Some((i18n::calendar().choose_last)(&day))
    };
    view! {
        <div
            role="group"
            aria-label=i18n::calendar().calendar
            node_ref=calendar.frame
            on:keydown=move |event| calendar.on_key(&event)
            on:pointerleave=move |_| calendar.ahead.set(None)
        >
            <div class="calendar-months">
                {move || {
                    let months = calendar.months.get();
                    (0..months).map(|place| calendar.month(place, months)).collect_view()
                }}
            </div>
            <p class="calendar-note" role="status">
                {note}
            </p>
        </div>
    }
}
