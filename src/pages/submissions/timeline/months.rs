//! The years and months of the timeline.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};
use contract::Timestamp;
use leptos::prelude::*;

use crate::{
    components::calendar,
    i18n,
    pages::submissions::list::SubmissionList,
    ui::{popover::close_containing_popover, run_effect, time::month_text},
};

/// Maximum number of years shown.
const YEARS_MAX: i32 = 60;

/// A month, as its first day.
type Month = NaiveDate;

/// The content of the timeline.
#[component]
pub fn MonthList(
    /// The list.
    list: SubmissionList,
) -> impl IntoView {
    let range = Memo::new(move |before: Option<&Option<(Month, Option<Month>)>>| {
        let before = before.copied().flatten();
        let Some((newest, oldest)) = list.first_and_last() else { return before };
        // Until the oldest row of this list is found, use the previous one as an estimate.
        let until = before.filter(|_| list.has_spare_requests()).and_then(|(_, oldest)| oldest);
        let newest = month_of(newest)?;
        Some((newest, oldest.and_then(month_of).or(until.filter(|until| *until <= newest))))
    });
    // Set only when the month changes, so that subscribers do not run for every row that scrolls
    // by.
    let current_month = RwSignal::new(None::<Month>);
    let mut current_range = None;
    run_effect(move || {
        let position = list.table.position().get();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates"
        )]
        let row = list.loaded_row(position as usize);
        let Some(at) = row.map(|row| row.metadata.submitted_at) else { return };
        if current_range.as_ref().is_some_and(|within: &Range<Timestamp>| within.contains(&at)) {
            return;
        }
        let Some(month) = month_of(at) else { return };
        current_range = calendar::start_of_day(month)
            .zip(next_month(month).and_then(calendar::start_of_day))
            .map(|(from, to)| from..to);
        current_month.set(Some(month));
    });
    // A separate memo, so that the year buttons are not rebuilt and the pressed one keeps the
    // focus.
    let open = Memo::new(move |_| current_month.get().map(|month| month.year()));
    move || {
        let Some((newest, Some(oldest))) = range.get() else { return find_end_button(list) };
        let first = oldest.year().max(newest.year() - YEARS_MAX);
        let year = move |year: i32| {
            let months = move || {
                let is_open = open.get().unwrap_or(newest.year()) == year;
                (1..=12)
                    .rev()
                    .filter_map(|month| NaiveDate::from_ymd_opt(year, month, 1))
                    .filter(|month| is_open && (oldest..=newest).contains(month))
                    .map(|month| view! { <MonthButton list month current_month /> })
                    .collect_view()
            };
            let december = NaiveDate::from_ymd_opt(year, 12, 1);
            let month = december.map_or(newest, |month| month.min(newest));
            view! {
                <li>
                    <button
                        class="rail-year"
                        type="button"
                        on:click=move |_| jump_to_month(list, month)
                    >
                        {year}
                    </button>
                    <ul>{months}</ul>
                </li>
            }
        };
        view! { <ul>{(first..=newest.year()).rev().map(year).collect_view()}</ul> }.into_any()
    }
}

/// Returns the button that finds the oldest row, so that the months are known.
fn find_end_button(list: SubmissionList) -> AnyView {
    view! {
        <button class="rail-year" type="button" on:click=move |_| list.find_end()>
            {i18n::list().months}
        </button>
    }
    .into_any()
}

#[component]
fn MonthButton(
    list: SubmissionList,
    month: Month,
    current_month: RwSignal<Option<Month>>,
) -> impl IntoView {
    let at_ms = calendar::start_of_day(month).map(calendar::millis_of);
    let name = |long: bool| at_ms.map(|at_ms| month_text(at_ms, long)).unwrap_or_default();
    view! {
        <li>
            <button
                class="rail-month"
                type="button"
                title=name(true)
                aria-current=move || (current_month.get() == Some(month)).then_some("true")
                on:click=move |event| {
                    close_containing_popover(&event);
                    jump_to_month(list, month);
                }
            >
                {name(false)} <span class="visually-hidden">{format!(" {}", month.year())}</span>
            </button>
        </li>
    }
}

/// Jumps to the newest submission of a month.
fn jump_to_month(list: SubmissionList, month: Month) {
    let end = next_month(month).and_then(calendar::start_of_day);
    let newest = untrack(|| list.first_and_last()).map(|(newest, _)| newest);
    match end.filter(|end| newest.is_some_and(|newest| *end <= newest)) {
        Some(end) => list.jump_to(end),
        // The month of the newest row begins at the top.
        None => list.table.restore_position(0.0),
    }
}

fn month_of(at: Timestamp) -> Option<Month> {
    calendar::day_of(at)?.with_day(1)
}

fn next_month(month: Month) -> Option<Month> {
    month.checked_add_months(chrono::Months::new(1))
}
