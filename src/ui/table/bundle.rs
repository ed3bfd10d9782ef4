//! Texts on their way to the browser. To hand over one by itself takes longer than to write it, so
//! those that are written together go as one, and are cut apart over there.

use js_sys::JsString;

pub(super) use crate::ui::calc::bundle::{Bundle, Span};

/// Texts that the browser has.
pub(super) struct Sent(JsString);

impl Sent {
    /// Hands over the texts of a bundle.
    pub(super) fn new(texts: &str) -> Self {
        Self(texts.into())
    }

    /// Returns one of the texts.
    pub(super) fn text(&self, span: &Span) -> JsString {
        self.0.slice(span.start, span.end)
    }
}
