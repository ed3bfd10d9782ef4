//! State of one mounted table: measurements, scroll position, drawn rows.

use std::{ops::Range, time::Duration};

use leptos::wasm_bindgen::JsCast;
use leptos::{ev, html, prelude::*};
use web_sys::Element;

use super::{
    RowSelection, SelectionChange, TableCommand, TableHandle, dom_bindings::FastElement,
    keys::RowCommand, resize::update_width_values, row_pool::RowPool,
};
use crate::ui::{
    calc::list_window::ListWindow, debounce::Debounce, is_disabled_single_key, resize_observer,
    run_effect, set_if_changed,
};

/// Delay of work that waits for the last key. Longer than the repeat interval of a held key.
const KEY_DELAY: Duration = Duration::from_millis(120);

/// Time without scrolling after which the track of a scaled list is realigned.
const REALIGN_DELAY: Duration = Duration::from_millis(250);
/// Number of rows drawn beyond each edge of the viewport.
const OVERSCAN_ROWS: usize = 6;

/// State of one mounted table.
#[derive(Clone, Copy)]
pub(super) struct GridState {
    pub(super) viewport: NodeRef<html::Div>,
    /// Drawn rows; `None` until their container is mounted.
    pub(super) rows: StoredValue<Option<RowPool>, LocalStorage>,
    count: Signal<usize>,
    /// Heights of a row and of the space for rows, in px.
    heights: RwSignal<(f64, f64)>,
    /// Scroll positions of the list and of its track, in px. Not a signal: scrolling changes few of
    /// the derived values, so the code that sets the positions also updates those.
    pub(super) scroll_positions: StoredValue<(f64, f64)>,
    /// Work deferred until scrolling stops (`realign_timer`) or until no further key follows
    /// (`key_timer`).
    realign_timer: Debounce,
    pub(super) key_timer: Debounce,
    /// Drawn rows, end exclusive.
    pub(super) range: RwSignal<(usize, usize)>,
    /// Track position in px of the base row. All rows are relative to it.
    pub(super) offset: RwSignal<f64>,
    /// Origin and target of a focus move in progress.
    pub(super) focus_move: StoredValue<Option<(usize, usize)>>,
    pub(super) handle: TableHandle,
}

impl GridState {
    pub(super) fn new(count: Signal<usize>, row_height: f64, handle: TableHandle) -> Self {
        let size = RwSignal::new((row_height, 600.0));
        let rows = StoredValue::new_local(None);
        Self {
            viewport: NodeRef::new(),
            rows,
            count,
            heights: size,
            scroll_positions: StoredValue::new((0.0, 0.0)),
            realign_timer: Debounce::new(REALIGN_DELAY),
            key_timer: Debounce::new(KEY_DELAY),
            range: RwSignal::new((0, 0)),
            offset: RwSignal::new(0.0),
            focus_move: StoredValue::new(None),
            handle,
        }
    }

    /// Starts measuring, reporting the drawn rows and executing the handle's commands.
    pub(super) fn start_tracking(self, on_range: Option<Callback<(usize, usize)>>) {
        run_effect(move || {
            let window = self.window();
            untrack(|| self.update_range(&window));
        });
        self.observe_size();
        self.report_range(on_range);
        self.run_handle_commands();
    }

    fn window(self) -> ListWindow {
        list_window(self.count, self.heights)
    }

    /// Returns the height of the track, in px.
    pub(super) fn track_height(self) -> f64 {
        self.window().track_height()
    }

    /// Recalculates the range and the offset of the drawn rows.
    fn update_range(self, window: &ListWindow) {
        let Some((list_top, track_top)) = self.scroll_positions.try_get_value() else { return };
        let range = window.drawn_range(list_top);
        set_if_changed(self.range, (range.start, range.end));
        let base = self.with_rows(|rows| rows.base()).unwrap_or_default();
        let offset = window.row_offset(base, list_top, track_top);
        set_if_changed(self.offset, offset);
    }

    /// Moves the drawn rows to `range`.
    pub(super) fn move_rows(self, range: Range<usize>) {
        let focus_move = self.focus_move.try_get_value().flatten();
        let active = self.active_row();
        let are_in_order = self.with_rows(|rows| {
            rows.move_to(range, focus_move);
            // Before the rows are filled: a row that loses the tab stop, even for a moment, makes
            // the browser check the focus.
            rows.set_tab_stop(active);
            rows.is_in_order()
        });
        self.update_range(&untrack(|| self.window()));
        if are_in_order == Some(false) {
            self.realign_timer.schedule(move || self.realign_rows_and_track());
        }
    }

    /// Runs `run` on the drawn rows. Returns `None` while the table is being mounted or disposed
    /// of.
    pub(super) fn with_rows<T>(self, run: impl FnOnce(&mut RowPool) -> T) -> Option<T> {
        self.rows.try_update_value(|rows| rows.as_mut().map(run)).flatten()
    }

    pub(super) fn row_element(self, index: usize) -> Option<Element> {
        self.with_rows(|rows| rows.row_element(index)).flatten()
    }

    /// Measures the heights that `style/` sets. Without a row height the previous one remains.
    fn measure_heights(self) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        let height = |selector: &str| {
            let found = viewport.query_selector(selector).ok().flatten();
            found.map_or(0.0, |element| element.get_bounding_client_rect().height())
        };
        let row = height(".grid-probe");
        let head = height(".grid-head");
        update_width_values(&viewport);
        let room = f64::from(viewport.client_height()) - head;
        let position = self.handle.position.get_untracked();
        let before = self.heights.get_untracked().0;
        self.heights.maybe_update(|size| {
            let before = *size;
            *size = (if row > 0.0 { row } else { before.0 }, room.max(0.0));
            *size != before
        });
        // The row height changed: keep the same rows in view.
        let now = self.heights.get_untracked().0;
        if (now - before).abs() > 0.5 && position > 0.0 {
            self.handle.restore_position(position);
        }
    }

    /// Measures again whenever the viewport or the row height changes.
    fn observe_size(self) {
        self.viewport.on_load(move |viewport| {
            self.measure_heights();
            let Some(observer) = resize_observer(move || self.measure_heights()) else { return };
            observer.observe(&viewport);
            if let Ok(Some(probe)) = viewport.query_selector(".grid-probe") {
                observer.observe(&probe);
            }
        });
    }

    fn scroll_to(self, list_top: f64) {
        let window = untrack(|| self.window());
        self.set_scroll_positions(list_top.min(window.list_height()), window.track_top(list_top));
    }

    /// Scrolls the track to `track_top`, which then corresponds to `list_top`.
    fn set_scroll_positions(self, list_top: f64, track_top: f64) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        viewport.unchecked_ref::<FastElement>().set_scroll_top(track_top);
        // Read the position back: the browser may round it, and the track may not be as high yet.
        self.apply_scroll_positions(&viewport, list_top, f64::from(viewport.scroll_top()));
    }

    fn apply_scroll_positions(self, viewport: &Element, list_top: f64, track_top: f64) {
        let window = untrack(|| self.window());
        let list_top = if window.is_shrunk() { list_top } else { track_top };
        self.scroll_positions.set_value((list_top, track_top));
        set_if_changed(self.handle.position, list_top / window.row_height);
        self.update_range(&window);
        self.rescue_focus(&window, viewport);
    }

    pub(super) fn on_scroll(self) {
        let Some(viewport) = self.viewport.get_untracked() else { return };
        let now = f64::from(viewport.scroll_top());
        let ((list_top, before), window) =
            (self.scroll_positions.get_value(), untrack(|| self.window()));
        let list_top = window.scroll_by_track(list_top, before, now);
        if window.is_stuck(list_top, now) {
            self.set_scroll_positions(list_top, window.track_top(list_top));
        } else if (now - before).abs() > f64::EPSILON {
            self.apply_scroll_positions(&viewport, list_top, now);
        }
        if window.is_shrunk() {
            self.realign_timer.schedule(move || self.realign_rows_and_track());
        }
    }

    /// Restores the DOM order of the rows and realigns the track of a scaled list.
    fn realign_rows_and_track(self) {
        let focused = document().active_element();
        self.with_rows(|rows| rows.restore_order(focused.as_ref()));
        let Some((list_top, track_top)) = self.scroll_positions.try_get_value() else { return };
        let straight = untrack(|| self.window()).track_top(list_top);
        if (straight - track_top).abs() > 1.0 {
            self.set_scroll_positions(list_top, straight);
        }
    }

    pub(super) fn show_row(self, index: usize) {
        let window = untrack(|| self.window());
        let list_top = self.scroll_positions.get_value().0;
        let to = window.scroll_to(index, list_top);
        // Skip the scroll if the row is visible: reading the position back would force a layout.
        if (to - list_top).abs() > 0.5 {
            self.scroll_to(to);
        }
    }

    /// Reports the drawn rows to the parent.
    fn report_range(self, on_range: Option<Callback<(usize, usize)>>) {
        run_effect(move || {
            let range = self.range.get();
            if let Some(on_range) = on_range {
                on_range.run(range);
            }
        });
    }

    /// Executes each command of the handle once.
    fn run_handle_commands(self) {
        run_effect(move || {
            if let Some(command) = self.handle.command.get()
                && self.viewport.get().is_some()
            {
                self.handle.command.update_untracked(|command| *command = None);
                untrack(|| self.run_command(command));
            }
        });
    }

    /// Returns the index of the active row.
    pub(super) fn active_row(self) -> usize {
        self.handle.active.get_untracked()
    }

    /// Makes row `index` the active row.
    pub(super) fn set_active_row(self, index: usize) {
        self.handle.active.set(index);
    }

    fn run_command(self, command: TableCommand) {
        match command {
            TableCommand::Show(index) => self.show_row(index),
            TableCommand::Focus(index) => self.focus_row(index),
            TableCommand::Restore(position) => {
                let window = untrack(|| self.window());
                self.scroll_to(window.scroll_to_position(position));
            }
        }
    }

    pub(super) fn on_keydown(
        self,
        event: &ev::KeyboardEvent,
        on_open: Option<Callback<usize>>,
        checks: Option<RowSelection>,
    ) {
        let in_control =
            || RowCommand::is_in_control(event, self.row_element(self.active_row()).as_ref());
        if is_disabled_single_key(event) || in_control() {
            return;
        }
        let key = event.key();
        if checks.is_some_and(|checks| checks.on_key(event, &key, self.active_row())) {
            event.prevent_default();
            return;
        }
        let Some(step) = RowCommand::from_event(event, &key) else { return };
        let count = self.count.get_untracked();
        if count == 0 {
            return;
        }
        event.prevent_default();
        let active = self.active_row().min(count - 1);
        let page = untrack(|| self.window()).rows_per_page();
        match step.target_row(active, count, page) {
            Some(target) => {
                self.focus_row(target);
                if let Some(checks) = checks.filter(|_| event.shift_key()) {
                    checks.on_pick.run(SelectionChange::Range { from: active, to: target });
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

fn list_window(count: Signal<usize>, size: RwSignal<(f64, f64)>) -> ListWindow {
    let (row_height, viewport) = size.get();
    ListWindow { count: count.get(), row_height, viewport, overscan: OVERSCAN_ROWS }
}
