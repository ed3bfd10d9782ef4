//! A short table, all of which is there: of forms, keys, fields, spam; and what its cells share.

use contract::Timestamp;
use leptos::prelude::*;

use super::calendar::millis_of;
use crate::{i18n, ui::time::RelativeTime};

/// The table. Behind the columns that have a head comes one for what can be done with a row.
#[component]
pub fn Listing(
    /// Its accessible name.
    label: &'static str,
    /// What stands above its columns.
    heads: Vec<&'static str>,
    /// Which of them stands above numbers.
    #[prop(optional)]
    numbers: &'static str,
    /// Whether its cells hold fields.
    #[prop(optional)]
    edits: bool,
    /// Its rows.
    children: Children,
) -> impl IntoView {
    let head = |head: &'static str| {
        view! {
            <th
                role="columnheader"
                scope="col"
                data-align=(head == numbers).then_some("end")
            >
                {head}
            </th>
        }
    };
    view! {
        <div class="table-frame" tabindex="0" role="region" aria-label=label>
            // Its roles are told, since a style that makes cards of rows takes them away.
            <table class="table" data-edits=edits.then_some("true") role="table">
                <thead role="rowgroup">
                    <tr role="row">
                        {heads.into_iter().map(head).collect_view()}
                        <th role="columnheader" scope="col">
                            <span class="visually-hidden">{i18n::listing().acts}</span>
                        </th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{children()}</tbody>
            </table>
        </div>
    }
}

/// Returns how long ago something was; a dash where it never was.
pub fn when(instant: Option<Timestamp>) -> AnyView {
    match instant {
        None => view! { <span class="missing">"—"</span> }.into_any(),
        Some(instant) => view! { <RelativeTime at_ms=millis_of(instant) /> }.into_any(),
    }
}
