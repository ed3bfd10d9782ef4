//! The years and months of the timeline.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};
use contract::Timestamp;
use leptos::prelude::*;

use crate::{
    components::calendar,
    i18n,
    pages::submissions::list::List,
    ui::{popover::close_around, react, time::month_text},
};

/// Maximum number of years shown.
const YEARS_MAX: i32 = 60;

/// A month, as its first day.
type Month = NaiveDate;

/// The content of the timeline.
#[component]
pub fn Months(
    /// The list.
    list: List,
) -> impl IntoView {
    let ends = Memo::new(move |before: Option<&Option<(Month, Option<Month>)>>| {
        let before = before.copied().flatten();
        let Some((newest, oldest)) = list.ends() else { return before };
        // Until the oldest row of this list is found, use the previous one as an estimate.
        let until = before.filter(|_| list.is_rich()).and_then(|(_, oldest)| oldest);
        let newest = month_of(newest)?;
        Some((newest, oldest.and_then(month_of).or(until.filter(|until| *until <= newest))))
    });
    // Set only when the month changes, so that subscribers do not run for every row that scrolls
    // by.
    let here = RwSignal::new(None::<Month>);
    let mut within = None;
    react(move || {
        let position = list.table.position().get();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates"
        )]
        let row = list.row(position as usize);
        let Some(at) = row.map(|row| row.metadata.submitted_at) else { return };
        if within.as_ref().is_some_and(|within: &Range<Timestamp>| within.contains(&at)) {
            return;
        }
        let Some(month) = month_of(at) else { return };
        within = calendar::midnight(month)
            .zip(next(month).and_then(calendar::midnight))
            .map(|(from, to)| from..to);
        here.set(Some(month));
    });
    // A separate memo, so that the year buttons are not rebuilt and the pressed one keeps the
    // focus.
    let open = Memo::new(move |_| here.get().map(|month| month.year()));
    move || {
        let Some((newest, Some(oldest))) = ends.get() else {
            let press = move |_| list.find_end();
            return view! {
                <button class="rail-year" type="button" on:click=press>
                    {i18n::list().months}
                </button>
            }
            .into_any();
        };
        let first = oldest.year().max(newest.year() - YEARS_MAX);
        let year = move |year: i32| {
            let months = move || {
                let is_open = open.get().unwrap_or(newest.year()) == year;
                (1..=12)
                    .rev()
                    .filter_map(|month| NaiveDate::from_ymd_opt(year, month, 1))
                    .filter(|month| is_open && (oldest..=newest).contains(month))
                    .map(|month| view! { <MonthButton list month here /> })
                    .collect_view()
            };
            let december = NaiveDate::from_ymd_opt(year, 12, 1);
            let month = december.map_or(newest, |month| month.min(newest));
            view! {
                <li>
                    <button class="rail-year" type="button" on:click=move |_| go(list, month)>
                        {year}
                    </button>
                    <ul>{months}</ul>
                </li>
            }
        };
        view! { <ul>{(first..=newest.year()).rev().map(year).collect_view()}</ul> }.into_any()
    }
}

#[component]
fn MonthButton(list: List, month: Month, here: RwSignal<Option<Month>>) -> impl IntoView {
    let name = |long: bool| instant_of(month).map(|at| month_text(at, long)).unwrap_or_default();
    view! {
        <li>
            <button
                class="rail-month"
                type="button"
                title=name(true)
                aria-current=move || (here.get() == Some(month)).then_some("true")
                on:click=move |event| {
                    close_around(&event);
                    go(list, month);
                }
            >
                {name(false)} <span class="visually-hidden">{format!(" {}", month.year())}</span>
            </button>
        </li>
    }
}

/// Jumps to the newest submission of a month.
fn go(list: List, month: Month) {
    let end = next(month).and_then(calendar::midnight);
    let newest = untrack(|| list.ends()).map(|(newest, _)| newest);
    match end.filter(|end| newest.is_some_and(|newest| *end <= newest)) {
        Some(end) => list.jump(end),
        // The month of the newest row begins at the top.
        None => list.table.restore(0.0),
    }
}

fn month_of(at: Timestamp) -> Option<Month> {
    calendar::day_of(at)?.with_day(1)
}

fn next(month: Month) -> Option<Month> {
    month.checked_add_months(chrono::Months::new(1))
}

fn instant_of(month: Month) -> Option<f64> {
    calendar::midnight(month).map(calendar::millis_of)
}
