//! What could not be deleted: named, led to, and tried again.

use std::{cell::Cell, rc::Rc};

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{address, button, gateway, open, select::press_with, shown, until};
use super::{delete, deletes, keys};
use crate::network::{Network, Reply};
use crate::stage::wait;

/// Refuses to delete some, by their number, for as long as `refuses` says so.
pub(super) fn refusing(refuses: &Rc<Cell<bool>>, some: impl Fn(u32) -> bool + 'static) -> Network {
    let refuses = Rc::clone(refuses);
    Network::new(move |asked| {
        let number = asked.url.rsplit('_').next().and_then(|number| number.parse().ok());
        match asked.method.as_str() {
            "DELETE" if refuses.get() && number.is_some_and(&some) => {
                Reply::error(409, "conflict", "It is locked")
            }
            _ => gateway(asked),
        }
    })
}

#[wasm_bindgen_test]
async fn each_failure_leads_to_its_card_and_is_tried_again_alone() {
    let refuses = Rc::new(Cell::new(true));
    let network = refusing(&refuses, |number| number < 4);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1, 2, 3, 4]).await;
    button(&stage, "Delete now").click();
    until("the end", || shown(&stage, ".tray-text").contains("4 submissions could not")).await;
    assert_eq!(stage.text(".tray-failures summary"), "Not deleted: 4");
    let names = || {
        let links = stage.all(".tray-failures a");
        links.iter().filter_map(|link| link.text_content()).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["Person 3", "Person 2", "Person 1", "Person 0"]);
    assert_eq!(shown(&stage, ".tray-failures").matches("It is locked").count(), 4);
    stage.all(".tray-failures a")[0].click();
    until("its card", || address() == "/live/forms/frm_1/submissions/sub_3").await;
    refuses.set(false);
    let before = deletes(&network).len();
    button(&stage, "Try “Person 2” again").click();
    until("it is gone", || names() == ["Person 3", "Person 1", "Person 0"]).await;
    until("two less", || shown(&stage, ".page-count") == "248 submissions").await;
    until("it is asked for", || deletes(&network).len() > before).await;
    assert_eq!(deletes(&network)[before..], ["sub_2"]);
    until("the end", || shown(&stage, ".tray-text").contains("3 submissions could not")).await;
    // What a submission is called is kept nowhere.
    let storage = window().local_storage().unwrap().unwrap();
    let keys = (0..storage.length().unwrap()).filter_map(|one| storage.key(one).unwrap());
    let kept = keys.filter(|key| key.starts_with("sheaf-tray-"));
    assert!(
        kept.into_iter().all(|key| !storage.get_item(&key).unwrap().unwrap().contains("Person"))
    );
    button(&stage, "Retry").click();
    until("the word", || shown(&stage, ".toasts").contains("5 submissions deleted")).await;
}

#[wasm_bindgen_test]
async fn all_of_many_failures_can_be_seen_and_few_are_drawn() {
    let refuses = Rc::new(Cell::new(true));
    let _network = refusing(&refuses, |number| number % 4 != 3);
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 12).await;
    stage.all(".grid-track .grid-check input")[0].click();
    until("the bar", || !stage.all(".selection").is_empty()).await;
    press_with(&stage.one("[data-key=sub_0]"), "a", false, true);
    until("the loaded", || shown(&stage, ".selection-count") == "100 selected").await;
    button(&stage, "Delete").click();
    until("the question", || !stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Delete 100 submissions").click();
    until("the tray", || !stage.all(".tray").is_empty()).await;
    button(&stage, "Delete now").click();
    for _ in 0..20 {
        if shown(&stage, ".tray-failures summary") == "Not deleted: 75" {
            break;
        }
        wait(1_000).await;
    }
    assert_eq!(stage.text(".tray-failures summary"), "Not deleted: 75");
    assert_eq!(stage.all(".tray-failure").len(), 50);
    assert_eq!(stage.text(".tray-turns span"), "1 to 50 of 75");
    button(&stage, "Show the next").click();
    until("the others", || stage.all(".tray-failure").len() == 25).await;
    assert_eq!(stage.text(".tray-turns span"), "51 to 75 of 75");
    assert!(shown(&stage, ".tray-failures").contains("Person 98"));
    button(&stage, "Show those before").click();
    until("the first", || shown(&stage, ".tray-failures").contains("Person 0")).await;
}
