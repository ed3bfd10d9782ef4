//! The rows that are drawn: a few rows of elements, which come to be others as the list scrolls by.
//! While it does, none is moved in the page; once it rests, they stand there as in the list.

use std::collections::VecDeque;
use std::ops::Range;

use web_sys::{Element, Node};

use super::{
    bundle::{Bundle, Sent},
    cell::Cell,
    nodes::Kinds,
    row::{Row, Stand},
};

/// How many rows the first drawn may lie from the one that places are counted from.
const BASE_FAR: usize = 1_000;

/// The rows that are drawn.
pub(super) struct Rows {
    parent: Element,
    template: Node,
    kinds: Kinds,
    bundle: Bundle,
    /// The first row drawn, and the one that all lie by.
    start: usize,
    base: usize,
    /// In the order of the list.
    drawn: VecDeque<Row>,
    /// Out of the page, for when more are needed.
    spare: Vec<Row>,
    /// The row that Tab reaches.
    stop: usize,
    /// Where in the page the next row comes to stand.
    end_place: usize,
    turned: bool,
}

impl Rows {
    pub(super) fn new(parent: Element, template: Node) -> Self {
        // A table that is built anew may get the elements of the one before.
        parent.set_text_content(None);
        Self {
            parent,
            template,
            kinds: Kinds::default(),
            bundle: Bundle::default(),
            start: 0,
            base: 0,
            drawn: VecDeque::new(),
            spare: Vec::new(),
            stop: 0,
            end_place: 0,
            turned: false,
        }
    }

    fn end(&self) -> usize {
        self.start + self.drawn.len()
    }

    /// Returns the row of the list that all others lie by.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    fn at(&mut self, index: usize) -> Option<&mut Row> {
        let start = self.start;
        index.checked_sub(start).and_then(|at| self.drawn.get_mut(at))
    }

    /// Returns the elements of a row that is drawn.
    pub(super) fn element(&self, index: usize) -> Option<Element> {
        let at = index.checked_sub(self.start)?;
        self.drawn.get(at).map(|row| (*row.element).clone())
    }

    /// Has as many rows as are in `range`. Those that stay in it are left alone, the others come to
    /// stand for what is new, once they are [filled and shown](Self::show). The focus that goes
    /// `from` one row `to` another, which was not drawn, takes its element along.
    pub(super) fn slide(&mut self, range: Range<usize>, leads: Option<(usize, usize)>) {
        let leads = leads.filter(|(_, to)| self.at(*to).is_none());
        let focused = leads.and_then(|(from, to)| Some((self.at(from)?.place, to)));
        self.turn(&range);
        let mut free = self.free(&range);
        while self.start > range.start
            && let Some(row) = self.take(&mut free)
        {
            self.drawn.push_front(row);
            self.start -= 1;
        }
        while self.end() < range.end
            && let Some(row) = self.take(&mut free)
        {
            self.drawn.push_back(row);
        }
        for row in &free {
            row.element.remove();
        }
        self.spare.append(&mut free);
        if let Some((place, to)) = focused {
            self.keep(place, to);
        }
        if self.start.abs_diff(self.base) > BASE_FAR {
            self.base = self.start;
        }
        let first = self.start.cast_signed() - self.base.cast_signed();
        for (at, row) in (first..).zip(&mut self.drawn) {
            row.lie(at, &mut self.bundle);
        }
    }

    /// Where none of the rows stays, all become others where they are.
    fn turn(&mut self, range: &Range<usize>) {
        if range.start < self.end() && self.start < range.end {
            return;
        }
        let moved = range.start.cast_signed() - self.start.cast_signed();
        self.base = self.base.checked_add_signed(moved).unwrap_or(range.start);
        self.start = range.start;
        self.turned = true;
    }

    /// Takes the rows out that are not in `range`, the first to be taken last.
    fn free(&mut self, range: &Range<usize>) -> Vec<Row> {
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

    fn take(&mut self, free: &mut Vec<Row>) -> Option<Row> {
        free.pop().or_else(|| {
            let mut row = self.spare.pop().or_else(|| Row::of(&self.template))?;
            row.place = self.end_place;
            self.end_place += 1;
            // A fresh row can stand anywhere.
            let _ = self.parent.append_child(&row.element);
            Some(row)
        })
    }

    /// Has the row at a place in the page stand for row `index`, and the one that did in its stead.
    fn keep(&mut self, place: usize, index: usize) {
        let has = self.drawn.iter().position(|row| row.place == place);
        let wants = index.checked_sub(self.start).filter(|at| *at < self.drawn.len());
        if let (Some(has), Some(wants)) = (has, wants) {
            self.drawn.swap(has, wants);
            self.turned = true;
        }
    }

    /// Returns whether rows have come to be others where they stood, once.
    pub(super) fn have_turned(&mut self) -> bool {
        std::mem::take(&mut self.turned)
    }

    /// Returns whether the rows stand in the page as in the list.
    pub(super) fn are_straight(&self) -> bool {
        self.drawn.iter().is_sorted_by_key(|row| row.place)
    }

    /// Has the rows stand in the page as in the list, for whom reads it in that order. The one that
    /// `active` is in is not moved, which would take the focus from it; beside that, the fewest.
    pub(super) fn straighten(&mut self, active: Option<&Element>) {
        if self.are_straight() {
            return;
        }
        let active = active.map(|element| &**element);
        let focused = self.drawn.iter().position(|row| row.element.contains(active));
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in 0..self.drawn.len() {
            match runs.last_mut() {
                Some(run) if self.drawn[at - 1].place < self.drawn[at].place => {
                    run.end = at + 1;
                }
                _ => runs.push(at..at + 1),
            }
        }
        let worth = |run: &Range<usize>| (focused.is_some_and(|at| run.contains(&at)), run.len());
        let Some(kept) = runs.into_iter().max_by_key(worth) else { return };
        let first: Option<&Node> = self.drawn.get(kept.start).map(|row| &**row.element);
        for row in self.drawn.range(..kept.start) {
            let _ = self.parent.insert_before(&row.element, first);
        }
        for row in self.drawn.range(kept.end..) {
            let _ = self.parent.append_child(&row.element);
        }
        for (place, row) in self.drawn.iter_mut().enumerate() {
            row.place = place;
        }
        self.end_place = self.drawn.len();
    }

    /// Returns whether what is drawn for a row is that row.
    pub(super) fn shows(&mut self, index: usize) -> bool {
        self.at(index).is_some_and(|row| row.index() == index)
    }

    /// Fills a row that is drawn, to be [shown](Self::show). One that waits has no name yet.
    pub(super) fn fill(
        &mut self,
        index: usize,
        named: (Option<String>, bool),
        cells: Vec<Cell>,
        (stand, now_ms): (Stand, f64),
    ) {
        let Some(at) = index.checked_sub(self.start) else { return };
        let Some(row) = self.drawn.get_mut(at) else { return };
        row.fill(index, named, cells, (&mut self.kinds, &mut self.bundle, now_ms));
        row.stand(stand);
    }

    /// Shows what rows were filled with, where they have come to lie.
    pub(super) fn show(&mut self) {
        if let Some(sent) = self.bundle.send(Sent::new) {
            self.drawn.iter_mut().for_each(|row| row.show(&sent));
        }
    }

    /// Takes in anew how each row stands.
    pub(super) fn stand(&mut self, stand: impl Fn(usize) -> Stand) {
        for (index, row) in (self.start..).zip(&mut self.drawn) {
            row.stand(stand(index));
        }
    }

    /// Has Tab reach the row that the keyboard is at; where that is not drawn, the one that it did
    /// reach; else one from the middle, which is drawn for longest while rows scroll by.
    pub(super) fn stop(&mut self, active: usize) {
        let drawn = self.start..self.end();
        let known = [active, self.stop].into_iter().find(|stop| drawn.contains(stop));
        self.stop = known.unwrap_or(drawn.start.midpoint(drawn.end));
        for (index, row) in drawn.zip(&mut self.drawn) {
            row.stop(index == self.stop);
        }
    }

    /// Says more of a row to whom looks at it.
    pub(super) fn tell(&mut self, index: usize) {
        if let Some(row) = self.at(index) {
            row.tell();
        }
    }

    /// Sets the box of a row to what it stands for.
    pub(super) fn show_check(&mut self, index: usize) {
        if let Some(row) = self.at(index) {
            row.show_check();
        }
    }

    /// Tells times anew.
    pub(super) fn pass(&mut self, now_ms: f64) {
        self.drawn.iter_mut().for_each(|row| row.pass(now_ms, &mut self.bundle));
        self.show();
    }
}
