//! The cells of a column: of the head, and of a row with nothing in it yet. What a column is stands
//! in `row_view`, which the first rows of the page are drawn by, too.

use leptos::prelude::*;
pub(super) use row_view::column::{narrow_template, template, width};
pub use row_view::{Column, Slot};

/// The cell of the header; where the width can be chosen, with a separator to drag.
pub(super) fn head(column: &Column, separator: Option<AnyView>) -> impl IntoView + use<> {
    let title = column.title().to_owned();
    let (hover, name) = (title.clone(), title.clone());
    // Named by itself: the separator's width is no part of what a column is called.
    view! {
        <div
            class="grid-cell"
            role="columnheader"
            data-align=column.align()
            data-slot=column.place()
            aria-label=name
        >
            <span title=hover>{title}</span>
            {separator}
        </div>
    }
}

/// The cell of a row, with nothing in it yet.
pub(super) fn cell(column: &Column) -> impl IntoView + use<> {
    view! {
        <div
            class="grid-cell"
            role="gridcell"
            data-align=column.align()
            data-slot=column.place()
        ></div>
    }
}
