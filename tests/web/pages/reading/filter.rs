//! The filter by the read state, and changes of the selection.

use leptos::prelude::{document, window};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{LIST, change, is_unread, network, open_list, read_changes, row, unread_count};
use crate::pages::bulk_triage::server::TriageServer;
use crate::pages::deletion::{row_keys, select_rows, wait_for_count};
use crate::pages::{address, button, open_dashboard, text_of, wait_for_toast, wait_until};
use crate::stage::{Stage, attr, press_key, press_with, settle, wait};

/// Presses an item of an open menu or panel once it is there.
async fn press_item(stage: &Stage, name: &str) {
    let find = || {
        let mut items = stage.all(":popover-open .filter-item").into_iter();
        items.find(|item| item.inner_text().trim() == name)
    };
    wait_until(name, || find().is_some()).await;
    settle().await;
    find().iter().for_each(HtmlElement::click);
}

#[wasm_bindgen_test]
async fn list_is_filtered_by_read_state_without_counts() {
    let server = TriageServer::with_reads(20..250);
    let _network = network(&server);
    let stage = open_list(LIST).await;
    button(&stage, "Filter").click();
    wait_until("the properties", || !stage.all(":popover-open .filter-item").is_empty()).await;
    let names = stage.all(":popover-open .filter-item-name");
    let names: Vec<_> =
        names.iter().skip(3).take(4).filter_map(|name| name.text_content()).collect();
    assert_eq!(names, ["Status", "Star", "Read status", "Tag"]);
    press_item(&stage, "Read status").await;
    wait_until("the picker", || text_of(&stage, ".filter-title") == "Read status").await;
    let options = stage.texts(".filter-picker .filter-item");
    assert_eq!(options, ["Unread", "Read"]);
    press_item(&stage, "Unread").await;
    wait_until("the filter", || address() == format!("{LIST}?read=false")).await;
    wait_for_count(&stage, 20).await;
    wait_until("the chip", || stage.texts(".chip") == ["Read statusUnread"]).await;
    press_item(&stage, "Read").await;
    wait_until("the filter", || address() == format!("{LIST}?read=true")).await;
    wait_for_count(&stage, 230).await;
    button(&stage, "Clear").click();
    wait_until("no filter", || address() == LIST).await;
}

#[wasm_bindgen_test]
async fn opened_row_stays_in_list_of_unread_ones() {
    let server = TriageServer::with_reads(20..250);
    let network = network(&server);
    let stage = open_list(&format!("{LIST}?read=false")).await;
    wait_for_count(&stage, 20).await;
    row(&stage, 2).click();
    wait_until("the change", || read_changes(&network) == [change("2", true)]).await;
    wait_until("the row", || !is_unread(&stage, 2)).await;
    wait(2_000).await;
    settle().await;
    assert_eq!(text_of(&stage, ".page-count"), "20 submissions");
    press_key(&document().body().unwrap(), "j");
    wait_until("the next one", || read_changes(&network).len() == 2).await;
    assert_eq!(read_changes(&network)[1], change("3", true));
}

#[wasm_bindgen_test]
async fn open_submission_of_a_read_list_has_neighbours() {
    let server = TriageServer::with_reads(20..250);
    let _network = network(&server);
    let stage = open_dashboard(&format!("{LIST}/submissions/sub_50?read=true"));
    wait_until("the row", || !stage.all("[data-key=sub_50][aria-current]").is_empty()).await;
    let next = button(&stage, "Next submission");
    assert_ne!(attr(&next, "aria-disabled").as_deref(), Some("true"));
}

#[wasm_bindgen_test]
async fn selection_is_marked_as_read_with_undo() {
    let server = TriageServer::with_reads([1]);
    let network = network(&server);
    let stage = open_list(LIST).await;
    wait_until("the number", || unread_count(&stage) == "249 unread").await;
    select_rows(&stage, &[0, 1, 2]).await;
    button(&stage, "Triage").click();
    press_item(&stage, "Mark as read").await;
    wait_for_toast(&stage, "2 submissions changed").await;
    assert_eq!(read_changes(&network), [change("2,1,0", true)]);
    assert_eq!(unread_count(&stage), "247 unread");
    assert!(!is_unread(&stage, 0) && !is_unread(&stage, 2));
    button(&stage, "Undo").click();
    wait_for_toast(&stage, "2 submissions changed back").await;
    assert_eq!(read_changes(&network)[1..], [change("2,0", false)]);
    assert!(is_unread(&stage, 0) && !is_unread(&stage, 1) && is_unread(&stage, 2));
    assert_eq!(unread_count(&stage), "249 unread");
}

#[wasm_bindgen_test]
async fn focus_stays_on_page_when_marked_rows_leave() {
    for (rows, target) in [(&[0, 2][..], ".grid-row"), (&[0, 1, 2], ".page-title")] {
        let server = TriageServer::with_reads(3..250);
        let _network = network(&server);
        let stage = open_list(&format!("{LIST}?read=false")).await;
        wait_for_count(&stage, 3).await;
        settle().await;
        stage.all(".grid-track .grid-row")[2].focus().unwrap();
        for index in rows {
            stage.all(".grid-track .grid-check input")[*index].click();
        }
        wait_until("the bar", || !stage.all(".selection").is_empty()).await;
        button(&stage, "Triage").click();
        press_item(&stage, "Mark as read").await;
        let left = 3 - rows.len();
        wait_until("fewer rows", || row_keys(&stage).len() == left).await;
        settle().await;
        let active = document().active_element().unwrap();
        assert!(active.matches(target).unwrap(), "{rows:?}: {}", active.tag_name());
        if left > 0 {
            assert_eq!(row_keys(&stage), ["sub_1"]);
            assert_eq!(text_of(&stage, ".page-count"), "1 submission");
            assert!(stage.all(".selection").is_empty(), "rows that left the list are selected");
            button(&stage, "Undo").click();
            wait_for_count(&stage, 3).await;
            wait_until("the rows", || row_keys(&stage) == ["sub_0", "sub_1", "sub_2"]).await;
        }
    }
}

#[wasm_bindgen_test]
async fn marked_selection_outdates_cached_list() {
    let server = TriageServer::with_reads(20..250);
    let _network = network(&server);
    let stage = open_list(&format!("{LIST}?read=false")).await;
    wait_for_count(&stage, 20).await;
    stage.one(".nav-link[href='/settings/forms']").click();
    wait_until("another page", || address() == "/settings/forms").await;
    stage.one(&format!(".nav-link[href='{LIST}']")).click();
    wait_until("the whole list", || address() == LIST).await;
    wait_for_count(&stage, 250).await;
    select_rows(&stage, &[0, 2]).await;
    button(&stage, "Triage").click();
    press_item(&stage, "Mark as read").await;
    wait_for_toast(&stage, "2 submissions changed").await;
    window().history().unwrap().back().unwrap();
    wait_until("another page", || address() == "/settings/forms").await;
    window().history().unwrap().back().unwrap();
    wait_until("the first list", || address() == format!("{LIST}?read=false")).await;
    wait_for_count(&stage, 18).await;
}

#[wasm_bindgen_test]
async fn all_that_match_are_marked_after_confirmation() {
    let server = TriageServer::default();
    let network = network(&server);
    let stage = open_list(LIST).await;
    wait_until("the number", || unread_count(&stage) == "250 unread").await;
    let first = &stage.all(".grid-track .grid-row")[0];
    first.focus().unwrap();
    press_with(first, "a", false, true);
    let offer = "Select all 250 that match";
    wait_until("the offer", || text_of(&stage, ".selection").contains(offer)).await;
    button(&stage, offer).click();
    button(&stage, "Triage").click();
    press_item(&stage, "Mark as read").await;
    let dialog = || text_of(&stage, "dialog[open]");
    wait_until("the question", || dialog().contains("Change all 250 submissions that match?"))
        .await;
    assert!(dialog().contains("Mark as read.") && !dialog().contains("undone"));
    button(&stage, "Change").click();
    wait_for_toast(&stage, "250 submissions changed").await;
    let sent = network.requests("/account/forms/frm_1/submissions");
    let body: serde_json::Value = serde_json::from_str(&sent[0].body).unwrap();
    assert_eq!(body, json!({ "filter": "", "count": 250, "set": { "read": true }, "undo": true }));
    wait_until("no number", || unread_count(&stage).is_empty()).await;
    wait_until("no unread rows", || stage.all("[data-unread]").is_empty()).await;
    button(&stage, "Undo").click();
    wait_for_toast(&stage, "250 submissions changed back").await;
    wait_until("the number", || unread_count(&stage).starts_with("250")).await;
    wait_until("unread rows", || !stage.all("[data-unread]").is_empty()).await;
}
