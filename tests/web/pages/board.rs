//! The board: the submissions of a form in a column for each status.

use leptos::wasm_bindgen::JsCast;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::deletion::row_keys;
use super::triage::server::CardServer;
use super::{
    ROWS, address, answer_as_foreign_gateway, button, open_dashboard, text_of, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, dispatch_event, is_focused, press_key, settle, type_key, wait};

const BOARD: &str = "/live/forms/frm_1/board";
const LIST: &str = "/api/live/v1/forms/frm_1/submissions";

/// Returns a server with two submissions in progress, and one that is done.
fn server() -> CardServer {
    CardServer::new([
        (1, r#"{"status":"in_progress","starred":true}"#),
        (4, r#"{"status":"in_progress"}"#),
        (2, r#"{"status":"done"}"#),
    ])
}

/// Opens the board, and waits for its cards and for the live updates.
async fn open_board(path: &str, network: &Network) -> Stage {
    let stage = open_dashboard(path);
    wait_until("the cards", || !stage.all(".board-card").is_empty()).await;
    wait_until("the stream", || !network.streams.opened().is_empty()).await;
    network.streams.send("ready", "{}");
    wait_until("the columns", || stage.all(".board-scroll > .skeleton").is_empty()).await;
    settle().await;
    stage
}

fn column(stage: &Stage, name: &str) -> HtmlElement {
    let mut columns = stage.all(".board-column").into_iter();
    let is_named = |column: &HtmlElement| {
        let found = column.query_selector(".board-name").unwrap().unwrap();
        found.text_content().as_deref() == Some(name)
    };
    columns.find(is_named).unwrap_or_else(|| panic!("no column {name}"))
}

/// Returns the names and the numbers of the columns.
fn heads(stage: &Stage) -> Vec<String> {
    stage.texts(".board-head")
}

/// Returns the ids of the cards in a column. Those of the same time are in the order of the server,
/// or by descending id once a card has been moved there.
fn cards(stage: &Stage, name: &str) -> Vec<String> {
    let cards = column(stage, name).query_selector_all(".board-card").unwrap();
    let key = |index| attr(cards.get(index).unwrap().unchecked_ref(), "data-key").unwrap();
    (0..cards.length()).map(key).collect()
}

fn card(stage: &Stage, number: u32) -> HtmlElement {
    stage.one(&format!(".board-card[data-key=sub_{number}]"))
}

/// Returns the changes that were sent, without those of only the read state.
fn changes(network: &Network) -> Vec<Value> {
    let sent = network.sent("PATCH", "/account/forms/frm_1/submissions").into_iter();
    let sent = sent.map(|asked| serde_json::from_str::<Value>(&asked.body).unwrap());
    sent.filter(|body| body["set"]["read"].is_null()).collect()
}

/// Drags a card over a column and drops it there.
async fn drag(stage: &Stage, number: u32, name: &str) {
    dispatch_event(&card(stage, number), "dragstart");
    let target = column(stage, name);
    dispatch_event(&target, "dragover");
    settle().await;
    dispatch_event(&target, "drop");
    settle().await;
}

#[wasm_bindgen_test]
async fn columns_show_each_status_and_keys_move_the_focus() {
    let network = server().network();
    let stage = open_board(BOARD, &network).await;
    assert_eq!(heads(&stage), ["Open247", "In progress2", "Done1", "Waiting for reply0"]);
    assert_eq!(cards(&stage, "In progress"), ["sub_1", "sub_4"]);
    assert_eq!(cards(&stage, "Done"), ["sub_2"]);
    assert_eq!(column(&stage, "Waiting for reply").text_content().unwrap(), {
        "Waiting for reply0No submissions"
    });
    let text = card(&stage, 1).text_content().unwrap();
    assert!(text.contains("Person 1") && text.contains("hay"), "{text}");
    assert!(text.contains("Starred") && text.contains("Unread"), "{text}");
    assert!(card(&stage, 2).text_content().unwrap().contains("Mixed"));
    let urls = network.requests(&format!("{LIST}?status="));
    let urls: Vec<_> = urls.iter().map(|asked| asked.url.strip_prefix(LIST).unwrap()).collect();
    assert_eq!(
        urls,
        ["open", "in_progress", "done", "waiting"].map(|name| format!("?status={name}"))
    );
    assert!(stage.all(".grid").is_empty());
    card(&stage, 0).focus().unwrap();
    for (key, number) in [
        ("ArrowDown", 3),
        ("ArrowRight", 4),
        ("ArrowUp", 1),
        ("ArrowRight", 2),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("j", 4),
        ("k", 1),
    ] {
        let focused = leptos::prelude::document().active_element().unwrap();
        type_key(focused.unchecked_ref(), key).await;
        assert!(is_focused(&card(&stage, number)), "{key} {number}");
    }
    let stops = stage.all(".board-card[tabindex='0']");
    let stops: Vec<_> = stops.iter().map(|card| attr(card, "data-key").unwrap()).collect();
    assert_eq!(stops, ["sub_0", "sub_1", "sub_2"], "each column has one");
    card(&stage, 1).click();
    wait_until("the card", || address() == format!("{BOARD}/submissions/sub_1")).await;
    wait_until("its title", || text_of(&stage, ".drawer-title") == "Person 1").await;
    assert_eq!(attr(&card(&stage, 1), "aria-current").as_deref(), Some("true"));
    press_key(&stage.one(".drawer-title"), "Escape");
    wait_until("the board", || address() == BOARD).await;
    wait_until("the focus", || is_focused(&card(&stage, 1))).await;
    assert_eq!(changes(&network), [Value::Null; 0]);
    press_key(&card(&stage, 1), "#");
    let sent = || network.requests("/account/forms/frm_1/trash");
    wait_until("the deletion", || sent().iter().any(|asked| asked.body.contains("sub_1"))).await;
}

#[wasm_bindgen_test]
async fn number_key_moves_the_focused_card_and_undo_brings_it_back() {
    let network = server().network();
    let stage = open_board(BOARD, &network).await;
    card(&stage, 3).focus().unwrap();
    press_key(&card(&stage, 3), "3");
    wait_until("the move", || cards(&stage, "Done") == ["sub_3", "sub_2"]).await;
    assert_eq!(heads(&stage), ["Open246", "In progress2", "Done2", "Waiting for reply0"]);
    wait_until("the focus", || is_focused(&card(&stage, 3))).await;
    let moved = json!({ "ids": ["sub_3"], "set": { "status": "done" }, "undo": true });
    wait_until("the result", || text_of(&stage, ".toasts").contains("1 submission changed")).await;
    assert_eq!(changes(&network), std::slice::from_ref(&moved));
    assert!(text_of(&stage, "[role=status]").contains("Done"), "it is announced");
    button(&stage, "Undo").click();
    wait_until("the undo", || cards(&stage, "Done") == ["sub_2"]).await;
    assert!(cards(&stage, "Open").contains(&"sub_3".to_owned()));
    assert_eq!(heads(&stage), ["Open247", "In progress2", "Done1", "Waiting for reply0"]);
    let back = json!({ "ids": ["sub_3"], "set": { "status": "open" }, "undo": true });
    wait_until("the request", || changes(&network) == [moved.clone(), back.clone()]).await;
    // A key that is pressed again has no effect, and the star stays on the card.
    card(&stage, 1).focus().unwrap();
    press_key(&card(&stage, 1), "2");
    press_key(&card(&stage, 1), "s");
    wait_until("the star", || !card(&stage, 1).text_content().unwrap().contains("Starred")).await;
    wait_until("its request", || changes(&network).len() == 3).await;
    assert_eq!(changes(&network)[2]["set"], json!({ "starred": false }));
}

#[wasm_bindgen_test]
async fn dragged_card_moves_to_the_column() {
    let network = server().network();
    let stage = open_board(BOARD, &network).await;
    assert_eq!(attr(&card(&stage, 0), "draggable").as_deref(), Some("true"));
    dispatch_event(&card(&stage, 0), "dragstart");
    dispatch_event(&column(&stage, "Done"), "dragover");
    settle().await;
    assert!(attr(&column(&stage, "Done"), "data-target").is_some());
    dispatch_event(&card(&stage, 0), "dragend");
    settle().await;
    assert!(attr(&column(&stage, "Done"), "data-target").is_none());
    drag(&stage, 0, "Waiting for reply").await;
    wait_until("the move", || cards(&stage, "Waiting for reply") == ["sub_0"]).await;
    assert_eq!(heads(&stage), ["Open246", "In progress2", "Done1", "Waiting for reply1"]);
    wait_until("the focus", || is_focused(&card(&stage, 0))).await;
    wait_until("the request", || changes(&network).len() == 1).await;
    assert_eq!(changes(&network)[0]["set"], json!({ "status": "waiting" }));
    // A drop of something else has no effect.
    dispatch_event(&column(&stage, "Done"), "drop");
    settle().await;
    assert_eq!(changes(&network).len(), 1);
}

#[wasm_bindgen_test]
async fn refused_move_is_reverted() {
    let server = server();
    let network = server.network();
    let stage = open_board(BOARD, &network).await;
    *server.is_failing.borrow_mut() = true;
    drag(&stage, 4, "Open").await;
    wait_until("the error", || text_of(&stage, ".toasts").contains("The disk is full")).await;
    assert_eq!(cards(&stage, "In progress"), ["sub_1", "sub_4"]);
    assert_eq!(heads(&stage), ["Open247", "In progress2", "Done1", "Waiting for reply0"]);
    assert!(!stage.texts(".toasts button").contains(&"Undo".to_owned()));
}

#[wasm_bindgen_test]
async fn reader_cannot_move_cards_but_opens_unread_ones() {
    let server = CardServer { is_reader: true, ..server() };
    server.triage.reads.borrow_mut().extend([0, 3]);
    let network = server.network();
    let stage = open_board(BOARD, &network).await;
    assert_eq!(attr(&card(&stage, 0), "draggable").as_deref(), Some("false"));
    drag(&stage, 0, "Done").await;
    card(&stage, 0).focus().unwrap();
    type_key(&card(&stage, 0), "3").await;
    assert_eq!(cards(&stage, "Done"), ["sub_2"]);
    assert_eq!(changes(&network), [Value::Null; 0]);
    assert!(press_key(&card(&stage, 0), "J"));
    wait_until("the unread card", || address() == format!("{BOARD}/submissions/sub_5")).await;
}

#[wasm_bindgen_test]
async fn filter_by_status_selects_the_columns() {
    let server = server();
    server.triage.reads.borrow_mut().extend([1, 2, 4]);
    let network = server.network();
    let stage = open_board(&format!("{BOARD}?status=in_progress,done&country=DE"), &network).await;
    assert_eq!(heads(&stage), ["In progress2", "Done1"]);
    let url = format!("{LIST}?country=DE&status=done");
    assert_eq!(network.requests(LIST).iter().filter(|asked| asked.url == url).count(), 1);
    assert!(press_key(&card(&stage, 1), "K"));
    let message = "No unread submissions among the loaded cards";
    wait_until("the message", || text_of(&stage, ".toasts").contains(message)).await;
    // A card that is moved to a hidden column leaves the board, and the next one has the focus.
    card(&stage, 1).focus().unwrap();
    press_key(&card(&stage, 1), "1");
    wait_until("the move", || cards(&stage, "In progress") == ["sub_4"]).await;
    wait_until("the focus", || is_focused(&card(&stage, 4))).await;
    assert_eq!(heads(&stage), ["In progress1", "Done1"]);
    button(&stage, "Undo").click();
    wait_until("the undo", || cards(&stage, "In progress") == ["sub_1", "sub_4"]).await;
}

#[wasm_bindgen_test]
async fn column_loads_more_at_its_end() {
    let network = server().network();
    let stage = open_board(BOARD, &network).await;
    assert_eq!(cards(&stage, "Open").len(), 20);
    let scroll = column(&stage, "Open").query_selector(".board-scroll").unwrap().unwrap();
    scroll.set_scroll_top(scroll.scroll_height());
    wait_until("the second page", || cards(&stage, "Open").len() == 40).await;
    assert_eq!(network.requests("status=open&cursor=20").len(), 1);
    // Cards keep their place when another page follows a move.
    drag(&stage, 5, "Done").await;
    wait_until("the move", || cards(&stage, "Done") == ["sub_5", "sub_2"]).await;
    assert_eq!(heads(&stage)[0], "Open246");
}

#[wasm_bindgen_test]
async fn page_that_fails_can_be_requested_again() {
    let server = server();
    let is_failing = std::rc::Rc::new(std::cell::Cell::new(true));
    let network = {
        let is_failing = std::rc::Rc::clone(&is_failing);
        Network::new(move |asked| {
            if is_failing.get() && asked.url.contains("status=done") {
                return Reply::error(500, "internal", "the disk is full");
            }
            server.answer(asked)
        })
    };
    let stage = open_dashboard(BOARD);
    wait_until("the columns", || stage.all(".board-column").len() == 4).await;
    let text = || column(&stage, "Done").text_content().unwrap();
    wait_until("the error", || text().contains("The column could not be loaded")).await;
    is_failing.set(false);
    let retry = column(&stage, "Done").query_selector("button").unwrap().unwrap();
    retry.unchecked_into::<HtmlElement>().click();
    wait_until("the card", || cards(&stage, "Done") == ["sub_2"]).await;
    assert_eq!(network.requests("status=done").len(), 2);
}

#[wasm_bindgen_test]
async fn changes_of_others_appear() {
    let server = server();
    let network = server.network();
    let stage = open_board(BOARD, &network).await;
    card(&stage, 3).focus().unwrap();
    server.triage.set(3, r#"{"status":"in_progress"}"#);
    network.streams.send("updated", r#"{"form_id":"frm_1","ids":["sub_3"]}"#);
    wait_until("the move", || cards(&stage, "In progress") == ["sub_4", "sub_3", "sub_1"]).await;
    wait_until("the focus", || is_focused(&card(&stage, 3))).await;
    let requests = network.requests("status=open").len();
    assert_eq!(requests, 1, "a loaded submission moves without another request");
    // A submission that is not loaded changes the counts.
    server.triage.set(200, r#"{"status":"done"}"#);
    network.streams.send("updated", r#"{"form_id":"frm_1","ids":["sub_200"]}"#);
    wait_until("the card", || cards(&stage, "Done") == ["sub_2", "sub_200"]).await;
    assert_eq!(heads(&stage), ["Open245", "In progress3", "Done2", "Waiting for reply0"]);
    // Further events cause no more than one request for each column in the interval.
    for number in 201..206 {
        server.triage.set(number, r#"{"status":"done"}"#);
        let ids = format!("[\"sub_{number}\"]");
        network.streams.send("updated", &format!("{{\"form_id\":\"frm_1\",\"ids\":{ids}}}"));
    }
    wait_until("the cards", || cards(&stage, "Done").len() == 7).await;
    wait(20_000).await;
    assert_eq!(network.requests("status=open").len(), 3);
    network.streams.send("removed", r#"{"form_id":"frm_1","ids":["sub_1"]}"#);
    wait_until("the removal", || cards(&stage, "In progress") == ["sub_3", "sub_4"]).await;
    // A column counts submissions that it has not loaded, too.
    network.streams.send("removed", r#"{"form_id":"frm_1","ids":["sub_60"]}"#);
    wait_until("the counts", || network.requests("status=open").len() == 4).await;
}

#[wasm_bindgen_test]
async fn link_switches_between_list_and_board_and_keeps_the_filter() {
    let _network = server().network();
    let stage = open_dashboard("/live/forms/frm_1?country=DE");
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    let link = |name: &str| {
        let mut links = stage.all(".page-actions a").into_iter();
        links.find(|link| link.text_content().as_deref() == Some(name)).unwrap()
    };
    link("Board").click();
    wait_until("the board", || address() == format!("{BOARD}?country=DE")).await;
    wait_until("the cards", || !stage.all(".board-card").is_empty()).await;
    assert!(!text_of(&stage, ".page-actions").contains("Columns"));
    wait_until("the total", || text_of(&stage, ".page-header .page-count").contains("250")).await;
    assert_eq!(ROWS, 250);
    link("List").click();
    wait_until("the list", || address() == "/live/forms/frm_1?country=DE").await;
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    assert!(stage.all(".board").is_empty());
}

#[wasm_bindgen_test]
async fn foreign_server_has_no_board() {
    let _network = Network::new(answer_as_foreign_gateway);
    let stage = open_dashboard(BOARD);
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    assert!(stage.all(".board").is_empty());
    assert!(!text_of(&stage, ".page-actions").contains("Board"));
}
