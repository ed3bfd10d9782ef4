//! State of one mounted table: measurements, scroll position, drawn rows.

use std::{ops::Range, time::Duration};

use leptos::wasm_bindgen::{JsCast, closure::Closure};
use leptos::{ev, html, prelude::*};
use web_sys::{Element, ResizeObserver};

use super::{
    Checks, Pick, TableHandle, Wish, keys::Step, resize::tell_widths, rows::Rows, write::Quick,
};
use crate::ui::{
    calc::window::{Align, Window},
    debounce::Debounce,
    is_switched_off, react,
};

/// Delay of work that waits for the last key. Longer than the repeat interval of a held key.
const MOMENT: Duration = Duration::from_millis(120);

/// Time without scrolling after which the track of a scaled list is realigned.
const RESTS: Duration = Duration::from_millis(250);
/// Number of rows drawn beyond each edge of the viewport.
const OVERSCAN: usize = 6;

/// State of one mounted table.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) viewport: NodeRef<html::Div>,
    /// Drawn rows; `None` until their container is mounted.
    pub(super) rows: StoredValue<Option<Rows>, LocalStorage>,
    count: Signal<usize>,
    /// Heights of a row and of the space for rows, in px.
    size: RwSignal<(f64, f64)>,
    /// Scroll positions of the list and of its track, in px. Not a signal: scrolling changes few of
    /// the derived values, so the code that sets the positions also updates those.
    pub(super) top: StoredValue<(f64, f64)>,
    /// Work deferred until scrolling stops (`rest`) or until no further key follows (`moment`).
    rest: Debounce,
    pub(super) moment: Debounce,
    /// Drawn rows, end exclusive.
    pub(super) range: RwSignal<(usize, usize)>,
    /// Track position in px of the base row. All rows are relative to it.
    pub(super) offset: RwSignal<f64>,
    /// Origin and target of a focus move in progress.
    pub(super) leads: StoredValue<Option<(usize, usize)>>,
    pub(super) handle: TableHandle,
}

impl Grid {
    pub(super) fn new(count: Signal<usize>, row_height: f64, handle: TableHandle) -> Self {
        let size = RwSignal::new((row_height, 600.0));
        let rows = StoredValue::new_local(None);
        Self {
            viewport: NodeRef::new(),
            rows,
            count,
            size,
            top: StoredValue::new((0.0, 0.0)),
            rest: Debounce::new(RESTS),
            moment: Debounce::new(MOMENT),
            range: RwSignal::new((0, 0)),
            offset: RwSignal::new(0.0),
            leads: StoredValue::new(None),
            handle,
        }
    }

    /// Starts measuring, reporting the drawn rows and executing the handle's commands.
    pub(super) fn begin(self, on_range: Option<Callback<(usize, usize)>>) {
        react(move || {
            let window = self.window();
            untrack(|| self.place(&window));
        });
        self.observe();
        self.report(on_range);
        self.obey();
    }

    fn window(self) -> Window {
        window(self.count, self.size)
    }

    /// Returns the height of the track, in px.
    pub(super) fn track_height(self) -> f64 {
        self.window().track_height()
    }

    /// Recalculates the range and the offset of the drawn rows.
    fn place(self, window: &Window) {
        let Some((list_top, track_top)) = self.top.try_get_value() else { return };
        let range = window.range(list_top);
        self.range.try_maybe_update(|now| (set(now, (range.start, range.end)), ()));
        let base = self.with_rows(|rows| rows.base()).unwrap_or_default();
        let offset = window.offset(base, list_top, track_top);
        self.offset.try_maybe_update(|now| (set(now, offset), ()));
    }

    /// Moves the drawn rows to `range`.
    pub(super) fn slide(self, range: Range<usize>) {
        let (leads, active) = (self.leads.try_get_value().flatten(), self.active());
        let are_straight = self.with_rows(|rows| {
            rows.slide(range, leads);
            // Before the rows are filled: a row that loses the tab stop, even for a moment, makes
            // the browser check the focus.
            rows.stop(active);
            rows.are_straight()
        });
        self.place(&untrack(|| self.window()));
        if are_straight == Some(false) {
            self.rest.ask(move || self.straighten());
        }
    }

    /// Runs `act` on the drawn rows. Returns `None` while the table is being mounted or disposed
    /// of.
    pub(super) fn with_rows<T>(self, act: impl FnOnce(&mut Rows) -> T) -> Option<T> {
        self.rows.try_update_value(|rows| rows.as_mut().map(act)).flatten()
    }

    pub(super) fn element(self, index: usize) -> Option<Element> {
        self.with_rows(|rows| rows.element(index)).flatten()
    }

    /// Measures the heights that `style/` sets. Without a row height the previous one remains.
    fn measure(self) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        let height = |selector: &str| {
            let found = viewport.query_selector(selector).ok().flatten();
            found.map_or(0.0, |element| element.get_bounding_client_rect().height())
        };
        let (row, head) = (height(".grid-probe"), height(".grid-head"));
        tell_widths(&viewport);
        let room = f64::from(viewport.client_height()) - head;
        let position = self.handle.position.get_untracked();
        let before = self.size.get_untracked().0;
        self.size.maybe_update(|size| {
            let before = *size;
            *size = (if row > 0.0 { row } else { before.0 }, room.max(0.0));
            *size != before
        });
        // The row height changed: keep the same rows in view.
        let now = self.size.get_untracked().0;
        if (now - before).abs() > 0.5 && position > 0.0 {
            self.handle.restore(position);
        }
    }

    /// Measures again whenever the viewport or the row height changes.
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

    fn scroll_to(self, list_top: f64) {
        let window = untrack(|| self.window());
        self.put(list_top.min(window.list_height()), window.track_top(list_top));
    }

    /// Scrolls the track to `track_top`, which then corresponds to `list_top`.
    fn put(self, list_top: f64, track_top: f64) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        viewport.unchecked_ref::<Quick>().set_scroll_top(track_top);
        // Read the position back: the browser may round it, and the track may not be as high yet.
        self.stand(&viewport, list_top, f64::from(viewport.scroll_top()));
    }

    fn stand(self, viewport: &Element, list_top: f64, track_top: f64) {
        let window = untrack(|| self.window());
        let list_top = if window.is_shrunk() { list_top } else { track_top };
        self.top.set_value((list_top, track_top));
        self.handle.position.maybe_update(|now| set(now, list_top / window.row_height));
        self.place(&window);
        self.keep_focus(&window, viewport);
    }

    pub(super) fn on_scroll(self) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        let now = f64::from(viewport.scroll_top());
        let ((list_top, before), window) = (self.top.get_value(), untrack(|| self.window()));
        let list_top = window.follow(list_top, before, now);
        if window.is_stuck(list_top, now) {
            self.put(list_top, window.track_top(list_top));
        } else if (now - before).abs() > f64::EPSILON {
            self.stand(&viewport, list_top, now);
        }
        if window.is_shrunk() {
            self.rest.ask(move || self.straighten());
        }
    }

    /// Restores the DOM order of the rows and realigns the track of a scaled list.
    fn straighten(self) {
        let focused = document().active_element();
        self.with_rows(|rows| rows.straighten(focused.as_ref()));
        let Some((list_top, track_top)) = self.top.try_get_value() else { return };
        let straight = untrack(|| self.window()).track_top(list_top);
        if (straight - track_top).abs() > 1.0 {
            self.put(list_top, straight);
        }
    }

    pub(super) fn show(self, index: usize) {
        let (window, list_top) = (untrack(|| self.window()), self.top.get_value().0);
        let to = window.scroll_to(index, Align::Nearest, list_top);
        // Skip the scroll if the row is visible: reading the position back would force a layout.
        if (to - list_top).abs() > 0.5 {
            self.scroll_to(to);
        }
    }

    /// Reports the drawn rows to the parent.
    fn report(self, on_range: Option<Callback<(usize, usize)>>) {
        react(move || {
            let range = self.range.get();
            if let Some(on_range) = on_range {
                on_range.run(range);
            }
        });
    }

    /// Executes each command of the handle once.
    fn obey(self) {
        react(move || {
            if let Some(wish) = self.handle.wish.get()
                && self.viewport.get().is_some()
            {
                self.handle.wish.update_untracked(|wish| *wish = None);
                untrack(|| self.follow(wish));
            }
        });
    }

    /// Returns the index of the active row.
    pub(super) fn active(self) -> usize {
        self.handle.active.get_untracked()
    }

    /// Makes row `index` the active row.
    pub(super) fn activate(self, index: usize) {
        self.handle.active.set(index);
    }

    fn follow(self, wish: Wish) {
        match wish {
            Wish::Show(index) => self.show(index),
            Wish::Focus(index) => self.focus(index),
            Wish::Place(position) => {
                let window = untrack(|| self.window());
                self.scroll_to(window.scroll_to_position(position));
            }
        }
    }

    pub(super) fn on_keydown(
        self,
        event: &ev::KeyboardEvent,
        on_open: Option<Callback<usize>>,
        checks: Option<Checks>,
    ) {
        let in_control = || Step::is_in_control(event, self.element(self.active()).as_ref());
        if is_switched_off(event) || in_control() {
            return;
        }
        let key = event.key();
        if checks.is_some_and(|checks| checks.on_key(event, &key, self.active())) {
            event.prevent_default();
            return;
        }
        let Some(step) = Step::of(event, &key) else { return };
        let count = self.count.get_untracked();
        if count == 0 {
            return;
        }
        event.prevent_default();
        let active = self.active().min(count - 1);
        let page = untrack(|| self.window()).rows_per_page();
        match step.target(active, count, page) {
            Some(target) => {
                self.focus(target);
                if let Some(checks) = checks.filter(|_| event.shift_key()) {
                    checks.on_pick.run(Pick::Range { from: active, to: target });
                }
            }
            None => {
                if let Some(on_open) = on_open {
                    on_open.run(active);
                }
            }
        }
    }
}

fn set<T: PartialEq>(now: &mut T, then: T) -> bool {
    let changed = *now != then;
    *now = then;
    changed
}

fn window(count: Signal<usize>, size: RwSignal<(f64, f64)>) -> Window {
    let (row_height, viewport) = size.get();
    Window { count: count.get(), row_height, viewport, overscan: OVERSCAN }
}
