//! Draws the rows: their range, content and state.

use std::ops::Range;

use js_sys::Date;
use leptos::{html, prelude::*};

use super::{
    Checks,
    cell::Cell,
    column::Column,
    grid::Grid,
    row::{Stand, template},
    rows::Rows,
};
use crate::ui::{react, time::present_ms};

/// Inputs of the drawing.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub(super) grid: Grid,
    /// Container of the rows.
    pub(super) body: NodeRef<html::Div>,
    pub(super) columns: Signal<Vec<Column>>,
    pub(super) name: Option<Callback<usize, Option<String>>>,
    pub(super) current: Signal<Option<usize>>,
    pub(super) checks: Option<Checks>,
}

impl Draw {
    /// Starts drawing; continues until the table is disposed of.
    pub(super) fn begin<K: PartialEq + 'static>(
        self,
        keys: impl Fn(Range<usize>) -> Vec<K> + 'static,
        row: impl Fn(usize) -> Vec<Cell> + 'static,
    ) {
        let Self { grid, current, checks, .. } = self;
        // Owner of the views inside of cells; they live as long as the table. Capturing the current
        // owner itself would be a cycle, and it would never be disposed of.
        let owner = Owner::new();
        let mut before = (0, Vec::new());
        react(move || {
            let Some(body) = self.body.get() else { return };
            let (start, end) = grid.range.get();
            let now = keys(start..end);
            untrack(|| {
                self.make(&body);
                grid.slide(start..end);
                let (stand, now_ms) = (self.stand(), Date::now());
                for (index, key) in (start..).zip(&now) {
                    let at = index.checked_sub(before.0);
                    let same = at.and_then(|at| before.1.get(at)) == Some(key);
                    if !same || grid.with_rows(|rows| rows.shows(index)) != Some(true) {
                        self.fill(index, owner.with(|| row(index)), (stand(index), now_ms));
                    }
                }
                grid.with_rows(Rows::show);
            });
            before = (start, now);
        });
        react(move || {
            let active = grid.handle.active.get();
            grid.with_rows(|rows| rows.stop(active));
        });
        react(move || {
            current.track();
            checks.inspect(|checks| checks.any.track());
            untrack(|| {
                let stand = self.stand();
                grid.with_rows(|rows| rows.stand(stand));
            });
        });
        react(move || {
            let now_ms = present_ms();
            grid.with_rows(|rows| rows.pass(now_ms));
        });
    }

    fn make(self, body: &web_sys::Element) {
        let is_there = self.grid.rows.try_with_value(Option::is_some).unwrap_or(true);
        if is_there {
            return;
        }
        let template = self.columns.with(|columns| template(columns, self.checks));
        let made = template.map(|template| Rows::new(body.clone(), template));
        self.grid.rows.try_set_value(made);
    }

    fn fill(self, index: usize, cells: Vec<Cell>, how: (Stand, f64)) {
        let name = self.name.map(|name| name.run(index));
        let waits = name == Some(None);
        self.grid.with_rows(|rows| rows.fill(index, (name.flatten(), waits), cells, how));
    }

    /// Returns a function that returns the state of a row.
    fn stand(self) -> impl Fn(usize) -> Stand {
        let current = self.current.get();
        let checks = self.checks.filter(|checks| checks.any.get());
        move |index| Stand {
            current: current == Some(index),
            selected: checks.is_some_and(|checks| checks.is_on.run(index)),
        }
    }
}
