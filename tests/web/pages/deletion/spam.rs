//! Marks submissions as spam.

use std::collections::BTreeSet;
use std::rc::Rc;

use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{address, button, foreign, open, shown, until};
use super::{Server, counts, keys, select};
use crate::network::Network;

#[wasm_bindgen_test]
async fn a_selection_is_marked_as_spam_and_undo_restores_it() {
    let server = Server::new(30);
    let moved = Rc::clone(&server.moved);
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1, 3]).await;
    button(&stage, "Mark as spam").click();
    counts(&stage, 248).await;
    until("the toast", || shown(&stage, ".toasts").contains("2 submissions marked as spam")).await;
    assert_eq!(*moved.borrow(), BTreeSet::from([1, 3]));
    assert_eq!(network.asked("/spam")[0].url, "/account/forms/frm_1/spam");
    button(&stage, "Undo").click();
    counts(&stage, 250).await;
    until("its place", || keys(&stage)[..3] == ["sub_0", "sub_1", "sub_2"]).await;
    assert_eq!(network.asked("/spam/restore").len(), 1);
}

#[wasm_bindgen_test]
async fn the_card_is_marked_as_spam() {
    let server = Server::new(30);
    let _network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    stage.all(".grid-track .grid-row")[2].click();
    until("the card", || !stage.all(".answers-text").is_empty()).await;
    button(&stage, "Mark as spam").click();
    until("the next", || address() == "/live/forms/frm_1/submissions/sub_3").await;
    until("the toast", || shown(&stage, ".toasts").contains("Marked as spam")).await;
}

#[wasm_bindgen_test]
async fn other_servers_have_no_spam() {
    let _network = Network::new(foreign);
    let stage = open("/live/forms/frm_1");
    select(&stage, &[1]).await;
    assert!(!shown(&stage, ".selection").contains("spam"));
}
