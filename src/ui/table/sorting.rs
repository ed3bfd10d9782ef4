//! Sorting by the headers of columns.

use leptos::prelude::*;

/// Whether the rows are sorted by a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnOrder {
    /// They can be, but are not.
    Unsorted,
    /// Smaller values come first.
    Ascending,
    /// Larger values come first.
    Descending,
}

/// Sorting of a table.
#[derive(Clone, Copy)]
pub struct ColumnSorting {
    /// Returns the order by the column with this index; `None` if it cannot be sorted by. Tracked.
    pub order: Callback<usize, Option<ColumnOrder>>,
    /// Receives the index of the column whose header was pressed.
    pub on_press: Callback<usize>,
}

impl ColumnSorting {
    /// Returns the value of `aria-sort` of a header. Tracked.
    pub(super) fn aria_sort(self, index: usize) -> Option<&'static str> {
        self.order.run(index).map(|order| match order {
            ColumnOrder::Unsorted => "none",
            ColumnOrder::Ascending => "ascending",
            ColumnOrder::Descending => "descending",
        })
    }
}
