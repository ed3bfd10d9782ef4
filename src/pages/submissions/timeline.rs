//! The timeline next to the list: years and months, newest first. A click jumps to a month without
//! loading the rows in between. In narrow layouts a button opens it as a popover.

pub mod months;

use leptos::prelude::*;

use super::list::SubmissionList;
use crate::{
    i18n, lazy_views,
    ui::{icon::Glyph, lazy::LazyIdle, popover::Popover, run_effect},
};
use months::MonthList;

lazy_views! {
    /// The months of the timeline.
    fn lazy_months(list: SubmissionList) in tools => view! { <MonthList list /> };
}

/// Minimum number of rows of a list with a timeline.
const TIMELINE_ROWS_MIN: usize = 300;

/// The timeline.
#[component]
pub fn Timeline(
    /// The list.
    list: SubmissionList,
) -> impl IntoView {
    let shown = Memo::new(move |before| {
        let is_long = list.count().get() >= TIMELINE_ROWS_MIN && list.first_and_last().is_some();
        // Do not change its visibility before the first response for a new filter.
        if list.is_stale() { before.copied().unwrap_or_default() } else { is_long }
    });
    // Finding the oldest row costs a few requests. With a low rate limit, do that only on a click.
    let needs_end = Memo::new(move |_| {
        shown.get()
            && list.has_spare_requests()
            && list.first_and_last().is_some_and(|(_, oldest)| oldest.is_none())
    });
    run_effect(move || {
        if needs_end.get() {
            list.find_end();
        }
    });
    move || {
        shown.get().then(|| {
            view! {
                <nav class="rail" aria-label=i18n::list().months>
                    <LazyIdle load=move || lazy_months(list) fills="" />
                </nav>
                <div class="rail-menu">
                    <Popover label=i18n::list().months icon=Glyph::Calendar>
                        <LazyIdle load=move || lazy_months(list) fills="form" />
                    </Popover>
                </div>
            }
        })
    }
}
