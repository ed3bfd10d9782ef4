//! The nodes by which a cell shows things, by kind: copied once, and kept for the next row.

use js_sys::JsString;
use leptos::{prelude::*, wasm_bindgen::JsCast};
use web_sys::{Element, Node};

use super::{
    bundle::{self, Bundle, Sent},
    write::{PATH, Quick, QuickText, TONE},
};
use crate::ui::badge::{Badge, Tone, glyph_of};

/// What stands where a text comes to stand: a node that nothing stands in would not be built.
const BLANK: &str = " ";

/// Which nodes a cell has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Text,
    Time,
    Code,
    Badge,
    Bar,
}

/// The nodes of each kind, to be copied, and what tells tones.
#[derive(Default)]
pub(super) struct Kinds {
    nodes: Vec<(Kind, Node)>,
    tints: Vec<Tint>,
}

/// What tells a tone: its name, and the path that its icon is drawn by.
struct Tint {
    tone: Tone,
    name: JsString,
    path: JsString,
}

impl Kinds {
    /// Copies the nodes of a kind.
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

/// The nodes by which a cell shows things of one kind, and what they show.
pub(super) struct Nodes {
    pub(super) kind: Kind,
    pub(super) node: Node,
    /// The same, where it is an element.
    pub(super) inner: Option<Quick>,
    /// The node whose text changes.
    text: Option<QuickText>,
    pub(super) shown: String,
    /// The text that it is to show once that is sent.
    due: Option<bundle::Span>,
    /// Of a badge: what its icon is drawn by, and its tone.
    icon: Option<Quick>,
    tone: Tone,
}

impl Nodes {
    /// Takes on the tone of a badge, where it stands: to swap it for one of another tone has the
    /// browser lay it out as if it were new.
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

    /// Shows a text, once it is [sent](Self::show).
    pub(super) fn write(&mut self, text: String, bundle: &mut Bundle) {
        if self.text.is_some() && self.shown != text {
            self.due = Some(bundle.add(&text));
            self.shown = text;
        }
    }

    /// Shows the text that was sent for it.
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
