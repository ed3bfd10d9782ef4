//! The list: pages joined, one at a time, and every state that it can be in.

use std::cell::Cell;

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{address, button, form, gateway, open, page, shown, until};
use crate::network::{Network, Reply};
use crate::stage::{Stage, attr, press, settle, type_into};

const LIST: &str = "/api/live/v1/forms/frm_1/submissions";

fn first_row(stage: &Stage) -> Option<String> {
    stage.all(".grid-track .grid-row").first().and_then(|row| attr(row, "data-key"))
}

#[wasm_bindgen_test]
async fn scrolling_fetches_page_after_page_to_the_exact_end() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    assert_eq!(shown(&stage, ".page-count"), "250 submissions");
    assert_eq!(attr(&stage.one(".grid"), "aria-rowcount").as_deref(), Some("251"));
    let last = || {
        let grid = stage.one(".grid");
        grid.set_scroll_top(grid.scroll_height());
        stage.all("[aria-rowindex='251']").first().and_then(|row| attr(row, "data-key"))
    };
    until("the last row", || last().as_deref() == Some("sub_249")).await;
    let urls: Vec<_> = network.asked(LIST).into_iter().map(|asked| asked.url).collect();
    assert_eq!(urls[0], format!("{LIST}?limit=100"));
    assert!(urls.len() <= 5, "{urls:?}");
    assert!(stage.all(".grid-track .grid-row").len() < 60, "rows far from view are not drawn");
}

#[wasm_bindgen_test]
async fn a_late_answer_never_replaces_a_newer_one() {
    let _network = Network::new(|asked| {
        let late = asked.url.contains("search=needle");
        if late { gateway(asked).late(500) } else { gateway(asked) }
    });
    let stage = open("/live/forms/frm_1?search=needle");
    until("the question", || !stage.all("input[type=search]").is_empty()).await;
    type_into(&stage.one("input[type=search]"), "");
    until("all rows", || first_row(&stage).as_deref() == Some("sub_0")).await;
    crate::stage::wait(700).await;
    assert_eq!(first_row(&stage).as_deref(), Some("sub_0"));
    assert_eq!(shown(&stage, ".page-count"), "250 submissions");
}

#[wasm_bindgen_test]
async fn a_429_counts_down_and_goes_on_by_itself() {
    let refused = Cell::new(false);
    let _network = Network::new(move |asked| {
        if asked.url.contains("cursor=100") && !refused.replace(true) {
            return Reply::too_many(1);
        }
        gateway(asked)
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    let grid = stage.one(".grid");
    grid.set_scroll_top(grid.scroll_height());
    until("the notice", || !stage.all(".list-foot").is_empty()).await;
    assert!(stage.text(".list-foot").contains("0:01"), "{}", stage.text(".list-foot"));
    assert!(!stage.all(".grid-track .grid-row").is_empty(), "what has come stays");
    let last = || stage.all("[aria-rowindex='251']").first().and_then(|row| attr(row, "data-key"));
    assert_eq!(last(), None, "it has not come, and its place is kept");
    until("the next page", || last().as_deref() == Some("sub_249")).await;
    assert!(stage.all(".list-foot").is_empty());
}

#[wasm_bindgen_test]
async fn what_failed_can_be_retried() {
    let lost = Cell::new(true);
    let _network = Network::new(move |asked| {
        if asked.url.starts_with(LIST) && lost.replace(false) {
            return Reply { lost: true, ..Reply::default() };
        }
        gateway(asked)
    });
    let stage = open("/live/forms/frm_1");
    until("the failure", || !stage.all(".empty").is_empty()).await;
    assert!(stage.text(".empty").contains("could not be reached"));
    button(&stage, "Retry").click();
    until("rows", || first_row(&stage).is_some()).await;
}

#[wasm_bindgen_test]
async fn a_refusal_says_what_it_means() {
    for (status, words) in [(403, "revoked"), (404, "This form does not exist"), (500, "oops")] {
        let _network = Network::new(move |asked| {
            if asked.url.starts_with(LIST) {
                Reply::error(status, "some_code", "oops")
            } else {
                gateway(asked)
            }
        });
        let stage = open("/live/forms/frm_1");
        until("the failure", || !stage.all(".empty").is_empty()).await;
        assert!(stage.text(".empty").contains(words), "{}", stage.text(".empty"));
    }
}

#[wasm_bindgen_test]
async fn nothing_is_of_two_kinds() {
    let _network = Network::new(|asked| {
        if asked.url.starts_with(LIST) { page(&[], &asked.url) } else { gateway(asked) }
    });
    let stage = open("/live/forms/frm_1");
    until("the advice", || !stage.all(".empty").is_empty()).await;
    assert!(stage.text(".empty").contains("No submissions yet"));
    assert!(stage.text(".code-text").contains("sheaf import --form frm_1"));
    drop(stage);
    let stage = open("/live/forms/frm_1?search=zzz");
    until("the advice", || !stage.all(".empty").is_empty()).await;
    assert!(stage.text(".empty").contains("No submissions match"));
    button(&stage, "Clear filters").click();
    until("the whole list", || address() == "/live/forms/frm_1").await;
}

#[wasm_bindgen_test]
async fn the_keyboard_walks_the_rows_and_opens_one() {
    let _network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    let body = document().body().unwrap();
    let focused = || document().active_element().and_then(|row| row.get_attribute("data-key"));
    press(&body, "j");
    until("the first row", || focused().as_deref() == Some("sub_0")).await;
    press(&stage.all("[data-key=sub_0]")[0], "j");
    until("the second row", || focused().as_deref() == Some("sub_1")).await;
    press(&stage.all("[data-key=sub_1]")[0], "Enter");
    until("the card", || shown(&stage, ".drawer-title") == "Person 1").await;
    assert_eq!(address(), "/live/forms/frm_1/submissions/sub_1");
    press(&body, "Escape");
    until("the list", || address() == "/live/forms/frm_1").await;
    until("the row again", || focused().as_deref() == Some("sub_1")).await;
    press(&body, "/");
    settle().await;
    assert_eq!(document().active_element().unwrap(), *stage.one("input[type=search]"));
    // What is typed there is typed, not obeyed.
    press(&stage.one("input[type=search]"), "e");
    settle().await;
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn back_leads_to_the_same_rows_at_the_same_place() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    stage.one(".grid").set_scroll_top(2000);
    until("the place", || first_row(&stage).as_deref() != Some("sub_0")).await;
    settle().await;
    let before = (network.asked(LIST).len(), stage.one(".grid").scroll_top());
    let history = window().history().unwrap();
    for link in stage.all(".nav-link") {
        if link.text_content().unwrap().contains("API keys") {
            link.click();
        }
    }
    until("the keys", || stage.all(".grid").is_empty()).await;
    crate::stage::wait(150).await;
    history.back().unwrap();
    until("the list", || !stage.all(".grid").is_empty()).await;
    until("its place", || stage.one(".grid").scroll_top() == before.1).await;
    assert_eq!(network.asked(LIST).len(), before.0, "nothing was fetched again");
}

#[wasm_bindgen_test]
async fn rows_of_another_filter_are_called_so_where_the_new_ones_do_not_come() {
    let _network = Network::new(|asked| {
        let lost = asked.url.contains("search=");
        if lost { Reply { lost, ..Reply::default() } } else { gateway(asked) }
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    type_into(&stage.one("input[type=search]"), "needle");
    until("the failure", || !stage.all(".list-foot").is_empty()).await;
    assert!(stage.text(".list-foot").contains("these are the submissions from before"));
}

/// Which columns there are.
fn heads(stage: &Stage) -> Vec<String> {
    let text = |head: &web_sys::HtmlElement| head.text_content().unwrap_or_default();
    stage.all("[role=columnheader]").iter().map(text).collect()
}

#[wasm_bindgen_test]
async fn a_row_shows_the_words_that_were_said_and_a_column_of_nothing_is_left_out() {
    let of_nowhere = Cell::new(false);
    let network = Network::new(move |asked| match asked.url.as_str() {
        "/account/forms" => {
            let mut form = form("frm_1", "Feedback", "live");
            let kinds = ["text", "text", "text", "rating", "email", "long_text"];
            form["fields"] = kinds
                .iter()
                .enumerate()
                .map(|(place, kind)| {
                    let key = if place == 5 { "text".to_owned() } else { format!("f{place}") };
                    json!({ "id": format!("fld_{place}"), "key": key, "name": key, "type": kind })
                })
                .collect();
            Reply::ok(&json!({ "data": [form] }))
        }
        url if url.starts_with(LIST) && url.contains("search") => {
            of_nowhere.set(true);
            without_origin(&gateway(asked))
        }
        url if url.starts_with(LIST) && of_nowhere.get() => without_origin(&gateway(asked)),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    let with_origin = ["Submitted", "f0", "f4", "text", "Sentiment", "Source", "Country"];
    assert_eq!(heads(&stage), with_origin);
    let country = stage.all("[data-key=sub_0] [title=Germany]");
    assert_eq!(country[0].text_content().as_deref(), Some("DE"));
    // A search whose rows came from nowhere moves no column.
    type_into(&stage.one("input[type=search]"), "needle");
    until("the search", || first_row(&stage).as_deref() == Some("sub_3")).await;
    assert_eq!(heads(&stage), with_origin);
    assert!(!network.asked(LIST).is_empty());
    drop(stage);
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    assert_eq!(heads(&stage), ["Submitted", "f0", "f1", "f4", "text", "Sentiment"]);
}

fn without_origin(reply: &Reply) -> Reply {
    let body = reply.body.replace("\"google\"", "null").replace("\"DE\"", "null");
    Reply { body, ..Reply::ok(&serde_json::Value::Null) }
}
