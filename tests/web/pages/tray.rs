//! The tray: what waits can be undone, what goes tells how far it is, what fails is named.

mod failed;
mod focus;
mod left;
mod tabs;
mod waits;

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
pub(super) async fn delete(stage: &Stage, rows: &[usize]) {
    until("rows", || keys(stage).len() > 10).await;
    for row in rows {
        stage.all(".grid-track .grid-check input")[*row].click();
    }
    until("the bar", || !stage.all(".selection").is_empty()).await;
    button(stage, "Delete").click();
    until("the question", || !stage.all("dialog[open]").is_empty()).await;
    assert!(shown(stage, "dialog[open]").contains("it cannot be undone"));
    let verb = match rows.len() {
        1 => "Delete 1 submission".to_owned(),
        count => format!("Delete {count} submissions"),
    };
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
    let says_no = std::rc::Rc::clone(&refuses);
    let _network = Network::new(move |asked| match asked.method.as_str() {
        "DELETE" if asked.url.ends_with("sub_1") && says_no.get() => {
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
    until("why", || shown(&stage, ".tray").contains("Waits 1 s for the rate limit")).await;
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
    let mut keys = (0..storage.length().unwrap()).filter_map(|one| storage.key(one).unwrap());
    let key = keys.rfind(|key| key.starts_with("sheaf-tray-"))?;
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
