//! Cells of a column: header cell and empty row cell. [`Column`] itself is in `row_view`, which
//! also renders the first rows of the page.

use leptos::prelude::*;
pub(super) use row_view::column::{grid_template, min_row_width, narrow_grid_template};
pub use row_view::{Column, Slot};

/// Header cell, with a separator to drag if the width can be changed.
pub(super) fn header_cell(column: &Column, separator: Option<AnyView>) -> impl IntoView + use<> {
    let title = column.title().to_owned();
    let hover = title.clone();
    let name = title.clone();
    // Labelled explicitly, so that the separator is not part of the accessible name.
    view! {
        <div
            class="grid-cell"
            role="columnheader"
            data-align=column.align()
            data-slot=column.slot_name()
            aria-label=name
        >
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
