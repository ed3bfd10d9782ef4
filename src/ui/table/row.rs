//! A recycled row element, which shows changing rows of the list.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, Node};

use super::{
    Checks,
    bundle::{self, Bundle, Sent},
    cell::{Cell, Place, put},
    column::{self, Column},
    nodes::{Kinds, built},
    write::{KEY, Looks, Quick, ROW_INDEX},
};
use crate::ui::{calc::window::float, unique_id};

/// State of a row besides its content.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Stand {
    /// Open elsewhere.
    pub(super) current: bool,
    /// Selected.
    pub(super) selected: bool,
}

/// Row element.
pub(super) struct Row {
    pub(super) element: Quick,
    looks: Looks,
    /// Position in the DOM order.
    pub(super) place: usize,
    /// Position relative to the base row, in rows.
    at: Option<isize>,
    /// Style value for `at`, until the bundle was sent.
    goes: Option<bundle::Span>,
    check: Option<HtmlInputElement>,
    cells: Vec<Place>,
    index: usize,
    name: Option<String>,
    /// Value of `data-key`, until the bundle was sent.
    key: Option<bundle::Span>,
    waits: bool,
    stops: bool,
    stand: Stand,
    /// Whether the tooltips are set.
    told: bool,
}

/// Builds the template that rows are cloned from.
pub(super) fn template(columns: &[Column], checks: Option<Checks>) -> Option<Node> {
    let selected = checks.map(|_| "false");
    let cells = columns.iter().map(column::cell).collect_view();
    built(
        view! {
            <div class="grid-row" role="row" tabindex="-1" aria-selected=selected>
                {checks.map(|_| Checks::cell())}
                {cells}
            </div>
        }
        .into_any(),
    )
}

/// Number of cells in the accessible name of a check box.
const TITLE_CELLS: usize = 2;

/// Labels the check box by its own label and the first cells of the row, and the row by its cells.
/// The references are by id, so recycling the row needs no update.
fn name(row: &Element, check: &Element, cells: &[Place]) {
    let id = unique_id("row");
    check.set_id(&id);
    let (mut of_row, mut of_check) = (String::new(), id.clone());
    for (place, cell) in cells.iter().enumerate() {
        let part = format!(" {id}-{place}");
        cell.be_known_as(part.trim_start());
        of_row.push_str(&part);
        if place < TITLE_CELLS {
            of_check.push_str(&part);
        }
    }
    put(row, "aria-labelledby", Some(of_row.trim_start()));
    put(check, "aria-labelledby", Some(&of_check));
}

impl Row {
    /// Clones the template.
    pub(super) fn of(template: &Node) -> Option<Self> {
        let element: Quick = template.clone_node_with_deep(true).ok()?.unchecked_into();
        let (mut check, mut cells) = (None::<HtmlInputElement>, Vec::new());
        let mut next = element.first_element_child();
        while let Some(cell) = next {
            next = cell.next_element_sibling();
            if cell.has_attribute("data-slot") {
                cells.push(Place::new(cell));
            } else {
                check = cell.first_element_child().and_then(|input| input.dyn_into().ok());
            }
        }
        if let Some(check) = &check {
            name(&element, check, &cells);
        }
        let (index, name, stand) = (usize::MAX, None, Stand::default());
        Some(Self {
            looks: element.style(),
            element,
            place: 0,
            at: None,
            goes: None,
            check,
            cells,
            index,
            name,
            key: None,
            waits: false,
            stops: false,
            stand,
            told: false,
        })
    }

    /// Returns the index of the row that it shows.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Positions the row `at` rows below the base row, for any row height; takes effect with
    /// [`show`](Self::show).
    pub(super) fn lie(&mut self, at: isize, bundle: &mut Bundle) {
        if self.at.replace(at) != Some(at) {
            self.goes = Some(bundle.add(&format!("0 {at}00%")));
        }
    }

    /// Fills the element with row `index`; [`show`](Self::show) displays the texts. A row that is
    /// still loading has no name.
    pub(super) fn fill(
        &mut self,
        index: usize,
        (name, waits): (Option<String>, bool),
        cells: Vec<Cell>,
        (kinds, bundle, now_ms): (&mut Kinds, &mut Bundle, f64),
    ) {
        if std::mem::take(&mut self.told) {
            self.cells.iter().for_each(Place::hush);
        }
        if self.index != index {
            self.index = index;
            ROW_INDEX.with(|name| self.element.put_number(name, float(index + 2)));
        }
        if self.name != name {
            self.key = name.as_ref().map(|name| bundle.add(name));
            if self.key.is_none() {
                put(&self.element, "data-key", None);
            }
            self.name = name;
        }
        if self.waits != waits {
            self.waits = waits;
            put(&self.element, "aria-busy", waits.then_some("true"));
            if let Some(check) = &self.check {
                check.set_disabled(waits);
            }
        }
        for (place, cell) in self.cells.iter_mut().zip(cells) {
            place.fill(cell, (kinds, bundle), now_ms);
        }
    }

    /// Displays the texts and the position from the bundle that was sent.
    pub(super) fn show(&mut self, sent: &Sent) {
        if let Some(span) = self.goes.take() {
            self.looks.set_translate(&sent.text(&span));
        }
        if let Some(key) = self.key.take() {
            KEY.with(|name| self.element.put_text(name, &sent.text(&key)));
        }
        self.cells.iter_mut().for_each(|place| place.show(sent));
    }

    /// Updates the state.
    pub(super) fn stand(&mut self, stand: Stand) {
        let before = std::mem::replace(&mut self.stand, stand);
        if before.current != stand.current {
            put(&self.element, "aria-current", stand.current.then_some("true"));
        }
        if before.selected != stand.selected {
            put(
                &self.element,
                "aria-selected",
                Some(if stand.selected { "true" } else { "false" }),
            );
            self.show_check();
        }
    }

    /// Sets the check box to the selection state. A click changes the box before the selection.
    pub(super) fn show_check(&self) {
        if let Some(check) = &self.check {
            check.set_checked(self.stand.selected);
        }
    }

    /// Sets whether the row is the tab stop.
    pub(super) fn stop(&mut self, stops: bool) {
        if self.stops != stops {
            self.stops = stops;
            put(&self.element, "tabindex", Some(if stops { "0" } else { "-1" }));
        }
    }

    /// Sets the tooltips.
    pub(super) fn tell(&mut self) {
        if !std::mem::replace(&mut self.told, true) {
            self.cells.iter().for_each(Place::tell);
        }
    }

    /// Queues the texts of relative times; [`show`](Self::show) displays them.
    pub(super) fn pass(&mut self, now_ms: f64, bundle: &mut Bundle) {
        self.cells.iter_mut().for_each(|place| place.pass(now_ms, bundle));
    }
}
