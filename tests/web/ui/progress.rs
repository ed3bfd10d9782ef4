//! Progress bars with a known or unknown share.

use dashboard::ui::progress::ProgressBar;
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr, owner, settle};

#[wasm_bindgen_test]
async fn progress_value_is_clamped() {
    let _owner = owner();
    let value = RwSignal::new(None::<f64>);
    let stage = Stage::new(move || view! { <ProgressBar label="Export" value /> });
    let now = || attr(&stage.one("[role=progressbar]"), "aria-valuenow");
    assert_eq!(now(), None);
    for (share, expected) in [(0.0, "0"), (0.424, "42"), (1.0, "100"), (7.0, "100"), (-1.0, "0")] {
        value.set(Some(share));
        settle().await;
        assert_eq!(now().as_deref(), Some(expected));
    }
    assert_eq!(attr(&stage.one("[role=progressbar]"), "aria-label").as_deref(), Some("Export"));
}
