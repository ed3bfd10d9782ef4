//! A short table without pagination (forms, keys, fields, spam), and a cell with a relative time.

use contract::Timestamp;
use leptos::prelude::*;

use super::calendar::millis_of;
use crate::{
    i18n,
    ui::{
        button::{ButtonSize, IconButton},
        icon::Glyph,
        time::RelativeTime,
    },
};

/// Short table. The caller renders the rows; their last cell, under a hidden header, is for
/// actions.
#[component]
pub fn Listing(
    /// Accessible name.
    label: &'static str,
    /// Column headers, without the one of the actions.
    heads: Vec<&'static str>,
    /// Header of the column with numbers, which is aligned to the end.
    #[prop(optional)]
    numbers: &'static str,
    /// Whether the cells contain input fields.
    #[prop(optional)]
    edits: bool,
    /// Rows, as `<tr>` elements.
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
            // Explicit roles: the style that turns rows into cards removes the implicit ones.
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

/// Buttons that move a row of a list up or down by one.
#[component]
pub fn MoveButtons(
    /// Name of the row.
    name: Signal<String>,
    /// Position of the row.
    #[prop(into)]
    at: Signal<usize>,
    /// Number of rows.
    #[prop(into)]
    count: Signal<usize>,
    /// Moves the row: up for `true`.
    #[prop(into)]
    on_move: Callback<bool>,
) -> impl IntoView {
    let common = i18n::common();
    let first = Signal::derive(move || (at.get() == 0).then(|| common.is_first.to_owned()));
    let last =
        Signal::derive(move || (at.get() + 1 == count.get()).then(|| common.is_last.to_owned()));
    view! {
        <span data-way="up">
            <IconButton
                icon=Glyph::ChevronUp
                label=Signal::derive(move || (common.move_up)(&name.get()))
                size=ButtonSize::Small
                disabled_reason=first
                on_click=move |_| on_move.run(true)
            />
        </span>
        <span data-way="down">
            <IconButton
                icon=Glyph::ChevronDown
                label=Signal::derive(move || (common.move_down)(&name.get()))
                size=ButtonSize::Small
                disabled_reason=last
                on_click=move |_| on_move.run(false)
            />
        </span>
    }
}

/// Renders the time since an instant, such as "2 h ago"; a dash for `None`.
pub fn relative_time(instant: Option<Timestamp>) -> AnyView {
    match instant {
        None => view! { <span class="missing">"—"</span> }.into_any(),
        Some(instant) => view! { <RelativeTime at_ms=millis_of(instant) /> }.into_any(),
    }
}
