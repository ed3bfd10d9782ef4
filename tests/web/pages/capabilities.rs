//! Features that only a Sheaf server has are hidden on other servers. Further tests are with the
//! features: forms, spam, deletions, insights, UTM values, exports and copies.

use wasm_bindgen_test::wasm_bindgen_test;

use super::{foreign, open, shown, until};
use crate::network::Network;

#[wasm_bindgen_test]
async fn api_keys_without_capability_are_not_requested() {
    let network = Network::new(foreign);
    let stage = open("/settings/keys");
    until("the empty state", || {
        shown(&stage, ".empty-title") == "API keys are managed on another server"
    })
    .await;
    assert!(network.asked("/account").is_empty());
}

#[wasm_bindgen_test]
async fn audit_log_without_capability_is_not_requested() {
    let network = Network::new(foreign);
    let stage = open("/settings/activity");
    until("the empty state", || !shown(&stage, ".empty-title").is_empty()).await;
    assert!(stage.all("tbody").is_empty());
    assert!(network.asked("/account").is_empty());
}

#[wasm_bindgen_test]
async fn trash_without_capability_has_no_link() {
    let network = Network::new(foreign);
    let stage = open("/live/forms/frm_1");
    until("the rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert!(!shown(&stage, ".page-actions").contains("Trash"));
    assert_eq!(shown(&stage, ".nav-count"), "", "the server has no submission counts");
    assert!(network.asked("/account").is_empty());
}
