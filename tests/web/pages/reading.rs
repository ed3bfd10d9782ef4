//! Read and unread submissions: rows, numbers in the side bar, opening, and the setting.

mod filter;
mod keys;
mod numbers;
mod steps;

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::{document, window};
use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::bulk_triage::server::TriageServer;
use super::list::check_for_new_rows;
use super::members::access_reply;
use super::triage::server::CardServer;
use super::{button, local_storage, open_dashboard, text_of, wait_until};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, attr, dispatch_event, press_key, settle, wait};

const LIST: &str = "/live/forms/frm_1";
const UNREAD: &str = "/account/unread";

/// Returns a server that has cards, with the read states of `triage`.
fn card_server(triage: &TriageServer) -> CardServer {
    CardServer { triage: triage.clone(), ..CardServer::default() }
}

fn network(triage: &TriageServer) -> Network {
    card_server(triage).network()
}

/// Returns the changes of read states that were sent: the numbers of the submissions as text, and
/// whether they were marked as read.
fn read_changes(network: &Network) -> Vec<(String, bool)> {
    let sent = network.sent("PATCH", "/account/forms/frm_1/submissions").into_iter();
    let change = |asked: RecordedRequest| {
        let body: Value = serde_json::from_str(&asked.body).ok()?;
        let ids = body["ids"].as_array()?.iter().filter_map(Value::as_str);
        let numbers: Vec<_> = ids.map(|id| id[4..].to_owned()).collect();
        Some((numbers.join(","), body["set"]["read"].as_bool()?))
    };
    sent.filter_map(change).collect()
}

fn change(numbers: &str, is_read: bool) -> (String, bool) {
    (numbers.to_owned(), is_read)
}

fn is_unread(stage: &Stage, number: u32) -> bool {
    !stage.all(&format!("[data-key=sub_{number}][data-unread]")).is_empty()
}

fn row(stage: &Stage, number: u32) -> HtmlElement {
    stage.one(&format!("[data-key=sub_{number}]"))
}

/// Returns the start, the end and the height of all cells of a row.
pub(super) fn cell_edges(stage: &Stage, number: u32) -> Vec<(f64, f64, f64)> {
    let cells = stage.all(&format!("[data-key=sub_{number}] > .grid-cell"));
    let edges = |cell: &HtmlElement| {
        let place = cell.get_bounding_client_rect();
        (place.left(), place.right(), place.height())
    };
    cells.iter().map(edges).collect()
}

fn unread_count(stage: &Stage) -> String {
    text_of(stage, ".nav-link[href*=forms] .unread-count")
}

/// Opens a page, and waits for the marks of its rows.
async fn open_list(path: &str) -> Stage {
    let stage = open_dashboard(path);
    wait_until("unread rows", || !stage.all("[data-unread]").is_empty()).await;
    settle().await;
    stage
}

/// Returns the accessible name of a row.
fn row_name(row: &HtmlElement) -> String {
    let ids = attr(row, "aria-labelledby").unwrap();
    let parts = ids.split(' ').map(|id| document().get_element_by_id(id).unwrap());
    let parts: Vec<_> = parts.filter_map(|part| part.text_content()).collect();
    parts.join(" ").trim().to_owned()
}

#[wasm_bindgen_test]
async fn unread_rows_are_marked_once_they_are_known_and_move_no_cell() {
    let server = TriageServer::with_reads([1]);
    let _network = Network::new(move |asked| {
        let is_slow = asked.url.contains("/triage?");
        server.answer(asked).delayed(if is_slow { 3_000 } else { 0 })
    });
    let stage = open_dashboard(LIST);
    wait_until("rows", || !stage.all("[data-key=sub_2]").is_empty()).await;
    settle().await;
    assert!(stage.all("[data-unread]").is_empty(), "nothing is known yet");
    let before = cell_edges(&stage, 2);
    wait_until("the marks", || is_unread(&stage, 2)).await;
    settle().await;
    assert!(!is_unread(&stage, 1) && is_unread(&stage, 0));
    assert_eq!(cell_edges(&stage, 2), before);
    assert!(row_name(&row(&stage, 2)).starts_with("Unread "), "{}", row_name(&row(&stage, 2)));
    assert!(!row_name(&row(&stage, 1)).contains("Unread"));
    let weight = |number: u32| {
        let cell = &stage.all(&format!("[data-key=sub_{number}] > [data-slot=title]"))[0];
        let style = window().get_computed_style(cell).unwrap().unwrap();
        style.get_property_value("font-weight").unwrap()
    };
    assert_eq!((weight(1), weight(2)), ("400".to_owned(), "600".to_owned()));
}

#[wasm_bindgen_test]
async fn recycled_rows_show_their_own_state() {
    let server = TriageServer::with_reads(0..150);
    let _network = network(&server);
    let stage = open_dashboard(LIST);
    wait_until("rows", || !stage.all("[data-key=sub_2]").is_empty()).await;
    settle().await;
    assert!(stage.all("[data-unread]").is_empty());
    stage.one(".grid").set_scroll_top(44 * 170);
    wait_until("unread rows", || is_unread(&stage, 175)).await;
    stage.one(".grid").set_scroll_top(0);
    wait_until("the first rows", || !stage.all("[data-key=sub_2]").is_empty()).await;
    settle().await;
    assert!(stage.all("[data-unread]").is_empty());
    assert!(!text_of(&stage, ".grid-track .grid-check").contains("Unread"));
}

#[wasm_bindgen_test]
async fn opened_submissions_are_marked_as_read_and_counted() {
    let server = TriageServer::default();
    let network = network(&server);
    let stage = open_list(LIST).await;
    wait_until("the number", || unread_count(&stage) == "250 unread").await;
    row(&stage, 2).click();
    wait_until("the change", || read_changes(&network) == [change("2", true)]).await;
    wait_until("the row", || !is_unread(&stage, 2)).await;
    assert!(is_unread(&stage, 3));
    assert_eq!(unread_count(&stage), "249 unread");
    press_key(&document().body().unwrap(), "j");
    wait_until("the next change", || read_changes(&network).len() == 2).await;
    wait_until("the next row", || !is_unread(&stage, 3)).await;
    assert!(server.is_read(2) && server.is_read(3));
    wait_until("the number", || unread_count(&stage) == "248 unread").await;
    press_key(&document().body().unwrap(), "k");
    wait(2_000).await;
    settle().await;
    assert_eq!(read_changes(&network).len(), 2, "a read submission is not marked again");
    assert_eq!(network.requests(UNREAD).len(), 1, "own changes need no request");
}

#[wasm_bindgen_test]
async fn submission_of_a_link_is_marked_once_its_state_is_known() {
    let server = TriageServer::with_reads([7]);
    let network = network(&server);
    for (number, expected) in [(7, vec![]), (8, vec![change("8", true)])] {
        let stage = open_dashboard(&format!("{LIST}/submissions/sub_{number}"));
        wait_until("the card", || !stage.all(".triage-history").is_empty()).await;
        wait(2_000).await;
        settle().await;
        assert_eq!(read_changes(&network), expected);
        assert!(server.is_read(number));
    }
}

#[wasm_bindgen_test]
async fn failed_change_is_reverted_without_message() {
    let server = TriageServer::default();
    let answers = card_server(&server);
    *answers.is_failing.borrow_mut() = true;
    let network = answers.network();
    let stage = open_list(LIST).await;
    wait_until("the number", || unread_count(&stage) == "250 unread").await;
    row(&stage, 2).click();
    wait_until("the change", || read_changes(&network).len() == 1).await;
    wait_until("the old state", || is_unread(&stage, 2)).await;
    wait_until("the old number", || unread_count(&stage) == "250 unread").await;
    settle().await;
    assert_eq!(read_changes(&network).len(), 1, "the change is not repeated");
    assert!(stage.all(".toast").is_empty());
}

/// Sets the setting. Dropping it restores the default.
struct DisabledMarking;

impl Drop for DisabledMarking {
    fn drop(&mut self) {
        local_storage().remove_item("sheaf-mark-read").unwrap();
    }
}

#[wasm_bindgen_test]
async fn setting_disables_marking_when_opened() {
    let server = TriageServer::default();
    let answers = card_server(&server);
    let network = Network::new(move |asked| match asked.url.as_str() {
        "/sessions" => access_reply(),
        _ => answers.answer(asked),
    });
    let _restore = DisabledMarking;
    let stage = open_dashboard("/settings/account");
    let check = || {
        let mut labels = stage.all("label").into_iter();
        labels.find(|label| label.inner_text().contains("Mark as read when opened"))
    };
    wait_until("the setting", || check().is_some()).await;
    let input = check().unwrap().query_selector("input").unwrap().unwrap();
    input.unchecked_into::<HtmlElement>().click();
    settle().await;
    drop(stage);
    let stage = open_list(&format!("{LIST}/submissions/sub_3")).await;
    wait_until("the card", || !stage.all(".triage-history").is_empty()).await;
    wait(2_000).await;
    settle().await;
    assert!(read_changes(&network).is_empty() && is_unread(&stage, 3));
    button(&stage, "Mark as read").click();
    wait_until("the change", || read_changes(&network) == [change("3", true)]).await;
    button(&stage, "Mark as unread").click();
    wait_until("the other change", || read_changes(&network).len() == 2).await;
    wait_until("the row", || is_unread(&stage, 3)).await;
}

/// Sets whether the window counts as hidden.
pub(crate) fn set_hidden(is_hidden: bool) {
    let hidden = format!(
        "Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }})"
    );
    js_sys::eval(&hidden).unwrap();
    dispatch_event(document().document_element().unwrap().unchecked_ref(), "visibilitychange");
}

/// Restores the visibility of the window when dropped.
pub(crate) struct Visibility;

impl Drop for Visibility {
    fn drop(&mut self) {
        js_sys::eval("delete document.hidden").unwrap();
    }
}

#[wasm_bindgen_test]
async fn numbers_are_loaded_again_when_window_is_visible_again() {
    let server = TriageServer::default();
    let network = network(&server);
    let stage = open_list(LIST).await;
    wait_until("the number", || unread_count(&stage) == "250 unread").await;
    server.reads.borrow_mut().extend(0..100);
    let _restore = Visibility;
    set_hidden(true);
    wait(5_000).await;
    set_hidden(false);
    settle().await;
    assert_eq!(network.requests(UNREAD).len(), 1, "it was hidden only for a moment");
    set_hidden(true);
    wait(40_000).await;
    set_hidden(false);
    wait_until("the number", || unread_count(&stage) == "150 unread").await;
    assert_eq!(network.requests(UNREAD).len(), 2);
}

#[wasm_bindgen_test]
async fn hidden_window_marks_nothing_until_it_is_visible() {
    let server = TriageServer::default();
    let network = network(&server);
    let _restore = Visibility;
    set_hidden(true);
    let stage = open_dashboard(&format!("{LIST}/submissions/sub_3"));
    wait_until("the card", || !stage.all(".triage-history").is_empty()).await;
    wait(2_000).await;
    assert!(read_changes(&network).is_empty());
    set_hidden(false);
    wait_until("the change", || read_changes(&network) == [change("3", true)]).await;
}

#[wasm_bindgen_test]
async fn new_submissions_are_counted() {
    let server = TriageServer::default();
    let answers = server.clone();
    let extra = Rc::new(Cell::new(0));
    let newer = Rc::clone(&extra);
    let network = Network::new(move |asked| match asked.url.split('?').next() {
        Some(UNREAD) => Reply::ok(&json!({ "data": [
            { "form_id": "frm_1", "unread": 999 + newer.get() },
        ]})),
        Some("/api/live/v1/forms/frm_1/submissions") => {
            let mut page: Value = serde_json::from_str(&answers.answer(asked).body).unwrap();
            page["pagination"]["total"] = (250 + newer.get()).into();
            if newer.get() > 0 {
                page["data"][0]["id"] = "sub_900".into();
                page["data"][0]["metadata"]["submitted_at"] = "2026-03-29T12:00:00Z".into();
            }
            Reply::ok(&page)
        }
        _ => answers.answer(asked),
    });
    let stage = open_list(LIST).await;
    wait_until("the number", || unread_count(&stage) == "999 unread").await;
    extra.set(1);
    check_for_new_rows();
    wait_until("the news", || text_of(&stage, ".list-news").contains("1 new")).await;
    wait_until("the number", || unread_count(&stage) == "999+ unread").await;
    assert_eq!(network.requests(UNREAD).len(), 2);
}

#[wasm_bindgen_test]
async fn list_of_forms_counts_unread_submissions() {
    let server = TriageServer::with_reads(0..238);
    let _network = network(&server);
    let stage = open_dashboard("/settings/forms");
    wait_until("the number", || text_of(&stage, "tbody .unread-count") == "12 unread").await;
    assert_eq!(stage.all("tbody tr").len(), 2);
    assert_eq!(stage.all("tbody .unread-count").len(), 1, "nothing is shown without unread ones");
}

#[wasm_bindgen_test]
async fn readers_mark_submissions_as_read() {
    let server = TriageServer::default();
    let answers = CardServer { is_reader: true, ..card_server(&server) };
    let network = answers.network();
    let stage = open_list(LIST).await;
    row(&stage, 4).click();
    wait_until("the change", || read_changes(&network) == [change("4", true)]).await;
    wait_until("the button", || text_of(&stage, ".triage button") == "Mark as unread").await;
}
