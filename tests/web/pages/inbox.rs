//! The inbox: the submissions of all forms in one list.

use contract::{InboxQuery, summary::Summary};
use leptos::prelude::document;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::deletion::{row_keys, select_rows, wait_for_count};
use super::triage::server::CardServer;
use super::{
    ROWS, address, button, form, list_page_of, open_dashboard, submission, text_of, wait_for_text,
    wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, attr, press_key, press_with, settle};

const INBOX: &str = "/live/inbox";

/// Returns a submission. Those with an odd number are of the form `frm_2`.
fn submission_of_form(number: u32) -> Value {
    let mut submission = submission(number);
    submission["form_id"] = if number % 2 == 1 { "frm_2" } else { "frm_1" }.into();
    submission
}

/// Answers like a gateway with two live forms.
fn answer(server: &CardServer, asked: &RecordedRequest) -> Reply {
    let (path, query) = asked.url.split_once('?').unwrap_or((&asked.url, ""));
    match path {
        "/account/forms" => Reply::ok(&json!({ "data": [
            form("frm_t", "Sandbox", "test"), form("frm_1", "Feedback", "live"),
            form("frm_2", "Jobs", "live"),
        ]})),
        "/account/inbox" => {
            let filter = InboxQuery::parse(query).unwrap().filter;
            list_page_of(&server.triage.matching(&filter), &asked.url, submission_of_form)
        }
        "/account/inbox/summary" => Reply::ok(&json!({ "data": summary() })),
        _ if path.starts_with("/api/live/v1/submissions/") => {
            let number = path.rsplit('_').next().unwrap().parse().unwrap();
            Reply::ok(&json!({ "data": submission_of_form(number) }))
        }
        // Both forms have the same triage.
        _ => {
            let url = asked.url.replace("/frm_2/", "/frm_1/");
            server.answer(&RecordedRequest { url, ..asked.clone() })
        }
    }
}

/// Returns a summary with one sentiment.
fn summary() -> Value {
    let mixed = json!({ "values": [{ "value": "mixed", "count": 50 }], "others": 0, "missing": 0 });
    let mut summary = serde_json::to_value(Summary::default()).unwrap();
    summary["sentiments"] = mixed;
    summary
}

fn network(server: &CardServer) -> Network {
    let server = server.clone();
    Network::new(move |asked| answer(&server, asked))
}

async fn open_inbox(path: &str) -> Stage {
    let stage = open_dashboard(path);
    wait_until("rows", || row_keys(&stage).len() > 10).await;
    wait_until("the marks", || !stage.all("[data-unread]").is_empty()).await;
    settle().await;
    stage
}

/// Returns the changes that were sent: the form and the body.
fn changes(network: &Network) -> Vec<(String, Value)> {
    let sent = network.sent("PATCH", "/account/forms/").into_iter();
    let changes = sent.map(|asked| {
        let form = asked.url.split('/').nth(3).unwrap_or_default().to_owned();
        (form, serde_json::from_str(&asked.body).unwrap())
    });
    changes.collect()
}

fn tab(stage: &Stage, name: &str) -> web_sys::HtmlElement {
    let tabs = stage.all(".page-actions .switch-item").into_iter();
    let mut named = tabs.filter(|tab| tab.text_content().as_deref() == Some(name));
    named.next().unwrap_or_else(|| panic!("no tab {name}"))
}

#[wasm_bindgen_test]
async fn inbox_lists_submissions_of_all_forms_and_selects_loaded_ones() {
    let network = network(&CardServer::default());
    let stage = open_inbox(INBOX).await;
    wait_for_count(&stage, 250).await;
    assert_eq!(text_of(&stage, ".page-title"), "Inbox");
    let row = |number: u32| text_of(&stage, &format!("[data-key=sub_{number}]"));
    assert!(row(0).contains("Person 0") && row(0).contains("Feedback"), "{}", row(0));
    assert!(row(1).contains("Person 1") && row(1).contains("Jobs"), "{}", row(1));
    let url = &network.requests("/account/inbox")[0].url;
    assert_eq!(url, "/account/inbox?environment=live&limit=100");
    // One request for the triage of each form.
    let mut urls: Vec<_> =
        network.requests("/triage?ids=").into_iter().map(|asked| asked.url).collect();
    urls.sort();
    let starts: Vec<&str> = urls.iter().map(|url| &url[..36]).collect();
    assert_eq!(
        starts,
        ["/account/forms/frm_1/triage?ids=sub_", "/account/forms/frm_2/triage?ids=sub_"]
    );
    // What belongs to one form is not offered.
    let offered = text_of(&stage, ".page-actions");
    assert_eq!(offered, "UnreadAssigned to meAll");
    assert!(!press_key(&document().body().unwrap(), "e"), "there is no export");
    assert!(stage.all(".grid-sort").is_empty());
    let first = stage.one("[data-key=sub_0]");
    first.focus().unwrap();
    for _ in 0..2 {
        press_with(&first, "a", false, true);
        settle().await;
    }
    wait_until("the rows", || text_of(&stage, ".selection-count") == "100 selected").await;
    assert!(!text_of(&stage, ".selection").contains("that match"));
}

#[wasm_bindgen_test]
async fn side_bar_leads_to_unread_submissions_of_the_environment() {
    let network = network(&CardServer::default());
    let stage = open_dashboard("/live/forms/frm_1");
    let link = || {
        let links = stage.all(".side-bar .nav-link").into_iter();
        let mut links = links.filter(|link| link.text_content().unwrap().starts_with("Inbox"));
        links.next()
    };
    let text = || link().and_then(|link| link.text_content()).unwrap_or_default();
    wait_until("the number", || text().contains("250")).await;
    assert_eq!(attr(&link().unwrap(), "aria-current"), None);
    link().unwrap().click();
    wait_until("the inbox", || address() == "/live/inbox?read=false").await;
    wait_until("the request", || {
        let url = "/account/inbox?environment=live&read=false&limit=100";
        network.requests("/account/inbox").iter().any(|asked| asked.url == url)
    })
    .await;
    let current = || attr(&link().unwrap(), "aria-current");
    wait_until("the current link", || current().as_deref() == Some("page")).await;
    assert_eq!(attr(&tab(&stage, "Unread"), "aria-current").as_deref(), Some("page"));
}

#[wasm_bindgen_test]
async fn tabs_keep_the_other_filters() {
    let server = CardServer::new([(4, r#"{"assignee":"psn_1"}"#)]);
    let _network = network(&server);
    let stage = open_inbox("/live/inbox?read=false&country=DE").await;
    wait_until("the own id", || attr(&tab(&stage, "Assigned to me"), "href").is_some()).await;
    tab(&stage, "Assigned to me").click();
    wait_until("the rows", || row_keys(&stage) == ["sub_4"]).await;
    assert_eq!(address(), "/live/inbox?country=DE&assignee=psn_1");
    assert_eq!(attr(&tab(&stage, "Assigned to me"), "aria-current").as_deref(), Some("page"));
    tab(&stage, "All").click();
    wait_until("all", || address() == "/live/inbox?country=DE").await;
    wait_for_count(&stage, 250).await;
    assert_eq!(attr(&tab(&stage, "All"), "aria-current").as_deref(), Some("page"));
    assert_eq!(attr(&tab(&stage, "Unread"), "aria-current"), None);
    // Only another filter of the user makes an empty tab a search without matches.
    server.triage.marks.borrow_mut().clear();
    server.triage.reads.borrow_mut().extend(0..ROWS);
    tab(&stage, "Assigned to me").click();
    wait_for_text(&stage, ".empty-title", "No matching submissions").await;
    button(&stage, "Clear filters").click();
    wait_for_count(&stage, 250).await;
    for (name, title) in
        [("Assigned to me", "No submissions assigned to you"), ("Unread", "No unread submissions")]
    {
        tab(&stage, name).click();
        wait_for_text(&stage, ".empty-title", title).await;
    }
}

#[wasm_bindgen_test]
async fn search_matches_are_highlighted_in_rows() {
    let _network = network(&CardServer::default());
    let stage = open_inbox("/live/inbox?search=needle").await;
    wait_until("the mark", || text_of(&stage, "[data-key=sub_3] mark") == "needle").await;
    drop(stage);
    // A match in an answer without a column is named.
    let stage = open_inbox("/live/inbox?search=field").await;
    let found = || text_of(&stage, "[data-key=sub_0] .found");
    wait_until("the other answer", || found() == "extra no field has this").await;
}

#[wasm_bindgen_test]
async fn card_opens_over_the_inbox_with_the_fields_of_its_form() {
    let server = CardServer::default();
    let network = network(&server);
    let stage = open_inbox("/live/inbox?read=false").await;
    stage.one("[data-key=sub_1]").click();
    wait_until("the card", || address() == "/live/inbox/submissions/sub_1?read=false").await;
    wait_until("the notes", || !stage.all(".triage-history").is_empty()).await;
    assert_eq!(text_of(&stage, ".drawer-title"), "Person 1");
    assert!(text_of(&stage, ".answers").contains("What happened?"), "fields have their names");
    assert!(stage.all(".answers .fact-filter").is_empty(), "the inbox has no filter by answers");
    wait_until("it is read", || server.triage.is_read(1)).await;
    assert!(!network.requests("/account/forms/frm_2/submissions/sub_1").is_empty());
    press_key(&stage.one(".drawer-title"), "j");
    wait_until("the next", || address() == "/live/inbox/submissions/sub_2?read=false").await;
    wait_until("it is read", || server.triage.is_read(2)).await;
    press_key(&stage.one(".drawer-title"), "s");
    wait_until("the star", || changes(&network).len() == 3).await;
    let read = json!({ "read": true });
    assert_eq!(
        changes(&network),
        [
            ("frm_2".to_owned(), json!({ "ids": ["sub_1"], "set": read, "undo": true })),
            ("frm_1".to_owned(), json!({ "ids": ["sub_2"], "set": read, "undo": true })),
            (
                "frm_1".to_owned(),
                json!({ "ids": ["sub_2"], "set": { "starred": true }, "undo": true })
            ),
        ]
    );
    press_key(&stage.one(".drawer-title"), "Escape");
    wait_until("the inbox", || address() == "/live/inbox?read=false").await;
}

#[wasm_bindgen_test]
async fn selection_changes_each_form_and_is_undone() {
    let server = CardServer::default();
    let network = network(&server);
    let stage = open_inbox(INBOX).await;
    select_rows(&stage, &[1, 2, 3]).await;
    assert!(!text_of(&stage, ".selection").contains("Export"), "{}", text_of(&stage, ".selection"));
    assert!(!text_of(&stage, ".selection").contains("Delete"));
    press_key(&stage.one("[data-key=sub_1]"), "#");
    button(&stage, "Triage").click();
    let item = |name: &str| {
        let items = stage.all(".selection .filter-item").into_iter();
        items.filter(|item| item.text_content().as_deref() == Some(name)).last()
    };
    wait_until("the menu", || item("Add star").is_some()).await;
    settle().await;
    item("Add star").unwrap().click();
    wait_until("the result", || text_of(&stage, ".toasts").contains("3 submissions changed")).await;
    let starred = |is_starred: bool| json!({ "starred": is_starred });
    let sent = |is_starred: bool| {
        [
            (
                "frm_2".to_owned(),
                json!({ "ids": ["sub_3", "sub_1"], "set": starred(is_starred), "undo": true }),
            ),
            (
                "frm_1".to_owned(),
                json!({ "ids": ["sub_2"], "set": starred(is_starred), "undo": true }),
            ),
        ]
    };
    assert_eq!(changes(&network), sent(true));
    button(&stage, "Undo").click();
    wait_until("the undo", || text_of(&stage, ".toasts").contains("changed back")).await;
    assert_eq!(changes(&network)[2..], sent(false));
}

#[wasm_bindgen_test]
async fn filter_panel_offers_values_of_all_forms() {
    let network = network(&CardServer::default());
    let stage = open_inbox(INBOX).await;
    button(&stage, "Filter").click();
    let item = |name: &str| {
        let mut items = stage.all(".filter-panel .filter-item").into_iter();
        items.find(|item| item.text_content().unwrap().starts_with(name))
    };
    wait_until("the properties", || item("Sentiment").is_some()).await;
    assert!(item("Your name").is_none(), "fields belong to one form");
    item("Sentiment").unwrap().click();
    wait_until("the values", || item("Mixed").is_some()).await;
    let url = &network.requests("/account/inbox/summary")[0].url;
    assert_eq!(url, "/account/inbox/summary?environment=live");
    let choice = item("Mixed").unwrap().query_selector("input").unwrap().unwrap();
    leptos::wasm_bindgen::JsCast::unchecked_into::<web_sys::HtmlElement>(choice).click();
    wait_until("the filter", || address() == "/live/inbox?sentiment=mixed").await;
}

#[wasm_bindgen_test]
async fn parts_of_one_form_in_the_url_are_reported() {
    let network = network(&CardServer::default());
    let stage = open_inbox("/live/inbox?fld_name=eq:x&sort=sentiment_score").await;
    let notices = text_of(&stage, ".notice");
    assert!(notices.contains("fld_name") && notices.contains("sort"), "{notices}");
    let url = &network.requests("/account/inbox")[0].url;
    assert_eq!(url, "/account/inbox?environment=live&limit=100");
}

#[wasm_bindgen_test]
async fn events_of_every_form_reach_the_inbox() {
    let server = CardServer::default();
    let network = network(&server);
    let stage = open_inbox(INBOX).await;
    wait_until("the stream", || network.streams.opened().len() == 1).await;
    network.streams.send("ready", "{}");
    server.triage.set(3, r#"{"status":"done"}"#);
    network.streams.send("updated", r#"{"form_id":"frm_2","ids":["sub_3"]}"#);
    wait_until("the status", || text_of(&stage, "[data-key=sub_3] .badge").contains("Done")).await;
    network.streams.send("removed", r#"{"form_id":"frm_2","ids":["sub_5"]}"#);
    wait_until("the removal", || !row_keys(&stage).contains(&"sub_5".to_owned())).await;
}
