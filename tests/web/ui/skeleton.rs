//! Skeletons have the size of the content that replaces them.

use dashboard::ui::skeleton::{SkeletonLines, SkeletonRows};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::{Stage, attr};

#[wasm_bindgen_test]
fn skeleton_rows_have_row_height() {
    let stage = Stage::styled((800, 600), || {
        view! { <SkeletonRows rows=7 label="Loading submissions" /> }
    });
    let rows = stage.all(".skeleton-row");
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[0].offset_height(), 44);
    let label = attr(&stage.one("[role=status]"), "aria-label");
    assert_eq!(label.as_deref(), Some("Loading submissions"));
}

#[wasm_bindgen_test]
fn skeleton_appears_after_a_delay() {
    let stage = Stage::styled((800, 600), || view! { <SkeletonLines lines=2 label="Loading" /> });
    assert_eq!(stage.all(".skeleton-pair").len(), 2);
    let style = window().get_computed_style(&stage.one(".skeleton")).unwrap().unwrap();
    assert_eq!(style.get_property_value("animation-delay").unwrap(), "0.15s");
    assert_eq!(style.get_property_value("opacity").unwrap(), "0");
}
