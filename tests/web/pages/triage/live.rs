//! Live updates: changes of other users and new submissions.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::server::{CardServer, note};
use super::{LIST, open_card};
use crate::network::Network;
use crate::pages::reading::{Visibility, set_hidden};
use crate::pages::{ROWS, button, list_page, open_dashboard, text_of, wait_until};
use crate::stage::{Stage, settle, type_into, value, wait};

const TRIAGE: &str = "/account/forms/frm_1/triage?";
const SUBMISSIONS: &str = "/api/live/v1/forms/frm_1/submissions?";

/// Returns the data of an event about submissions of `frm_1`.
fn change(numbers: &[u32]) -> String {
    let ids: Vec<_> = numbers.iter().map(|number| format!("sub_{number}")).collect();
    json!({ "form_id": "frm_1", "ids": ids }).to_string()
}

fn marks(stage: &Stage, row: u32) -> String {
    let marks = stage.all(&format!("[data-key=sub_{row}] .row-marks"));
    marks.first().and_then(|marks| marks.text_content()).unwrap_or_default()
}

/// Opens a list, and waits until its stream is open and its triage is known.
async fn open_list(path: &str, network: &Network) -> Stage {
    let stage = open_dashboard(path);
    wait_until("the stream", || network.streams.opened().len() == 1).await;
    wait_until("the marks", || !network.requests(TRIAGE).is_empty()).await;
    network.streams.send("ready", "{}");
    settle().await;
    stage
}

/// A list without some submissions.
fn network_without(missing: &Rc<RefCell<BTreeSet<u32>>>) -> Network {
    let (server, missing) = (CardServer::default(), Rc::clone(missing));
    Network::new(move |asked| {
        if asked.url.starts_with(SUBMISSIONS) {
            let missing = missing.borrow();
            let rows: Vec<_> = (0..ROWS).filter(|number| !missing.contains(number)).collect();
            return list_page(&rows, &asked.url);
        }
        server.answer(asked)
    })
}

#[wasm_bindgen_test]
async fn stream_of_list_page_shows_changes_of_others() {
    let server = CardServer::default();
    let network = server.network();
    let stage = open_list(LIST, &network).await;
    let requests = network.requests(TRIAGE).len();
    assert_eq!(network.streams.opened(), [("/account/events?environment=live".to_owned(), true)]);
    server.triage.marks.borrow_mut().entry(2).or_default().starred = true;
    network.streams.send("updated", &change(&[2]));
    wait_until("the star", || marks(&stage, 2) == "Starred").await;
    let sent = network.requests(TRIAGE);
    assert_eq!(sent.len(), requests + 1);
    assert!(sent.last().unwrap().url.ends_with("ids=sub_2"));
    // A row far away, another form and an unknown event cause no request.
    network.streams.send("updated", &change(&[240]));
    network.streams.send("updated", r#"{"form_id":"frm_2","ids":["sub_2"]}"#);
    network.streams.send("archived", &change(&[2]));
    network.streams.send("updated", "not JSON");
    wait(5_000).await;
    assert_eq!(network.requests(TRIAGE).len(), requests + 1);
    // Any submission may have changed.
    server.triage.marks.borrow_mut().entry(4).or_default().starred = true;
    network.streams.send("updated", &change(&[]));
    wait_until("the other star", || marks(&stage, 4) == "Starred").await;
    // Added insights load the list again.
    let requests = network.requests(SUBMISSIONS).len();
    network.streams.send("analyzed", &change(&[240]));
    wait(3_000).await;
    assert_eq!(network.requests(SUBMISSIONS).len(), requests, "the row is not loaded");
    network.streams.send("analyzed", &change(&[1]));
    wait_until("the list", || network.requests(SUBMISSIONS).len() > requests).await;
    drop(stage);
    settle().await;
    assert!(network.streams.opened().iter().all(|(_, is_open)| !is_open));
}

#[wasm_bindgen_test]
async fn card_shows_changes_of_others_and_keeps_an_open_editor() {
    let server = CardServer::default();
    server.notes.borrow_mut().push(note("nte_1", "psn_1", "Mine"));
    let network = server.network();
    let stage = open_card(3).await;
    wait_until("the own note", || !stage.all(".note-buttons button").is_empty()).await;
    button(&stage, "Edit").click();
    wait_until("the editor", || !stage.all(".note textarea").is_empty()).await;
    type_into(&stage.one(".note textarea"), "Half a sent");
    wait_until("the stream", || network.streams.opened().len() == 1).await;
    server.notes.borrow_mut().push(note("nte_2", "psn_2", "Theirs"));
    network.streams.send("updated", &change(&[3]));
    wait_until("their note", || text_of(&stage, ".triage-notes").contains("Theirs")).await;
    assert_eq!(value(&stage.one(".note textarea")), "Half a sent");
    let requests = network.requests("/submissions/sub_3").len();
    network.streams.send("updated", &change(&[4]));
    settle().await;
    assert_eq!(network.requests("/submissions/sub_3").len(), requests);
}

#[wasm_bindgen_test]
async fn list_filtered_by_triage_follows_changes_of_others() {
    let server = CardServer::default();
    let network = server.network();
    let stage = open_list(&format!("{LIST}?status=open"), &network).await;
    wait_until("the total", || stage.text("main").contains("250 submissions")).await;
    server.triage.marks.borrow_mut().entry(2).or_default().status = "done".parse().unwrap();
    network.streams.send("updated", &change(&[2]));
    wait_until("the total", || stage.text("main").contains("249 submissions")).await;
    wait_until("the rows", || stage.all("[data-key=sub_2]").is_empty()).await;
    // An event that changes nothing loads no list.
    let requests = network.requests(SUBMISSIONS).len();
    network.streams.send("updated", &change(&[2]));
    wait(5_000).await;
    assert_eq!(network.requests(SUBMISSIONS).len(), requests);
    // After a gap, the list is loaded again.
    network.streams.end();
    server.triage.marks.borrow_mut().entry(4).or_default().status = "done".parse().unwrap();
    wait_until("the second stream", || network.streams.opened().len() == 2).await;
    network.streams.send("ready", "{}");
    wait_until("the total", || stage.text("main").contains("248 submissions")).await;
}

#[wasm_bindgen_test]
async fn new_submissions_are_counted_at_once_and_then_at_intervals() {
    let missing = Rc::new(RefCell::new((0..10).collect()));
    let network = network_without(&missing);
    let stage = open_list(LIST, &network).await;
    wait_until("the list", || stage.text("main").contains("240 submissions")).await;
    let requests = network.requests(SUBMISSIONS).len();
    missing.borrow_mut().clear();
    network.streams.send("created", &change(&[0]));
    wait_until("the count", || stage.text("main").contains("10 new")).await;
    for number in 1..10 {
        network.streams.send("created", &change(&[number]));
        wait(100).await;
    }
    // A quarter of 500 requests in 15 minutes is one in 7 seconds.
    wait(9_000).await;
    let checks = network.requests(SUBMISSIONS).len() - requests;
    assert_eq!(checks, 2, "one at once, and one for all others");
}

#[wasm_bindgen_test]
async fn submissions_that_others_remove_leave_the_list() {
    let missing = Rc::new(RefCell::new(BTreeSet::new()));
    let network = network_without(&missing);
    let stage = open_list(LIST, &network).await;
    wait_until("the list", || stage.text("main").contains("250 submissions")).await;
    missing.borrow_mut().insert(1);
    network.streams.send("removed", &change(&[1]));
    wait_until("the rows", || stage.all("[data-key=sub_1]").is_empty()).await;
    wait_until("the total", || stage.text("main").contains("249 submissions")).await;
    // The same event again, as after an own removal, changes nothing.
    let requests = network.requests(SUBMISSIONS).len();
    network.streams.send("removed", &change(&[1]));
    wait(5_000).await;
    assert_eq!(network.requests(SUBMISSIONS).len(), requests);
    assert!(stage.text("main").contains("249 submissions"));
    // A row that is not loaded.
    missing.borrow_mut().insert(240);
    network.streams.send("removed", &change(&[240]));
    wait_until("the total", || stage.text("main").contains("248 submissions")).await;
}

#[wasm_bindgen_test]
async fn restored_and_missed_changes_load_the_list_again() {
    let missing = Rc::new(RefCell::new(BTreeSet::from([1])));
    let network = network_without(&missing);
    let stage = open_list(LIST, &network).await;
    wait_until("the list", || stage.text("main").contains("249 submissions")).await;
    missing.borrow_mut().clear();
    network.streams.send("created", &change(&[1]));
    wait_until("the restored row", || !stage.all("[data-key=sub_1]").is_empty()).await;
    wait_until("the total", || stage.text("main").contains("250 submissions")).await;
    missing.borrow_mut().insert(2);
    network.streams.send("reset", "{}");
    wait_until("the missed removal", || stage.all("[data-key=sub_2]").is_empty()).await;
    wait_until("the total", || stage.text("main").contains("249 submissions")).await;
}

#[wasm_bindgen_test]
async fn hidden_page_has_no_stream_and_catches_up() {
    let server = CardServer::default();
    let network = server.network();
    let stage = open_list(LIST, &network).await;
    let _restore = Visibility;
    set_hidden(true);
    settle().await;
    assert!(!network.streams.opened()[0].1);
    server.triage.marks.borrow_mut().entry(2).or_default().starred = true;
    set_hidden(false);
    wait_until("the second stream", || network.streams.opened().len() == 2).await;
    network.streams.send("ready", "{}");
    wait_until("the star", || marks(&stage, 2) == "Starred").await;
}

#[wasm_bindgen_test]
async fn changes_are_polled_where_events_do_not_get_through() {
    let server = CardServer::default();
    let network = server.network();
    let stage = open_list(LIST, &network).await;
    network.streams.end();
    wait_until("the second stream", || network.streams.opened().len() == 2).await;
    server.triage.marks.borrow_mut().entry(2).or_default().starred = true;
    // It ends without an event.
    network.streams.end();
    wait_until("the star", || marks(&stage, 2) == "Starred").await;
}

#[wasm_bindgen_test]
async fn ended_and_silent_streams_are_opened_again() {
    let network = CardServer::default().network();
    let _stage = open_list(LIST, &network).await;
    let count = || network.streams.opened().len();
    network.streams.end();
    wait(1_900).await;
    assert_eq!(count(), 1);
    wait_until("the second stream", || count() == 2).await;
    // Without an event, the next delay is longer.
    network.streams.end();
    wait(3_500).await;
    assert_eq!(count(), 2);
    wait_until("the third stream", || count() == 3).await;
    network.streams.send("ready", "{}");
    wait(50_000).await;
    assert_eq!((count(), network.streams.opened()[2].1), (3, true));
    wait(15_000).await;
    assert!(!network.streams.opened()[2].1, "it was silent for a minute");
    wait_until("the fourth stream", || count() == 4).await;
}
