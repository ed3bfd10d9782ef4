//! The state of one mounted table: what is measured, where it is scrolled, which rows are drawn.

use leptos::wasm_bindgen::{JsCast, closure::Closure};
use leptos::{ev, html, prelude::*};
use web_sys::{Element, ResizeObserver};

use super::{TableHandle, Wish, keys::Step};
use crate::ui::{
    focus_still, react, unique_id,
    window::{Align, Window},
};

/// How many rows are drawn beyond either edge of the view.
const OVERSCAN: usize = 6;
/// The nearness to the last row, in rows, at which more are asked for.
const NEAR_END: usize = 30;

/// The state of one mounted table.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    id: StoredValue<String>,
    pub(super) viewport: NodeRef<html::Div>,
    count: Signal<usize>,
    /// Heights of a row and of the room for rows, in px.
    size: RwSignal<(f64, f64)>,
    scroll_top: RwSignal<f64>,
    /// The rows drawn, end exclusive.
    pub(super) range: Memo<(usize, usize)>,
    handle: TableHandle,
}

impl Grid {
    pub(super) fn new(count: Signal<usize>, row_height: f64, handle: TableHandle) -> Self {
        let size = RwSignal::new((row_height, 600.0));
        let scroll_top = RwSignal::new(0.0);
        let range = Memo::new(move |_| {
            let range = window(count, size).range(scroll_top.get());
            (range.start, range.end)
        });
        let id = StoredValue::new(unique_id("grid"));
        Self { id, viewport: NodeRef::new(), count, size, scroll_top, range, handle }
    }

    fn window(self) -> Window {
        window(self.count, self.size)
    }

    /// Returns the height of the track, in px.
    pub(super) fn track_height(self) -> f64 {
        self.window().track_height()
    }

    /// Returns where on the track the first drawn row stands, in px.
    pub(super) fn offset(self) -> f64 {
        self.window().offset(self.range.get().0, self.scroll_top.get())
    }

    pub(super) fn row_id(self, index: usize) -> String {
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
    pub(super) fn observe(self) {
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

    pub(super) fn on_scroll(self) {
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
            focus_still(viewport);
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
                focus_still(&row);
            }
        });
    }

    /// Tells the parent which rows are drawn, and when the last one comes near.
    pub(super) fn report(
        self,
        on_range: Option<Callback<(usize, usize)>>,
        on_near_end: Option<Callback<()>>,
    ) {
        react(move || {
            let (range, count) = (self.range.get(), self.count.get());
            if let Some(on_range) = on_range {
                on_range.run(range);
            }
            if let Some(on_near_end) = on_near_end
                && count > 0
                && range.1 + NEAR_END >= count
            {
                on_near_end.run(());
            }
        });
    }

    /// Does what the parent asks for through the handle, once each.
    pub(super) fn obey(self) {
        react(move || {
            if let Some(wish) = self.handle.wish.get()
                && self.viewport.get().is_some()
            {
                self.handle.wish.update_untracked(|wish| *wish = None);
                untrack(|| self.follow(wish));
            }
        });
    }

    /// Returns whether row `index` is the one that Tab reaches.
    pub(super) fn is_tab_stop(self, index: usize) -> bool {
        let (start, end) = self.range.get();
        let active = self.handle.active.get();
        index == if (start..end).contains(&active) { active } else { start }
    }

    /// Takes row `index` for the one that the keyboard is at.
    pub(super) fn activate(self, index: usize) {
        self.handle.active.set(index);
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

    pub(super) fn on_keydown(self, event: &ev::KeyboardEvent, on_open: Option<Callback<usize>>) {
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

fn window(count: Signal<usize>, size: RwSignal<(f64, f64)>) -> Window {
    let (row_height, viewport) = size.get();
    Window { count: count.get(), row_height, viewport, overscan: OVERSCAN }
}
