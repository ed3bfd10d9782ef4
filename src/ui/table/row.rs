//! One row of elements, for whichever row of the list stands there.

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

/// What a row of the list is to the table, beside what it shows.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Stand {
    /// It is open elsewhere.
    pub(super) current: bool,
    /// It is selected.
    pub(super) selected: bool,
}

/// A row of elements.
pub(super) struct Row {
    pub(super) element: Quick,
    looks: Looks,
    /// Tells its place in the page from those before and behind it.
    pub(super) place: usize,
    /// How many rows it lies below the one that all lie by.
    at: Option<isize>,
    /// How that is written, once it is sent.
    goes: Option<bundle::Span>,
    check: Option<HtmlInputElement>,
    cells: Vec<Place>,
    index: usize,
    name: Option<String>,
    /// Its name, once that is sent.
    key: Option<bundle::Span>,
    waits: bool,
    stops: bool,
    stand: Stand,
    /// Whether more is said of what it shows.
    told: bool,
}

/// Builds what each row is a copy of.
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

/// How many cells tell the box of a row from those of other rows.
const TITLE_CELLS: usize = 2;

/// Names the box of a row by its own label and by the row's first cells, and the row by its cells
/// alone. The references stay whatever comes to stand there, and cost nothing while rows change.
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
    /// Copies the template.
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

    /// Returns which row of the list it shows.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Lies so many rows below the one that all lie by, however high they are, once that is
    /// [sent](Self::show).
    pub(super) fn lie(&mut self, at: isize, bundle: &mut Bundle) {
        if self.at.replace(at) != Some(at) {
            self.goes = Some(bundle.add(&format!("0 {at}00%")));
        }
    }

    /// Comes to show row `index`, once its texts are [sent](Self::show). A row that waits has no
    /// name yet.
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

    /// Shows the texts that were sent for it, where it was sent to lie.
    pub(super) fn show(&mut self, sent: &Sent) {
        if let Some(span) = self.goes.take() {
            self.looks.set_translate(&sent.text(&span));
        }
        if let Some(key) = self.key.take() {
            KEY.with(|name| self.element.put_text(name, &sent.text(&key)));
        }
        self.cells.iter_mut().for_each(|place| place.show(sent));
    }

    /// Takes in how it stands.
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

    /// Sets the box to what it stands for. Who presses it changes it first.
    pub(super) fn show_check(&self) {
        if let Some(check) = &self.check {
            check.set_checked(self.stand.selected);
        }
    }

    /// Can be reached by Tab, or not.
    pub(super) fn stop(&mut self, stops: bool) {
        if self.stops != stops {
            self.stops = stops;
            put(&self.element, "tabindex", Some(if stops { "0" } else { "-1" }));
        }
    }

    /// Says more of what it shows, to whom looks at it.
    pub(super) fn tell(&mut self) {
        if !std::mem::replace(&mut self.told, true) {
            self.cells.iter().for_each(Place::tell);
        }
    }

    /// Tells times anew, once they are [sent](Self::show).
    pub(super) fn pass(&mut self, now_ms: f64, bundle: &mut Bundle) {
        self.cells.iter_mut().for_each(|place| place.pass(now_ms, bundle));
    }
}
