//! A windowed table after the WAI-ARIA grid pattern. Only the visible rows are in the DOM;
//! `aria-rowcount` has the full count, and one row at a time is a tab stop.
//!
//! The caller owns the rows. The table gets those that it draws from the callbacks `keys` and
//! `row`. `style/` sets the row height and the table measures it, so density and phones need no
//! code here.

mod cell;
mod cell_nodes;
mod column;
mod dom_bindings;
mod focus;
mod grid;
mod keys;
mod pointer_events;
mod resize;
mod row;
mod row_drawing;
mod row_pool;
mod row_selection;
mod sorting;
mod text_transfer;

pub use cell::Cell;
pub use column::{Column, Slot};
pub use row_selection::{RowSelection, SelectionChange};
pub use sorting::{ColumnOrder, ColumnSorting};

use std::ops::Range;

use leptos::{html, prelude::*};
use web_sys::Element;

use super::{focus_is_lost, focus_without_scroll, format_js_number};
use grid::GridState;
use resize::ColumnResizer;
use row_drawing::RowDrawing;

/// Handle of a mounted [`Table`]: scrolls it, focuses rows and reports its position.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableHandle {
    command: RwSignal<Option<TableCommand>>,
    active: RwSignal<usize>,
    position: RwSignal<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum TableCommand {
    Show(usize),
    Focus(usize),
    Restore(f64),
}

impl TableHandle {
    /// Scrolls as little as needed to show row `index`.
    pub fn show_row(&self, index: usize) {
        self.command.set(Some(TableCommand::Show(index)));
    }

    /// Shows row `index` and focuses it.
    pub fn focus_row(&self, index: usize) {
        self.command.set(Some(TableCommand::Focus(index)));
    }

    /// Scrolls to a position as returned by [`position`](Self::position).
    pub fn restore_position(&self, position: f64) {
        self.command.set(Some(TableCommand::Restore(position)));
    }

    /// Focuses the tab stop again after a rebuild of the table, if a row has the focus now. Call it
    /// before the rebuild.
    pub fn restore_focus_after_rebuild(&self) {
        let in_row = |element: Element| element.closest(".grid-row").ok().flatten();
        if document().active_element().and_then(in_row).is_some() {
            // The new table draws its rows only after it was measured, in the frame after the next.
            request_animation_frame(|| request_animation_frame(focus_tab_stop));
        }
    }

    /// Returns the fractional index of the row at the top edge.
    pub fn position(&self) -> Signal<f64> {
        self.position.into()
    }

    /// Returns the index of the active row, which keyboard commands refer to.
    pub fn active(&self) -> Signal<usize> {
        self.active.into()
    }
}

/// Focuses the tab stop, unless another element has taken the focus.
fn focus_tab_stop() {
    let is_lost = focus_is_lost();
    let row = document().query_selector(".grid-row[tabindex='0']").ok().flatten();
    row.iter().filter(|_| is_lost).for_each(focus_without_scroll);
}

/// Row height in px before the first measurement.
const ROW_PX: f64 = 44.0;

/// Windowed table. In a narrow window it omits columns or scrolls sideways; on a phone each row is
/// a card of two lines.
#[component]
pub fn Table<K, KeysFn, RowFn>(
    /// Accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// Columns.
    #[prop(into)]
    columns: Signal<Vec<Column>>,
    /// Number of rows that the table scrolls through, loaded or not; 0 while unknown.
    #[prop(into)]
    count: Signal<usize>,
    /// The same number for `aria-rowcount`; `None` while unknown.
    #[prop(into)]
    total: Signal<Option<u64>>,
    /// Returns a key for each row of a range. Tracked: a row with a changed key is drawn again.
    keys: KeysFn,
    /// Returns the attribute `data-key` of a row; `None` until the row is loaded.
    #[prop(into, optional)]
    name: Option<Callback<usize, Option<String>>>,
    /// Returns the cells of a row, one per column.
    row: RowFn,
    /// Whether more rows are loading.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Whether it scrolls sideways in a narrow window instead of omitting columns. The first column
    /// stays visible.
    #[prop(optional)]
    scrolls: bool,
    /// Index of the row that is open elsewhere, such as in a drawer.
    #[prop(into, optional)]
    current: Signal<Option<usize>>,
    /// Selection of rows. If set, rows have checkboxes.
    #[prop(optional)]
    checks: Option<RowSelection>,
    /// Returns whether a row is to be marked as unread, in a table with checkboxes. When it
    /// changes, the key of the row must change too.
    #[prop(into, optional)]
    is_unread: Option<Callback<usize, bool>>,
    /// Receives the range of drawn rows, end exclusive.
    #[prop(into, optional)]
    on_range: Option<Callback<(usize, usize)>>,
    /// Receives the index of a row that was clicked or opened with Enter.
    #[prop(into, optional)]
    on_open: Option<Callback<usize>>,
    /// Receives the indexes of row and column of a cell that was clicked with Alt.
    #[prop(into, optional)]
    on_filter: Option<Callback<(usize, usize)>>,
    /// Receives the index and the new width in px of a column. If set, columns have separators to
    /// drag.
    #[prop(into, optional)]
    on_resize: Option<Callback<(usize, u32)>>,
    /// Sorting by columns. If set, headers are buttons.
    #[prop(optional)]
    sorting: Option<ColumnSorting>,
    /// Handle for scrolling and focus.
    #[prop(optional)]
    handle: Option<TableHandle>,
) -> impl IntoView
where
    K: PartialEq + 'static,
    KeysFn: Fn(Range<usize>) -> Vec<K> + 'static,
    RowFn: Fn(usize) -> Vec<Cell> + 'static,
{
    let grid = GridState::new(count, ROW_PX, handle.unwrap_or_default());
    grid.start_tracking(on_range);
    let body = NodeRef::new();
    let draw = RowDrawing { grid, body, columns, name, current, checks, is_unread };
    draw.start_drawing(keys, row);
    view! {
        <Frame
            grid
            body
            label
            columns
            scrolls
            total
            busy
            on_resize
            sorting
            on_open
            on_filter
            checks
        />
    }
}

/// Frame of the table: header, track, and the probe element for measuring the row height.
#[component]
fn Frame(
    grid: GridState,
    body: NodeRef<html::Div>,
    label: Signal<String>,
    columns: Signal<Vec<Column>>,
    scrolls: bool,
    total: Signal<Option<u64>>,
    busy: Signal<bool>,
    on_resize: Option<Callback<(usize, u32)>>,
    sorting: Option<ColumnSorting>,
    on_open: Option<Callback<usize>>,
    on_filter: Option<Callback<(usize, usize)>>,
    checks: Option<RowSelection>,
) -> impl IntoView {
    // The header is a row too. In ARIA, -1 means an unknown count.
    let row_count = move || total.get().map_or("-1".to_owned(), |total| (total + 1).to_string());
    let resize = on_resize.map(|on_resize| ColumnResizer { columns, on_resize });
    let head = move || {
        let head = |(index, column): (usize, &Column)| {
            let separator = resize.map(|resize| resize.separator_view(index, column.title()));
            column::header_cell((index, column), separator, sorting)
        };
        columns.with(|columns| columns.iter().enumerate().map(head).collect_view())
    };
    view! {
        <div
            class="grid-frame"
            data-opens=on_open.is_some().then_some("true")
            data-checks=move || checks.map(|checks| if checks.any.get() { "some" } else { "none" })
        >
            <div class="grid-busy" data-on=move || busy.get().then_some("true")></div>
            <div
                class="grid"
                role="grid"
                tabindex="-1"
                node_ref=grid.viewport
                aria-label=label
                aria-rowcount=row_count
                aria-multiselectable=checks.is_some().then_some("true")
                aria-busy=move || if busy.get() { "true" } else { "false" }
                data-scrolls=scrolls.then_some("true")
                style=("--grid-columns", move || columns.with(|list| column::grid_template(list)))
                style=(
                    "--grid-narrow",
                    move || columns.with(|columns| column::narrow_grid_template(columns)),
                )
                style=("--grid-width", move || columns.with(|list| column::min_row_width(list)))
                on:scroll=move |_| grid.on_scroll()
                on:keydown=move |event| grid.on_keydown(&event, on_open, checks)
            >
                <div class="grid-head" role="rowgroup">
                    <div class="grid-row" role="row" aria-rowindex="1">
                        {checks.map(RowSelection::header_box)}
                        {head}
                    </div>
                </div>
                <div
                    class="grid-track"
                    role="rowgroup"
                    style:height=move || format!("{}px", format_js_number(grid.track_height()))
                >
                    <Body grid body on_open on_filter checks />
                </div>
                <div class="grid-probe" aria-hidden="true"></div>
            </div>
        </div>
    }
}

/// Container of the drawn rows. Its listeners handle the events of all rows.
#[component]
fn Body(
    grid: GridState,
    body: NodeRef<html::Div>,
    on_open: Option<Callback<usize>>,
    on_filter: Option<Callback<(usize, usize)>>,
    checks: Option<RowSelection>,
) -> impl IntoView {
    view! {
        <div
            class="grid-rows"
            role="presentation"
            data-slides="true"
            node_ref=body
            style:transform=move || format!("translateY({}px)", format_js_number(grid.offset.get()))
            on:click=move |event| {
                if !grid.filter_by_click(&event, on_filter) {
                    grid.on_click(&event, on_open, checks);
                }
            }
            on:mousedown=move |event| {
                // Shift-click would also select the text between the clicks.
                if checks.is_some() && event.shift_key() {
                    event.prevent_default();
                }
            }
            on:mouseover=move |event| grid.on_over(&event)
            on:focusin=move |event| grid.on_focus(&event)
        ></div>
    }
}
