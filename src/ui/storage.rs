//! Settings in the browser's local storage. A browser may refuse access, or be full. Then every
//! start uses the defaults, and nothing else fails.

use leptos::prelude::*;

/// Returns the local storage, unless the browser refuses access.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Returns a stored text, or an empty one.
pub(crate) fn read_storage(key: &str) -> String {
    storage().and_then(|storage| storage.get_item(key).ok().flatten()).unwrap_or_default()
}

/// Stores a text; an empty text removes the key. Returns whether the browser accepted it.
pub(crate) fn write_storage(key: &str, text: &str) -> bool {
    let Some(storage) = storage() else { return false };
    let result =
        if text.is_empty() { storage.remove_item(key) } else { storage.set_item(key, text) };
    result.is_ok()
}
