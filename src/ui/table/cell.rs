//! Content of a cell. Its DOM nodes are reused for the next row: mostly, only a few texts differ
//! between rows.

use leptos::{prelude::*, tachys::view::any_view::AnyViewState, wasm_bindgen::JsCast};
use web_sys::Element;

use super::{
    bundle::{Bundle, Sent},
    nodes::{Kind, Kinds, Nodes},
    write::{MISSING, Quick},
};
use crate::ui::{badge::Tone, time};

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
    Badge(Tone, String),
    /// Any other view, built for this row only.
    View(AnyView),
    /// Placeholder of a row that is not loaded.
    Waits,
}

/// Content of the tooltip of a cell.
enum Hint {
    None,
    Time { at_ms: f64, whole: bool },
    Code(fn(&str) -> String),
}

/// Cell in a recycled row.
pub(super) struct Place {
    element: Quick,
    /// Nodes of each kind that the cell has shown, for reuse: a value that is missing in one row is
    /// present in the next.
    made: Vec<Nodes>,
    /// Index of the nodes that are in the DOM.
    now: Option<usize>,
    hint: Hint,
    view: Option<AnyViewState>,
    /// Whether there is no text; `style/` then draws a dash.
    is_missing: bool,
}

impl Place {
    pub(super) fn new(element: Element) -> Self {
        let (element, made, hint) = (element.unchecked_into(), Vec::new(), Hint::None);
        Self { element, made, now: None, hint, view: None, is_missing: false }
    }

    /// Sets the id of the element, for ARIA references.
    pub(super) fn be_known_as(&self, id: &str) {
        self.element.set_id(id);
    }

    /// Changes the content; [`show`](Self::show) displays its text.
    pub(super) fn fill(
        &mut self,
        cell: Cell,
        (kinds, bundle): (&mut Kinds, &mut Bundle),
        now_ms: f64,
    ) {
        self.hint = Hint::None;
        let mut badge = None;
        let (kind, text) = match cell {
            Cell::View(view) => return self.hold(view),
            Cell::Text(text) => (Kind::Text, text),
            Cell::Waits => (Kind::Bar, String::new()),
            Cell::Badge(tone, text) => {
                badge = Some(tone);
                (Kind::Badge, text)
            }
            Cell::Code(code, name) => {
                self.hint = Hint::Code(name);
                (Kind::Code, code)
            }
            Cell::Time { at_ms, whole } => {
                self.hint = Hint::Time { at_ms, whole };
                (Kind::Time, self.time_text(now_ms).unwrap_or_default())
            }
        };
        let is_missing = kind == Kind::Text && text.is_empty();
        self.be_missing(is_missing);
        let kind = if is_missing { self.kind_of_none() } else { kind };
        if let Some(nodes) = self.become_of(kind, kinds) {
            if let Some(tone) = badge {
                nodes.take_on(tone, kinds);
            }
            nodes.write(text, bundle);
        }
    }

    /// Returns the kind of nodes for an empty text. Nodes of a code stay: they look the same when
    /// empty.
    fn kind_of_none(&self) -> Kind {
        self.nodes()
            .map(|nodes| nodes.kind)
            .filter(|kind| *kind == Kind::Code)
            .unwrap_or(Kind::Text)
    }

    /// Displays the text from the bundle that was sent.
    pub(super) fn show(&mut self, sent: &Sent) {
        if let Some(nodes) = self.now.and_then(|now| self.made.get_mut(now)) {
            nodes.show(sent);
        }
    }

    fn nodes(&self) -> Option<&Nodes> {
        self.made.get(self.now?)
    }

    /// Queues the text of a relative time, as seen from `now_ms`.
    pub(super) fn pass(&mut self, now_ms: f64, bundle: &mut Bundle) {
        if matches!(self.hint, Hint::Time { whole: false, .. })
            && let Some(text) = self.time_text(now_ms)
            && let Some(nodes) = self.now.and_then(|now| self.made.get_mut(now))
        {
            nodes.write(text, bundle);
        }
    }

    fn time_text(&self, now_ms: f64) -> Option<String> {
        match self.hint {
            Hint::Time { at_ms, whole: true } => Some(time::short_text(at_ms)),
            Hint::Time { at_ms, whole: false } => Some(time::relative_text(at_ms, now_ms)),
            Hint::None | Hint::Code(_) => None,
        }
    }

    /// Sets the tooltip and `datetime` of the content.
    pub(super) fn tell(&self) {
        let Some(Nodes { inner: Some(inner), shown, .. }) = self.nodes() else { return };
        match self.hint {
            Hint::None => {}
            Hint::Time { at_ms, .. } => {
                put(inner, "datetime", time::iso(at_ms).as_deref());
                put(inner, "title", Some(&time::full_text(at_ms)));
            }
            Hint::Code(name) => put(inner, "title", Some(&name(shown))),
        }
    }

    /// Removes the tooltip and `datetime`.
    pub(super) fn hush(&self) {
        if let Some(Nodes { inner: Some(inner), .. }) = self.nodes() {
            put(inner, "title", None);
            put(inner, "datetime", None);
        }
    }

    fn become_of(&mut self, kind: Kind, kinds: &mut Kinds) -> Option<&mut Nodes> {
        let known = self.made.iter().position(|nodes| nodes.kind == kind);
        let now = known.unwrap_or(self.made.len());
        if known.is_none() {
            self.made.push(kinds.copy(kind)?);
        }
        let nodes = self.made.get_mut(now)?;
        if self.now != Some(now) {
            self.now = Some(now);
            if self.view.take().is_some() {
                put(&self.element, "data-view", None);
            }
            // A cell accepts any node.
            self.element.replace_children_with_node_1(&nodes.node);
        }
        Some(nodes)
    }

    /// Marks a missing text by an attribute. With `:empty` in the style sheet, each text change
    /// would make the browser recalculate the style of the cell.
    fn be_missing(&mut self, is_missing: bool) {
        if std::mem::replace(&mut self.is_missing, is_missing) != is_missing {
            MISSING.with(|name| self.element.flag(name, is_missing));
        }
    }

    fn hold(&mut self, view: AnyView) {
        self.be_missing(false);
        self.element.set_text_content(None);
        self.now = None;
        let mut state = view.build();
        state.mount(&self.element, None);
        if self.view.replace(state).is_none() {
            put(&self.element, "data-view", Some("true"));
        }
    }
}

/// Sets an attribute, or removes it for `None`.
pub(super) fn put(element: &Element, name: &str, value: Option<&str>) {
    // Elements accept any attribute with a plain name.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}
