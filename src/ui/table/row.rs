//! A recycled row element, which shows changing rows of the list.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, Node};

use super::{
    RowSelection,
    cell::{Cell, CellSlot, set_attribute_or_remove},
    cell_nodes::{NodeTemplates, build_node},
    column::{self, Column},
    dom_bindings::{FastElement, KEY, ROW_INDEX, StyleDeclaration, UNREAD},
    text_transfer::{self, SentTexts, TextBundle},
};
use crate::{
    i18n,
    ui::{calc::list_window::count_to_f64, unique_id},
};

/// State of a row besides its content.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct RowState {
    /// Open elsewhere.
    pub(super) current: bool,
    /// Selected.
    pub(super) selected: bool,
    /// Not read by the user.
    pub(super) unread: bool,
}

/// Row element.
pub(super) struct RowElement {
    pub(super) element: FastElement,
    style: StyleDeclaration,
    /// Position in the DOM order.
    pub(super) dom_position: usize,
    /// Position relative to the base row, in rows.
    list_offset: Option<isize>,
    /// Style value for `at`, until the bundle was sent.
    pending_position: Option<text_transfer::Span>,
    check: Option<HtmlInputElement>,
    /// Text for assistive technology, in the cell of the check box.
    unread_text: Option<Element>,
    cells: Vec<CellSlot>,
    index: usize,
    name: Option<String>,
    /// Value of `data-key`, until the bundle was sent.
    pending_key: Option<text_transfer::Span>,
    is_loading: bool,
    is_tab_stop: bool,
    state: RowState,
    /// Whether the tooltips are set.
    has_tooltips: bool,
}

/// Builds the template that rows are cloned from.
pub(super) fn build_template(columns: &[Column], checks: Option<RowSelection>) -> Option<Node> {
    let selected = checks.map(|_| "false");
    let cells = columns.iter().map(column::row_cell).collect_view();
    build_node(
        view! {
            <div class="grid-row" role="row" tabindex="-1" aria-selected=selected>
                {checks.map(|_| RowSelection::row_box())}
                {cells}
            </div>
        }
        .into_any(),
    )
}

/// Number of cells in the accessible name of a check box.
const TITLE_CELLS: usize = 2;

/// Labels the check box by its own label and the first cells of the row, and the row by the text
/// for unread rows and its cells. The references are by id, so recycling the row needs no update.
fn label_row(row: &Element, (check, unread_text): (&Element, &Element), cells: &[CellSlot]) {
    let id = unique_id("row");
    check.set_id(&id);
    let mut of_row = format!("{id}-unread");
    unread_text.set_id(&of_row);
    let mut of_check = id.clone();
    for (index, cell) in cells.iter().enumerate() {
        let part = format!(" {id}-{index}");
        cell.set_id(part.trim_start());
        of_row.push_str(&part);
        if index < TITLE_CELLS {
            of_check.push_str(&part);
        }
    }
    set_attribute_or_remove(row, "aria-labelledby", Some(&of_row));
    set_attribute_or_remove(check, "aria-labelledby", Some(&of_check));
}

impl RowElement {
    /// Clones the template.
    pub(super) fn from_template(template: &Node) -> Option<Self> {
        let element: FastElement = template.clone_node_with_deep(true).ok()?.unchecked_into();
        let mut check = None::<HtmlInputElement>;
        let mut unread_text = None;
        let mut cells = Vec::new();
        let mut next = element.first_element_child();
        while let Some(cell) = next {
            next = cell.next_element_sibling();
            if cell.has_attribute("data-slot") {
                cells.push(CellSlot::new(cell));
            } else {
                check = cell.first_element_child().and_then(|input| input.dyn_into().ok());
                unread_text = cell.last_element_child();
            }
        }
        if let (Some(check), Some(unread_text)) = (&check, &unread_text) {
            label_row(&element, (check, unread_text), &cells);
        }
        Some(Self {
            style: element.style(),
            element,
            dom_position: 0,
            list_offset: None,
            pending_position: None,
            check,
            unread_text,
            cells,
            index: usize::MAX,
            name: None,
            pending_key: None,
            is_loading: false,
            is_tab_stop: false,
            state: RowState::default(),
            has_tooltips: false,
        })
    }

    /// Returns the index of the row that it shows.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Positions the row `at` rows below the base row, for any row height; takes effect with
    /// [`Self::show_pending`].
    pub(super) fn set_position(&mut self, at: isize, bundle: &mut TextBundle) {
        if self.list_offset.replace(at) != Some(at) {
            self.pending_position = Some(bundle.add(&format!("0 {at}00%")));
        }
    }

    /// Fills the element with row `index`; [`Self::show_pending`] displays the texts. A row
    /// that is still loading has no name.
    pub(super) fn fill_cells(
        &mut self,
        index: usize,
        (name, waits): (Option<String>, bool),
        cells: Vec<Cell>,
        (kinds, bundle, now_ms): (&mut NodeTemplates, &mut TextBundle, f64),
    ) {
        if std::mem::take(&mut self.has_tooltips) {
            self.cells.iter().for_each(CellSlot::clear_tooltip);
        }
        if self.index != index {
            self.index = index;
            ROW_INDEX.with(|name| self.element.put_number(name, count_to_f64(index + 2)));
        }
        if self.name != name {
            self.pending_key = name.as_ref().map(|name| bundle.add(name));
            if self.pending_key.is_none() {
                set_attribute_or_remove(&self.element, "data-key", None);
            }
            self.name = name;
        }
        if self.is_loading != waits {
            self.is_loading = waits;
            set_attribute_or_remove(&self.element, "aria-busy", waits.then_some("true"));
            if let Some(check) = &self.check {
                check.set_disabled(waits);
            }
        }
        for (slot, cell) in self.cells.iter_mut().zip(cells) {
            slot.set_content(cell, (kinds, bundle), now_ms);
        }
    }

    /// Displays the texts and the position from the bundle that was sent.
    pub(super) fn show_pending(&mut self, sent: &SentTexts) {
        if let Some(span) = self.pending_position.take() {
            self.style.set_translate(&sent.slice_text(&span));
        }
        if let Some(key) = self.pending_key.take() {
            KEY.with(|name| self.element.put_text(name, &sent.slice_text(&key)));
        }
        self.cells.iter_mut().for_each(|slot| slot.show_text(sent));
    }

    /// Updates the state.
    pub(super) fn set_state(&mut self, state: RowState) {
        let before = std::mem::replace(&mut self.state, state);
        if before.current != state.current {
            set_attribute_or_remove(&self.element, "aria-current", state.current.then_some("true"));
        }
        if before.selected != state.selected {
            set_attribute_or_remove(
                &self.element,
                "aria-selected",
                Some(if state.selected { "true" } else { "false" }),
            );
            self.show_check();
        }
        if before.unread != state.unread {
            UNREAD.with(|name| self.element.flag(name, state.unread));
            if let Some(element) = &self.unread_text {
                element.set_text_content(state.unread.then(|| i18n::ui().unread));
            }
        }
    }

    /// Sets the check box to the selection state. A click changes the box before the selection.
    pub(super) fn show_check(&self) {
        if let Some(check) = &self.check {
            check.set_checked(self.state.selected);
        }
    }

    /// Sets whether the row is the tab stop.
    pub(super) fn set_tab_stop(&mut self, stops: bool) {
        if self.is_tab_stop != stops {
            self.is_tab_stop = stops;
            set_attribute_or_remove(
                &self.element,
                "tabindex",
                Some(if stops { "0" } else { "-1" }),
            );
        }
    }

    /// Sets the tooltips.
    pub(super) fn set_tooltips(&mut self) {
        if !std::mem::replace(&mut self.has_tooltips, true) {
            self.cells.iter().for_each(CellSlot::set_tooltip);
        }
    }

    /// Queues the texts of relative times; [`Self::show_pending`] displays them.
    pub(super) fn update_times(&mut self, now_ms: f64, bundle: &mut TextBundle) {
        self.cells.iter_mut().for_each(|slot| slot.update_time(now_ms, bundle));
    }
}
