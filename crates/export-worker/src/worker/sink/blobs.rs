//! Blobs, for browsers without an origin private file system. The browser may store them on disk,
//! but they are lost on a reload.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag};

#[derive(Default)]
pub(super) struct BlobList(Array);

impl BlobList {
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), JsValue> {
        let piece = Array::of1(&Uint8Array::from(bytes));
        self.0.push(&Blob::new_with_u8_array_sequence(&piece)?.into());
        Ok(())
    }

    pub(super) fn finish(self, media_type: &str) -> Result<Blob, JsValue> {
        join_blobs(&self.0, media_type)
    }
}

/// Joins several blobs into one, with a media type.
pub(super) fn join_blobs(pieces: &Array, media_type: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_blob_sequence_and_options(pieces, &options)
}
