//! The timeline next to the list: years and months, newest first. A click jumps to a month without
//! loading the rows in between. In narrow layouts a button opens it as a popover.

pub mod months;

use leptos::prelude::*;

use super::list::List;
use crate::{
    i18n, lazy_views,
    ui::{icon::Glyph, lazy::LazyIdle, popover::Popover, react},
};
use months::Months;

lazy_views! {
    /// The months of the timeline.
    fn lazy_months(list: List) in tools => view! { <Months list /> };
}

/// Minimum number of rows of a list with a timeline.
const ROWS_MIN: usize = 300;

/// The timeline.
#[component]
pub fn Rail(
    /// The list.
    list: List,
) -> impl IntoView {
    let shown = Memo::new(move |before| {
        let is_long = list.count().get() >= ROWS_MIN && list.ends().is_some();
        // Do not change its visibility before the first response for a new filter.
        if list.is_stale() { before.copied().unwrap_or_default() } else { is_long }
    });
    // Finding the oldest row costs a few requests. With a low rate limit, do that only on a click.
    let seeks = Memo::new(move |_| {
        shown.get() && list.is_rich() && list.ends().is_some_and(|(_, oldest)| oldest.is_none())
    });
    react(move || {
        if seeks.get() {
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
