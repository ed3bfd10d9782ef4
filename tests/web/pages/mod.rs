//! Pages of the complete dashboard over a fake network.

mod account;
mod activity;
mod api_keys;
mod board;
mod bulk_triage;
mod capabilities;
mod card;
mod cell_filter;
mod columns;
mod deletion;
mod editor;
mod ended;
mod export;
mod filter_bar;
mod filter_panel;
mod forms;
mod inbox;
mod insights;
mod list;
mod list_stability;
mod members;
mod notifications;
mod reading;
mod saved_views;
mod selection;
mod server_views;
mod shortcuts;
mod sign_in;
mod sorting;
mod start;
mod status_settings;
mod timeline;
mod trash;
mod triage;
mod triage_filters;
mod webhooks;

use dashboard::app::App;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;
use serde_json::{Value, json};

pub(crate) use crate::clock::wait_until;
use crate::{
    network::{Network, RecordedRequest, Reply},
    stage::{Stage, click, type_text},
};

/// Number of submissions of the form `frm_1`.
pub(crate) const ROWS: u32 = 250;

pub(crate) fn submission(number: u32) -> Value {
    let sentiment = ["positive", "negative", "mixed", "neutral", "thrilled"][number as usize % 5];
    let insight = json!({
        "sentiment": sentiment, "sentiment_score": 0.42, "categories": ["Pricing"],
        "language": "de",
    });
    let text = if number % 10 == 3 { "needle, \"quoted\"\n=1+1" } else { "hay" };
    json!({
        "id": format!("sub_{number}"),
        "form_id": "frm_1",
        "answers": {
            "extra": "no field has this", "name": format!("Person {number}"), "text": text,
            "site": "https://example.com/a", "bad": "javascript:alert(1)",
        },
        "metadata": {
            "submitted_at": submitted_at(number),
            "ip_country": "DE", "device": "desktop", "browser": "Firefox",
            "completion_time_seconds": 130, "utm_source": "google", "utm_medium": null,
            "utm_campaign": null,
        },
        "ai_insights": if number % 7 == 1 { Value::Null } else { insight },
    })
}

pub(crate) fn submitted_at(number: u32) -> String {
    format!("2026-03-{:02}T12:00:00Z", 28 - number / 10)
}

pub(crate) fn form(id: &str, name: &str, mode: &str) -> Value {
    let fields = [("name", "Your name"), ("text", "What happened?"), ("missing", "Phone")];
    let fields = fields.map(|(key, name)| {
        json!({ "id": format!("fld_{key}"), "key": key, "name": name, "type": "text" })
    });
    json!({
        "id": id, "name": name, "mode": mode, "analysis": true, "fields": fields,
        "created_at": "2026-01-01T00:00:00Z", "submission_count": ROWS,
        "last_submission_at": null,
    })
}

/// Returns a list of one form, with some members replaced.
pub(crate) fn forms_reply(changes: &Value) -> Reply {
    Reply::ok(&json!({ "data": [merged(form("frm_1", "Feedback", "live"), changes)] }))
}

pub(crate) fn session() -> Value {
    json!({ "data": {
        "account": { "id": "acc_1", "email": "owner@example.org", "plan": "enterprise" },
        "modes": ["live", "test"], "managed": true,
    }})
}

/// Returns a session with some members replaced.
pub(crate) fn session_with(changes: &Value) -> Reply {
    let mut session = session();
    merge(&mut session["data"], changes);
    Reply::ok(&session)
}

/// Returns the session of a member with this role.
pub(crate) fn session_reply(role: &str) -> Reply {
    session_with(&json!({ "role": role }))
}

/// Replaces members of `value`.
pub(crate) fn merge(value: &mut Value, changes: &Value) {
    for (key, change) in changes.as_object().unwrap() {
        value[key] = change.clone();
    }
}

/// Returns `value` with some members replaced.
pub(crate) fn merged(mut value: Value, changes: &Value) -> Value {
    merge(&mut value, changes);
    value
}

/// Returns the page of a list of these rows for the cursor and the limit in `url`.
pub(crate) fn list_page(rows: &[u32], url: &str) -> Reply {
    list_page_of(rows, url, submission)
}

/// Returns the page of a list of these rows, as [`list_page`] does, with submissions from
/// `submission`.
pub(crate) fn list_page_of(rows: &[u32], url: &str, submission: fn(u32) -> Value) -> Reply {
    let start = query_parameter(url, "cursor").map_or(0, |cursor| cursor.parse::<usize>().unwrap());
    let limit = query_parameter(url, "limit").map_or(20, |limit| limit.parse::<usize>().unwrap());
    let end = (start + limit).min(rows.len());
    let has_more = end < rows.len();
    Reply::ok(&json!({
        "data": rows[start..end].iter().copied().map(submission).collect::<Vec<_>>(),
        "pagination": {
            "total": rows.len(), "limit": limit, "has_more": has_more,
            "next_cursor": has_more.then(|| end.to_string()),
        },
    }))
}

pub(crate) fn query_parameter(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}="))).map(str::to_owned)
}

/// Answers like the gateway of a signed-in owner.
pub(crate) fn answer_as_gateway(asked: &RecordedRequest) -> Reply {
    let path = asked.url.split('?').next().unwrap_or_default();
    match (asked.method.as_str(), path) {
        ("GET", "/session") => Reply::ok(&session()),
        ("GET", "/account/forms") => Reply::ok(&json!({ "data": [
            form("frm_t", "Sandbox", "test"), form("frm_1", "Feedback", "live"),
        ]})),
        ("GET", "/api/live/v1/forms/frm_1/submissions") => {
            let all: Vec<u32> = (0..ROWS).collect();
            let needles: Vec<u32> = all.iter().copied().filter(|n| n % 10 == 3).collect();
            match query_parameter(&asked.url, "search").as_deref() {
                None => list_page(&all, &asked.url),
                Some("needle") => list_page(&needles, &asked.url),
                Some(_) => list_page(&[], &asked.url),
            }
        }
        ("GET", path) if path.starts_with("/api/live/v1/submissions/sub_") => {
            let number = path.rsplit('_').next().unwrap_or_default().parse();
            number.map_or_else(
                |_| Reply::error(404, "not_found", "no such submission"),
                |number| Reply::ok(&json!({ "data": submission(number) })),
            )
        }
        ("GET", "/account/preferences") => {
            Reply::ok(&json!({ "data": { "mention_emails": true } }))
        }
        ("GET", "/account/forms/frm_1/views") => Reply::ok(&json!({ "data": [] })),
        ("DELETE", path) if path.starts_with("/api/live/v1/submissions/") => Reply::no_content(),
        _ => Reply::error(404, "not_found", "nothing here"),
    }
}

/// Returns the session in front of a server that is not Sheaf.
pub(crate) fn foreign_session() -> Value {
    let mut session = session();
    session["data"]["managed"] = false.into();
    session
}

/// Answers like the gateway in front of such a server, which has only the specified routes.
pub(crate) fn answer_as_foreign_gateway(asked: &RecordedRequest) -> Reply {
    match asked.url.as_str() {
        "/session" => Reply::ok(&foreign_session()),
        path if path.starts_with("/account") => Reply::error(404, "not_found", "not here"),
        _ => answer_as_gateway(asked),
    }
}

pub(crate) fn local_storage() -> web_sys::Storage {
    window().local_storage().unwrap().unwrap()
}

/// Opens the dashboard at a path.
pub(crate) fn open_dashboard(path: &str) -> Stage {
    // The first router on a page registers itself with this hook for good, and would keep listening
    // after its test. With a hook already set, each router is dropped with its stage.
    let _ = leptos::server_fn::redirect::set_redirect_hook(|_: &str| ());
    let history = window().history().unwrap();
    history.push_state_with_url(&JsValue::NULL, "", Some(path)).unwrap();
    Stage::styled((1100, 700), || view! { <App /> })
}

/// Opens a list, and waits for its rows.
pub(crate) async fn open_rows(path: &str) -> Stage {
    let stage = open_dashboard(path);
    wait_until("the rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    stage
}

/// Opens a submission, and waits for its answers.
pub(crate) async fn open_submission(path: &str) -> Stage {
    let stage = open_dashboard(path);
    wait_until("the answers", || !stage.all(".answers-text").is_empty()).await;
    stage
}

/// Waits until the texts of the elements that match contain `text`.
pub(crate) async fn wait_for_text(stage: &Stage, selector: &str, text: &str) {
    wait_until(&format!("{text:?} in {selector}"), || text_of(stage, selector).contains(text))
        .await;
}

/// Waits until a heading contains `text`, and nothing is loading.
pub(crate) async fn wait_for_heading(stage: &Stage, heading: &str, text: &str) {
    let is_loaded = || text_of(stage, heading).contains(text) && stage.all(".skeleton").is_empty();
    wait_until(text, is_loaded).await;
}

/// Returns the path and query of the address bar.
pub(crate) fn address() -> String {
    let location = window().location();
    location.pathname().unwrap() + &location.search().unwrap()
}

/// Returns the concatenated texts of all elements that match.
pub(crate) fn text_of(stage: &Stage, selector: &str) -> String {
    stage.all(selector).iter().filter_map(|element| element.text_content()).collect()
}

/// Returns the visible button with this name.
#[track_caller]
pub(crate) fn button(stage: &Stage, name: &str) -> web_sys::HtmlElement {
    let named = |element: &web_sys::HtmlElement| {
        let label = element.get_attribute("aria-label");
        let label = label.or_else(|| element.text_content().filter(|text| !text.is_empty()));
        label.or_else(|| element.get_attribute("title")).unwrap_or_default().trim() == name
            && element.get_bounding_client_rect().width() > 0.0
    };
    let found: Vec<_> = stage.all("button").into_iter().filter(named).collect();
    assert_eq!(found.len(), 1, "buttons called {name}");
    found.into_iter().next().unwrap()
}

/// Presses the visible button with this name, and runs what it starts.
pub(crate) async fn press_button(stage: &Stage, name: &str) {
    click(&button(stage, name)).await;
}

/// Returns the last button of the open dialog with this name.
pub(crate) fn dialog_button(stage: &Stage, name: &str) -> web_sys::HtmlElement {
    let buttons = stage.all("dialog[open] button").into_iter();
    let mut named = buttons.filter(|one| one.text_content().unwrap() == name);
    named.next_back().unwrap_or_else(|| panic!("no button {name}"))
}

/// Waits for the dialog that asks for the password, and returns its field.
pub(crate) async fn password_field(stage: &Stage) -> web_sys::HtmlElement {
    wait_until("the password", || !stage.all("dialog[open] [type=password]").is_empty()).await;
    stage.one("dialog[open] [type=password]")
}

/// Gives the password in the dialog that asks for it.
pub(crate) async fn confirm_password(stage: &Stage) {
    type_text(&password_field(stage).await, "a walrus in winter").await;
    dialog_button(stage, "Continue").click();
}

/// Waits until a toast contains `text`.
pub(crate) async fn wait_for_toast(stage: &Stage, text: &str) {
    wait_for_text(stage, ".toasts", text).await;
}

/// Returns the bodies of the requests with this method and URL.
pub(crate) fn sent_bodies(network: &Network, method: &str, url: &str) -> Vec<Value> {
    let sent = network.sent(method, url).into_iter().filter(|asked| asked.url == url);
    sent.map(|asked| serde_json::from_str(&asked.body).unwrap_or_default()).collect()
}
