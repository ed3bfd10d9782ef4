//! Draws the rows: their range, content and state.

use std::ops::Range;

use js_sys::Date;
use leptos::{html, prelude::*};

use super::{
    RowSelection,
    cell::Cell,
    column::Column,
    grid::GridState,
    row::{RowState, build_template},
    row_pool::RowPool,
};
use crate::ui::{run_effect, time::tracked_now_ms};

/// Inputs of the drawing.
#[derive(Clone, Copy)]
pub(super) struct RowDrawing {
    pub(super) grid: GridState,
    /// Container of the rows.
    pub(super) body: NodeRef<html::Div>,
    pub(super) columns: Signal<Vec<Column>>,
    pub(super) name: Option<Callback<usize, Option<String>>>,
    pub(super) current: Signal<Option<usize>>,
    pub(super) checks: Option<RowSelection>,
    pub(super) is_unread: Option<Callback<usize, bool>>,
}

impl RowDrawing {
    /// Starts drawing; continues until the table is disposed of.
    pub(super) fn start_drawing<K: PartialEq + 'static>(
        self,
        keys: impl Fn(Range<usize>) -> Vec<K> + 'static,
        row: impl Fn(usize) -> Vec<Cell> + 'static,
    ) {
        let Self { grid, current, checks, .. } = self;
        // Owner of the views inside of cells; they live as long as the table. Capturing the current
        // owner itself would be a cycle, and it would never be disposed of.
        let owner = Owner::new();
        let mut before = (0, Vec::new());
        run_effect(move || {
            let Some(body) = self.body.get() else { return };
            let (start, end) = grid.range.get();
            let now = keys(start..end);
            untrack(|| {
                self.create_rows(&body);
                grid.move_rows(start..end);
                let state = self.row_state();
                let now_ms = Date::now();
                for (index, key) in (start..).zip(&now) {
                    let at = index.checked_sub(before.0);
                    let is_same = at.and_then(|at| before.1.get(at)) == Some(key);
                    if !is_same || grid.with_rows(|rows| rows.shows_row(index)) != Some(true) {
                        self.fill_row(index, owner.with(|| row(index)), (state(index), now_ms));
                    }
                }
                grid.with_rows(RowPool::show_pending);
            });
            before = (start, now);
        });
        run_effect(move || {
            let active = grid.handle.active.get();
            grid.with_rows(|rows| rows.set_tab_stop(active));
        });
        run_effect(move || {
            current.track();
            checks.inspect(|checks| checks.any.track());
            untrack(|| {
                let state = self.row_state();
                grid.with_rows(|rows| rows.update_states(state));
            });
        });
        run_effect(move || {
            let now_ms = tracked_now_ms();
            grid.with_rows(|rows| rows.update_times(now_ms));
        });
    }

    fn create_rows(self, body: &web_sys::Element) {
        let is_there = self.grid.rows.try_with_value(Option::is_some).unwrap_or(true);
        if is_there {
            return;
        }
        let template = self.columns.with(|columns| build_template(columns, self.checks));
        let pool = template.map(|template| RowPool::new(body.clone(), template));
        self.grid.rows.try_set_value(pool);
    }

    fn fill_row(self, index: usize, cells: Vec<Cell>, state_and_offset: (RowState, f64)) {
        let name = self.name.map(|name| name.run(index));
        let is_waiting = name == Some(None);
        self.grid.with_rows(|rows| {
            rows.fill_row(index, (name.flatten(), is_waiting), cells, state_and_offset);
        });
    }

    /// Returns a function that returns the state of a row.
    fn row_state(self) -> impl Fn(usize) -> RowState {
        let current = self.current.get();
        let checks = self.checks.filter(|checks| checks.any.get());
        move |index| RowState {
            current: current == Some(index),
            selected: checks.is_some_and(|checks| checks.is_on.run(index)),
            unread: self.is_unread.is_some_and(|is_unread| is_unread.run(index)),
        }
    }
}
