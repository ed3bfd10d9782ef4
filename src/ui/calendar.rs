//! A calendar for selecting a date range, by pointer or by the keys of the WAI-ARIA grid pattern.
//! It shows two months side by side, or one in a narrow window. Its only state is the visible month
//! and the first selected day.

use chrono::{Datelike, NaiveDate};
use js_sys::{Date, Function};
use leptos::wasm_bindgen::{JsCast, JsValue};
use leptos::{ev, html, prelude::*};

use super::{
    button::{ButtonSize, IconButton},
    icon::Glyph,
    run_effect,
    time::date_time_formatter,
    unique_id,
};
use crate::i18n;
use crate::ui::calc::month;

/// Minimum window width for two months, in px.
const TWO_MONTHS_PX: f64 = 760.0;

/// Date formatters in the language of the interface.
#[derive(Clone)]
struct DateFormatters {
    month: Function,
    day: Function,
    weekday: [Function; 2],
}

impl DateFormatters {
    fn for_viewer() -> Self {
        Self {
            month: date_formatter(&[("month", "long"), ("year", "numeric")]),
            day: date_formatter(&[("dateStyle", "full")]),
            weekday: [
                date_formatter(&[("weekday", "short")]),
                date_formatter(&[("weekday", "long")]),
            ],
        }
    }
}

/// Returns a formatter for calendar days, which have no time zone.
fn date_formatter(pairs: &[(&str, &str)]) -> Function {
    date_time_formatter(&i18n::text_locales(), &[pairs, &[("timeZone", "UTC")]].concat())
}

fn format_date(writer: &Function, day: NaiveDate) -> String {
    let date = Date::new(&(f64::from(day.to_epoch_days()) * 86_400_000.0).into());
    let text = writer.call1(&JsValue::UNDEFINED, &date).ok().and_then(|text| text.as_string());
    text.unwrap_or_else(|| day.to_string())
}

/// State of one calendar.
#[derive(Clone, Copy)]
struct CalendarState {
    formatters: StoredValue<DateFormatters, LocalStorage>,
    frame: NodeRef<html::Div>,
    first_weekday: u32,
    today: NaiveDate,
    /// First day of the first visible month, and the number of visible months.
    first_month: RwSignal<NaiveDate>,
    months: RwSignal<i32>,
    /// Day that Tab reaches.
    cursor: RwSignal<NaiveDate>,
    /// First selected day of an incomplete range, and the day that would currently complete it.
    range_start: RwSignal<Option<NaiveDate>>,
    preview_day: RwSignal<Option<NaiveDate>>,
    range: Signal<(Option<NaiveDate>, Option<NaiveDate>)>,
    on_choose: Callback<(NaiveDate, NaiveDate)>,
}

impl CalendarState {
    /// Scrolls the month of `day` into view, at the near end of the visible months.
    fn show_month_of(self, day: NaiveDate) {
        let base = self.first_month.get_untracked();
        let months = self.months.get_untracked();
        let last = month::add_months(base, months - 1);
        let month = month::first_day_of_month(day);
        if month < base {
            self.first_month.set(month);
        } else if month > last {
            self.first_month.set(month::add_months(month, 1 - months));
        }
    }

    fn move_by_months(self, months: i32) {
        self.first_month.update(|base| *base = month::add_months(*base, months));
        // The day that Tab reaches must stay visible.
        self.cursor.update(|day| *day = month::add_months(*day, months));
    }

    fn select_day(self, day: NaiveDate) {
        self.cursor.set(day);
        self.preview_day.set(None);
        match self.range_start.get_untracked() {
            None => self.range_start.set(Some(day)),
            Some(before) => {
                self.range_start.set(None);
                self.on_choose.run(month::ordered_range(before, day));
            }
        }
    }

    fn on_key(self, event: &ev::KeyboardEvent) {
        let on_day = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if !on_day.is_some_and(|target| target.class_list().contains("calendar-day")) {
            return;
        }
        if event.key() == "Escape" && self.range_start.with_untracked(Option::is_some) {
            event.prevent_default();
            event.stop_propagation();
            self.range_start.set(None);
            self.preview_day.set(None);
            return;
        }
        let cursor = self.cursor.get_untracked();
        let to = month::day_after_key(cursor, &event.key(), event.shift_key(), self.first_weekday);
        if let Some(to) = to {
            event.prevent_default();
            self.cursor.set(to);
            self.preview_day.set(Some(to));
            self.show_month_of(to);
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
    fn selected_range(self) -> (Option<NaiveDate>, Option<NaiveDate>) {
        match self.range_start.get() {
            Some(start) => {
                let (first, last) =
                    month::ordered_range(start, self.preview_day.get().unwrap_or(start));
                (Some(first), Some(last))
            }
            None => self.range.get(),
        }
    }

    /// Returns whether `day` is in the selected range, and which edge of it. Tracked.
    fn day_state(self, day: NaiveDate) -> (bool, Option<&'static str>) {
        let (first, last) = self.selected_range();
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

    fn day_cell(self, day: NaiveDate) -> impl IntoView + use<> {
        let state = Memo::new(move |_| self.day_state(day));
        let name = self.formatters.with_value(|formatters| format_date(&formatters.day, day));
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
                    on:click=move |_| self.select_day(day)
                    on:pointerenter=move |_| self.preview_day.set(Some(day))
                >
                    {day.day()}
                </button>
            </td>
        }
    }

    fn week_row(self, week: [Option<NaiveDate>; 7]) -> impl IntoView + use<> {
        let cell = |day: Option<NaiveDate>| match day {
            Some(day) => self.day_cell(day).into_any(),
            None => view! { <td role="gridcell" class="calendar-cell"></td> }.into_any(),
        };
        view! { <tr role="row">{week.map(cell).into_iter().collect_view()}</tr> }
    }

    /// Column headers: short weekday names, with the full names for assistive technology.
    fn weekday_headers(self) -> impl IntoView + use<> {
        // 1 January 2024 was a Monday.
        let name = |offset: u32| {
            let day = NaiveDate::from_ymd_opt(2024, 1, 1 + (self.first_weekday + offset) % 7);
            let text = |whole: usize| {
                self.formatters.with_value(|formatters| {
                    day.map(|day| format_date(&formatters.weekday[whole], day))
                })
            };
            view! {
                <th role="columnheader" scope="col" class="calendar-weekday" abbr=text(1)>
                    {text(0)}
                </th>
            }
        };
        (0..7).map(name).collect_view()
    }

    /// Month view, `offset` months after the first visible month.
    fn month_view(self, offset: i32, months: i32) -> impl IntoView + use<> {
        let month = Memo::new(move |_| month::add_months(self.first_month.get(), offset));
        let title = move || {
            self.formatters.with_value(|formatters| format_date(&formatters.month, month.get()))
        };
        let id = unique_id("month");
        let texts = i18n::calendar();
        let turn = move |label: &'static str, icon: Glyph, by: i32| {
            let press = move |_| self.move_by_months(by);
            view! { <IconButton icon label size=ButtonSize::Small on_click=press /> }
        };
        view! {
            <div>
                <div class="calendar-head">
                    {(offset == 0).then(|| turn(texts.previous_month, Glyph::ChevronLeft, -1))}
                    <p class="calendar-title" id=id.clone() aria-live="polite">
                        {title}
                    </p>
                    {(offset == months - 1).then(|| turn(texts.next_month, Glyph::ChevronRight, 1))}
                </div>
                <table
                    class="calendar-grid"
                    role="grid"
                    aria-multiselectable="true"
                    aria-labelledby=id
                >
                    <thead>
                        <tr role="row">{self.weekday_headers()}</tr>
                    </thead>
                    <tbody>
                        {move || {
                            let weeks = month::weeks_of_month(month.get(), self.first_weekday);
                            weeks.into_iter().map(|week| self.week_row(week)).collect_view()
                        }}
                    </tbody>
                </table>
            </div>
        }
    }
}

/// Follows changes of the selected range and of the window width.
fn track_range_and_width(calendar: CalendarState) {
    let measure = move || {
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        let months = if width.unwrap_or_default() < TWO_MONTHS_PX { 1 } else { 2 };
        if calendar.months.try_get_untracked().is_some_and(|now| now != months) {
            calendar.months.set(months);
            calendar.first_month.set(month::first_day_of_month(calendar.cursor.get_untracked()));
        }
    };
    measure();
    let listener = window_event_listener(ev::resize, move |_| measure());
    on_cleanup(move || listener.remove());
    run_effect(move || {
        let (first, last) = calendar.range.get();
        let to = last.or(first).unwrap_or(calendar.today);
        calendar.cursor.set(to);
        calendar.show_month_of(to);
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
    let calendar = CalendarState {
        formatters: StoredValue::new_local(DateFormatters::for_viewer()),
        frame: NodeRef::new(),
        first_weekday,
        today,
        first_month: RwSignal::new(month::add_months(month::first_day_of_month(today), -1)),
        months: RwSignal::new(2),
        cursor: RwSignal::new(today),
        range_start: RwSignal::new(None),
        preview_day: RwSignal::new(None),
        range,
        on_choose,
    };
    track_range_and_width(calendar);
    let note = move || {
        let day = calendar.range_start.get()?;
        let day = calendar.formatters.with_value(|formatters| format_date(&formatters.day, day));
        Some((i18n::calendar().choose_last)(&day))
    };
    view! {
        <div
            role="group"
            aria-label=i18n::calendar().calendar
            node_ref=calendar.frame
            on:keydown=move |event| calendar.on_key(&event)
            on:pointerleave=move |_| calendar.preview_day.set(None)
        >
            <div class="calendar-months">
                {move || {
                    let months = calendar.months.get();
                    (0..months).map(|offset| calendar.month_view(offset, months)).collect_view()
                }}
            </div>
            <p class="calendar-note" role="status">
                {note}
            </p>
        </div>
    }
}
