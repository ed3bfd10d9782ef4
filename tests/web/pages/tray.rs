//! The tray: what waits can be undone, what goes tells how far it is, what fails is named.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{button, gateway, open, reopen, shown, until};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, press, settle, wait};

fn keys(stage: &Stage) -> Vec<String> {
    let rows = stage.all(".grid-track .grid-row");
    rows.iter().filter_map(|row| attr(row, "data-key")).collect()
}

fn deletes(network: &Network) -> Vec<String> {
    let deletes = network.asked("").into_iter().filter(|asked| asked.method == "DELETE");
    deletes.map(|asked| asked.url.rsplit('/').next().unwrap().to_owned()).collect()
}

/// Selects rows by their boxes and says yes to their deletion.
async fn delete(stage: &Stage, rows: &[usize]) {
    until("rows", || keys(stage).len() > 10).await;
    for row in rows {
        stage.all(".grid-track .grid-check input")[*row].click();
    }
    until("the bar", || !stage.all(".selection").is_empty()).await;
    button(stage, "Delete").click();
    until("the question", || !stage.all("dialog[open]").is_empty()).await;
    assert!(shown(stage, "dialog[open]").contains("it cannot be undone"));
    let verb = format!("Delete {} submissions", rows.len());
    button(stage, &verb).click();
    until("the tray", || !stage.all(".tray").is_empty()).await;
}

#[wasm_bindgen_test]
async fn what_waits_is_off_the_list_and_comes_back_where_it_stood() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 10).await;
    let before = keys(&stage);
    for act in ["u", "button"] {
        delete(&stage, &[1, 3]).await;
        until("two less", || shown(&stage, ".page-count") == "248 submissions").await;
        assert_eq!(keys(&stage)[..3], ["sub_0", "sub_2", "sub_4"]);
        assert!(shown(&stage, ".tray").contains("Deleting 2 submissions in "));
        assert!(shown(&stage, "[role=status]").contains("Press u to undo"));
        let tray = stage.one(".tray");
        assert_eq!(attr(&tray, "aria-label").as_deref(), Some("Deletions"));
        if act == "u" {
            until("no dialog", || stage.all("dialog[open]").is_empty()).await;
            assert!(press(&document().body().unwrap(), "u"));
        } else {
            button(&stage, "Undo").click();
        }
        until("all again", || shown(&stage, ".page-count") == "250 submissions").await;
        assert_eq!(keys(&stage)[..5], before[..5]);
        until("no tray", || stage.all(".tray").is_empty()).await;
    }
    assert_eq!(deletes(&network), Vec::<String>::new());
}

#[wasm_bindgen_test]
async fn a_reload_keeps_what_waits_and_it_can_still_be_undone() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    drop(stage);
    settle().await;
    let stage = reopen("/live/forms/frm_1");
    until("two less", || shown(&stage, ".page-count") == "248 submissions").await;
    assert_eq!(keys(&stage)[0], "sub_2");
    until("the tray", || shown(&stage, ".tray").contains("Deleting 2 submissions in ")).await;
    assert_eq!(deletes(&network), Vec::<String>::new());
    button(&stage, "Undo").click();
    until("all again", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(keys(&stage)[0], "sub_0");
}

#[wasm_bindgen_test]
async fn what_goes_goes_once_and_what_is_gone_already_counts() {
    let network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" if asked.url.ends_with("sub_1") => Reply::error(404, "not_found", "gone"),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1, 2]).await;
    button(&stage, "Delete now").click();
    until("the word", || shown(&stage, ".toasts").contains("3 submissions deleted")).await;
    let mut gone = deletes(&network);
    gone.sort();
    assert_eq!(gone, ["sub_0", "sub_1", "sub_2"]);
    until("no tray", || stage.all(".tray").is_empty()).await;
    assert_eq!(shown(&stage, ".page-count"), "247 submissions");
    // Other tabs see how it ended; then nothing is left.
    let kept = || {
        let storage = window().local_storage().unwrap().unwrap();
        let keys = (0..storage.length().unwrap()).filter_map(|one| storage.key(one).unwrap());
        keys.filter(|key| key.starts_with("sheaf-tray-")).count()
    };
    assert_eq!(kept(), 1);
    wait(2_100).await;
    assert_eq!(kept(), 0);
}

#[wasm_bindgen_test]
async fn a_failure_is_named_comes_back_and_is_tried_again() {
    let refuses = std::rc::Rc::new(Cell::new(true));
    let refused = std::rc::Rc::clone(&refuses);
    let _network = Network::new(move |asked| match asked.method.as_str() {
        "DELETE" if asked.url.ends_with("sub_1") && refused.get() => {
            Reply::error(409, "conflict", "It is locked")
        }
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1, 2]).await;
    button(&stage, "Delete now").click();
    until("the reason", || shown(&stage, ".tray-failures").contains("It is locked")).await;
    until("its name", || shown(&stage, ".tray-failures a") == "Person 1").await;
    until("the end", || shown(&stage, ".tray").contains("1 submission could not be deleted")).await;
    assert_eq!(shown(&stage, ".page-count"), "248 submissions");
    assert_eq!(keys(&stage)[..2], ["sub_1", "sub_3"]);
    refuses.set(false);
    button(&stage, "Retry").click();
    until("the word", || shown(&stage, ".toasts").contains("3 submissions deleted")).await;
    assert_eq!(keys(&stage)[0], "sub_3");
}

#[wasm_bindgen_test]
async fn a_429_is_waited_for_and_said() {
    let refused = Cell::new(false);
    let _network = Network::new(move |asked| match asked.method.as_str() {
        "DELETE" if !refused.replace(true) => Reply::too_many(1),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    button(&stage, "Delete now").click();
    until("why", || shown(&stage, ".tray").contains("Waits 1 second for the rate limit")).await;
    until("the word", || shown(&stage, ".toasts").contains("2 submissions deleted")).await;
}

#[wasm_bindgen_test]
async fn a_refused_key_stops_it_and_the_rest_can_be_kept() {
    let network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" => Reply::error(403, "forbidden", "no"),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1, 2]).await;
    button(&stage, "Delete now").click();
    until("it stops", || shown(&stage, ".tray").contains("Stopped: 0 of 3 deleted")).await;
    assert_eq!(deletes(&network).len(), 1);
    assert_eq!(shown(&stage, ".page-count"), "248 submissions", "what failed is there");
    button(&stage, "Keep them").click();
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "250 submissions");
    wait(300).await;
    assert_eq!(deletes(&network).len(), 1);
}

#[wasm_bindgen_test]
async fn what_waits_shows_on_every_page_and_holds_a_sign_out_up() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    until("no dialog", || stage.all("dialog[open]").is_empty()).await;
    let link = stage
        .all(".side-bar a")
        .into_iter()
        .find(|one| one.text_content().unwrap().contains("API keys"));
    link.unwrap().click();
    until("the other page", || stage.text("h1") == "API keys").await;
    assert!(shown(&stage, ".tray").contains("Deleting 2 submissions"));
    let leaving = web_sys::Event::new_with_event_init_dict("beforeunload", &{
        let init = web_sys::EventInit::new();
        init.set_cancelable(true);
        init
    })
    .unwrap();
    assert!(!window().dispatch_event(&leaving).unwrap(), "who leaves is asked");
    button(&stage, "Account owner@example.org").click();
    settle().await;
    let out = stage
        .all("[role=menuitem]")
        .into_iter()
        .find(|one| one.text_content().unwrap().contains("Sign out"));
    out.unwrap().click();
    until("the question", || shown(&stage, "dialog[open]").contains("they stay")).await;
    button(&stage, "Cancel").click();
}

/// Refuses to delete some, by their number, for as long as `refuses` says so.
fn refusing(refuses: &std::rc::Rc<Cell<bool>>, some: impl Fn(u32) -> bool + 'static) -> Network {
    let refuses = std::rc::Rc::clone(refuses);
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
    let refuses = std::rc::Rc::new(Cell::new(true));
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
    until("its card", || super::address() == "/live/forms/frm_1/submissions/sub_3").await;
    refuses.set(false);
    let before = deletes(&network).len();
    button(&stage, "Try “Person 2” again").click();
    until("it is gone", || names() == ["Person 3", "Person 1", "Person 0"]).await;
    until("two less", || shown(&stage, ".page-count") == "248 submissions").await;
    assert_eq!(deletes(&network)[before..], ["sub_2"]);
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
    let refuses = std::rc::Rc::new(Cell::new(true));
    let _network = refusing(&refuses, |number| number % 4 != 3);
    let stage = open("/live/forms/frm_1");
    until("rows", || keys(&stage).len() > 12).await;
    stage.all(".grid-track .grid-check input")[0].click();
    until("the bar", || !stage.all(".selection").is_empty()).await;
    super::select::press_with(&stage.one("[data-key=sub_0]"), "a", false, true);
    until("the loaded", || shown(&stage, ".selection-count") == "100 selected").await;
    button(&stage, "Delete").click();
    until("the question", || !stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Delete 100 submissions").click();
    until("the tray", || !stage.all(".tray").is_empty()).await;
    button(&stage, "Delete now").click();
    for _ in 0..5 {
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

/// Deletes rows of a server that takes its time over each, and waits until the first has gone out.
async fn on_its_way(stage: &Stage, network: &Network, rows: &[usize]) {
    delete(stage, rows).await;
    button(stage, "Delete now").click();
    until("one on its way", || !deletes(network).is_empty()).await;
}

fn slow(asked: &crate::network::Asked) -> Reply {
    match asked.method.as_str() {
        "DELETE" => Reply::none().late(300),
        _ => gateway(asked),
    }
}

/// Where the one decision is kept, and what is kept of it.
fn kept() -> Option<(String, String)> {
    let storage = window().local_storage().unwrap().unwrap();
    let keys = (0..storage.length().unwrap()).filter_map(|one| storage.key(one).unwrap());
    let key = keys.filter(|key| key.starts_with("sheaf-tray-")).last()?;
    let text = storage.get_item(&key).unwrap()?;
    Some((key, text))
}

/// Keeps something, or forgets it, as another tab would.
fn keep_elsewhere(key: &str, text: Option<&str>) {
    let storage = window().local_storage().unwrap().unwrap();
    match text {
        Some(text) => storage.set_item(key, text).unwrap(),
        None => storage.remove_item(key).unwrap(),
    }
    window().dispatch_event(&web_sys::Event::new("storage").unwrap()).unwrap();
}

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
