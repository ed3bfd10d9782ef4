//! What a cell shows, and the nodes by which it does. Nodes are kept for the next row that comes to
//! stand here: of most rows only the text of a few of them differs.

use leptos::wasm_bindgen::JsCast;
use leptos::{prelude::*, tachys::view::any_view::AnyViewState};
use web_sys::{Element, Node};

use crate::ui::{
    badge::{Badge, Tone},
    time,
};

/// What a cell of a row shows.
pub enum Cell {
    /// Text; a dash where it is empty.
    Text(String),
    /// An instant: as a distance from now, or whole.
    Time {
        /// The instant, in milliseconds since 1970 UTC.
        at_ms: f64,
        /// Whether day and second are told.
        whole: bool,
    },
    /// A code, and what tells its name where somebody looks at it.
    Code(String, fn(&str) -> String),
    /// A label with a tint.
    Badge(Tone, String),
    /// Anything else, built for this row alone.
    View(AnyView),
    /// The shape of what has not come.
    Waits,
}

/// Which nodes a cell has.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Text,
    Dash,
    Time,
    Code,
    Badge,
    Bar,
}

/// The nodes of each kind, to be copied.
#[derive(Default)]
pub(super) struct Kinds(Vec<(Kind, Node)>);

impl Kinds {
    fn copy(&mut self, kind: Kind) -> Option<Node> {
        if !self.0.iter().any(|(one, _)| *one == kind) {
            self.0.push((kind, built(kind.view())?));
        }
        let (_, node) = self.0.iter().find(|(one, _)| *one == kind)?;
        node.clone_node_with_deep(true).ok()
    }
}

impl Kind {
    fn view(self) -> AnyView {
        match self {
            Self::None => ().into_any(),
            Self::Text => " ".into_any(),
            Self::Dash => view! { <span class="missing">"—"</span> }.into_any(),
            Self::Time => view! { <time class="time">" "</time> }.into_any(),
            Self::Code => view! { <abbr>" "</abbr> }.into_any(),
            Self::Badge => view! { <Badge text=" " /> }.into_any(),
            Self::Bar => view! { <span class="skeleton-bar"></span> }.into_any(),
        }
    }
}

/// Builds a view for its first node.
pub(super) fn built(view: AnyView) -> Option<Node> {
    let holder = document().create_element("div").ok()?;
    view.build().mount(&holder, None);
    holder.first_child()
}

fn last_text(node: &Node) -> Option<Node> {
    let mut last = node.last_child();
    while let Some(one) = last.as_ref().filter(|one| one.node_type() != Node::TEXT_NODE) {
        last = one.previous_sibling();
    }
    last
}

/// What is told of a cell where somebody looks at it.
enum Hint {
    None,
    Time { at_ms: f64, whole: bool },
    Code(fn(&str) -> String),
}

/// A cell at its place in a row.
pub(super) struct Place {
    element: Element,
    kind: Kind,
    /// What stands in the cell, the node whose text changes, and the tint.
    inner: Option<Element>,
    text: Option<Node>,
    tone: Tone,
    shown: String,
    hint: Hint,
    view: Option<AnyViewState>,
}

impl Place {
    pub(super) fn new(element: Element) -> Self {
        Self {
            element,
            kind: Kind::None,
            inner: None,
            text: None,
            tone: Tone::Neutral,
            shown: String::new(),
            hint: Hint::None,
            view: None,
        }
    }

    /// Can be referred to by an id.
    pub(super) fn be_known_as(&self, id: &str) {
        self.element.set_id(id);
    }

    /// Shows something else.
    pub(super) fn fill(&mut self, cell: Cell, kinds: &mut Kinds, now_ms: f64) {
        self.hint = Hint::None;
        let (kind, text) = match cell {
            Cell::View(view) => return self.hold(view),
            Cell::Text(text) if text.is_empty() => (Kind::Dash, text),
            Cell::Text(text) => (Kind::Text, text),
            Cell::Waits => (Kind::Bar, String::new()),
            Cell::Badge(tone, text) => {
                self.become_of(Kind::Badge, kinds);
                self.tint(tone);
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
        self.become_of(kind, kinds);
        self.write(text);
    }

    /// Tells a time anew that is told by its distance from now.
    pub(super) fn pass(&mut self, now_ms: f64) {
        if matches!(self.hint, Hint::Time { whole: false, .. })
            && let Some(text) = self.time_text(now_ms)
        {
            self.write(text);
        }
    }

    fn time_text(&self, now_ms: f64) -> Option<String> {
        match self.hint {
            Hint::Time { at_ms, whole: true } => Some(time::short_text(at_ms)),
            Hint::Time { at_ms, whole: false } => Some(time::relative_text(at_ms, now_ms)),
            Hint::None | Hint::Code(_) => None,
        }
    }

    /// Says more of what is shown, to whom looks at it.
    pub(super) fn tell(&self) {
        let (Some(inner), hint) = (&self.inner, &self.hint) else { return };
        match *hint {
            Hint::None => {}
            Hint::Time { at_ms, .. } => {
                put(inner, "datetime", time::iso(at_ms).as_deref());
                put(inner, "title", Some(&time::full_text(at_ms)));
            }
            Hint::Code(name) => put(inner, "title", Some(&name(&self.shown))),
        }
    }

    /// Takes that back.
    pub(super) fn hush(&self) {
        if let Some(inner) = &self.inner {
            put(inner, "title", None);
            put(inner, "datetime", None);
        }
    }

    fn tint(&mut self, tone: Tone) {
        if let Some(inner) = self.inner.as_ref().filter(|_| self.tone != tone) {
            put(inner, "data-tone", Some(tone.name()));
            if let Ok(Some(path)) = inner.query_selector("path") {
                put(&path, "d", Some(tone.glyph().path()));
            }
            self.tone = tone;
        }
    }

    fn write(&mut self, text: String) {
        if let Some(node) = self.text.as_ref().filter(|_| self.shown != text) {
            node.set_node_value(Some(&text));
        }
        self.shown = text;
    }

    fn become_of(&mut self, kind: Kind, kinds: &mut Kinds) {
        if self.kind == kind {
            return;
        }
        (self.kind, self.view, self.tone) = (kind, None, Tone::Neutral);
        self.shown.clear();
        let Some(node) = kinds.copy(kind) else { return };
        // A fresh node can stand anywhere.
        self.element.replace_children_with_node_1(&node);
        self.text = match kind {
            Kind::Text => Some(node.clone()),
            Kind::Time | Kind::Code | Kind::Badge => last_text(&node),
            Kind::None | Kind::Dash | Kind::Bar => None,
        };
        self.inner = node.dyn_into().ok();
    }

    fn hold(&mut self, view: AnyView) {
        self.element.set_text_content(None);
        (self.kind, self.inner, self.text) = (Kind::None, None, None);
        let mut state = view.build();
        state.mount(&self.element, None);
        self.view = Some(state);
    }
}

/// Sets an attribute, or takes it off.
pub(super) fn put(element: &Element, name: &str, value: Option<&str>) {
    // An element takes any attribute of a plain name.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}
