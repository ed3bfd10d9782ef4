//! Statuses and tags in the account settings.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::members::access_reply;
use super::{answer_as_gateway, button, open_dashboard, text_of, wait_for_text, wait_until};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, attr, is_focused, select_value, type_into, type_text, value};

/// Server that keeps the settings. It refuses to remove the status `waiting`.
#[derive(Clone)]
struct SettingsServer(Rc<RefCell<Value>>);

impl SettingsServer {
    fn new() -> Self {
        Self(Rc::new(RefCell::new(json!({
            "statuses": [
                { "id": "waiting", "name": "Waiting" }, { "id": "legal", "name": "Legal" },
            ],
            "tags": [{ "name": "VIP", "color": "red" }],
        }))))
    }

    fn answer(&self, asked: &RecordedRequest) -> Reply {
        match (asked.method.as_str(), asked.url.as_str()) {
            ("GET", "/sessions") => access_reply(),
            ("GET", "/people") => Reply::ok(&json!({ "data": [] })),
            ("GET", "/account/triage") => Reply::ok(&json!({ "data": *self.0.borrow() })),
            ("PUT", "/account/triage") => {
                let mut update: Value = serde_json::from_str(&asked.body).unwrap();
                let before = update.as_object_mut().unwrap().remove("before");
                if before.as_ref() != Some(&*self.0.borrow()) {
                    return Reply::error(409, "conflict", "the statuses or tags have changed");
                }
                if update["statuses"][0]["id"] != "waiting" {
                    return Reply::error(409, "conflict", "submissions have the status `waiting`");
                }
                *self.0.borrow_mut() = update;
                Reply::ok(&json!({ "data": *self.0.borrow() }))
            }
            _ => answer_as_gateway(asked),
        }
    }
}

async fn open_settings(server: &SettingsServer) -> (Network, Stage) {
    let server = server.clone();
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open_dashboard("/settings/account");
    wait_until("the statuses", || stage.all("[data-status]").len() == 2).await;
    (network, stage)
}

/// Returns the names and identifiers of the statuses that the account defines.
fn statuses(stage: &Stage) -> Vec<(String, String)> {
    let names = stage.all("[data-status] input");
    let ids = stage.all("[data-status] .id");
    let id = |id: &web_sys::HtmlElement| id.text_content().unwrap_or_default();
    names.iter().zip(&ids).map(|(name, row)| (value(name), id(row))).collect()
}

fn pairs(texts: &[(&str, &str)]) -> Vec<(String, String)> {
    texts.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect()
}

#[wasm_bindgen_test]
async fn statuses_are_added_renamed_and_ordered() {
    let server = SettingsServer::new();
    let (_network, stage) = open_settings(&server).await;
    let table = text_of(&stage, "table[data-edits]");
    assert!(table.contains("In progress") && table.contains("in_progress"));
    let save = button(&stage, "Save statuses and tags");
    assert_eq!(attr(&save, "aria-disabled").as_deref(), Some("true"));
    button(&stage, "Add status").click();
    wait_until("its field", || stage.all("[data-status]").len() == 3).await;
    wait_until("its focus", || is_focused(&stage.all("[data-status] input")[2])).await;
    save.click();
    wait_for_text(&stage, ".notice", "Enter a name of 1 to 50 characters").await;
    assert_eq!(attr(&stage.all("[data-status] input")[2], "aria-invalid").as_deref(), Some("true"));
    type_into(&stage.all("[data-status] input")[2], "Später, Müller!");
    type_text(&stage.all("[data-status] input")[1], "Legal team").await;
    button(&stage, "Move Später, Müller! up").click();
    let expected = pairs(&[
        ("Waiting", "waiting"),
        ("Später, Müller!", "spaeter_mueller"),
        ("Legal team", "legal"),
    ]);
    wait_until("the order", || statuses(&stage) == expected).await;
    wait_for_text(&stage, "[role=status]", "Später, Müller!: position 2 of 3").await;
    save.click();
    wait_for_text(&stage, ".toasts", "Statuses and tags saved").await;
    let ids = ["waiting", "spaeter_mueller", "legal"];
    for (at, id) in ids.into_iter().enumerate() {
        assert_eq!(server.0.borrow()["statuses"][at]["id"], id);
    }
    assert_eq!(server.0.borrow()["statuses"][2]["name"], "Legal team");
    wait_until("no changes", || attr(&save, "aria-disabled").as_deref() == Some("true")).await;
    // A saved status keeps its identifier.
    type_text(&stage.all("[data-status] input")[1], "Later").await;
    assert_eq!(statuses(&stage)[1].1, "spaeter_mueller");
}

#[wasm_bindgen_test]
async fn removal_of_status_in_use_is_explained() {
    let server = SettingsServer::new();
    let (network, stage) = open_settings(&server).await;
    button(&stage, "Remove Waiting").click();
    wait_until("the rest", || statuses(&stage) == pairs(&[("Legal", "legal")])).await;
    button(&stage, "Save statuses and tags").click();
    let problem = "A removed status is still in use. Submissions have the status `waiting`";
    wait_until("the problem", || text_of(&stage, ".notice").contains(problem)).await;
    button(&stage, "Discard changes").click();
    wait_until("the status", || {
        statuses(&stage) == pairs(&[("Waiting", "waiting"), ("Legal", "legal")])
    })
    .await;
    assert!(!text_of(&stage, ".notice").contains(problem));
    assert_eq!(network.sent("PUT", "/account/triage").len(), 1);
}

#[wasm_bindgen_test]
async fn changes_of_others_are_not_lost() {
    let server = SettingsServer::new();
    let (_network, stage) = open_settings(&server).await;
    server.0.borrow_mut()["tags"].as_array_mut().unwrap().push(tag("later"));
    type_text(&stage.all("[data-status] input")[1], "Legal team").await;
    let save = button(&stage, "Save statuses and tags");
    save.click();
    wait_for_text(&stage, ".notice", "Somebody else changed the statuses or tags").await;
    assert_eq!(server.0.borrow()["statuses"][1]["name"], "Legal");
    button(&stage, "Discard changes").click();
    wait_until("the tag", || stage.all("[data-tag]").len() == 2).await;
    type_text(&stage.all("[data-status] input")[1], "Legal team").await;
    save.click();
    wait_for_text(&stage, ".toasts", "Statuses and tags saved").await;
    assert_eq!(server.0.borrow()["statuses"][1]["name"], "Legal team");
    assert_eq!(server.0.borrow()["tags"][1], tag("later"));
}

fn tag(name: &str) -> Value {
    json!({ "name": name, "color": "gray" })
}

#[wasm_bindgen_test]
async fn tags_are_added_coloured_and_removed() {
    let server = SettingsServer::new();
    let (_network, stage) = open_settings(&server).await;
    let field = stage.one("[data-act=add-tag] input");
    let problem = || text_of(&stage, "[data-act=add-tag]");
    button(&stage, "Add tag").click();
    wait_until("the problem", || problem().contains("Enter a tag of 1 to 50 characters")).await;
    type_text(&field, " VIP ").await;
    button(&stage, "Add tag").click();
    wait_until("the problem", || problem().contains("The tag “VIP” exists already")).await;
    type_text(&field, "bug").await;
    button(&stage, "Add tag").click();
    wait_until("the tag", || stage.all("[data-tag]").len() == 2).await;
    assert_eq!(value(&field), "");
    let color = stage.one("[data-tag=bug] select");
    assert_eq!(attr(&color, "aria-label").as_deref(), Some("Color of bug"));
    select_value(&color, "blue");
    button(&stage, "Remove VIP").click();
    wait_until("the rest", || stage.all("[data-tag]").len() == 1).await;
    assert_eq!(attr(&stage.one(".tag"), "data-color").as_deref(), Some("blue"));
    button(&stage, "Save statuses and tags").click();
    wait_for_text(&stage, ".toasts", "Statuses and tags saved").await;
    assert_eq!(server.0.borrow()["tags"], json!([{ "name": "bug", "color": "blue" }]));
}
