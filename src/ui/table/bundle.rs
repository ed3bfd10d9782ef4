//! Transfers texts to the browser in bundles. Passing a single text takes longer than writing it,
//! so texts that are written together are passed as one string and sliced in JavaScript.

use js_sys::JsString;

pub(super) use crate::ui::calc::bundle::{Bundle, Span};

/// Texts of a bundle, in JavaScript.
pub(super) struct Sent(JsString);

impl Sent {
    /// Transfers the texts of a bundle.
    pub(super) fn new(texts: &str) -> Self {
        Self(texts.into())
    }

    /// Returns one of the texts.
    pub(super) fn text(&self, span: &Span) -> JsString {
        self.0.slice(span.start, span.end)
    }
}
