//! Forms: the list, creating a form, and the settings of one form.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{
    address, answer_as_foreign_gateway, answer_as_gateway, button, form, forms_reply,
    open_dashboard, press_button, submission, text_of, wait_for_text, wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{
    Stage, attr, click, is_focused, select_value, settle, type_into, type_text, value,
};

const SETTINGS: &str = "/live/forms/frm_1/settings";

/// Answers like a gateway, and applies changes to the form `known`.
fn answer_with_form(asked: &RecordedRequest, known: &Rc<RefCell<Value>>) -> Reply {
    let part = asked.url.strip_prefix("/account/forms").unwrap_or("elsewhere");
    match (asked.method.as_str(), part) {
        ("GET", "") => {
            let mut all = vec![known.borrow().clone(), form("frm_t", "Sandbox", "test")];
            all.retain(|form| !form.is_null());
            Reply::ok(&json!({ "data": all }))
        }
        ("POST", "") => {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            let mut new =
                form("frm_new", body["name"].as_str().unwrap(), body["mode"].as_str().unwrap());
            new["submission_count"] = 0.into();
            Reply::json(201, &json!({ "data": new }))
        }
        ("POST", "/frm_1/duplicate") => {
            let copy = form("frm_copy", "Feedback (copy)", "live");
            Reply::json(201, &json!({ "data": copy }))
        }
        ("POST", "/frm_1/delete") => {
            *known.borrow_mut() = Value::Null;
            Reply::no_content()
        }
        ("GET", "/frm_1") => Reply::ok(&json!({ "data": *known.borrow() })),
        ("PUT", "/frm_1") => {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            known.borrow_mut()["name"] = body["name"].clone();
            Reply::ok(&json!({ "data": *known.borrow() }))
        }
        ("PUT", "/frm_1/fields") => set_fields(asked, known),
        _ => answer_as_gateway(asked),
    }
}

fn set_fields(asked: &RecordedRequest, known: &Rc<RefCell<Value>>) -> Reply {
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    let fields = known.borrow()["fields"].as_array().unwrap().clone();
    let remaining = body["fields"].as_array().unwrap().iter().filter(|edit| edit["delete"] != true);
    let edited = remaining.map(|edit| {
        let mut field = fields.iter().find(|field| field["id"] == edit["id"]).cloned();
        let new = || json!({ "id": "fld_new", "key": edit["name"], "type": "text" });
        let mut field = field.take().unwrap_or_else(new);
        for part in ["name", "type", "hidden"] {
            if !edit[part].is_null() {
                field[part] = edit[part].clone();
            }
        }
        field
    });
    let edited: Vec<Value> = edited.collect();
    known.borrow_mut()["fields"] = edited.into();
    Reply::ok(&json!({ "data": *known.borrow() }))
}

fn network_with_form() -> Network {
    network_with_slow_form(0)
}

/// Installs a network that saves changes after this time.
fn network_with_slow_form(save_ms: u32) -> Network {
    let known = Rc::new(RefCell::new(form("frm_1", "Feedback", "live")));
    Network::new(move |asked| {
        answer_with_form(asked, &known).delayed(if asked.method == "PUT" { save_ms } else { 0 })
    })
}

/// Opens the fields of the form.
async fn open_fields() -> Stage {
    let stage = open_dashboard(&format!("{SETTINGS}/fields"));
    wait_until("the fields", || stage.all("tbody tr").len() == 3).await;
    stage
}

/// Opens the first tab of the settings.
async fn open_share() -> Stage {
    let stage = open_dashboard(&format!("{SETTINGS}/share"));
    wait_until("the form", || text_of(&stage, ".page-title") == "Feedback settings").await;
    stage
}

/// Returns the field with this label or `aria-label`.
#[track_caller]
fn find_field(stage: &Stage, name: &str) -> HtmlElement {
    let fields = stage.all("input, textarea, select");
    let named = |one: &HtmlElement| {
        let label = attr(one, "aria-label").or_else(|| {
            let id = attr(one, "id")?;
            stage.all(&format!("label[for='{id}']")).first()?.text_content()
        });
        label.as_deref() == Some(name)
    };
    let found: Vec<_> = fields.into_iter().filter(named).collect();
    assert_eq!(found.len(), 1, "fields called {name}");
    found.into_iter().next().unwrap()
}

fn sent_bodies(network: &Network, method: &str, url: &str) -> Vec<String> {
    let sent = network.sent(method, url).into_iter();
    sent.filter(|asked| asked.url == url).map(|asked| asked.body).collect()
}

#[wasm_bindgen_test]
async fn forms_are_listed_and_renamed() {
    let network = network_with_form();
    let stage = open_dashboard("/settings/forms");
    wait_until("the forms", || stage.all("tbody tr").len() == 2).await;
    assert_eq!(text_of(&stage, ".page-count"), "2 forms");
    let rows = text_of(&stage, "tbody tr");
    for says in ["Feedback", "Live", "250", "On", "Sandbox", "Test", "—"] {
        assert!(rows.contains(says), "{says} in {rows}");
    }
    assert_eq!(
        attr(&stage.all(".nav-link[aria-current=page]")[0], "href").unwrap(),
        "/settings/forms"
    );
    press_button(&stage, "Rename Feedback").await;
    let name = stage.one("dialog[open] input");
    assert!(value(&name) == "Feedback" && is_focused(&name));
    type_into(&name, "  ");
    press_button(&stage, "Rename").await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("1 to 200 characters"));
    type_into(&name, "Kundenstimmen");
    button(&stage, "Rename").click();
    wait_until("the new name", || text_of(&stage, "tbody").contains("Kundenstimmen")).await;
    wait_until("the closed dialog", || stage.all("dialog[open]").is_empty()).await;
    assert!(text_of(&stage, ".nav-label").contains("Kundenstimmen"));
    assert_eq!(
        sent_bodies(&network, "PUT", "/account/forms/frm_1"),
        [r#"{"name":"Kundenstimmen"}"#]
    );
}

#[wasm_bindgen_test]
async fn form_is_duplicated() {
    let network = network_with_form();
    let stage = open_share().await;
    button(&stage, "Duplicate").click();
    wait_until("its copy", || address() == "/live/forms/frm_copy/settings/share").await;
    wait_until("its title", || text_of(&stage, ".page-title") == "Feedback (copy) settings").await;
    assert!(text_of(&stage, ".toasts").contains("Created “Feedback (copy)”"));
    assert_eq!(sent_bodies(&network, "POST", "/account/forms/frm_1/duplicate"), ["{}"]);
}

#[wasm_bindgen_test]
async fn deleting_form_requires_typing_its_name() {
    let network = network_with_form();
    let stage = open_share().await;
    press_button(&stage, "Delete").await;
    let text = text_of(&stage, "dialog[open]");
    assert!(
        text.contains("This permanently deletes “Feedback” with 250 submissions, its spam"),
        "{text}"
    );
    type_into(&find_field(&stage, "Type the form name to confirm"), "feedback");
    press_button(&stage, "Delete form").await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("The name does not match"));
    assert_eq!(sent_bodies(&network, "POST", "/account/forms/frm_1/delete"), [""; 0]);
    type_into(&find_field(&stage, "Type the form name to confirm"), " Feedback ");
    button(&stage, "Delete form").click();
    wait_until("all forms", || address() == "/settings/forms").await;
    assert!(text_of(&stage, ".toasts").contains("Deleted “Feedback”"));
    wait_until("the other form", || stage.all("tbody tr").len() == 1).await;
    assert!(!text_of(&stage, ".nav-label").contains("Feedback"));
    let body = r#"{"name":"Feedback"}"#;
    assert_eq!(sent_bodies(&network, "POST", "/account/forms/frm_1/delete"), [body]);
}

#[wasm_bindgen_test]
async fn new_form_shows_its_snippet() {
    let network = network_with_form();
    let stage = open_dashboard("/settings/forms");
    wait_until("the forms", || !stage.all("tbody tr").is_empty()).await;
    press_button(&stage, "Create form").await;
    press_button(&stage, "Create").await;
    assert!(text_of(&stage, "dialog[open] .field-error").contains("Enter a name of"));
    type_into(&find_field(&stage, "Name"), "Contact");
    type_into(&find_field(&stage, "Fields"), "Mail\n\n Message ");
    button(&stage, "Create").click();
    wait_until("its settings", || address() == "/live/forms/frm_new/settings/share").await;
    wait_until("its snippet", || text_of(&stage, ".code-text").contains("/f/frm_new")).await;
    assert_eq!(
        sent_bodies(&network, "POST", "/account/forms"),
        [
            r#"{"name":"Contact","mode":"live","analysis":false,"fields":[{"name":"Mail","type":"text"},{"name":"Message","type":"text"}]}"#
        ]
    );
    let code = text_of(&stage, ".code-text");
    for says in ["<form method=\"post\"", "_gotcha", "name=\"missing\"", "curl http", "_page"] {
        assert!(code.contains(says), "{says} in {code}");
    }
    assert!(!code.contains("_redirect"));
    type_text(&stage.one(".form input"), "https://example.com/thanks").await;
    assert!(
        text_of(&stage, ".code-text").contains("name=\"_redirect\" value=\"https://example.com")
    );
    assert!(text_of(&stage, ".notice").contains("No submissions yet"));
    assert!(text_of(&stage, ".nav-label").contains("Contact"));
}

#[wasm_bindgen_test]
async fn fields_are_edited_with_the_keyboard() {
    let network = network_with_form();
    let stage = open_fields().await;
    assert_eq!(attr(&button(&stage, "Save fields"), "aria-disabled").as_deref(), Some("true"));
    type_text(&find_field(&stage, "Name of Phone"), "Telephone").await;
    let up = button(&stage, "Move Telephone up");
    up.focus().unwrap();
    click(&up).await;
    assert!(is_focused(&button(&stage, "Move Telephone up")), "the button lost the focus");
    assert!(text_of(&stage, "[role=status]").contains("Telephone is now 2 of 3"));
    press_button(&stage, "Add field").await;
    let new = find_field(&stage, "Name of field 4");
    assert!(is_focused(&new));
    press_button(&stage, "Save fields").await;
    assert!(text_of(&stage, ".notice").contains("at least one character"));
    assert_eq!(attr(&new, "aria-invalid").as_deref(), Some("true"));
    type_into(&new, "Notes");
    let kind = find_field(&stage, "Type of Your name");
    select_value(&kind, "rating");
    settle().await;
    button(&stage, "Save fields").click();
    wait_until("the saved settings", || text_of(&stage, ".toast").contains("Fields saved")).await;
    assert_eq!(
        sent_bodies(&network, "PUT", "/account/forms/frm_1/fields"),
        [
            r#"{"fields":[{"id":"fld_name","type":"rating"},{"id":"fld_missing","name":"Telephone"},{"id":"fld_text"},{"name":"Notes","type":"text"}]}"#
        ]
    );
    assert!(text_of(&stage, "tbody .id").ends_with("Notes"), "the new field has a key now");
    assert_eq!(attr(&button(&stage, "Save fields"), "aria-disabled").as_deref(), Some("true"));
}

#[wasm_bindgen_test]
async fn deleting_field_asks_for_confirmation() {
    let network = network_with_form();
    let stage = open_fields().await;
    let hide = button(&stage, "Hide Phone");
    hide.focus().unwrap();
    click(&hide).await;
    assert!(is_focused(&button(&stage, "Show Phone")), "the button lost the focus");
    assert!(text_of(&stage, "tbody tr:last-child .badge").contains("Hidden"));
    button(&stage, "Save fields").click();
    wait_until("the saved settings", || text_of(&stage, ".toast").contains("Fields saved")).await;
    let url = "/account/forms/frm_1/fields";
    let first =
        r#"{"fields":[{"id":"fld_name"},{"id":"fld_text"},{"id":"fld_missing","hidden":true}]}"#;
    assert_eq!(sent_bodies(&network, "PUT", url), [first]);
    assert!(text_of(&stage, "tbody tr:last-child .badge").contains("Hidden"));

    press_button(&stage, "Delete What happened?").await;
    assert!(text_of(&stage, "[role=status]").contains("What happened? will be deleted"));
    button(&stage, "Discard changes").click();
    wait_until("the field", || stage.all("tbody tr").len() == 3).await;
    press_button(&stage, "Delete What happened?").await;
    button(&stage, "Save fields").click();
    wait_for_text(&stage, "dialog[open]", "Delete this field?").await;
    assert!(text_of(&stage, "dialog[open]").contains("What happened?: existing answers remain"));
    assert_eq!(
        sent_bodies(&network, "PUT", url).len(),
        1,
        "the fields were saved before the confirmation"
    );
    button(&stage, "Delete field").click();
    wait_until("the closed confirmation", || stage.all("dialog[open]").is_empty()).await;
    let second =
        r#"{"fields":[{"id":"fld_name"},{"id":"fld_missing"},{"id":"fld_text","delete":true}]}"#;
    assert_eq!(sent_bodies(&network, "PUT", url), [first, second]);
    assert_eq!(stage.all("tbody tr").len(), 2);
}

#[wasm_bindgen_test]
async fn conflicting_change_keeps_typed_fields() {
    let words = "the fields of this form have changed meanwhile; read the form again";
    let _network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("PUT", "/account/forms/frm_1/fields") => Reply::error(409, "validation_error", words),
        ("GET", "/account/forms/frm_1") => {
            let mut changed = form("frm_1", "Feedback", "live");
            changed["fields"][0]["name"] = "Your full name".into();
            Reply::ok(&json!({ "data": changed }))
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_fields().await;
    type_text(&find_field(&stage, "Name of Phone"), "Telephone").await;
    button(&stage, "Save fields").click();
    wait_until("the error", || text_of(&stage, ".notice").contains("have changed meanwhile")).await;
    assert_eq!(value(&find_field(&stage, "Name of Telephone")), "Telephone");
    button(&stage, "Discard changes").click();
    let named = |name: &str| stage.all(&format!("[aria-label='Name of {name}']")).len() == 1;
    wait_until("the changed fields", || named("Your full name") && named("Phone")).await;
    assert_eq!(value(&find_field(&stage, "Name of Phone")), "Phone");
    // The fields can be edited again.
    type_into(&find_field(&stage, "Name of Phone"), "Mobile");
    wait_until("the new name", || named("Mobile")).await;
}

#[wasm_bindgen_test]
async fn text_typed_during_a_save_stays() {
    let _network = network_with_slow_form(1_000);
    let stage = open_fields().await;
    press_button(&stage, "Add field").await;
    type_into(&find_field(&stage, "Name of field 4"), "Notes");
    let phone = find_field(&stage, "Name of Phone");
    type_text(&phone, "Telephone").await;
    press_button(&stage, "Save fields").await;
    phone.focus().unwrap();
    type_into(&phone, "Mobile");
    wait_until("the toast", || text_of(&stage, ".toast").contains("Fields saved")).await;
    assert_eq!(value(&find_field(&stage, "Name of Mobile")), "Mobile");
    assert!(is_focused(&find_field(&stage, "Name of Mobile")), "the field lost the focus");
    assert!(text_of(&stage, "tbody .id").ends_with("Notes"), "the new field has a key now");
    assert_ne!(attr(&button(&stage, "Save fields"), "aria-disabled").as_deref(), Some("true"));
}

#[wasm_bindgen_test]
async fn field_that_a_submission_added_can_be_saved() {
    let known = Rc::new(RefCell::new(form("frm_1", "Feedback", "live")));
    let server = Rc::clone(&known);
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("PUT", "/account/forms/frm_1/fields") if !asked.body.contains("fld_more") => {
            Reply::error(400, "validation_error", "`fld_more` is missing; list every field")
        }
        _ => answer_with_form(asked, &server),
    });
    let stage = open_fields().await;
    type_into(&find_field(&stage, "Name of Phone"), "Telephone");
    let more = json!({ "id": "fld_more", "key": "more", "name": "More", "type": "text" });
    known.borrow_mut()["fields"].as_array_mut().unwrap().push(more);
    settle().await;
    button(&stage, "Save fields").click();
    wait_until("the explanation", || text_of(&stage, ".notice").contains("other fields now")).await;
    assert_eq!(value(&find_field(&stage, "Name of More")), "More");
    button(&stage, "Save fields").click();
    wait_until("the toast", || text_of(&stage, ".toast").contains("Fields saved")).await;
    let url = "/account/forms/frm_1/fields";
    let last = sent_bodies(&network, "PUT", url).pop().unwrap();
    assert!(
        last.contains(r#""name":"Telephone""#) && last.contains(r#"{"id":"fld_more"}"#),
        "{last}"
    );
}

#[wasm_bindgen_test]
async fn fields_are_saved_after_the_tab_is_left() {
    let _network = network_with_slow_form(5_000);
    let stage = open_fields().await;
    type_text(&find_field(&stage, "Name of Phone"), "Telephone").await;
    press_button(&stage, "Save fields").await;
    stage.one(".tab[href$=share]").click();
    wait_until("another tab", || stage.all("tbody").is_empty()).await;
    assert!(!text_of(&stage, ".toast").contains("Fields saved"), "the response is late");
    wait_until("the toast", || text_of(&stage, ".toast").contains("Fields saved")).await;
    stage.one(".tab[href$=fields]").click();
    let renamed = "[aria-label='Name of Telephone']";
    wait_until("the saved fields", || stage.all(renamed).len() == 1).await;
}

#[wasm_bindgen_test]
async fn open_questions_are_confirmed_after_the_settings_are_left() {
    let known = Rc::new(RefCell::new(form("frm_1", "Feedback", "live")));
    let is_on = Rc::new(RefCell::new(true));
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", url) if url.starts_with("/account/forms/frm_1/spam?") => Reply::ok(&json!({
            "data": [{ "reason": "honeypot", "submission": submission(1) }],
            "pagination": { "total": 1, "limit": 50, "has_more": false, "next_cursor": null },
        })),
        ("DELETE", "/account/forms/frm_1/spam") => Reply::no_content(),
        (_, "/account/forms/frm_1/analysis") => answer_analysis(asked, &is_on),
        _ => answer_with_form(asked, &known),
    });
    for (tab, loaded, presses, verb, method) in [
        ("fields", "tbody tr", &["Delete Phone", "Save fields"][..], "Delete field", "PUT"),
        ("spam", "tbody tr", &["Delete all"][..], "Delete spam", "DELETE"),
        ("analysis", "[type=checkbox]", &["Analyse all again"][..], "Analyse again", "PUT"),
    ] {
        let history = window().history().unwrap();
        history.push_state_with_url(&JsValue::NULL, "", Some("/live/forms/frm_1")).unwrap();
        let stage = open_dashboard(&format!("{SETTINGS}/{tab}"));
        wait_until(tab, || !stage.all(loaded).is_empty()).await;
        for name in presses {
            press_button(&stage, name).await;
        }
        wait_until("the confirmation", || !stage.all("dialog[open]").is_empty()).await;
        history.back().unwrap();
        wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
        button(&stage, verb).click();
        let url = format!("/account/forms/frm_1/{tab}");
        wait_until("the request", || sent_bodies(&network, method, &url).len() == 1).await;
        wait_until("no confirmation", || stage.all("dialog[open]").is_empty()).await;
    }
}

/// Opens the intake settings. The server first returns `first`, then the last saved settings.
async fn open_intake(first: Value) -> (Network, Stage) {
    let network = Network::new(move |asked| match (asked.method.as_str(), asked.url.as_str()) {
        ("GET", "/account/forms/frm_1/intake") => Reply::ok(&first),
        ("PUT", "/account/forms/frm_1/intake") => {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            Reply::ok(&json!({ "data": body }))
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard(&format!("{SETTINGS}/intake"));
    wait_until("the settings", || !stage.all("textarea").is_empty()).await;
    (network, stage)
}

#[wasm_bindgen_test]
async fn intake_settings_are_validated_and_saved() {
    let first = json!({ "data": { "redirects": ["https://a.example"], "origins": [],
        "seconds_min": 1, "honeypot": true, "learns_fields": null, "address_limit": 300,
        "form_limit": 30000 }});
    let (network, stage) = open_intake(first).await;
    let origins = "Allowed origins";
    let redirects = "Allowed redirect URLs";
    assert_eq!(value(&find_field(&stage, redirects)), "https://a.example");
    type_into(&find_field(&stage, origins), "example.com");
    press_button(&stage, "Save intake").await;
    assert_eq!(attr(&find_field(&stage, origins), "aria-invalid").as_deref(), Some("true"));
    assert!(text_of(&stage, ".field-error").contains("`example.com`"));
    type_into(&find_field(&stage, origins), "https://example.com\n");
    type_into(&find_field(&stage, "Minimum completion time (seconds)"), "two");
    press_button(&stage, "Save intake").await;
    assert_eq!(attr(&find_field(&stage, origins), "aria-invalid"), None);
    assert!(text_of(&stage, ".field-error").contains("whole number, but is `two`"));
    assert!(sent_bodies(&network, "PUT", "/account/forms/frm_1/intake").is_empty());
    type_into(&find_field(&stage, "Minimum completion time (seconds)"), "2");
    type_into(&find_field(&stage, "Limit per form (15 min)"), "");
    button(&stage, "Save intake").click();
    wait_for_text(&stage, ".toast", "Intake settings saved").await;
    assert_eq!(
        sent_bodies(&network, "PUT", "/account/forms/frm_1/intake"),
        [
            r#"{"redirects":["https://a.example"],"origins":["https://example.com"],"seconds_min":2,"honeypot":true,"learns_fields":null,"address_limit":300,"form_limit":null}"#
        ]
    );
}

#[wasm_bindgen_test]
async fn form_closing_time_and_message_are_saved() {
    let closing = json!({ "closed": false, "closes_at": "2026-06-14T09:30:15.000001Z",
        "closes_after": 100, "message": null });
    let first = json!({ "data": { "redirects": [], "origins": [], "seconds_min": 1,
        "honeypot": true, "learns_fields": null, "closing": closing, "address_limit": null,
        "form_limit": null }});
    let (network, stage) = open_intake(first).await;
    assert!(text_of(&stage, ".notice").contains("This form is closed."), "closed since yesterday");
    let after = find_field(&stage, "Submission limit");
    assert_eq!(value(&after), "100");
    let sent = || {
        let sent = sent_bodies(&network, "PUT", "/account/forms/frm_1/intake");
        let bodies = sent.iter().map(|body| serde_json::from_str::<Value>(body).unwrap());
        bodies.map(|body| body["closing"].clone()).collect::<Vec<_>>()
    };
    // An unchanged time keeps its microseconds.
    type_into(&after, "0");
    press_button(&stage, "Save intake").await;
    assert!(text_of(&stage, ".field-error").contains("from 1 to"), "{}", text_of(&stage, "form"));
    type_into(&after, "200");
    type_into(&find_field(&stage, "Message when closed"), " All places are taken. ");
    button(&stage, "Save intake").click();
    wait_until("the saved settings", || sent().len() == 1).await;
    let expected = json!({ "closed": false, "closes_at": "2026-06-14T09:30:15.000001Z",
        "closes_after": 200, "message": "All places are taken." });
    assert_eq!(sent()[0], expected);
    // Times are entered in the viewer's time zone.
    type_text(&find_field(&stage, "Closes at"), "2027-01-01T12:30").await;
    button(&stage, "Save intake").click();
    wait_until("the second save", || sent().len() == 2).await;
    let at = js_sys::Date::new(&"2027-01-01T12:30".into()).to_iso_string();
    let at = String::from(at).replace(".000Z", "Z");
    assert_eq!(sent()[1]["closes_at"], at);
    type_into(&find_field(&stage, "Closes at"), "");
    type_into(&find_field(&stage, "Submission limit"), "");
    type_text(&find_field(&stage, "Message when closed"), "").await;
    button(&stage, "Save intake").click();
    wait_until("the third save", || sent().len() == 3).await;
    let open = json!({ "closed": false, "closes_at": null, "closes_after": null, "message": null });
    assert_eq!(sent()[2], open);
}

#[wasm_bindgen_test]
async fn spam_is_listed_released_and_deleted() {
    let network = Network::new(|asked| {
        let part = asked.url.strip_prefix("/account/forms/frm_1/spam").unwrap_or("elsewhere");
        let spam = |n: u32| json!({ "reason": "honeypot", "submission": submission(n) });
        match (asked.method.as_str(), part) {
            ("GET", part) if part.contains("cursor=more") => Reply::ok(&json!({
                "data": [spam(3)],
                "pagination": { "total": 3, "limit": 50, "has_more": false, "next_cursor": null },
            })),
            ("GET", part) if part.starts_with('?') => Reply::ok(&json!({
                "data": [spam(1), spam(2)],
                "pagination": { "total": 3, "limit": 50, "has_more": true, "next_cursor": "more" },
            })),
            ("POST" | "DELETE", _) if part != "elsewhere" => Reply::no_content(),
            _ => answer_as_gateway(asked),
        }
    });
    let stage = open_dashboard(&format!("{SETTINGS}/spam"));
    wait_until("the spam", || stage.all("tbody tr").len() == 2).await;
    assert!(text_of(&stage, "tbody").contains("Your name: Person 1"));
    assert!(text_of(&stage, "tbody").contains("Honeypot"));
    assert!(text_of(&stage, ".page-count").contains("3 in spam"));
    button(&stage, "Show more").click();
    wait_until("the rest", || stage.all("tbody tr").len() == 3).await;
    let press = |word: &str, n: u32| {
        let named = format!("{word} Your name: Person {n}");
        let mut all = stage.all("tbody button");
        all.retain(|one| one.text_content().unwrap().starts_with(&named));
        assert_eq!(all.len(), 1, "{named}");
        let one = all.remove(0);
        one.focus().unwrap();
        // The second press is ignored while the request runs.
        one.click();
        one.click();
    };
    press("Release", 2);
    wait_until("the released row", || stage.all("tbody tr").len() == 2).await;
    press("Delete", 1);
    wait_until("the deleted row", || stage.all("tbody tr").len() == 1).await;
    let at = "/account/forms/frm_1/spam";
    assert_eq!(sent_bodies(&network, "POST", &format!("{at}/sub_2/release")).len(), 1);
    assert_eq!(sent_bodies(&network, "DELETE", &format!("{at}/sub_1")).len(), 1);
    wait_until("the restored focus", || document().active_element().unwrap().tag_name() != "BODY")
        .await;
    button(&stage, "Delete all").click();
    wait_for_text(&stage, "dialog[open] h2", "Delete the submission in spam?").await;
    assert!(sent_bodies(&network, "DELETE", at).is_empty());
    button(&stage, "Delete spam").click();
    wait_until("the empty state", || text_of(&stage, ".empty-title").contains("No spam")).await;
    assert_eq!(sent_bodies(&network, "DELETE", at).len(), 1);
}

/// Answers requests for the analysis settings of a form.
fn answer_analysis(asked: &RecordedRequest, is_on: &Rc<RefCell<bool>>) -> Reply {
    let usual = json!({ "data": { "is_default": true,
        "categories": [{ "name": "delivery", "words": ["late", "deliver*"] }] }});
    let spent = |used: u64| json!({ "limit": 500, "used": used, "pending": 3 });
    let part = asked.url.strip_prefix("/account/").unwrap_or("elsewhere");
    match (asked.method.as_str(), part) {
        ("GET", "insight") => Reply::ok(&json!({ "data": {
            "live": spent(41), "test": spent(0), "resets_at": "2126-03-02T00:00:00Z" }})),
        ("GET", "forms/frm_1/categories") => Reply::ok(&usual),
        ("PUT", "forms/frm_1/categories") => {
            let body: Value = serde_json::from_str(&asked.body).unwrap();
            let data = json!({ "categories": body["categories"], "is_default": false });
            Reply::ok(&json!({ "data": data }))
        }
        (method, "forms/frm_1/analysis") => {
            if method == "PUT" {
                let body: Value = serde_json::from_str(&asked.body).unwrap();
                *is_on.borrow_mut() = body["analysis"] == true;
            }
            let analysis = *is_on.borrow();
            let pending = u64::from(*is_on.borrow()) * 2;
            let data = json!({ "analysis": analysis, "pending": pending, "is_queueing": false });
            Reply::ok(&json!({ "data": data }))
        }
        _ => answer_as_gateway(asked),
    }
}

#[wasm_bindgen_test]
async fn analysis_and_categories_are_saved_and_removed() {
    let is_on = Rc::new(RefCell::new(false));
    let network = Network::new(move |asked| answer_analysis(asked, &is_on));
    let stage = open_dashboard(&format!("{SETTINGS}/analysis"));
    for part in ["tbody tr", ".group", "input[type=checkbox]"] {
        wait_until(part, || !stage.all(part).is_empty()).await;
    }
    assert!(text_of(&stage, "[role=status]").contains("Analysis is off."));
    assert_eq!(
        attr(&button(&stage, "Analyse all again"), "aria-disabled").as_deref(),
        Some("true")
    );
    assert!(text_of(&stage, "tbody").starts_with("Live415003Test05003"));
    stage.one("input[type=checkbox]").click();
    wait_for_text(&stage, "[role=status]", "2 submissions queued.").await;
    assert_eq!(
        sent_bodies(&network, "PUT", "/account/forms/frm_1/analysis"),
        [r#"{"analysis":true,"again":false}"#]
    );
    assert!(text_of(&stage, ".notice").contains("These are the default categories"));
    press_button(&stage, "Add category").await;
    assert!(is_focused(&stage.all(".group input")[1]));
    press_button(&stage, "Save categories").await;
    assert!(text_of(&stage, ".notice[role=alert]").contains("1 to 40 characters"));
    type_into(&stage.all(".group input")[1], "price");
    type_into(&stage.all(".group textarea")[1], "dear*, too expensive\ncost");
    button(&stage, "Save categories").focus().unwrap();
    button(&stage, "Save categories").click();
    // The focus and text typed during the request stay.
    type_into(&stage.all(".group input")[1], "prices");
    wait_for_text(&stage, ".toast", "Categories saved").await;
    settle().await;
    assert!(is_focused(&button(&stage, "Save categories")));
    assert_eq!(value(&stage.all(".group input")[1]), "prices");
    assert_eq!(
        sent_bodies(&network, "PUT", "/account/forms/frm_1/categories"),
        [
            r#"{"categories":[{"name":"delivery","words":["late","deliver*"]},{"name":"price","words":["dear*","too expensive","cost"]}]}"#
        ]
    );
    assert!(!text_of(&stage, ".notice").contains("These are the default categories"));
    assert_eq!(button(&stage, "Restore defaults").tag_name(), "BUTTON");
    // Without categories, the focus is on the button that adds one.
    for remaining in [1, 0] {
        let remove = stage.all(".group button").remove(0);
        remove.focus().unwrap();
        remove.click();
        wait_until("the removal", || stage.all(".group").len() == remaining).await;
        settle().await;
    }
    assert!(is_focused(&button(&stage, "Add category")));
}

#[wasm_bindgen_test]
async fn foreign_server_has_no_form_management() {
    let network = Network::new(answer_as_foreign_gateway);
    for path in ["/settings/forms", SETTINGS, "/live/forms/frm_1/settings/spam"] {
        let stage = open_dashboard(path);
        let expected = "Forms are managed on another server";
        wait_until("the message", || text_of(&stage, ".empty-title") == expected).await;
    }
    assert!(network.requests("/account").is_empty());
}

#[wasm_bindgen_test]
async fn unknown_form_is_not_found() {
    let _network = network_with_form();
    let stage = open_dashboard("/live/forms/frm_other/settings/fields");
    wait_until("the message", || text_of(&stage, ".empty-title") == "Form not found").await;
}

#[wasm_bindgen_test]
async fn first_submission_appears_without_reload() {
    let asked = Rc::new(RefCell::new(0));
    let _network = Network::new(move |request| {
        let mut empty = form("frm_1", "Feedback", "live");
        match request.url.as_str() {
            "/account/forms/frm_1" => {
                *asked.borrow_mut() += 1;
                empty["submission_count"] = u32::from(*asked.borrow() > 1).into();
                Reply::ok(&json!({ "data": empty }))
            }
            "/account/forms" => forms_reply(&json!({ "submission_count": 0 })),
            _ => answer_as_gateway(request),
        }
    });
    let stage = open_dashboard(SETTINGS);
    wait_until("the hint", || text_of(&stage, ".notice").contains("No submissions yet")).await;
    for _ in 0..3 {
        crate::stage::wait(1_100).await;
    }
    wait_for_text(&stage, ".notice", "First submission received").await;
    assert_eq!(attr(&stage.one(".notice a"), "href").as_deref(), Some("/live/forms/frm_1"));
}

#[wasm_bindgen_test]
async fn fields_added_by_intake_are_appended() {
    let _network = Network::new(|asked| match asked.url.as_str() {
        "/account/forms/frm_1" => {
            let mut grown = form("frm_1", "Feedback", "live");
            let new = json!({ "id": "fld_9", "key": "more", "name": "more", "type": "text" });
            grown["fields"].as_array_mut().unwrap().push(new);
            Reply::ok(&json!({ "data": grown })).delayed(100)
        }
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard(&format!("{SETTINGS}/fields"));
    wait_until("the known fields", || stage.all("tbody tr").len() == 3).await;
    wait_until("the added field", || stage.all("tbody tr").len() == 4).await;
    assert_eq!(attr(&button(&stage, "Save fields"), "aria-disabled").as_deref(), Some("true"));
}
