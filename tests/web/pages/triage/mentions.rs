//! Mentions of members in notes: suggestions while typing, and highlighting.

use leptos::wasm_bindgen::JsCast;
use serde_json::json;
use std::rc::Rc;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlElement, HtmlTextAreaElement};

use super::notes::{content, write};
use super::open_card;
use super::server::{CardServer, note};
use crate::pages::bulk_triage::server::TriageServer;
use crate::pages::shortcuts::press_ctrl;
use crate::pages::{text_of, wait_until};
use crate::stage::{Stage, attr, click, is_focused, press_key, settle};

const AREA: &str = ".triage-note textarea";

/// Returns a server with the owner, who is signed in, and two other members.
fn server() -> CardServer {
    let members = json!([
        { "id": "psn_1", "email": "owner@example.org" },
        { "id": "psn_2", "email": "reader@example.org" },
        { "id": "psn_3", "email": "ada@example.org" },
    ]);
    let server = CardServer::default();
    let triage = TriageServer { members: Rc::new(members), ..server.triage.clone() };
    CardServer { triage, ..server }
}

/// Opens the card, and returns its field when the members are loaded.
async fn open_field() -> (Stage, HtmlElement) {
    let stage = open_card(3).await;
    let area = stage.one(AREA);
    area.focus().unwrap();
    write(&area, "@");
    wait_until("the members", || options(&stage).len() == 2).await;
    (stage, area)
}

fn options(stage: &Stage) -> Vec<String> {
    stage.texts(".triage-note [role=option]")
}

/// Returns the option that assistive technology announces as the active one.
fn active_option(stage: &Stage, area: &HtmlElement) -> Option<String> {
    let id = attr(area, "aria-activedescendant")?;
    let option = stage.one(&format!("#{id}"));
    assert_eq!(attr(&option, "aria-selected").as_deref(), Some("true"));
    option.text_content()
}

fn caret(area: &HtmlElement) -> u32 {
    area.unchecked_ref::<HtmlTextAreaElement>().selection_start().unwrap().unwrap()
}

#[wasm_bindgen_test]
async fn members_are_offered_and_inserted_by_keyboard() {
    let network = server().network();
    let (stage, area) = open_field().await;
    assert_eq!(options(&stage), ["reader@example.org", "ada@example.org"], "not the user");
    assert_eq!(attr(&area, "aria-controls"), attr(&stage.one(".triage-note [role=listbox]"), "id"));
    assert_eq!(active_option(&stage, &area).as_deref(), Some("reader@example.org"));
    for (key, expected) in [
        ("ArrowDown", "ada@example.org"),
        ("ArrowDown", "reader@example.org"),
        ("ArrowUp", "ada@example.org"),
    ] {
        assert!(press_key(&area, key));
        settle().await;
        assert_eq!(active_option(&stage, &area).as_deref(), Some(expected), "{key}");
    }
    assert!(press_key(&area, "Enter"));
    settle().await;
    assert_eq!((content(&area).as_str(), caret(&area)), ("@ada@example.org ", 17));
    assert!(options(&stage).is_empty() && is_focused(&area));
    assert_eq!(attr(&area, "aria-activedescendant"), None);
    assert!(!press_key(&area, "Enter"), "a closed list leaves the key to the field");

    write(&area, "@ada@example.org, ask @READ");
    settle().await;
    assert_eq!(options(&stage), ["reader@example.org"]);
    assert!(press_key(&area, "Tab"));
    settle().await;
    assert_eq!(content(&area), "@ada@example.org, ask @reader@example.org ");
    press_ctrl("Enter");
    wait_until("the note", || !stage.all(".note-text").is_empty()).await;
    let sent = network.requests("/submissions/sub_3/notes").pop().unwrap();
    assert_eq!(sent.body, r#"{"text":"@ada@example.org, ask @reader@example.org"}"#);
}

#[wasm_bindgen_test]
async fn escape_closes_the_list_and_not_the_card() {
    let _network = server().network();
    let (stage, area) = open_field().await;
    assert!(press_key(&area, "Escape"));
    settle().await;
    assert!(options(&stage).is_empty());
    assert_eq!((content(&area).as_str(), stage.all(AREA).len()), ("@", 1));
    for (text, offered) in [("@a", 2), ("ada@", 0), ("@eve", 0), ("@ada@example.org", 0)] {
        write(&area, text);
        settle().await;
        assert_eq!(options(&stage).len(), offered, "{text}");
    }
}

#[wasm_bindgen_test]
async fn offered_member_is_inserted_by_pointer_at_the_caret() {
    let _network = server().network();
    let (stage, area) = open_field().await;
    let field = area.unchecked_ref::<HtmlTextAreaElement>();
    write(&area, "\u{1f600} @ad and more");
    field.set_selection_range(6, 6).unwrap();
    crate::stage::dispatch_event(&area, "input");
    wait_until("the member", || options(&stage) == ["reader@example.org", "ada@example.org"]).await;
    click(&stage.all(".triage-note [role=option]")[1]).await;
    assert_eq!(content(&area), "\u{1f600} @ada@example.org  and more");
    assert_eq!(caret(&area), 20);
    assert!(options(&stage).is_empty());
}

#[wasm_bindgen_test]
async fn mentions_of_members_are_highlighted() {
    let server = server();
    let text = "@ADA@example.org <b>, not @eve@example.org or reader@example.org";
    server.notes.borrow_mut().push(note("nte_1", "psn_2", text));
    let _network = server.network();
    let stage = open_card(3).await;
    wait_until("the mark", || stage.all(".note-text mark").len() == 1).await;
    assert_eq!(stage.text(".note-text mark"), "@ADA@example.org");
    assert_eq!(text_of(&stage, ".note-text"), text);
}
