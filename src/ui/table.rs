//! A windowed table after the WAI-ARIA grid pattern: only the rows in view exist, the true count
//! is told by `aria-rowcount`, and one row at a time can be reached by Tab.
//!
//! Rows live with the caller; the table asks for those it draws. Their height belongs to
//! `style/`: the table measures it, so density and phones need no word here. It never fetches.

mod column;
mod keys;

pub use column::{Column, Slot};

use leptos::wasm_bindgen::{JsCast, closure::Closure};
use leptos::{ev, html, prelude::*};
use web_sys::{Element, ResizeObserver};

use super::{
    unique_id,
    window::{Align, Window},
};
use keys::Step;

/// How many rows are drawn beyond either edge of the view.
const OVERSCAN: usize = 6;
/// The nearness to the last row, in rows, at which more are asked for.
const NEAR_END: usize = 30;

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

    /// Returns the row at the top edge, with its hidden share as fraction.
    pub fn position(&self) -> Signal<f64> {
        self.position.into()
    }

    /// Returns the row that the keyboard is at.
    pub fn active(&self) -> Signal<usize> {
        self.active.into()
    }
}

/// The state of one mounted table.
#[derive(Clone, Copy)]
struct Grid {
    id: StoredValue<String>,
    viewport: NodeRef<html::Div>,
    count: Signal<usize>,
    /// Heights of a row and of the room for rows, in px.
    size: RwSignal<(f64, f64)>,
    scroll_top: RwSignal<f64>,
    handle: TableHandle,
}

impl Grid {
    fn window(self) -> Window {
        let (row_height, viewport) = self.size.get();
        Window { count: self.count.get(), row_height, viewport, overscan: OVERSCAN }
    }

    fn row_id(self, index: usize) -> String {
        self.id.with_value(|id| format!("{id}-{index}"))
    }

    /// Reads the heights that `style/` gave; without any, those before stay.
    fn measure(self) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        let height = |selector: &str| {
            let found = viewport.query_selector(selector).ok().flatten();
            found.map_or(0.0, |element| element.get_bounding_client_rect().height())
        };
        let (row, head) = (height(".grid-probe"), height(".grid-head"));
        let room = f64::from(viewport.client_height()) - head;
        self.size.maybe_update(|size| {
            let before = *size;
            *size = (if row > 0.0 { row } else { before.0 }, room.max(0.0));
            *size != before
        });
    }

    /// Keeps measuring while the table lives.
    fn observe(self) {
        self.viewport.on_load(move |viewport| {
            self.measure();
            let callback = Closure::<dyn FnMut()>::new(move || self.measure());
            let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
                return;
            };
            observer.observe(&viewport);
            if let Ok(Some(probe)) = viewport.query_selector(".grid-probe") {
                observer.observe(&probe);
            }
            let kept = StoredValue::new_local(Some((observer, callback)));
            on_cleanup(move || {
                if let Some(Some((observer, _))) = kept.try_update_value(Option::take) {
                    observer.disconnect();
                }
            });
        });
    }

    fn scroll_to(self, top: f64) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        viewport.scroll_to_with_x_and_y(f64::from(viewport.scroll_left()), top);
        self.on_scroll();
    }

    fn on_scroll(self) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        let top = f64::from(viewport.scroll_top());
        self.scroll_top.set(top);
        let window = untrack(|| self.window());
        self.handle.position.set(window.list_top(top) / window.row_height);
        self.keep_focus(&window, &viewport);
    }

    /// A focused row that leaves the window would take the focus with it: the grid takes it over.
    fn keep_focus(self, window: &Window, viewport: &Element) {
        let active = self.handle.active.get_untracked();
        if window.range(self.scroll_top.get_untracked()).contains(&active) {
            return;
        }
        let row_id = self.row_id(active);
        if document().active_element().is_some_and(|element| element.id() == row_id) {
            super::focus_still(viewport);
        }
    }

    fn show(self, index: usize) {
        let window = untrack(|| self.window());
        self.scroll_to(window.scroll_to(index, Align::Nearest, self.scroll_top.get_untracked()));
    }

    fn focus(self, index: usize) {
        self.handle.active.set(index);
        self.show(index);
        // The row may only come to exist by this scroll.
        leptos::task::spawn_local(async move {
            leptos::task::tick().await;
            if let Some(row) = document().get_element_by_id(&self.row_id(index)) {
                super::focus_still(&row);
            }
        });
    }

    fn follow(self, wish: Wish) {
        match wish {
            Wish::Show(index) => self.show(index),
            Wish::Focus(index) => self.focus(index),
            Wish::Place(position) => {
                let window = untrack(|| self.window());
                self.scroll_to(position * window.row_height / window.ratio());
            }
        }
    }

    fn on_keydown(self, event: &ev::KeyboardEvent, on_open: Option<Callback<usize>>) {
        let Some(step) = Step::of(event) else { return };
        let count = self.count.get_untracked();
        if count == 0 {
            return;
        }
        event.prevent_default();
        let active = self.handle.active.get_untracked().min(count - 1);
        let page = untrack(|| self.window()).rows_per_page();
        match step.target(active, count, page) {
            Some(target) => self.focus(target),
            None => {
                if let Some(on_open) = on_open {
                    on_open.run(active);
                }
            }
        }
    }
}

/// Tells whether a press landed on something that acts by itself.
fn on_control(event: &ev::MouseEvent) -> bool {
    event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .and_then(|target| target.closest("a, button, input, select, label").ok().flatten())
        .is_some()
}

/// The table. On a phone each row becomes a card of two lines.
#[component]
pub fn Table<K, KeyFn, RowFn>(
    /// Its accessible name.
    #[prop(into)]
    label: Signal<String>,
    /// The columns, the first of which stays in view when scrolled sideways.
    #[prop(into)]
    columns: Signal<Vec<Column>>,
    /// How many rows can be drawn now.
    #[prop(into)]
    count: Signal<usize>,
    /// How many rows there are in all, once known.
    #[prop(into)]
    total: Signal<Option<u64>>,
    /// What tells the row at an index from others: a row with a new key is drawn anew. Signals
    /// read here are tracked.
    key: KeyFn,
    /// Builds the contents of the cells of the row at an index, one for each column.
    row: RowFn,
    /// The height of a row in px until it can be measured.
    #[prop(default = 44.0)]
    row_height: f64,
    /// Whether more rows are being fetched.
    #[prop(into, optional)]
    busy: Signal<bool>,
    /// The row that is open elsewhere, such as in a drawer.
    #[prop(into, optional)]
    selected: Signal<Option<usize>>,
    /// Runs when the view comes near the last row.
    #[prop(into, optional)]
    on_near_end: Option<Callback<()>>,
    /// Takes the rows drawn, end exclusive.
    #[prop(into, optional)]
    on_range: Option<Callback<(usize, usize)>>,
    /// Takes the row that was pressed, or chosen with Enter.
    #[prop(into, optional)]
    on_open: Option<Callback<usize>>,
    /// A handle to scroll and focus by.
    #[prop(optional)]
    handle: Option<TableHandle>,
) -> impl IntoView
where
    K: Clone + Eq + std::hash::Hash + Send + Sync + 'static,
    KeyFn: Fn(usize) -> K + Send + Sync + 'static,
    RowFn: Fn(usize) -> Vec<AnyView> + Clone + Send + Sync + 'static,
{
    let grid = Grid {
        id: StoredValue::new(unique_id("grid")),
        viewport: NodeRef::new(),
        count,
        size: RwSignal::new((row_height, 600.0)),
        scroll_top: RwSignal::new(0.0),
        handle: handle.unwrap_or_default(),
    };
    let active = grid.handle.active;
    grid.observe();
    let range = Memo::new(move |_| {
        let range = grid.window().range(grid.scroll_top.get());
        (range.start, range.end)
    });
    let offset = Memo::new(move |_| grid.window().offset(range.get().0, grid.scroll_top.get()));
    let track_height = Memo::new(move |_| grid.window().track_height());
    Effect::new(move |_| {
        let ((start, end), count) = (range.get(), count.get());
        if let Some(on_range) = on_range {
            on_range.run((start, end));
        }
        if let Some(on_near_end) = on_near_end
            && count > 0
            && end + NEAR_END >= count
        {
            on_near_end.run(());
        }
    });
    Effect::new(move |_| {
        if let Some(wish) = grid.handle.wish.get()
            && grid.viewport.get().is_some()
        {
            untrack(|| grid.follow(wish));
        }
    });
    let tab_index = move |index: usize| {
        let (start, end) = range.get();
        let tabbed = if (start..end).contains(&active.get()) { active.get() } else { start };
        if index == tabbed { "0" } else { "-1" }
    };
    let each = move || {
        count.track();
        let (start, end) = range.get();
        (start..end).map(|index| (index, key(index))).collect::<Vec<_>>()
    };
    let draw = move |index: usize| {
        let cells = columns.with(|columns| {
            columns.iter().zip(row(index)).map(|(column, cell)| column.cell(cell)).collect_view()
        });
        view! {
            <div
                class="grid-row"
                role="row"
                id=grid.row_id(index)
                aria-rowindex=(index + 2).to_string()
                aria-selected=move || (selected.get() == Some(index)).then_some("true")
                tabindex=move || tab_index(index)
                on:focus=move |_| active.set(index)
                on:click=move |event| {
                    active.set(index);
                    if let Some(on_open) = on_open && !on_control(&event) {
                        on_open.run(index);
                    }
                }
            >
                {cells}
            </div>
        }
    };
    view! {
        <div class="grid-frame" data-opens=on_open.is_some().then_some("true")>
            <div class="grid-busy" data-on=move || busy.get().then_some("true")></div>
            <div
                class="grid"
                role="grid"
                tabindex="-1"
                node_ref=grid.viewport
                aria-label=label
                aria-rowcount=move || total.get().map_or("-1".to_owned(), |total| (total + 1).to_string())
                aria-busy=move || if busy.get() { "true" } else { "false" }
                style=("--grid-columns", move || columns.with(|columns| column::template(columns)))
                style=("--grid-width", move || columns.with(|columns| column::width(columns)))
                on:scroll=move |_| grid.on_scroll()
                on:keydown=move |event| grid.on_keydown(&event, on_open)
            >
                <div class="grid-head" role="rowgroup">
                    <div class="grid-row" role="row" aria-rowindex="1">
                        {move || columns.with(|columns| columns.iter().map(Column::head).collect_view())}
                    </div>
                </div>
                <div class="grid-track" role="rowgroup" style:height=move || format!("{}px", track_height.get())>
                    <div
                        class="grid-rows"
                        role="presentation"
                        style:transform=move || format!("translateY({}px)", offset.get())
                    >
                        <For each key=Clone::clone let((index, _))>
                            {draw(index)}
                        </For>
                    </div>
                </div>
                <div class="grid-probe" aria-hidden="true"></div>
            </div>
        </div>
    }
}
