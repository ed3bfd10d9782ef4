//! Features that only a Sheaf server has are hidden on other servers. Further tests are with the
//! features: forms, spam, deletions, insights, UTM values, exports and copies.

use wasm_bindgen_test::wasm_bindgen_test;

use super::{answer_as_foreign_gateway, open_dashboard, text_of, wait_until};
use crate::network::Network;

#[wasm_bindgen_test]
async fn api_keys_without_capability_are_not_requested() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_dashboard("/settings/keys");
    wait_until("the empty state", || {
        text_of(&stage, ".empty-title") == "API keys are managed on another server"
    })
    .await;
    assert!(network.requests("/account").is_empty());
}

#[wasm_bindgen_test]
async fn audit_log_without_capability_is_not_requested() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_dashboard("/settings/activity");
    wait_until("the empty state", || !text_of(&stage, ".empty-title").is_empty()).await;
    assert!(stage.all("tbody").is_empty());
    assert!(network.requests("/account").is_empty());
}

#[wasm_bindgen_test]
async fn trash_without_capability_has_no_link() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert!(!text_of(&stage, ".page-actions").contains("Trash"));
    assert_eq!(text_of(&stage, ".nav-count"), "", "the server has no submission counts");
    assert!(network.requests("/account").is_empty());
}
