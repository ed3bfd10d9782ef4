//! Trash settings of a form.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    address, answer_as_gateway, button, dialog_button, open_dashboard, press_button,
    query_parameter, session_reply, submission, text_of, wait_for_text, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, settle, type_into, type_text};

const TRASH: &str = "/account/forms/frm_1/trash";

/// Submissions in the trash of a server.
type Trash = Rc<RefCell<Vec<u32>>>;

fn answer_with_trash(trash: &Trash, asked: &RecordedRequest) -> Reply {
    let path = asked.url.split('?').next().unwrap_or_default();
    let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let affected = |count: usize| Reply::ok(&json!({ "data": { "count": count } }));
    match (asked.method.as_str(), path) {
        ("GET", TRASH) => {
            let needle = query_parameter(&asked.url, "search").is_some();
            let fits = |number: &u32| !needle || number % 10 == 3;
            let rows: Vec<u32> = trash.borrow().iter().copied().filter(fits).collect();
            let start =
                query_parameter(&asked.url, "cursor").map_or(0, |text| text.parse().unwrap());
            let end = (start + 2).min(rows.len());
            let more = end < rows.len();
            let row = |number: &u32| {
                json!({
                    "trashed_at": "2026-04-01T12:00:00Z", "batch": "bat_1",
                    "submission": submission(*number),
                })
            };
            Reply::ok(&json!({
                "data": rows[start..end].iter().map(row).collect::<Vec<_>>(),
                "pagination": {
                    "total": rows.len(), "limit": 50, "has_more": more,
                    "next_cursor": more.then(|| end.to_string()),
                },
            }))
        }
        ("PUT", TRASH) => Reply::ok(&json!({ "data": body })),
        ("DELETE", TRASH) => affected(trash.take().len()),
        ("POST", "/account/forms/frm_1/trash/restore" | "/account/forms/frm_1/trash/delete") => {
            let id = body["ids"][0].as_str().unwrap()[4..].parse::<u32>().unwrap();
            trash.borrow_mut().retain(|number| *number != id);
            affected(1)
        }
        _ => answer_as_gateway(asked),
    }
}

async fn open_trash(rows: &[u32]) -> (Network, Stage, Trash) {
    let trash: Trash = Rc::new(RefCell::new(rows.to_vec()));
    let answers = Rc::clone(&trash);
    let network = Network::new(move |asked| answer_with_trash(&answers, asked));
    let stage = open_dashboard("/live/forms/frm_1/settings/trash");
    wait_until("the trash", || text_of(&stage, "h2").contains("Trash")).await;
    (network, stage, trash)
}

fn click_row_button(stage: &Stage, name: &str, row: usize) {
    let named = |button: &web_sys::HtmlElement| button.text_content().unwrap().starts_with(name);
    let buttons: Vec<_> = stage.all("tbody button").into_iter().filter(named).collect();
    buttons[row].click();
}

#[wasm_bindgen_test]
async fn submission_is_restored_or_deleted_permanently() {
    let (network, stage, trash) = open_trash(&[1, 2, 3]).await;
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    assert_eq!(text_of(&stage, ".page-count"), "3 submissions in trash");
    assert!(text_of(&stage, ".section-text").contains("after 30 days"));
    assert!(text_of(&stage, "tbody").contains("Your name: Person 1"));
    button(&stage, "Show more").click();
    wait_until("all", || stage.all("tbody tr").len() == 3).await;
    for pressed in ["Restore", "Restore", "Delete permanently"] {
        click_row_button(&stage, pressed, 0);
    }
    wait_until("two", || stage.all("tbody tr").len() == 2).await;
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Restored")).await;
    let restored: Vec<_> = network.requests("/restore").into_iter().map(|it| it.body).collect();
    assert_eq!(restored, [r#"{"ids":["sub_1"]}"#], "the row ignores presses while it is restored");
    assert!(stage.all("dialog[open]").is_empty());
    click_row_button(&stage, "Delete permanently", 0);
    wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, "dialog[open]").contains("This cannot be undone."));
    dialog_button(&stage, "Delete permanently").click();
    wait_until("one", || stage.all("tbody tr").len() == 1).await;
    assert_eq!(network.requests("/trash/delete")[0].body, r#"{"ids":["sub_2"]}"#);
    assert_eq!(*trash.borrow(), [3]);
    assert_eq!(text_of(&stage, ".page-count"), "1 submission in trash");
}

#[wasm_bindgen_test]
async fn trash_is_searched_and_emptied_after_confirmation() {
    let (network, stage, trash) = open_trash(&[1, 2, 3, 13]).await;
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the match", || text_of(&stage, ".page-count") == "2 submissions in trash").await;
    assert!(text_of(&stage, "tbody").contains("Person 3"));
    assert!(
        !text_of(&stage, ".form-acts").contains("Empty trash"),
        "a filtered trash cannot be emptied"
    );
    let asked = network.requests("/trash?").last().cloned().unwrap();
    assert_eq!(query_parameter(&asked.url, "search").as_deref(), Some("needle"));
    type_into(&stage.one("input[type=search]"), "");
    wait_until("all", || text_of(&stage, ".page-count") == "4 submissions in trash").await;
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    settle().await;
    button(&stage, "Empty trash").click();
    wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, "dialog[open]").contains("This permanently deletes 4 submissions"));
    dialog_button(&stage, "Empty trash").click();
    wait_until("empty", || text_of(&stage, ".empty").contains("Trash is empty")).await;
    assert!(trash.borrow().is_empty());
    assert!(!network.sent("DELETE", TRASH).is_empty());
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Trash emptied")).await;
}

#[wasm_bindgen_test]
async fn failed_search_is_repeated_and_trash_emptied_only_as_a_whole() {
    let trash: Trash = Rc::new(RefCell::new(vec![1, 2, 3, 13]));
    let fails = Rc::new(Cell::new(false));
    let failing = Rc::clone(&fails);
    let _network = Network::new(move |asked| {
        if failing.get() && asked.url.starts_with(TRASH) {
            return Reply::error(500, "internal", "the disk is full");
        }
        answer_with_trash(&trash, asked)
    });
    let stage = open_dashboard("/live/forms/frm_1/settings/trash");
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    fails.set(true);
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("the error", || text_of(&stage, ".empty").contains("Retry")).await;
    fails.set(false);
    button(&stage, "Retry").click();
    wait_until("the matches", || text_of(&stage, "tbody").contains("Person 13")).await;
    assert_eq!(
        (stage.all("tbody tr").len(), &*text_of(&stage, ".page-count")),
        (2, "2 submissions in trash")
    );
    // The total is the number of matches until the whole trash is loaded again.
    fails.set(true);
    type_into(&stage.one("input[type=search]"), "");
    wait_until("the error", || text_of(&stage, ".empty").contains("Retry")).await;
    assert!(!text_of(&stage, ".form-acts").contains("Empty trash"));
}

#[wasm_bindgen_test]
async fn search_field_stays_until_the_answer_without_a_search() {
    let (_network, stage, _) = open_trash(&[1, 2]).await;
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    let field = stage.one("input[type=search]");
    type_into(&field, "zzz");
    wait_until("no rows", || stage.all("tbody tr").is_empty()).await;
    settle().await;
    type_text(&field, "").await;
    assert!(field.is_connected(), "the field was removed while the user typed");
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    assert!(field.is_connected());
}

#[wasm_bindgen_test]
async fn open_question_is_confirmed_after_the_tab_is_left() {
    let (_network, stage, trash) = open_trash(&[1, 2, 3]).await;
    for (pressed, remaining) in [("Delete permanently", 2), ("Empty trash", 0)] {
        stage.one(".nav-link[href='/live/forms/frm_1']").click();
        wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
        stage.one(".page-actions a[href$=trash]").click();
        wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
        let named = |selector: &str| {
            let buttons = stage.all(selector).into_iter();
            buttons.filter(|one| one.text_content().unwrap().starts_with(pressed)).last().unwrap()
        };
        named("main button").click();
        wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
        window().history().unwrap().back().unwrap();
        wait_until("the list", || address() == "/live/forms/frm_1").await;
        wait_until("no tab", || stage.all("tbody").is_empty()).await;
        named("dialog[open] button").click();
        wait_until("the deletion", || trash.borrow().len() == remaining).await;
        wait_until("no confirmation", || stage.all("dialog[open]").is_empty()).await;
    }
    assert!(text_of(&stage, ".toasts").contains("Trash emptied"));
}

#[wasm_bindgen_test]
async fn trash_retention_is_saved() {
    let (network, stage, _) = open_trash(&[]).await;
    wait_until("empty", || text_of(&stage, ".empty").contains("Trash is empty")).await;
    let days = || stage.one("form input");
    assert_eq!(crate::stage::value(&days()), "30");
    for wrong in ["91", "x", ""] {
        type_into(&days(), wrong);
        press_button(&stage, "Save").await;
        assert!(text_of(&stage, ".field-error").contains("from 0 to 90"), "{wrong}");
    }
    type_into(&days(), "0");
    button(&stage, "Save").click();
    wait_until("the toast", || text_of(&stage, ".toasts").contains("Trash settings saved")).await;
    wait_for_text(&stage, ".section-text", "immediate and permanent").await;
    let sent = network.sent("PUT", TRASH).remove(0);
    assert_eq!(sent.body, r#"{"days":0}"#);
}

#[wasm_bindgen_test]
async fn reader_sees_trash_without_buttons() {
    let trash: Trash = Rc::new(RefCell::new(vec![1, 2]));
    let _network = Network::new(move |asked| match asked.url.as_str() {
        "/session" => session_reply("reader"),
        _ => answer_with_trash(&trash, asked),
    });
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the link", || text_of(&stage, ".page-actions").contains("Trash")).await;
    let link = stage.all(".page-actions a").into_iter();
    let link = link.filter(|one| one.text_content().unwrap() == "Trash");
    link.last().unwrap().click();
    wait_until("the rows", || stage.all("tbody tr").len() == 2).await;
    assert!(stage.all("tbody button, .form-acts button, .tabs, main form").is_empty());
    assert!(!document().title().is_empty());
}
