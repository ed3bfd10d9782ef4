//! A windowed table after the WAI-ARIA grid pattern: only the rows in view exist, the true count
//! is told by `aria-rowcount`, and one row at a time can be reached by Tab.
//!
//! Rows live with the caller; the table asks for those it draws. Their height belongs to
//! `style/`: the table measures it, so density and phones need no word here. It never fetches.

mod bundle;
mod cell;
mod checks;
mod column;
mod draw;
mod focus;
mod grid;
mod keys;
mod nodes;
mod press;
mod resize;
mod row;
mod rows;
mod write;

pub use cell::Cell;
pub use checks::{Checks, Pick};
pub use column::{Column, Slot};

use std::ops::Range;

use leptos::{html, prelude::*};
use web_sys::Element;

use super::{digits, focus_is_lost, focus_still};
use draw::Draw;
use grid::Grid;
use resize::Resize;

/// What a parent may ask of a mounted [`Table`], and learn from it.
#[derive(Clone, Copy, Debug)]
pub struct TableHandle {
    wish: RwSignal<Option<Wish>>,
    active: RwSignal<usize>,
    position: RwSignal<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Wish {
    Show(usize),
    Focus(usize),
    Place(f64),
}

impl Default for TableHandle {
    fn default() -> Self {
        Self::new()
    }
}

impl TableHandle {
    /// Returns a handle, owned by the present reactive owner.
    pub fn new() -> Self {
        Self { wish: RwSignal::new(None), active: RwSignal::new(0), position: RwSignal::new(0.0) }
    }

    /// Scrolls no further than needed to show row `index`.
    pub fn show(&self, index: usize) {
        self.wish.set(Some(Wish::Show(index)));
    }

    /// Shows row `index` and moves the focus to it.
    pub fn focus(&self, index: usize) {
        self.wish.set(Some(Wish::Focus(index)));
    }

    /// Scrolls back to a place that [`position`](Self::position) told.
    pub fn restore(&self, position: f64) {
        self.wish.set(Some(Wish::Place(position)));
    }

    /// Has the row that the keyboard is at keep the focus, where the table is about to be built
    /// anew.
    pub fn keep_focus(&self) {
        let in_row = |element: Element| element.closest(".grid-row").ok().flatten();
        if document().active_element().and_then(in_row).is_some() {
            // Rows are drawn once the new table was measured, which is after the next frame.
            request_animation_frame(|| request_animation_frame(focus_tab_stop));
        }
    }

    /// Returns the row at the top edge, with its hidden share as fraction.
    pub fn position(&self) -> Signal<f64> {
        self.position.into()
    }

    /// Returns the row that the keyboard is at.
    pub fn active(&self) -> Signal<usize> {
        self.active.into()
    }
}

/// Moves the focus to the row that Tab reaches, where nothing else has it by now.
fn focus_tab_stop() {
    let is_lost = focus_is_lost();
    let row = document().query_selector(".grid-row[tabindex='0']").ok().flatten();
    row.iter().filter(|_| is_lost).for_each(focus_still);
}

/// The height of a row in px until it can be measured.
const ROW_PX: f64 = 44.0;

/// The table. Where there is little room it leaves columns out, or scrolls sideways; a phone shows
/// cards of two lines.
#[component]
pub fn Table<K, KeysFn, RowFn>(
    /// Its accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// The columns.
    #[prop(into)]
    columns: Signal<Vec<Column>>,
    /// How many rows there are, come or not.
    #[prop(into)]
    count: Signal<usize>,
    /// How many rows there are in all, once known.
    #[prop(into)]
    total: Signal<Option<u64>>,
    /// What tells each row of a range from others. Tracked: a row with a new key is drawn anew.
    keys: KeysFn,
    /// What the row at an index is called by programs; `None` until it has come.
    #[prop(into, optional)]
    name: Option<Callback<usize, Option<String>>>,
    /// What stands in the cells of the row at an index, one for each column.
    row: RowFn,
    /// Whether more rows are being fetched.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// Whether it scrolls sideways for its columns where there is little room, with the first of
    /// them in view.
    #[prop(optional)]
    scrolls: bool,
    /// The row that is open elsewhere, such as in a drawer.
    #[prop(into, optional)]
    current: Signal<Option<usize>>,
    /// How rows are selected.
    #[prop(optional)]
    checks: Option<Checks>,
    /// Takes the rows drawn, end exclusive.
    #[prop(into, optional)]
    on_range: Option<Callback<(usize, usize)>>,
    /// Takes the row that was pressed, or chosen with Enter.
    #[prop(into, optional)]
    on_open: Option<Callback<usize>>,
    /// Takes a column's index and its new width in px; where given, columns have separators to
    /// drag.
    #[prop(into, optional)]
    on_resize: Option<Callback<(usize, u32)>>,
    /// A handle to scroll and focus by.
    #[prop(optional)]
    handle: Option<TableHandle>,
) -> impl IntoView
where
    K: PartialEq + 'static,
    KeysFn: Fn(Range<usize>) -> Vec<K> + 'static,
    RowFn: Fn(usize) -> Vec<Cell> + 'static,
{
    let grid = Grid::new(count, ROW_PX, handle.unwrap_or_default());
    grid.begin(on_range);
    let body = NodeRef::new();
    let draw = Draw { grid, body, columns, name, current, checks };
    draw.begin(keys, row);
    view! { <Frame grid body label columns scrolls total busy on_resize on_open checks /> }
}

/// The grid around the drawn rows: header, track, and the probe by which heights are measured.
#[component]
fn Frame(
    grid: Grid,
    body: NodeRef<html::Div>,
    label: Signal<String>,
    columns: Signal<Vec<Column>>,
    scrolls: bool,
    total: Signal<Option<u64>>,
    busy: Signal<bool>,
    on_resize: Option<Callback<(usize, u32)>>,
    on_open: Option<Callback<usize>>,
    checks: Option<Checks>,
) -> impl IntoView {
    let row_count = move || total.get().map_or("-1".to_owned(), |total| (total + 1).to_string());
    let resize = on_resize.map(|on_resize| Resize { columns, on_resize });
    let head = move || {
        let head = |(index, column): (usize, &Column)| {
            column::head(column, resize.map(|resize| resize.separator(index, column.title())))
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
                style=("--grid-columns", move || columns.with(|columns| column::template(columns)))
                style=(
                    "--grid-narrow",
                    move || columns.with(|columns| column::narrow_template(columns)),
                )
                style=("--grid-width", move || columns.with(|columns| column::width(columns)))
                on:scroll=move |_| grid.on_scroll()
                on:keydown=move |event| grid.on_keydown(&event, on_open, checks)
            >
                <div class="grid-head" role="rowgroup">
                    <div class="grid-row" role="row" aria-rowindex="1">
                        {checks.map(Checks::head)}
                        {head}
                    </div>
                </div>
                <div
                    class="grid-track"
                    role="rowgroup"
                    style:height=move || format!("{}px", digits(grid.track_height()))
                >
                    <Body grid body on_open checks />
                </div>
                <div class="grid-probe" aria-hidden="true"></div>
            </div>
        </div>
    }
}

/// Where the drawn rows stand. What happens in them is heard here, for all of them.
#[component]
fn Body(
    grid: Grid,
    body: NodeRef<html::Div>,
    on_open: Option<Callback<usize>>,
    checks: Option<Checks>,
) -> impl IntoView {
    view! {
        <div
            class="grid-rows"
            role="presentation"
            data-slides="true"
            node_ref=body
            style:transform=move || format!("translateY({}px)", digits(grid.offset.get()))
            on:click=move |event| grid.on_click(&event, on_open, checks)
            on:mousedown=move |event| {
                // Shift would select the text from there to here.
                if checks.is_some() && event.shift_key() {
                    event.prevent_default();
                }
            }
            on:mouseover=move |event| grid.on_over(&event)
            on:focusin=move |event| grid.on_focus(&event)
        ></div>
    }
}
