//! The drawn rows: a small pool of elements that are recycled as the list scrolls. Scrolling moves
//! no element in the DOM; once it stops, the list order is restored there.

use std::collections::VecDeque;
use std::ops::Range;

use web_sys::{Element, Node};

use super::{
    cell::Cell,
    cell_nodes::NodeTemplates,
    row::{RowElement, RowState},
    text_transfer::{SentTexts, TextBundle},
};

/// Maximum distance of the first drawn row from the base row, in rows.
const BASE_DISTANCE_MAX: usize = 1_000;

/// Drawn rows.
pub(super) struct RowPool {
    parent: Element,
    template: Node,
    kinds: NodeTemplates,
    bundle: TextBundle,
    /// Indices of the first drawn row and of the base row. Positions are relative to the latter.
    start: usize,
    base: usize,
    /// Drawn rows in list order.
    drawn: VecDeque<RowElement>,
    /// Elements outside of the DOM, for reuse.
    spare: Vec<RowElement>,
    /// Index of the tab stop.
    tab_stop: usize,
    /// DOM position of the next added row.
    next_dom_position: usize,
    /// Whether rows were recycled in place since the last [`take_recycled`](Self::take_recycled).
    recycled: bool,
}

impl RowPool {
    pub(super) fn new(parent: Element, template: Node) -> Self {
        // A rebuilt table may reuse the container of the previous one.
        parent.set_text_content(None);
        Self {
            parent,
            template,
            kinds: NodeTemplates::default(),
            bundle: TextBundle::default(),
            start: 0,
            base: 0,
            drawn: VecDeque::new(),
            spare: Vec::new(),
            tab_stop: 0,
            next_dom_position: 0,
            recycled: false,
        }
    }

    fn end(&self) -> usize {
        self.start + self.drawn.len()
    }

    /// Returns the index of the base row.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    fn drawn_row(&mut self, index: usize) -> Option<&mut RowElement> {
        let start = self.start;
        index.checked_sub(start).and_then(|at| self.drawn.get_mut(at))
    }

    /// Returns the element of a drawn row.
    pub(super) fn row_element(&self, index: usize) -> Option<Element> {
        let at = index.checked_sub(self.start)?;
        self.drawn.get(at).map(|row| (*row.element).clone())
    }

    /// Changes the drawn rows to `range`. Rows that remain in it are not touched; the others are
    /// recycled, and visible after they were [filled and shown](Self::show_pending). If the focus
    /// moves `from` a drawn row `to` one that was not drawn, its element is recycled for that row.
    pub(super) fn move_to(&mut self, range: Range<usize>, focus: Option<(usize, usize)>) {
        let focus = focus.filter(|(_, to)| self.drawn_row(*to).is_none());
        let focused = focus.and_then(|(from, to)| Some((self.drawn_row(from)?.dom_position, to)));
        self.recycle_in_place(&range);
        let mut free = self.take_outside(&range);
        while self.start > range.start
            && let Some(row) = self.next_row(&mut free)
        {
            self.drawn.push_front(row);
            self.start -= 1;
        }
        while self.end() < range.end
            && let Some(row) = self.next_row(&mut free)
        {
            self.drawn.push_back(row);
        }
        for row in &free {
            row.element.remove();
        }
        self.spare.append(&mut free);
        if let Some((position, to)) = focused {
            self.swap_to(position, to);
        }
        if self.start.abs_diff(self.base) > BASE_DISTANCE_MAX {
            self.base = self.start;
        }
        let first = self.start.cast_signed() - self.base.cast_signed();
        for (at, row) in (first..).zip(&mut self.drawn) {
            row.set_position(at, &mut self.bundle);
        }
    }

    /// Recycles all rows in place if no row remains in `range`.
    fn recycle_in_place(&mut self, range: &Range<usize>) {
        if range.start < self.end() && self.start < range.end {
            return;
        }
        let shift = range.start.cast_signed() - self.start.cast_signed();
        self.base = self.base.checked_add_signed(shift).unwrap_or(range.start);
        self.start = range.start;
        self.recycled = true;
    }

    /// Removes the rows outside of `range` from `drawn`. The first one to reuse is the last.
    fn take_outside(&mut self, range: &Range<usize>) -> Vec<RowElement> {
        let mut free = Vec::new();
        while self.end() > range.end
            && let Some(row) = self.drawn.pop_back()
        {
            free.push(row);
        }
        while self.start < range.start
            && let Some(row) = self.drawn.pop_front()
        {
            self.start += 1;
            free.push(row);
        }
        if self.drawn.is_empty() {
            self.start = range.start;
        }
        free.reverse();
        free
    }

    fn next_row(&mut self, free: &mut Vec<RowElement>) -> Option<RowElement> {
        free.pop().or_else(|| {
            let mut row = self.spare.pop().or_else(|| RowElement::from_template(&self.template))?;
            row.dom_position = self.next_dom_position;
            self.next_dom_position += 1;
            // A detached row can be appended anywhere.
            let _ = self.parent.append_child(&row.element);
            Some(row)
        })
    }

    /// Swaps two rows so that the element at a DOM position shows row `index`.
    fn swap_to(&mut self, position: usize, index: usize) {
        let has = self.drawn.iter().position(|row| row.dom_position == position);
        let target = index.checked_sub(self.start).filter(|at| *at < self.drawn.len());
        if let (Some(has), Some(target)) = (has, target) {
            self.drawn.swap(has, target);
            self.recycled = true;
        }
    }

    /// Returns whether rows were recycled in place since the last call.
    pub(super) fn take_recycled(&mut self) -> bool {
        std::mem::take(&mut self.recycled)
    }

    /// Returns whether the DOM order is the list order.
    pub(super) fn is_in_order(&self) -> bool {
        self.drawn.iter().is_sorted_by_key(|row| row.dom_position)
    }

    /// Restores the list order in the DOM, which screen readers read. The row with the `active`
    /// element is not moved, because it would lose the focus. Without such a row, the longest
    /// ordered run is not moved.
    pub(super) fn restore_order(&mut self, active: Option<&Element>) {
        if self.is_in_order() {
            return;
        }
        let active = active.map(|element| &**element);
        let focused = self.drawn.iter().position(|row| row.element.contains(active));
        // Split the rows into runs that are in order. The run with the focus, or else the longest,
        // stays.
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in 0..self.drawn.len() {
            match runs.last_mut() {
                Some(run) if self.drawn[at - 1].dom_position < self.drawn[at].dom_position => {
                    run.end = at + 1;
                }
                _ => runs.push(at..at + 1),
            }
        }
        let worth = |run: &Range<usize>| (focused.is_some_and(|at| run.contains(&at)), run.len());
        let Some(longest_run) = runs.into_iter().max_by_key(worth) else { return };
        let first: Option<&Node> = self.drawn.get(longest_run.start).map(|row| &**row.element);
        for row in self.drawn.range(..longest_run.start) {
            let _ = self.parent.insert_before(&row.element, first);
        }
        for row in self.drawn.range(longest_run.end..) {
            let _ = self.parent.append_child(&row.element);
        }
        for (position, row) in self.drawn.iter_mut().enumerate() {
            row.dom_position = position;
        }
        self.next_dom_position = self.drawn.len();
    }

    /// Returns whether the element of row `index` shows that row.
    pub(super) fn shows_row(&mut self, index: usize) -> bool {
        self.drawn_row(index).is_some_and(|row| row.index() == index)
    }

    /// Fills a drawn row; [`Self::show_pending`] displays it. A row that is still loading has
    /// no name.
    pub(super) fn fill_row(
        &mut self,
        index: usize,
        named: (Option<String>, bool),
        cells: Vec<Cell>,
        (stand, now_ms): (RowState, f64),
    ) {
        let Some(at) = index.checked_sub(self.start) else { return };
        let Some(row) = self.drawn.get_mut(at) else { return };
        row.fill_cells(index, named, cells, (&mut self.kinds, &mut self.bundle, now_ms));
        row.set_state(stand);
    }

    /// Sends the collected texts and displays them.
    pub(super) fn show_pending(&mut self) {
        if let Some(sent) = self.bundle.flush_to(SentTexts::new) {
            self.drawn.iter_mut().for_each(|row| row.show_pending(&sent));
        }
    }

    /// Updates the state of each row.
    pub(super) fn update_states(&mut self, state: impl Fn(usize) -> RowState) {
        for (index, row) in (self.start..).zip(&mut self.drawn) {
            row.set_state(state(index));
        }
    }

    /// Sets the tab stop to the active row. If that is not drawn, the previous tab stop remains; if
    /// that is not drawn either, a row in the middle, which is drawn longest while scrolling.
    pub(super) fn set_tab_stop(&mut self, active: usize) {
        let drawn = self.start..self.end();
        let known = [active, self.tab_stop].into_iter().find(|stop| drawn.contains(stop));
        self.tab_stop = known.unwrap_or(drawn.start.midpoint(drawn.end));
        for (index, row) in drawn.zip(&mut self.drawn) {
            row.set_tab_stop(index == self.tab_stop);
        }
    }

    /// Sets the tooltips of a row.
    pub(super) fn set_tooltips(&mut self, index: usize) {
        if let Some(row) = self.drawn_row(index) {
            row.set_tooltips();
        }
    }

    /// Sets the check box of a row to its state.
    pub(super) fn show_check(&mut self, index: usize) {
        if let Some(row) = self.drawn_row(index) {
            row.show_check();
        }
    }

    /// Updates relative times.
    pub(super) fn update_times(&mut self, now_ms: f64) {
        self.drawn.iter_mut().for_each(|row| row.update_times(now_ms, &mut self.bundle));
        self.show_pending();
    }
}
