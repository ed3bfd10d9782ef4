//! Features that only a Sheaf server has are hidden on other servers. Further tests are with the
//! features: forms, the board, deletions, insights, UTM values, exports and copies.

use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

use super::deletion::{row_keys, select_rows, spam_commands};
use super::{answer_as_foreign_gateway, open_dashboard, open_submission, text_of, wait_until};
use crate::network::Network;
use crate::stage::{press_key, settle, wait};

#[wasm_bindgen_test]
async fn api_keys_without_capability_are_not_requested() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_dashboard("/settings/keys");
    let expected = "API keys are managed on another server";
    wait_until("the empty state", || text_of(&stage, ".empty-title") == expected).await;
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
async fn list_without_capabilities_offers_only_specified_actions() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the rows", || row_keys(&stage).len() > 10).await;
    assert!(!text_of(&stage, ".page-actions").contains("Trash"));
    assert_eq!(text_of(&stage, ".nav-count"), "", "the server has no submission counts");
    assert!(!text_of(&stage, ".side-bar").contains("Inbox"));
    select_rows(&stage, &[1]).await;
    settle().await;
    let bar = text_of(&stage, ".selection");
    assert!(!bar.contains("Triage") && !bar.contains("spam"), "{bar}");
    assert!(spam_commands(&stage).await.is_empty());
    wait(5_000).await;
    assert!(network.streams.opened().is_empty(), "the server has no live updates");
    assert!(network.requests("/account").is_empty());
}

#[wasm_bindgen_test]
async fn card_without_capabilities_has_no_triage_and_filters_by_utm() {
    let network = Network::new(answer_as_foreign_gateway);
    let stage = open_submission("/live/forms/frm_1/submissions/sub_3").await;
    assert_eq!(text_of(&stage, ".fact-filter"), "google");
    assert!(text_of(&stage, ".facts").contains("Neutral"));
    for key in ["U", "J", "K"] {
        assert!(!press_key(&document().body().unwrap(), key), "{key}");
    }
    wait(10_000).await;
    assert!(network.requests("/account").is_empty());
    assert!(stage.all(".triage, [data-unread], .unread-count").is_empty());
}
