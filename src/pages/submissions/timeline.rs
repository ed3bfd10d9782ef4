//! The timeline beside the list: years and months, newest first. A press leads to a month without
//! loading the rows between. On a narrow list a button opens the same.

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

/// How many rows a list must have for the rail to be worth its room.
const ROWS_MIN: usize = 300;

/// The rail.
#[component]
pub fn Rail(
    /// The list.
    list: List,
) -> impl IntoView {
    let shown = Memo::new(move |before| {
        let is_long = list.count().get() >= ROWS_MIN && list.ends().is_some();
        // It neither comes nor goes before the next answer is there.
        if list.is_stale() { before.copied().unwrap_or_default() } else { is_long }
    });
    // The oldest month costs a few requests: where they are scarce, only who asks for it pays.
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
