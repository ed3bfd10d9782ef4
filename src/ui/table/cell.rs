//! Content of a cell. Its DOM nodes are reused for the next row: mostly, only a few texts differ
//! between rows.

use leptos::{prelude::*, tachys::view::any_view::AnyViewState, wasm_bindgen::JsCast};
use web_sys::Element;

use super::{
    cell_nodes::{CellKind, CellNodes, NodeTemplates},
    dom_bindings::{FastElement, MISSING},
    text_transfer::{SentTexts, TextBundle},
};
use crate::ui::{badge::StatusTone, time};

/// Content of a cell.
pub enum Cell {
    /// Text. If it is empty, `style/` draws a dash.
    Text(String),
    /// Instant, relative to now or absolute.
    Time {
        /// Instant, in milliseconds since 1970 UTC.
        at_ms: f64,
        /// Whether to show date and seconds instead of the distance from now.
        whole: bool,
    },
    /// Code, and a function that returns its name for the tooltip.
    Code(String, fn(&str) -> String),
    /// Tinted label.
    Badge(StatusTone, String),
    /// Any other view, built for this row only.
    View(AnyView),
    /// Placeholder of a row that is not loaded.
    Loading,
}

/// Content of the tooltip of a cell.
enum CellTooltip {
    None,
    Time { at_ms: f64, whole: bool },
    Code(fn(&str) -> String),
}

/// Cell in a recycled row.
pub(super) struct CellSlot {
    element: FastElement,
    /// Nodes of each kind that the cell has shown, for reuse: a value that is missing in one row is
    /// present in the next.
    cached: Vec<CellNodes>,
    /// Index of the nodes that are in the DOM.
    current: Option<usize>,
    hint: CellTooltip,
    view: Option<AnyViewState>,
    /// Whether there is no text; `style/` then draws a dash.
    is_missing: bool,
}

impl CellSlot {
    pub(super) fn new(element: Element) -> Self {
        let element = element.unchecked_into();
        let nodes = Vec::new();
        let hint = CellTooltip::None;
        Self { element, cached: nodes, current: None, hint, view: None, is_missing: false }
    }

    /// Sets the id of the element, for ARIA references.
    pub(super) fn set_id(&self, id: &str) {
        self.element.set_id(id);
    }

    /// Changes the content; [`Self::show_text`] displays its text.
    pub(super) fn set_content(
        &mut self,
        cell: Cell,
        (kinds, bundle): (&mut NodeTemplates, &mut TextBundle),
        now_ms: f64,
    ) {
        self.hint = CellTooltip::None;
        let mut badge = None;
        let (kind, text) = match cell {
            Cell::View(view) => return self.mount_view(view),
            Cell::Text(text) => (CellKind::Text, text),
            Cell::Loading => (CellKind::Bar, String::new()),
            Cell::Badge(tone, text) => {
                badge = Some(tone);
                (CellKind::Badge, text)
            }
            Cell::Code(code, name) => {
                self.hint = CellTooltip::Code(name);
                (CellKind::Code, code)
            }
            Cell::Time { at_ms, whole } => {
                self.hint = CellTooltip::Time { at_ms, whole };
                (CellKind::Time, self.time_text(now_ms).unwrap_or_default())
            }
        };
        let is_missing = kind == CellKind::Text && text.is_empty();
        self.set_missing(is_missing);
        let kind = if is_missing { self.empty_text_kind() } else { kind };
        if let Some(nodes) = self.switch_kind(kind, kinds) {
            if let Some(tone) = badge {
                nodes.set_tone(tone, kinds);
            }
            nodes.queue_text(text, bundle);
        }
    }

    /// Returns the kind of nodes for an empty text. Nodes of a code stay: they look the same when
    /// empty.
    fn empty_text_kind(&self) -> CellKind {
        self.current_nodes()
            .map(|nodes| nodes.kind)
            .filter(|kind| *kind == CellKind::Code)
            .unwrap_or(CellKind::Text)
    }

    /// Displays the text from the bundle that was sent.
    pub(super) fn show_text(&mut self, sent: &SentTexts) {
        if let Some(nodes) = self.current.and_then(|now| self.cached.get_mut(now)) {
            nodes.show_text(sent);
        }
    }

    fn current_nodes(&self) -> Option<&CellNodes> {
        self.cached.get(self.current?)
    }

    /// Queues the text of a relative time, as seen from `now_ms`.
    pub(super) fn update_time(&mut self, now_ms: f64, bundle: &mut TextBundle) {
        if matches!(self.hint, CellTooltip::Time { whole: false, .. })
            && let Some(text) = self.time_text(now_ms)
            && let Some(nodes) = self.current.and_then(|now| self.cached.get_mut(now))
        {
            nodes.queue_text(text, bundle);
        }
    }

    fn time_text(&self, now_ms: f64) -> Option<String> {
        match self.hint {
            CellTooltip::Time { at_ms, whole: true } => Some(time::short_text(at_ms)),
            CellTooltip::Time { at_ms, whole: false } => Some(time::relative_text(at_ms, now_ms)),
            CellTooltip::None | CellTooltip::Code(_) => None,
        }
    }

    /// Sets the tooltip and `datetime` of the content.
    pub(super) fn set_tooltip(&self) {
        let Some(CellNodes { inner: Some(inner), shown, .. }) = self.current_nodes() else {
            return;
        };
        match self.hint {
            CellTooltip::None => {}
            CellTooltip::Time { at_ms, .. } => {
                set_attribute_or_remove(inner, "datetime", time::iso_text(at_ms).as_deref());
                set_attribute_or_remove(inner, "title", Some(&time::full_text(at_ms)));
            }
            CellTooltip::Code(name) => set_attribute_or_remove(inner, "title", Some(&name(shown))),
        }
    }

    /// Removes the tooltip and `datetime`.
    pub(super) fn clear_tooltip(&self) {
        if let Some(CellNodes { inner: Some(inner), .. }) = self.current_nodes() {
            set_attribute_or_remove(inner, "title", None);
            set_attribute_or_remove(inner, "datetime", None);
        }
    }

    fn switch_kind(&mut self, kind: CellKind, kinds: &mut NodeTemplates) -> Option<&mut CellNodes> {
        let known = self.cached.iter().position(|nodes| nodes.kind == kind);
        let now = known.unwrap_or(self.cached.len());
        if known.is_none() {
            self.cached.push(kinds.clone_nodes(kind)?);
        }
        let nodes = self.cached.get_mut(now)?;
        if self.current != Some(now) {
            self.current = Some(now);
            if self.view.take().is_some() {
                set_attribute_or_remove(&self.element, "data-view", None);
            }
            // A cell accepts any node.
            self.element.replace_children_with_node_1(&nodes.node);
        }
        Some(nodes)
    }

    /// Marks a missing text by an attribute. With `:empty` in the style sheet, each text change
    /// would make the browser recalculate the style of the cell.
    fn set_missing(&mut self, is_missing: bool) {
        if std::mem::replace(&mut self.is_missing, is_missing) != is_missing {
            MISSING.with(|name| self.element.flag(name, is_missing));
        }
    }

    fn mount_view(&mut self, view: AnyView) {
        self.set_missing(false);
        self.element.set_text_content(None);
        self.current = None;
        let mut state = view.build();
        state.mount(&self.element, None);
        if self.view.replace(state).is_none() {
            set_attribute_or_remove(&self.element, "data-view", Some("true"));
        }
    }
}

/// Sets an attribute, or removes it for `None`.
pub(super) fn set_attribute_or_remove(element: &Element, name: &str, value: Option<&str>) {
    // Elements accept any attribute with a plain name.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}
