//! Saved views that the server stores: marks, saving, editing, undo, the default view, and moving
//! views from the browser.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::saved_views::{StoredViews, open_views, view_names};
use super::{
    address, answer_as_gateway, button, merge, merged, open_dashboard, press_button, session_reply,
    text_of, wait_until,
};
use crate::{
    network::{Network, RecordedRequest, Reply},
    stage::{Stage, attr, is_focused, settle, type_into, value},
};

const VIEWS: &str = "/account/forms/frm_1/views";

/// Views of a fake server. It sorts none, and does not check roles.
#[derive(Clone, Default)]
struct ServerViews(Rc<RefCell<Vec<Value>>>);

impl ServerViews {
    fn new(views: &[Value]) -> Self {
        Self(Rc::new(RefCell::new(views.to_vec())))
    }

    fn answer(&self, asked: &RecordedRequest) -> Reply {
        let mut views = self.0.borrow_mut();
        let id = asked.url.strip_prefix(VIEWS).map(|rest| rest.trim_start_matches('/').to_owned());
        let Some(id) = id else { return answer_as_gateway(asked) };
        let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        if let Some(name) = body["name"].as_str()
            && views.iter().any(|view| view["name"] == name && view["id"] != id)
        {
            let message = format!("a view `{name}` exists already; choose another name");
            return Reply::error(409, "validation_error", &message);
        }
        match asked.method.as_str() {
            "GET" => Reply::ok(&json!({ "data": *views })),
            "POST" => {
                let view = merged(view(&format!("{}", views.len() + 1), "", ""), &body);
                views.push(view.clone());
                Reply::json(201, &json!({ "data": view }))
            }
            "PATCH" => {
                let view = views.iter_mut().find(|view| view["id"] == id).unwrap();
                merge(view, &body);
                Reply::ok(&json!({ "data": view }))
            }
            _ => {
                views.retain(|view| view["id"] != id);
                Reply::no_content()
            }
        }
    }

    fn network(&self) -> Network {
        let views = self.clone();
        Network::new(move |asked| views.answer(asked))
    }

    fn names(&self) -> Vec<String> {
        self.0.borrow().iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn view(id: &str, name: &str, query: &str) -> Value {
    json!({
        "id": format!("view_{id}"), "name": name, "query": query, "dates": null, "columns": "",
        "shared": false, "is_default": false, "created_at": "2026-03-01T00:00:00Z",
    })
}

fn shared(id: &str, name: &str, query: &str) -> Value {
    merged(view(id, name, query), &json!({ "shared": true }))
}

fn default(view: Value) -> Value {
    merged(view, &json!({ "is_default": true }))
}

/// Returns the bodies of the requests with a method to the views.
fn bodies(network: &Network, method: &str) -> Vec<Value> {
    let sent = network.sent(method, VIEWS).into_iter();
    sent.map(|asked| serde_json::from_str(&asked.body).unwrap_or_default()).collect()
}

fn name_field(stage: &Stage) -> web_sys::HtmlElement {
    stage.one(".views-save input[type=text]")
}

#[wasm_bindgen_test]
async fn readers_edit_private_views_only() {
    let views = ServerViews::new(&[shared("1", "A", "search=needle"), default(view("2", "B", ""))]);
    let _network = Network::new(move |asked| {
        if asked.url == "/session" {
            return session_reply("reader");
        }
        views.answer(asked)
    });
    let stage = open_views("/live/forms/frm_1").await;
    wait_until("the views", || view_names(&stage) == ["A", "B"]).await;
    assert_eq!(text_of(&stage, ".views-note"), "SharedDefaultPrivate");
    assert_eq!(stage.all(".views-item .icon-button").len(), 1);
    press_button(&stage, "Edit B").await;
    // Neither form offers to share.
    assert_eq!(text_of(&stage, ".choice-label"), "Use as default view".repeat(2));
}

#[wasm_bindgen_test]
async fn view_is_shared_and_a_failure_loses_nothing() {
    let views = ServerViews::new(&[view("1", "Taken", "")]);
    let network = views.network();
    let stage = open_views("/live/forms/frm_1?search=needle").await;
    wait_until("the views", || view_names(&stage) == ["Taken"]).await;
    type_into(&name_field(&stage), "Taken");
    let share = stage.all(".views-save input[type=checkbox]").swap_remove(1);
    share.click();
    button(&stage, "Save view").click();
    let message = "A view `Taken` exists already; choose another name";
    wait_until("the message", || text_of(&stage, ".notice") == message).await;
    assert_eq!(value(&name_field(&stage)), "Taken");
    type_into(&name_field(&stage), "Needles");
    button(&stage, "Save view").click();
    wait_until("the view", || view_names(&stage) == ["Taken", "Needles"]).await;
    assert!(stage.all(".notice").is_empty());
    let expected = json!({
        "name": "Needles", "query": "search=needle", "dates": null, "columns": "", "shared": true,
        "is_default": false,
    });
    assert_eq!(bodies(&network, "POST")[1], expected);
    assert_eq!(value(&name_field(&stage)), "");
    assert!(text_of(&stage, ".chip").starts_with("ViewNeedles"));
    assert_eq!(StoredViews::stored(), "");
}

#[wasm_bindgen_test]
async fn view_is_edited_updated_and_deleted() {
    let views = ServerViews::new(&[shared("1", "A", "search=a"), view("2", "B", "search=b")]);
    let network = views.network();
    let stage = open_views("/live/forms/frm_1?search=needle").await;
    wait_until("the views", || view_names(&stage) == ["A", "B"]).await;
    press_button(&stage, "Edit B").await;
    type_into(&stage.one(".views-edit input[type=text]"), "A");
    stage.all(".views-edit input[type=checkbox]").swap_remove(1).click();
    press_button(&stage, "Done").await;
    assert!(text_of(&stage, ".views-edit .field-error").contains("“A”"));
    type_into(&stage.one(".views-edit input[type=text]"), "C");
    stage.all(".views-edit input[type=checkbox]").swap_remove(0).click();
    button(&stage, "Done").click();
    wait_until("the view", || view_names(&stage) == ["A", "C"]).await;
    let change = json!({"name": "C", "shared": true, "is_default": true});
    assert_eq!(bodies(&network, "PATCH"), [change]);
    settle().await;
    assert!(is_focused(&button(&stage, "Edit C")));
    press_button(&stage, "Edit C").await;
    button(&stage, "Use current filter").click();
    let current = || {
        let links = stage.all(".views-link");
        links.iter().map(|it| attr(it, "aria-current")).collect::<Vec<_>>()
    };
    wait_until("the filter", || current() == [None, Some("true".to_owned())]).await;
    let change = json!({"query": "search=needle", "dates": null, "columns": ""});
    assert_eq!(bodies(&network, "PATCH")[1], change);
    press_button(&stage, "Edit A").await;
    button(&stage, "Delete view").click();
    wait_until("the deletion", || view_names(&stage) == ["C"]).await;
    wait_until("the toast", || text_of(&stage, ".toast").contains("View “A” deleted")).await;
    assert!(is_focused(&name_field(&stage)));
    button(&stage, "Undo").click();
    wait_until("the view", || view_names(&stage) == ["C", "A"]).await;
    assert_eq!(bodies(&network, "POST")[0]["shared"], true);
}

#[wasm_bindgen_test]
async fn default_view_of_server_is_applied_once() {
    let views = [
        default(shared("1", "Zeros", "search=zzz")),
        default(view("2", "Needles", "search=needle")),
    ];
    let _network = ServerViews::new(&views).network();
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("its filter", || address() == "/live/forms/frm_1?search=needle").await;
    wait_until("its rows", || text_of(&stage, ".page-count") == "25 submissions").await;
    assert!(text_of(&stage, ".chip").starts_with("Default viewNeedles"));
    button(&stage, "Remove Default view: Needles").click();
    wait_until("all rows", || text_of(&stage, ".page-count") == "250 submissions").await;
    settle().await;
    assert_eq!(address(), "/live/forms/frm_1");
}

#[wasm_bindgen_test]
async fn late_default_view_changes_no_chosen_filter() {
    let views = ServerViews::new(&[default(view("1", "Zeros", "search=zzz"))]);
    let network = Network::new(move |asked| {
        let reply = views.answer(asked);
        if asked.url == VIEWS { reply.delayed(1500) } else { reply }
    });
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("rows", || text_of(&stage, ".page-count") == "250 submissions").await;
    type_into(&stage.one("input[type=search]"), "needle");
    wait_until("its filter", || address() == "/live/forms/frm_1?search=needle").await;
    wait_until("the views", || !network.requests(VIEWS).is_empty()).await;
    button(&stage, "Views").click();
    wait_until("the view", || view_names(&stage) == ["Zeros"]).await;
    assert_eq!(address(), "/live/forms/frm_1?search=needle");
}

#[wasm_bindgen_test]
async fn views_of_the_browser_are_moved_once() {
    let views = ServerViews::new(&[view("1", "Taken", "")]);
    let network = views.network();
    let _stored = StoredViews::store(
        "default\t7d\tWeek\tsearch=needle&nonsense=1\tat\n\t\tTaken\t\t\n\t\tLast\t\t",
    );
    let stage = open_views("/live/forms/frm_1?search=needle").await;
    wait_until("the views", || view_names(&stage) == ["Taken"]).await;
    button(&stage, "Move 3 views from this browser").click();
    wait_until("a failure", || text_of(&stage, ".notice").contains("`Taken` exists already")).await;
    // What the server has left the browser, and the rest stays.
    assert_eq!(views.names(), ["Taken", "Week"]);
    assert_eq!(StoredViews::stored(), "\t\tTaken\t\t\n\t\tLast\t\t");
    let expected = json!({
        "name": "Week", "query": "search=needle", "dates": "7d", "columns": "at", "shared": false,
        "is_default": true,
    });
    assert_eq!(bodies(&network, "POST")[0], expected);
    views.0.borrow_mut().retain(|view| view["name"] != "Taken");
    button(&stage, "Move 2 views from this browser").click();
    wait_until("the views", || view_names(&stage) == ["Week", "Taken", "Last"]).await;
    assert_eq!(StoredViews::stored(), "");
    assert!(stage.all(".notice").is_empty());
    assert!(!text_of(&stage, ".button").contains("from this browser"));
}

#[wasm_bindgen_test]
async fn failed_request_for_views_is_shown_and_retried() {
    let fails = Rc::new(RefCell::new(true));
    let is_failing = Rc::clone(&fails);
    let views = ServerViews::new(&[view("1", "A", "")]);
    let _network = Network::new(move |asked| {
        if asked.url == VIEWS && *is_failing.borrow() {
            return Reply::error(503, "unavailable", "the server is busy; try again");
        }
        views.answer(asked)
    });
    let stage = open_views("/live/forms/frm_1").await;
    let message = "The server is busy; try again";
    wait_until("the message", || text_of(&stage, ".notice") == message).await;
    assert_eq!(attr(&stage.one(".notice"), "role").as_deref(), Some("alert"));
    *fails.borrow_mut() = false;
    button(&stage, "Retry").click();
    wait_until("the views", || view_names(&stage) == ["A"]).await;
    assert!(stage.all(".notice").is_empty());
}
