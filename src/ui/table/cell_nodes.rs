//! DOM nodes for each kind of cell content. They are cloned from a template once and reused for
//! later rows.

use js_sys::JsString;
use leptos::{prelude::*, wasm_bindgen::JsCast};
use web_sys::{Element, Node};

use super::{
    dom_bindings::{FastElement, FastText, PATH, TONE},
    text_transfer::{self, SentTexts, TextBundle},
};
use crate::ui::badge::{Badge, StatusTone, glyph_of};

/// Initial text of text nodes: an empty text would create no node.
const INITIAL_TEXT: &str = " ";

/// Kind of cell content.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum CellKind {
    Text,
    Time,
    Code,
    Badge,
    Bar,
}

/// Templates of each kind, and cached strings of each tone.
#[derive(Default)]
pub(super) struct NodeTemplates {
    nodes: Vec<(CellKind, Node)>,
    tones: Vec<ToneStrings>,
}

/// JavaScript strings of a tone: its name and the path of its icon.
struct ToneStrings {
    tone: StatusTone,
    name: JsString,
    path: JsString,
}

impl NodeTemplates {
    /// Clones the nodes of a kind.
    pub(super) fn clone_nodes(&mut self, kind: CellKind) -> Option<CellNodes> {
        if !self.nodes.iter().any(|(existing, _)| *existing == kind) {
            self.nodes.push((kind, build_node(kind.template_view())?));
        }
        let (_, node) = self.nodes.iter().find(|(existing, _)| *existing == kind)?;
        let node = node.clone_node_with_deep(true).ok()?;
        let text = match kind {
            CellKind::Text => Some(node.clone()),
            CellKind::Time | CellKind::Code | CellKind::Badge => last_text_node(&node),
            CellKind::Bar => None,
        };
        let inner =
            node.dyn_ref::<Element>().map(|inner| inner.clone().unchecked_into::<FastElement>());
        let text = text.map(JsCast::unchecked_into);
        let icon = inner.as_ref().filter(|_| kind == CellKind::Badge);
        let icon = icon.and_then(|badge| badge.query_selector("path").ok().flatten());
        let icon = icon.map(JsCast::unchecked_into);
        let shown = INITIAL_TEXT.to_owned();
        let tone = StatusTone::default();
        Some(CellNodes { kind, node, inner, text, icon, shown, pending_text: None, tone })
    }

    fn tone_strings(&mut self, tone: StatusTone) -> Option<&ToneStrings> {
        if !self.tones.iter().any(|tint| tint.tone == tone) {
            let name = tone.name().into();
            let path = glyph_of(tone).path().into();
            self.tones.push(ToneStrings { tone, name, path });
        }
        self.tones.iter().find(|tint| tint.tone == tone)
    }
}

/// Nodes of one kind in a cell, and their content.
pub(super) struct CellNodes {
    pub(super) kind: CellKind,
    pub(super) node: Node,
    /// `node`, if it is an element.
    pub(super) inner: Option<FastElement>,
    /// Text node that changes.
    text: Option<FastText>,
    pub(super) shown: String,
    /// Text to display once the bundle was sent.
    pending_text: Option<text_transfer::Span>,
    /// Icon path and tone, for a badge.
    icon: Option<FastElement>,
    tone: StatusTone,
}

impl CellNodes {
    /// Changes the tone of a badge in place. Replacing the node would make the browser lay it out
    /// from scratch.
    pub(super) fn set_tone(&mut self, tone: StatusTone, kinds: &mut NodeTemplates) {
        if self.tone != tone
            && let (Some(badge), Some(icon)) = (&self.inner, &self.icon)
            && let Some(tint) = kinds.tone_strings(tone)
        {
            TONE.with(|name| badge.put_text(name, &tint.name));
            PATH.with(|name| icon.put_text(name, &tint.path));
            self.tone = tone;
        }
    }

    /// Queues a text; [`Self::show_text`] displays it.
    pub(super) fn queue_text(&mut self, text: String, bundle: &mut TextBundle) {
        if self.text.is_some() && self.shown != text {
            self.pending_text = Some(bundle.add(&text));
            self.shown = text;
        }
    }

    /// Displays the text from the bundle that was sent.
    pub(super) fn show_text(&mut self, sent: &SentTexts) {
        if let (Some(span), Some(node)) = (self.pending_text.take(), &self.text) {
            node.set_data(&sent.slice_text(&span));
        }
    }
}

impl CellKind {
    fn template_view(self) -> AnyView {
        match self {
            Self::Text => INITIAL_TEXT.into_any(),
            Self::Time => view! { <time class="time">{INITIAL_TEXT}</time> }.into_any(),
            Self::Code => view! { <abbr>{INITIAL_TEXT}</abbr> }.into_any(),
            Self::Badge => view! { <Badge text=INITIAL_TEXT /> }.into_any(),
            Self::Bar => view! { <span class="skeleton-bar"></span> }.into_any(),
        }
    }
}

/// Builds a view and returns its first node.
pub(super) fn build_node(view: AnyView) -> Option<Node> {
    let holder = document().create_element("div").ok()?;
    view.build().mount(&holder, None);
    holder.first_child()
}

fn last_text_node(node: &Node) -> Option<Node> {
    let mut last = node.last_child();
    while let Some(node) = last.as_ref().filter(|node| node.node_type() != Node::TEXT_NODE) {
        last = node.previous_sibling();
    }
    last
}
