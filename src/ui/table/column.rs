//! Cells of a column: header cell and empty row cell. [`Column`] itself is in `row_view`, which
//! also renders the first rows of the page.

use leptos::prelude::*;
pub(super) use row_view::column::{grid_template, min_row_width, narrow_grid_template};
pub use row_view::{Column, Slot};

use super::sorting::ColumnSorting;

/// Header cell, with a separator to drag if the width can be changed, and with a button if the rows
/// can be sorted by the column.
pub(super) fn header_cell(
    (index, column): (usize, &Column),
    separator: Option<AnyView>,
    sorting: Option<ColumnSorting>,
) -> impl IntoView + use<> {
    let title = column.title().to_owned();
    let hover = title.clone();
    let name = title.clone();
    let sorting = sorting.filter(|sorting| untrack(|| sorting.order.run(index)).is_some());
    let button = sorting.map(|sorting| {
        view! {
            <button
                type="button"
                class="grid-sort"
                title=name.clone()
                on:click=move |_| sorting.on_press.run(index)
            ></button>
        }
    });
    // Labelled explicitly, so that the separator is not part of the accessible name.
    view! {
        <div
            class="grid-cell"
            role="columnheader"
            data-align=column.align()
            data-slot=column.slot_name()
            aria-label=name
            aria-sort=move || sorting.and_then(|sorting| sorting.aria_sort(index))
        >
            // Covers the title, which is where the first rows of the page have it.
            {button}
            <span title=hover>{title}</span>
            {separator}
        </div>
    }
}

/// Empty cell of a row.
pub(super) fn row_cell(column: &Column) -> impl IntoView + use<> {
    view! {
        <div
            class="grid-cell"
            role="gridcell"
            data-align=column.align()
            data-slot=column.slot_name()
        ></div>
    }
}
