//! Columns of the triage in the dialog.

use super::worker_stub::WorkerStub;
use super::{choose_option, open_export_dialog};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{answer_as_gateway, button, text_of, wait_until};
use crate::stage::{Stage, settle};
use contract::triage::TriageNames;
use leptos::wasm_bindgen::JsCast;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

pub(super) const GROUP: &str = "dialog[open] fieldset[data-group=triage]";

/// Answers with a custom status and two members.
fn answer_with_names(asked: &RecordedRequest) -> Reply {
    match asked.url.as_str() {
        "/account/triage" => Reply::ok(&json!({ "data": {
            "statuses": [{ "id": "waiting", "name": "Waiting for reply" }], "tags": [],
            "members": [
                { "id": "psn_1", "email": "owner@example.org" },
                { "id": "psn_2", "email": "reader@example.org" },
            ],
        }})),
        _ => answer_as_gateway(asked),
    }
}

fn checked_boxes(stage: &Stage) -> Vec<bool> {
    let boxes = stage.all(&format!("{GROUP} input"));
    boxes.into_iter().map(|it| it.unchecked_into::<web_sys::HtmlInputElement>().checked()).collect()
}

#[wasm_bindgen_test]
async fn triage_columns_are_off_and_sent_with_names() {
    let _network = Network::new(answer_with_names);
    let player = WorkerStub::new(&[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    assert_eq!(checked_boxes(&stage), [false; 5]);
    let text = text_of(&stage, GROUP);
    assert_eq!(text, "TriageStatusTagsAssigneeStarredNumber of notes");
    for label in ["Number of notes", "Assignee", "Status", "Tags", "Tags"] {
        choose_option(&stage, label);
    }
    settle().await;
    assert_eq!(checked_boxes(&stage), [true, false, true, false, true]);
    choose_option(&stage, "Excel");
    settle().await;
    assert_eq!(checked_boxes(&stage), [true, false, true, false, true]);
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!(task.triage.to_string(), "status,assignee,notes_count");
    let settings = r#"{"statuses":[{"id":"waiting","name":"Waiting for reply"}]}"#;
    let members = [("psn_1", "owner@example.org"), ("psn_2", "reader@example.org")];
    let members = members.map(|(id, email)| (id.parse().unwrap(), email.to_owned()));
    let names = TriageNames::new(&serde_json::from_str(settings).unwrap(), members);
    assert_eq!(task.triage_names, names);
}

#[wasm_bindgen_test]
async fn json_export_with_triage_needs_no_names() {
    let network = Network::new(answer_with_names);
    let player = WorkerStub::new(&[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    let requests_before = network.requests("/account/triage").len();
    choose_option(&stage, "JSON");
    choose_option(&stage, "Assignee");
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!(task.triage.to_string(), "assignee");
    assert_eq!(task.triage_names, TriageNames::default());
    assert_eq!(network.requests("/account/triage").len(), requests_before);
}

#[wasm_bindgen_test]
async fn failed_request_for_names_is_shown() {
    let _network = Network::new(|asked| match asked.url.as_str() {
        "/account/triage" => Reply::error(500, "internal", "the disk is full"),
        _ => answer_with_names(asked),
    });
    let player = WorkerStub::new(&[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    choose_option(&stage, "Assignee");
    button(&stage, "Download").click();
    wait_until("the failure", || text_of(&stage, "dialog[open]").contains("disk is full")).await;
    assert_eq!(player.asked.length(), 0, "the export has not started");
    assert!(text_of(&stage, "dialog[open]").contains("Try again"));
}
