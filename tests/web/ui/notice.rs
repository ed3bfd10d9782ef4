//! Notices: a failure is an ARIA alert, everything else a note.

use dashboard::ui::{badge::StatusTone, notice::Notice};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::stage::Stage;

#[wasm_bindgen_test]
fn only_negative_notice_is_an_alert() {
    let stage = Stage::new(|| {
        view! {
            <Notice tone=StatusTone::Negative>"It failed"</Notice>
            <Notice tone=StatusTone::Info>"By the way"</Notice>
        }
    });
    assert_eq!(stage.text("[role=alert]"), "It failed");
    assert_eq!(stage.text("[role=note]"), "By the way");
    assert_eq!(stage.all("svg").len(), 2);
}
