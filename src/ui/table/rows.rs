//! The rows that are drawn: a few rows of elements, which go from one end to the other as the list
//! scrolls by. None is built where another has become free.

use std::collections::VecDeque;
use std::ops::Range;

use web_sys::{Element, Node};

use super::{
    cell::{Cell, Kinds},
    row::{Row, Stand},
};

/// The rows that are drawn.
pub(super) struct Rows {
    parent: Element,
    template: Node,
    kinds: Kinds,
    /// The first row drawn.
    start: usize,
    drawn: VecDeque<Row>,
    /// Out of the page, for when more are needed.
    spare: Vec<Row>,
    /// The row that Tab reaches.
    stop: usize,
    turned: bool,
}

impl Rows {
    pub(super) fn new(parent: Element, template: Node) -> Self {
        // A table that is built anew may get the elements of the one before.
        parent.set_text_content(None);
        let (kinds, drawn, spare) = (Kinds::default(), VecDeque::new(), Vec::new());
        Self { parent, template, kinds, start: 0, drawn, spare, stop: 0, turned: false }
    }

    fn end(&self) -> usize {
        self.start + self.drawn.len()
    }

    fn at(&mut self, index: usize) -> Option<&mut Row> {
        let start = self.start;
        index.checked_sub(start).and_then(|at| self.drawn.get_mut(at))
    }

    /// Returns the elements of a row that is drawn.
    pub(super) fn element(&self, index: usize) -> Option<Element> {
        let at = index.checked_sub(self.start)?;
        self.drawn.get(at).map(|row| row.element.clone())
    }

    /// Has as many rows as are in `range`, in their order, and returns whether those that were
    /// drawn before are where they were. The others show what they will until they are filled.
    pub(super) fn slide(&mut self, range: Range<usize>) -> bool {
        let kept = range.end.min(self.end()).saturating_sub(range.start.max(self.start));
        // Where few rows stay it costs less to fill all of them where they stand.
        let turns = kept * 2 < self.drawn.len();
        if turns {
            self.start = range.start;
        }
        self.turned |= turns;
        let mut free = Vec::new();
        while self.start < range.start
            && let Some(row) = self.drawn.pop_front()
        {
            self.start += 1;
            free.push(row);
        }
        while self.end() > range.end
            && let Some(row) = self.drawn.pop_back()
        {
            free.push(row);
        }
        if self.drawn.is_empty() {
            self.start = range.start;
        }
        while self.start > range.start
            && let Some(row) = self.take(&mut free)
        {
            let first = self.drawn.front().map(|row| &*row.element);
            // The first of its children stands in it.
            let _ = self.parent.insert_before(&row.element, first);
            self.drawn.push_front(row);
            self.start -= 1;
        }
        while self.end() < range.end
            && let Some(row) = self.take(&mut free)
        {
            let _ = self.parent.append_child(&row.element);
            self.drawn.push_back(row);
        }
        for row in &free {
            row.element.remove();
        }
        self.spare.append(&mut free);
        !turns
    }

    /// Returns whether rows have come to be others where they stood, once.
    pub(super) fn have_turned(&mut self) -> bool {
        std::mem::take(&mut self.turned)
    }

    fn take(&mut self, free: &mut Vec<Row>) -> Option<Row> {
        free.pop().or_else(|| self.spare.pop()).or_else(|| Row::of(&self.template))
    }

    /// Fills a row that is drawn. One that waits has no name yet.
    pub(super) fn fill(
        &mut self,
        index: usize,
        (name, waits): (Option<String>, bool),
        cells: Vec<Cell>,
        (stand, now_ms): (Stand, f64),
    ) {
        let stops = self.stop == index;
        let Some(at) = index.checked_sub(self.start) else { return };
        let Some(row) = self.drawn.get_mut(at) else { return };
        row.fill(index, (name, waits), cells, (&mut self.kinds, now_ms));
        row.stand(stand);
        row.stop(stops);
    }

    /// Takes in anew how each row stands.
    pub(super) fn stand(&mut self, stand: impl Fn(usize) -> Stand) {
        let start = self.start;
        for (at, row) in self.drawn.iter_mut().enumerate() {
            row.stand(stand(start + at));
        }
    }

    /// Moves the place that Tab reaches.
    pub(super) fn stop(&mut self, index: usize) {
        let before = std::mem::replace(&mut self.stop, index);
        for index in [before, index] {
            let stops = self.stop == index;
            if let Some(row) = self.at(index) {
                row.stop(stops);
            }
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
        self.drawn.iter_mut().for_each(|row| row.pass(now_ms));
    }
}
