//! What is on its way when a decision is taken back, here or in another tab.

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{button, gateway, open, shown, until};
use super::{deletes, keep_elsewhere, kept, keys, on_its_way, slow};
use crate::network::{Network, Reply};
use crate::stage::{press, settle, wait};

#[wasm_bindgen_test]
async fn what_is_on_its_way_is_counted_also_where_the_rest_is_kept() {
    let network = Network::new(slow);
    let stage = open("/live/forms/frm_1");
    on_its_way(&stage, &network, &[0, 1, 2]).await;
    button(&stage, "Keep the rest").click();
    until("no tray", || stage.all(".tray").is_empty()).await;
    until("two again", || shown(&stage, ".page-count") == "249 submissions").await;
    assert_eq!(deletes(&network), ["sub_2"]);
    wait(400).await;
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "249 submissions", "it is gone");
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_3"]);
    // Other tabs may have brought it back: they are told.
    assert!(kept().unwrap().1.contains("sub_2 gone"));
    wait(2_000).await;
    assert_eq!(kept(), None);
}

#[wasm_bindgen_test]
async fn what_is_on_its_way_and_fails_comes_back_alone() {
    let network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" => Reply::error(409, "conflict", "It is locked").late(300),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    on_its_way(&stage, &network, &[0, 1, 2]).await;
    press(&document().body().unwrap(), "u");
    until("two again", || shown(&stage, ".page-count") == "249 submissions").await;
    until("the third", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_2"]);
    assert_eq!(kept(), None);
}

#[wasm_bindgen_test]
async fn what_another_tab_takes_back_on_its_way_is_counted_in_both() {
    let network = Network::new(slow);
    let stage = open("/live/forms/frm_1");
    on_its_way(&stage, &network, &[0, 1, 2]).await;
    let (key, _) = kept().unwrap();
    keep_elsewhere(&key, None);
    until("two again", || shown(&stage, ".page-count") == "249 submissions").await;
    until("the answer", || kept().is_some_and(|(_, text)| text.contains("sub_2 gone"))).await;
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "249 submissions");
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_3"]);
    assert_eq!(deletes(&network), ["sub_2"]);
    // The other tab hears of it in the same way.
    let text = kept().unwrap().1.replace("sub_2", "sub_4");
    keep_elsewhere(&key, Some(&text));
    until("one less", || shown(&stage, ".page-count") == "248 submissions").await;
    assert_eq!(keys(&stage)[..4], ["sub_0", "sub_1", "sub_3", "sub_5"]);
    assert!(stage.all(".tray").is_empty());
}
