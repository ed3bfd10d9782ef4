#![cfg(target_arch = "wasm32")]
//! The dashboard's parts in a real browser. Never asks a server.

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_page_has_a_body() {
    let body = web_sys::window().and_then(|window| window.document()).and_then(|page| page.body());
    assert!(body.is_some());
}
