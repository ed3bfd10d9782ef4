//! The role editor: what an editor can do on each page, and how the owner gives the role.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::members::{
    access_reply, answer_for_role, button_names, has_control, open_account, person,
};
use super::{
    answer_as_gateway, button, forms_reply, open_dashboard, open_rows, open_submission,
    press_button, submission, text_of, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{dispatch_event, press_key, settle};

/// Answers like the gateway of an editor, with a submission in the spam and one in the trash.
fn answer_as_editor_gateway(asked: &RecordedRequest) -> Reply {
    let page = |row: serde_json::Value| {
        let pagination = json!({ "total": 1, "limit": 50, "has_more": false, "next_cursor": null });
        Reply::ok(&json!({ "data": [row], "pagination": pagination }))
    };
    match (asked.method.as_str(), asked.url.split('?').next().unwrap_or_default()) {
        ("GET", "/account/forms/frm_1/spam") => {
            page(json!({ "reason": "honeypot", "submission": submission(1) }))
        }
        ("GET", "/account/forms/frm_1/trash") => page(json!({
            "trashed_at": "2026-04-01T12:00:00Z", "batch": "bat_1", "submission": submission(2),
        })),
        ("GET", "/account/forms/frm_1/submissions/sub_3") => Reply::ok(&json!({ "data": {
            "status": "open", "starred": false, "tags": [], "assignee": null, "read": true,
            "updated_at": null, "notes": [], "history": [],
        }})),
        ("POST", "/account/forms/frm_1/trash") => {
            Reply::ok(&json!({ "data": { "batch": "bat_2", "count": 1, "remaining": 0 } }))
        }
        _ => answer_for_role(asked, "editor"),
    }
}

#[wasm_bindgen_test]
async fn editor_changes_submissions_of_list() {
    let network = Network::new(answer_as_editor_gateway);
    let stage = open_rows("/live/forms/frm_1").await;
    for word in ["Settings", "API keys", "Activity"] {
        assert!(!has_control(&stage, word), "{word}: {:?}", button_names(&stage, "button, a"));
    }
    let row = stage.all(".grid-track .grid-row").remove(0);
    press_key(&row, "x");
    wait_until("the selection", || !stage.all(".selection").is_empty()).await;
    assert!(has_control(&stage, "Mark as spam") && has_control(&stage, "Delete"));
    press_key(&row, "#");
    wait_until("the move", || network.requests("/trash").len() == 1).await;
    let moved = network.requests("/trash").remove(0);
    assert_eq!(moved.method, "POST");
    assert!(!moved.body.contains("true"), "{}", moved.body);
    drop(stage);

    let stage = open_submission("/live/forms/frm_1/submissions/sub_3").await;
    wait_until("the triage", || !stage.all(".triage select").is_empty()).await;
    assert!(has_control(&stage, "Delete") && has_control(&stage, "Mark as spam"));
    wait_until("the note editor", || has_control(&stage, "Save note")).await;
}

#[wasm_bindgen_test]
async fn editor_restores_and_cannot_delete_permanently() {
    let _network = Network::new(answer_as_editor_gateway);
    let stage = open_dashboard("/live/forms/frm_1/settings/trash");
    wait_until("the row", || stage.all("tbody tr").len() == 1).await;
    assert!(has_control(&stage, "Restore"));
    for word in ["Delete permanently", "Empty trash", "Duplicate"] {
        assert!(!has_control(&stage, word), "{word}: {:?}", button_names(&stage, "button"));
    }
    let tabs = stage.all(".tabs a").into_iter().filter_map(|tab| tab.text_content());
    assert_eq!(tabs.collect::<Vec<_>>(), ["Spam", "Trash"]);
    drop(stage);
    let stage = open_dashboard("/live/forms/frm_1/settings/spam");
    wait_until("the row", || stage.all("tbody tr").len() == 1).await;
    assert_eq!(stage.all("tbody button").len(), 1, "{:?}", button_names(&stage, "button"));
    drop(stage);
    for path in ["/settings/keys", "/live/forms/frm_1/settings/fields"] {
        let stage = open_dashboard(path);
        wait_until("the message", || !stage.all(".empty").is_empty()).await;
        assert_eq!(text_of(&stage, ".empty-title"), "Owner only", "{path}");
    }
}

#[wasm_bindgen_test]
async fn form_without_trash_offers_editor_no_deletion() {
    let _network = Network::new(|asked| match asked.url.as_str() {
        "/account/forms" => forms_reply(&json!({ "trash_days": 0 })),
        _ => answer_as_editor_gateway(asked),
    });
    let stage = open_rows("/live/forms/frm_1").await;
    press_key(&stage.all(".grid-track .grid-row").remove(0), "x");
    wait_until("the selection", || !stage.all(".selection").is_empty()).await;
    assert!(has_control(&stage, "Mark as spam") && !has_control(&stage, "Delete"));
}

#[wasm_bindgen_test]
async fn owner_changes_role_and_forms_of_member() {
    let is_editor = Rc::new(Cell::new(false));
    let changed = Rc::clone(&is_editor);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/sessions") => access_reply(),
        ("GET", "/people") => {
            let mut member = person(2, "reader");
            if changed.get() {
                member["role"] = "editor".into();
                member["forms"] = serde_json::json!(["frm_t"]);
            }
            Reply::ok(&json!({ "data": [person(1, "owner"), member] }))
        }
        ("PATCH", "/people/psn_2") => {
            changed.set(true);
            Reply::no_content()
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_account("reader2@example.org").await;
    press_button(&stage, "Change access of reader2@example.org").await;
    assert!(text_of(&stage, "dialog[open]").contains("Can view, search and export submissions."));
    let select = stage.one("dialog[open] select");
    js_sys::Reflect::set(&select, &"value".into(), &"editor".into()).unwrap();
    dispatch_event(&select, "change");
    settle().await;
    assert!(text_of(&stage, "dialog[open]").contains("Can change status, tags and notes"));
    let check = |label: &str| {
        let labels = stage.all("dialog[open] label").into_iter();
        let mut named = labels.filter(|it| it.text_content().unwrap_or_default().contains(label));
        named.next().unwrap_or_else(|| panic!("no field {label}")).click();
    };
    check("Selected forms");
    settle().await;
    press_button(&stage, "Change access").await;
    assert!(text_of(&stage, "dialog[open]").contains("Select at least one form"));
    check("Sandbox (Test)");
    settle().await;
    button(&stage, "Change access").click();
    wait_until("the new role", || text_of(&stage, "tbody").contains("Editor, 1 form")).await;
    let body = r#"{"role":"editor","forms":["frm_t"]}"#;
    let sent = network.requests("/people/psn_2").remove(0);
    assert_eq!((sent.method.as_str(), sent.body.as_str()), ("PATCH", body));
    assert!(stage.all("dialog[open]").is_empty() && is_editor.get());
}
