//! Expiry of an auth proxy's session while the dashboard is open, for each kind of proxy response.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen_test::wasm_bindgen_test;

use super::list::{first_row, open_list};
use super::{answer_as_gateway, button, open_dashboard, text_of, wait_until};
use crate::network::{Network, Reply};
use crate::stage::{Stage, type_into, type_text, value, wait};

const ENDED: &str = "Your session has ended. Reload to sign in again.";
const LOST: &str = "Could not reach Sheaf. Check your connection. If your session has ended, \
                    reload to sign in again.";

/// Indexes of two of the responses.
const REFUSED_PAGE: usize = 3;
const HTML_401: usize = 4;

/// Returns the responses of a proxy after its session has ended: name, reply, expected message.
fn proxy_responses() -> Vec<(&'static str, Reply, &'static str)> {
    let page = |status, content_type| Reply {
        status,
        content_type,
        body: "<!doctype html><title>Sign in</title>".to_owned(),
        ..Reply::default()
    };
    let text = |status, body: &str| Reply { body: body.to_owned(), ..page(status, None) };
    vec![
        ("a redirect", Reply { redirect: true, ..Reply::default() }, ENDED),
        ("a sign-in page", page(200, Some("text/html; charset=utf-8")), ENDED),
        ("a sign-in page of no type", page(200, None), ENDED),
        ("a refused sign-in page", page(403, Some("text/html")), ENDED),
        ("a 401 with HTML", page(401, Some("text/html")), ENDED),
        ("a 401 with JSON of its own", text(401, "{}"), ENDED),
        ("a closed connection", Reply { lost: true, ..Reply::default() }, LOST),
        ("no answer", Reply::default().delayed(3_600_000), LOST),
    ]
}

/// Returns a gateway behind a proxy. The cell holds the index of the response once the session has
/// ended.
fn behind_proxy() -> (Network, Rc<Cell<Option<usize>>>) {
    let ended = Rc::new(Cell::new(None::<usize>));
    let way = Rc::clone(&ended);
    let network = Network::new(move |asked| match way.get() {
        Some(way) => proxy_responses()[way].1.clone(),
        None => answer_as_gateway(asked),
    });
    (network, ended)
}

fn band_text(stage: &Stage) -> String {
    text_of(stage, ".bands [role=alert]")
}

#[wasm_bindgen_test]
async fn search_resumes_after_renewed_sign_in() {
    for (way, (name, _, sentence)) in proxy_responses().into_iter().enumerate() {
        // A dialog and a card have these two. Tests of `contract` cover every status.
        if [REFUSED_PAGE, HTML_401].contains(&way) {
            continue;
        }
        let (_network, ended) = behind_proxy();
        let stage = open_list("/live/forms/frm_1").await;
        assert_eq!(band_text(&stage), "");
        ended.set(Some(way));
        type_into(&stage.one("input[type=search]"), "needle");
        wait(18_000).await;
        assert_eq!(band_text(&stage), format!("{sentence}Reload page"), "{name}");
        assert!(text_of(&stage, ".page").contains("ended"), "{name}");
        assert_eq!(value(&stage.one("input[type=search]")), "needle", "{name}");
        // The user has signed in in another tab.
        ended.set(None);
        wait_until("the rows that match", || first_row(&stage).as_deref() == Some("sub_3")).await;
        wait_until("no band", || band_text(&stage).is_empty()).await;
    }
}

#[wasm_bindgen_test]
async fn idle_page_shows_session_end() {
    let (_network, ended) = behind_proxy();
    let stage = open_list("/live/forms/frm_1").await;
    ended.set(Some(0));
    wait_until("the band", || band_text(&stage).starts_with(ENDED)).await;
    assert!(first_row(&stage).is_some(), "the loaded rows stay");
}

#[wasm_bindgen_test]
async fn card_offers_to_reload() {
    let _network = Network::new(|asked| {
        let is_card = asked.url.starts_with("/api/live/v1/submissions/");
        if is_card { proxy_responses()[HTML_401].1.clone() } else { answer_as_gateway(asked) }
    });
    let stage = open_dashboard("/live/forms/frm_1/submissions/sub_240");
    wait_until("the failure", || text_of(&stage, ".drawer .empty").contains(ENDED)).await;
    assert!(text_of(&stage, ".drawer .empty").contains("Reload page"));
}

#[wasm_bindgen_test]
async fn dialog_input_survives_session_end() {
    let (_network, ended) = behind_proxy();
    let stage = open_dashboard("/settings/forms");
    wait_until("the page", || !stage.all(".page-title").is_empty()).await;
    wait_until("the button", || text_of(&stage, "button").contains("Create form")).await;
    button(&stage, "Create form").click();
    wait_until("the dialog", || !stage.all("dialog[open] input[type=text]").is_empty()).await;
    type_text(&stage.one("dialog[open] input[type=text]"), "Guests").await;
    ended.set(Some(REFUSED_PAGE));
    button(&stage, "Create").click();
    wait_until("the message", || text_of(&stage, "dialog[open]").contains(ENDED)).await;
    assert_eq!(value(&stage.one("dialog[open] input[type=text]")), "Guests");
}
