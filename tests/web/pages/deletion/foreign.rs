//! Permanent deletion on a server without a trash, with one request per submission.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{row_keys, select_rows, wait_for_count};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::bulk_triage::select_all_of;
use crate::pages::list::LIST;
use crate::pages::{
    answer_as_foreign_gateway, button, list_page, open_dashboard, text_of, wait_for_text,
    wait_until,
};
use crate::stage::{Stage, settle, type_into, wait};

fn deleted_ids(network: &Network) -> Vec<String> {
    let deletes = network.sent("DELETE", "").into_iter();
    deletes.map(|asked| asked.url.rsplit('/').next().unwrap().to_owned()).collect()
}

/// Opens the list, selects rows, deletes them, and confirms.
async fn delete_rows(rows: &[usize]) -> Stage {
    let stage = open_dashboard("/live/forms/frm_1");
    select_rows(&stage, rows).await;
    button(&stage, "Delete").click();
    wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, "dialog[open]").contains("This cannot be undone."));
    button(&stage, "Delete permanently").click();
    stage
}

fn panel_text(stage: &Stage) -> String {
    text_of(stage, ".task-panel")
}

#[wasm_bindgen_test]
async fn status_404_counts_as_deleted() {
    let network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" if asked.url.ends_with("sub_1") => Reply::error(404, "not_found", "gone"),
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = delete_rows(&[0, 1, 2]).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("3 submissions deleted")).await;
    let mut sent = deleted_ids(&network);
    sent.sort();
    assert_eq!(sent, ["sub_0", "sub_1", "sub_2"]);
    assert_eq!(row_keys(&stage)[0], "sub_3");
    assert_eq!(text_of(&stage, ".page-count"), "247 submissions");
    wait_until("no panel", || stage.all(".task-panel").is_empty()).await;
}

#[wasm_bindgen_test]
async fn deletion_failures_are_listed_and_retried() {
    let refuses = Rc::new(Cell::new(true));
    let says_no = Rc::clone(&refuses);
    let network = Network::new(move |asked| match asked.method.as_str() {
        "DELETE" if asked.url.ends_with("sub_1") && says_no.get() => {
            Reply::error(409, "conflict", "It is locked")
        }
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = delete_rows(&[0, 1, 2]).await;
    wait_until("the reason", || text_of(&stage, ".task-failures").contains("It is locked")).await;
    wait_until("the end", || panel_text(&stage).contains("Deleted 2 of 3")).await;
    assert_eq!(row_keys(&stage)[..2], ["sub_1", "sub_3"]);
    refuses.set(false);
    button(&stage, "Retry").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("3 submissions deleted")).await;
    assert_eq!(row_keys(&stage)[0], "sub_3");
    assert_eq!(deleted_ids(&network).len(), 4);
}

#[wasm_bindgen_test]
async fn status_429_delays_deletion() {
    let refused = Cell::new(false);
    let network = Network::new(move |asked| match asked.method.as_str() {
        "DELETE" if !refused.replace(true) => Reply::too_many(1),
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = delete_rows(&[0, 1]).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("2 submissions deleted")).await;
    assert_eq!(deleted_ids(&network).len(), 3);
}

#[wasm_bindgen_test]
async fn status_403_stops_deletion() {
    let network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" => Reply::error(403, "forbidden", "no"),
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = delete_rows(&[0, 1, 2]).await;
    wait_until("the stop", || panel_text(&stage).contains("Stopped: 0 of 3 deleted")).await;
    assert_eq!(deleted_ids(&network).len(), 1);
    assert_eq!(text_of(&stage, ".page-count"), "250 submissions");
    button(&stage, "Close").click();
    wait_until("no panel", || stage.all(".task-panel").is_empty()).await;
}

fn answer_slowly(asked: &RecordedRequest) -> Reply {
    match asked.method.as_str() {
        "DELETE" => Reply::no_content().delayed(1_000),
        _ => answer_as_foreign_gateway(asked),
    }
}

#[wasm_bindgen_test]
async fn running_deletion_can_be_stopped() {
    let network = Network::new(answer_slowly);
    let stage = delete_rows(&[0, 1, 2, 3]).await;
    wait_until("the second", || panel_text(&stage).contains("Deleting 2 of 4")).await;
    wait_until("its request", || deleted_ids(&network).len() == 2).await;
    let init = web_sys::EventInit::new();
    init.set_cancelable(true);
    let leaving = web_sys::Event::new_with_event_init_dict("beforeunload", &init).unwrap();
    assert!(
        !window().dispatch_event(&leaving).unwrap(),
        "the browser asks before leaving the page"
    );
    button(&stage, "Stop").click();
    wait_until("the end", || panel_text(&stage).contains("Stopped: ")).await;
    wait(3_000).await;
    assert_eq!(deleted_ids(&network).len(), 2, "the request in flight completed");
    assert_eq!(text_of(&stage, ".page-count"), "248 submissions");
    let leaving = web_sys::Event::new_with_event_init_dict("beforeunload", &init).unwrap();
    assert!(window().dispatch_event(&leaving).unwrap());
    button(&stage, "Retry").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("4 submissions deleted")).await;
}

#[wasm_bindgen_test]
async fn all_matching_rows_are_deleted() {
    // Those after the first page are not loaded.
    let network = Network::new(|asked| match asked.url.split('?').next() {
        Some(LIST) => list_page(&(0..120).collect::<Vec<_>>(), &asked.url),
        _ => answer_as_foreign_gateway(asked),
    });
    let stage = open_dashboard("/live/forms/frm_1");
    select_all_of(&stage, 120).await;
    button(&stage, "Delete").click();
    wait_for_text(&stage, "dialog[open]", "all submissions").await;
    assert!(text_of(&stage, "dialog[open]").contains("This cannot be undone."));
    type_into(&stage.one("dialog[open] input"), "120");
    button(&stage, "Delete permanently").click();
    wait_for_text(&stage, ".toasts", "120 submissions deleted").await;
    let mut sent = deleted_ids(&network);
    sent.sort();
    sent.dedup();
    assert_eq!(sent.len(), 120);
    wait_for_count(&stage, 0).await;
    settle().await;
}

#[wasm_bindgen_test]
async fn rows_deleted_during_listing_are_deleted_too() {
    // Without a response the deletion of all rows ends, the other one does not.
    for (is_lost, expected, toast) in [
        (false, &["sub_0", "sub_1", "sub_5"][..], "3 submissions deleted"),
        (true, &["sub_5"], "Submission deleted"),
    ] {
        let is_listing = Rc::new(Cell::new(false));
        let is_late = Rc::clone(&is_listing);
        let network = Network::new(move |asked| match asked.url.split('?').next() {
            Some(LIST) if is_late.get() => {
                Reply { lost: is_lost, ..list_page(&[0, 1], &asked.url).delayed(3_000) }
            }
            Some(LIST) => list_page(&(0..120).collect::<Vec<_>>(), &asked.url),
            _ => answer_as_foreign_gateway(asked),
        });
        let stage = open_dashboard("/live/forms/frm_1");
        select_all_of(&stage, 120).await;
        button(&stage, "Delete").click();
        wait_for_text(&stage, "dialog[open]", "all submissions").await;
        type_into(&stage.one("dialog[open] input"), "120");
        is_listing.set(true);
        button(&stage, "Delete permanently").click();
        wait_until("the end of the dialog", || stage.all("dialog[open]").is_empty()).await;
        select_rows(&stage, &[5]).await;
        button(&stage, "Delete").click();
        wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
        button(&stage, "Delete permanently").click();
        if is_lost {
            wait_for_text(&stage, ".toasts", "Could not list the submissions to delete.").await;
        }
        wait_for_text(&stage, ".toasts", toast).await;
        let mut sent = deleted_ids(&network);
        sent.sort();
        assert_eq!(sent, expected);
    }
}
