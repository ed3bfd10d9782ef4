//! Gives the browser a file to save. The bytes live in the browser, not in our memory.

use std::time::Duration;

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// How long the address of a file stays good: the browser may ask the person where to save it.
const ADDRESS_LIVES: Duration = Duration::from_mins(1);

/// A file that grows piece by piece.
pub struct Pieces(Array);

impl Default for Pieces {
    fn default() -> Self {
        Self(Array::new())
    }
}

impl Pieces {
    /// Appends a copy of some bytes.
    pub fn push(&self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.0.push(&Uint8Array::from(bytes));
        }
    }

    /// Returns the file; `None` where the browser has no room for it.
    pub fn finish(&self, media_type: &str) -> Option<Blob> {
        let options = BlobPropertyBag::new();
        options.set_type(media_type);
        Blob::new_with_u8_array_sequence_and_options(&self.0, &options).ok()
    }
}

/// Saves a file under a name, as a press on a link would; false where the browser refuses.
pub fn save(file: &Blob, name: &str) -> bool {
    let Ok(address) = Url::create_object_url_with_blob(file) else { return false };
    let link = document()
        .create_element("a")
        .ok()
        .and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(link) = &link {
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    let forget = move || {
        // Fails for no address that was made here.
        let _ = Url::revoke_object_url(&address);
    };
    set_timeout(forget, ADDRESS_LIVES);
    link.is_some()
}
