//! The start of the dashboard: the script that runs before it, and the first page.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    address, answer_as_foreign_gateway, answer_as_gateway, button, form, local_storage,
    open_dashboard, open_rows, press_button, text_of, wait_until,
};
use crate::network::{Network, Reply};
use crate::stage::{Stage, type_into};

/// Runs the script that runs before the dashboard loads, at a path. Returns the element with the
/// skeleton.
fn run_preload_script(path: &str) -> web_sys::Element {
    let history = window().history().unwrap();
    history.push_state_with_url(&JsValue::NULL, "", Some(path)).unwrap();
    js_sys::eval(concat!("{", include_str!("../../../public/first.js"), "}")).unwrap();
    let shapes = document().create_element("div").unwrap();
    shapes.set_class_name("first");
    document().body().unwrap().append_child(&shapes).unwrap();
    shapes
}

/// All tests share one page. Without `--disable-ipc-flooding-protection` in `webdriver.json`,
/// Chromium silently ignores changes of the address after the 200th within ten seconds.
#[wasm_bindgen_test]
fn browser_applies_every_address_change() {
    let history = window().history().unwrap();
    for number in 0..=400 {
        let path = format!("/live/forms/frm_{number}");
        history.replace_state_with_url(&JsValue::NULL, "", Some(&path)).unwrap();
        assert_eq!(address(), path);
    }
}

#[wasm_bindgen_test]
async fn preloaded_responses_are_used() {
    let network = Network::new(answer_as_gateway);
    let path = "/live/forms/frm_1?search=needle";
    let shapes = run_preload_script(path);
    wait_until("the early page", || !network.requests("/submissions").is_empty()).await;
    assert_eq!(document().document_element().unwrap().get_attribute("data-first").unwrap(), "list");
    let _stage = open_rows(path).await;
    assert!(!shapes.is_connected());
    for part in ["/session", "/account/forms", "/submissions"] {
        let mut asked = network.requests(part);
        // The marks of the rows and the saved views follow later.
        asked.retain(|asked| !["/triage", "/views"].iter().any(|it| asked.url.contains(it)));
        assert_eq!(asked.len(), 1, "{part} is requested once: {asked:?}");
        assert!(asked[0].has_csrf_header, "{part}");
    }
}

#[wasm_bindgen_test]
async fn dashboard_starts_after_first_rows_paint() {
    let _network = Network::new(answer_as_gateway);
    let root = document().document_element().unwrap();
    root.set_attribute("data-lang", "en").unwrap();
    let shapes = run_preload_script("/live/forms/frm_1");
    root.remove_attribute("data-lang").unwrap();
    let row = document().create_element("p").unwrap();
    row.set_attribute("data-drawn", "frm_1").unwrap();
    shapes.append_child(&row).unwrap();
    let count =
        "window.passed = 0; (function look() { requestAnimationFrame(look); passed += 1; })()";
    js_sys::eval(count).unwrap();
    let whole = web_sys::Event::new("readystatechange").unwrap();
    document().dispatch_event(&whole).unwrap();
    js_sys::eval("sheafRowsPainted.then(() => { window.begun = passed })").unwrap();
    let begun = || js_sys::eval("window.begun").unwrap().as_f64();
    wait_until("the frames", || begun().is_some()).await;
    // Three frames: the count starts in the first, the second paints the rows, the third follows.
    assert_eq!(begun(), Some(3.0));
    shapes.remove();
    js_sys::eval(
        "delete window.sheafResponses, delete window.sheafRowsPainted, delete window.begun",
    )
    .unwrap();
}

#[wasm_bindgen_test]
fn server_rendered_rows_appear_once_complete() {
    let _stage = Stage::styled((1100, 700), || ());
    let shapes = document().create_element("div").unwrap();
    shapes.set_class_name("first");
    shapes.set_inner_html("<div><div class='page' data-drawn='frm_1'>rows</div></div>");
    document().body().unwrap().append_child(&shapes).unwrap();
    let drawn = shapes.query_selector(".page").unwrap().unwrap();
    let look = || {
        let style = window().get_computed_style(&drawn).unwrap().unwrap();
        style.get_property_value("visibility").unwrap()
    };
    assert_eq!(look(), "hidden");
    let behind = document().create_element("div").unwrap();
    behind.set_class_name("page");
    drawn.after_with_node_1(&behind).unwrap();
    assert_eq!(look(), "visible");
    shapes.remove();
}

#[wasm_bindgen_test]
async fn preload_without_session_requests_only_session() {
    let network = Network::new(|asked| match asked.url.as_str() {
        "/session" => Reply::ok(&json!({ "data": null })),
        _ => Reply::error(401, "unauthorized", "sign in first"),
    });
    let shapes = run_preload_script("/live/forms/frm_1");
    let stage = open_dashboard("/live/forms/frm_1");
    wait_until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    assert!(!shapes.is_connected());
    assert_eq!((network.requests("").len(), network.requests("/session").len()), (1, 1));
}

#[wasm_bindgen_test]
async fn start_page_opens_first_live_form() {
    let network = Network::new(answer_as_gateway);
    let stage = open_rows("/").await;
    assert_eq!(address(), "/live/forms/frm_1");
    assert_eq!(stage.text("h1"), "Feedback");
    assert_eq!(document().title(), "Feedback · Sheaf");
    let asked = network.requests("/");
    assert!(asked.iter().all(|asked| asked.has_csrf_header), "{asked:?}");
    assert!(asked.iter().all(|asked| !asked.has_api_key), "{asked:?}");
}

#[wasm_bindgen_test]
async fn environment_without_forms_offers_to_create_one() {
    let _network = Network::new(|asked| match asked.url.as_str() {
        "/account/forms" => Reply::ok(&json!({ "data": [form("frm_1", "Feedback", "live")] })),
        _ => answer_as_gateway(asked),
    });
    let stage = open_dashboard("/test/forms");
    wait_until("the empty state", || !stage.all(".empty").is_empty()).await;
    assert_eq!(text_of(&stage, ".empty-title"), "No test forms yet");
    assert_eq!(stage.text(".band-word"), "TEST");
    press_button(&stage, "Create form").await;
    let chosen = stage.all("dialog[open] input[type=radio]:checked");
    assert_eq!(chosen[0].get_attribute("value").as_deref(), Some("test"));
}

#[wasm_bindgen_test]
async fn form_is_opened_by_id() {
    let _network = Network::new(answer_as_foreign_gateway);
    local_storage().remove_item("sheaf-forms").unwrap();
    let stage = open_dashboard("/");
    wait_until("the form", || !stage.all("input[type=text]").is_empty()).await;
    type_into(&stage.one("input[type=text]"), "nonsense");
    press_button(&stage, "Open form").await;
    assert!(stage.all(".field-error")[0].text_content().unwrap().contains("`nonsense`"));
    type_into(&stage.one("input[type=text]"), "frm_1");
    button(&stage, "Open form").click();
    wait_until("the list", || !stage.all(".grid-track .grid-row").is_empty()).await;
    assert_eq!(address(), "/live/forms/frm_1");
    wait_until("its link", || text_of(&stage, ".nav-label").starts_with("frm_1")).await;
    // The columns come from the keys of the answers.
    assert!(stage.text(".grid-head").contains("extra"));
    local_storage().remove_item("sheaf-forms").unwrap();
}
