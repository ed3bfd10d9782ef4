//! DOM nodes for each kind of cell content. They are cloned from a template once and reused for
//! later rows.

use js_sys::JsString;
use leptos::{prelude::*, wasm_bindgen::JsCast};
use web_sys::{Element, Node};

use super::{
    bundle::{self, Bundle, Sent},
    write::{PATH, Quick, QuickText, TONE},
};
use crate::ui::badge::{Badge, Tone, glyph_of};

/// Initial text of text nodes: an empty text would create no node.
const BLANK: &str = " ";

/// Kind of cell content.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Text,
    Time,
    Code,
    Badge,
    Bar,
}

/// Templates of each kind, and cached strings of each tone.
#[derive(Default)]
pub(super) struct Kinds {
    nodes: Vec<(Kind, Node)>,
    tints: Vec<Tint>,
}

/// JavaScript strings of a tone: its name and the path of its icon.
struct Tint {
    tone: Tone,
    name: JsString,
    path: JsString,
}

impl Kinds {
    /// Clones the nodes of a kind.
    pub(super) fn copy(&mut self, kind: Kind) -> Option<Nodes> {
        if !self.nodes.iter().any(|(one, _)| *one == kind) {
            self.nodes.push((kind, built(kind.view())?));
        }
        let (_, node) = self.nodes.iter().find(|(one, _)| *one == kind)?;
        let node = node.clone_node_with_deep(true).ok()?;
        let text = match kind {
            Kind::Text => Some(node.clone()),
            Kind::Time | Kind::Code | Kind::Badge => last_text(&node),
            Kind::Bar => None,
        };
        let inner = node.dyn_ref::<Element>().map(|inner| inner.clone().unchecked_into::<Quick>());
        let text = text.map(JsCast::unchecked_into);
        let icon = inner.as_ref().filter(|_| kind == Kind::Badge);
        let icon = icon.and_then(|badge| badge.query_selector("path").ok().flatten());
        let (icon, shown, tone) =
            (icon.map(JsCast::unchecked_into), BLANK.to_owned(), Tone::default());
        Some(Nodes { kind, node, inner, text, icon, shown, due: None, tone })
    }

    fn tint(&mut self, tone: Tone) -> Option<&Tint> {
        if !self.tints.iter().any(|tint| tint.tone == tone) {
            let (name, path) = (tone.name().into(), glyph_of(tone).path().into());
            self.tints.push(Tint { tone, name, path });
        }
        self.tints.iter().find(|tint| tint.tone == tone)
    }
}

/// Nodes of one kind in a cell, and their content.
pub(super) struct Nodes {
    pub(super) kind: Kind,
    pub(super) node: Node,
    /// `node`, if it is an element.
    pub(super) inner: Option<Quick>,
    /// Text node that changes.
    text: Option<QuickText>,
    pub(super) shown: String,
    /// Text to display once the bundle was sent.
    due: Option<bundle::Span>,
    /// Icon path and tone, for a badge.
    icon: Option<Quick>,
    tone: Tone,
}

impl Nodes {
    /// Changes the tone of a badge in place. Replacing the node would make the browser lay it out
    /// from scratch.
    pub(super) fn take_on(&mut self, tone: Tone, kinds: &mut Kinds) {
        if self.tone != tone
            && let (Some(badge), Some(icon)) = (&self.inner, &self.icon)
            && let Some(tint) = kinds.tint(tone)
        {
            TONE.with(|name| badge.put_text(name, &tint.name));
            PATH.with(|name| icon.put_text(name, &tint.path));
            self.tone = tone;
        }
    }

    /// Queues a text; [`show`](Self::show) displays it.
    pub(super) fn write(&mut self, text: String, bundle: &mut Bundle) {
        if self.text.is_some() && self.shown != text {
            self.due = Some(bundle.add(&text));
            self.shown = text;
        }
    }

    /// Displays the text from the bundle that was sent.
    pub(super) fn show(&mut self, sent: &Sent) {
        if let (Some(span), Some(node)) = (self.due.take(), &self.text) {
            node.set_data(&sent.text(&span));
        }
    }
}

impl Kind {
    fn view(self) -> AnyView {
        match self {
            Self::Text => BLANK.into_any(),
            Self::Time => view! { <time class="time">{BLANK}</time> }.into_any(),
            Self::Code => view! { <abbr>{BLANK}</abbr> }.into_any(),
            Self::Badge => view! { <Badge text=BLANK /> }.into_any(),
            Self::Bar => view! { <span class="skeleton-bar"></span> }.into_any(),
        }
    }
}

/// Builds a view and returns its first node.
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
