//! The dashboard's parts in a real browser: each test mounts one part and looks at its DOM.
#![cfg(target_arch = "wasm32")]

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
