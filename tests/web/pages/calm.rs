//! What stays as it is while the list becomes another: the focus, the place, the counts, the rail.

use std::cell::Cell;
use std::rc::Rc;

use leptos::wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::list::{first_row, long};
use super::{gateway, open, page, parameter, shown, until};
use crate::network::Network;
use crate::stage::{focused, press, settle};

/// Has the list look for what is new, as it does when its page is come back to after a while.
fn come_back_later() {
    let later = js_sys::Function::new_no_args(
        "const now = Date.now; Date.now = () => now() + 60000; setTimeout(() => Date.now = now, 500); \
         dispatchEvent(new Event('visibilitychange'))",
    );
    later.call0(&JsValue::NULL).unwrap();
}

#[wasm_bindgen_test]
async fn what_comes_to_an_empty_list_leaves_the_caret_in_the_search() {
    let there = Rc::new(Cell::new(false));
    let come = Rc::clone(&there);
    let _network = Network::new(move |asked| match parameter(&asked.url, "search").as_deref() {
        Some("soon") if come.get() => page(&[3, 13], &asked.url),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1?search=soon");
    until("nothing", || shown(&stage, ".empty-title") == "No submissions match").await;
    let search = stage.one("input[type=search]");
    search.focus().unwrap();
    there.set(true);
    come_back_later();
    until("what came", || first_row(&stage).as_deref() == Some("sub_3")).await;
    settle().await;
    assert!(focused(&search), "who writes is left alone");
    press(&search, "e");
    settle().await;
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn news_that_were_asked_for_leave_the_caret_where_it_was_put_meanwhile() {
    let newer = Rc::new(Cell::new(0));
    let arrived = Rc::clone(&newer);
    let late = Rc::new(Cell::new(0));
    let waits = Rc::clone(&late);
    let _network = Network::new(move |asked| long(arrived.get())(asked).late(waits.get()));
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    newer.set(7);
    come_back_later();
    until("the news", || shown(&stage, ".list-news").contains("7 new")).await;
    late.set(300);
    super::button(&stage, "7 new").click();
    let search = stage.one("input[type=search]");
    search.focus().unwrap();
    until("the newest", || first_row(&stage).as_deref() == Some("sub_2007")).await;
    settle().await;
    assert!(focused(&search));
}
