//! Filters by the cell that the user clicks with Alt.

use wasm_bindgen_test::wasm_bindgen_test;

use super::{address, answer_as_gateway, open_rows, query_parameter, wait_until};
use crate::network::Network;
use crate::stage::click_with_alt;

#[wasm_bindgen_test]
async fn click_with_alt_filters_by_value_or_opens_row() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    let sentiment = stage.all(".grid-rows .badge")[0].text_content();
    let sentiment = sentiment.map(|name| name.to_lowercase());
    click_with_alt(&stage.all(".grid-rows .badge")[0]);
    wait_until("the sentiment", || query_parameter(&address(), "sentiment") == sentiment).await;
    assert!(!address().contains("/submissions/"), "{}", address());

    wait_until("the rows", || !stage.all(".grid-rows .time").is_empty()).await;
    click_with_alt(&stage.all(".grid-rows .time")[0]);
    wait_until("the submission", || address().contains("/submissions/sub_")).await;
    assert_eq!(query_parameter(&address(), "sentiment"), sentiment);
}
