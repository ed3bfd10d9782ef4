//! Transfers texts to the browser in bundles. Passing a single text takes longer than writing it,
//! so texts that are written together are passed as one string and sliced in JavaScript.

use js_sys::JsString;

pub(super) use crate::ui::calc::text_bundle::{Span, TextBundle};

/// Texts of a bundle, in JavaScript.
pub(super) struct SentTexts(JsString);

impl SentTexts {
    /// Transfers the texts of a bundle.
    pub(super) fn new(texts: &str) -> Self {
        Self(texts.into())
    }

    /// Returns one of the texts.
    pub(super) fn slice_text(&self, span: &Span) -> JsString {
        self.0.slice(span.start, span.end)
    }
}
