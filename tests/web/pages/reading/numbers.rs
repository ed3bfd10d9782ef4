//! The numbers of unread submissions, and of new ones, in special cases.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::document;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{LIST, UNREAD, card_server, is_unread, open_list, read_changes, row, unread_count};
use crate::network::{Network, Reply};
use crate::pages::bulk_triage::server::TriageServer;
use crate::pages::list::check_for_new_rows;
use crate::pages::{address, open_dashboard, query_parameter, submission, text_of, wait_until};
use crate::stage::{press_key, settle, wait};

#[wasm_bindgen_test]
async fn new_submissions_are_counted_after_reading_others() {
    let server = TriageServer::with_reads(20..250);
    let answers = card_server(&server);
    let extra = Rc::new(Cell::new(0));
    let newer = Rc::clone(&extra);
    let network = Network::new(move |asked| {
        let answer = answers.answer(asked);
        let is_check = query_parameter(&asked.url, "limit").as_deref() == Some("1");
        if newer.get() == 0 || !is_check {
            return answer;
        }
        let mut page: Value = serde_json::from_str(&answer.body).unwrap();
        let total = page["pagination"]["total"].as_u64().unwrap();
        page["pagination"]["total"] = (total + newer.get()).into();
        let mut newest = submission(0);
        newest["id"] = "sub_900".into();
        newest["metadata"]["submitted_at"] = "2026-03-29T12:00:00Z".into();
        page["data"] = json!([newest]);
        Reply::ok(&page)
    });
    let stage = open_list(&format!("{LIST}?read=false")).await;
    row(&stage, 2).click();
    wait_until("the change", || read_changes(&network).len() == 1).await;
    press_key(&document().body().unwrap(), "j");
    wait_until("the next change", || read_changes(&network).len() == 2).await;
    extra.set(2);
    check_for_new_rows();
    wait_until("the news", || text_of(&stage, ".list-news").contains("2 new")).await;
}

#[wasm_bindgen_test]
async fn refused_request_for_numbers_ends_no_session_and_counts_nothing() {
    let server = card_server(&TriageServer::with_reads(0..250));
    let network = Network::new(move |asked| match asked.url.as_str() {
        UNREAD => Reply::error(401, "error", "no numbers"),
        _ => server.answer(asked),
    });
    let stage = open_dashboard(LIST);
    wait_until("the request", || !network.requests(UNREAD).is_empty()).await;
    wait_until("the marks", || !network.requests("/triage?").is_empty()).await;
    wait(2_000).await;
    settle().await;
    assert_eq!(address(), LIST, "a request for numbers does not end the session");
    row(&stage, 3).focus().unwrap();
    assert!(press_key(&row(&stage, 3), "U"));
    wait_until("the row", || is_unread(&stage, 3)).await;
    wait_until("the change", || read_changes(&network).len() == 1).await;
    settle().await;
    assert_eq!(unread_count(&stage), "");
}
