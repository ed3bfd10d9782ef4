//! What stays as it is while the list becomes another: the focus, the place, the counts, the rail.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

use super::list::{LIST, first_row, long, look_for_news, names};
use super::{address, gateway, open, page, parameter, shown, until};
use crate::network::{Asked, Network, Reply};
use crate::stage::{Stage, focused, press, settle, type_into, wait};

/// A network that is lost as long as the cell says so, for lists alone.
fn losing(lost: &Rc<Cell<bool>>) -> impl Fn(&Asked) -> Reply + 'static {
    let lost = Rc::clone(lost);
    move |asked| {
        let lost = lost.get() && asked.url.starts_with(LIST);
        if lost { Reply { lost, ..Reply::default() } } else { gateway(asked) }
    }
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
    look_for_news();
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
    look_for_news();
    until("the news", || shown(&stage, ".list-news").contains("7 new")).await;
    late.set(300);
    super::button(&stage, "7 new").click();
    let search = stage.one("input[type=search]");
    search.focus().unwrap();
    until("the newest", || first_row(&stage).as_deref() == Some("sub_2007")).await;
    settle().await;
    assert!(focused(&search));
}

#[wasm_bindgen_test]
async fn a_filter_that_finds_no_network_moves_nothing() {
    let lost = Rc::new(Cell::new(false));
    let _network = Network::new(losing(&lost));
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    let grid = stage.one(".grid");
    grid.set_scroll_top(2_000);
    until("the place", || first_row(&stage).as_deref() != Some("sub_0")).await;
    wait(500).await;
    lost.set(true);
    type_into(&stage.one("input[type=search]"), "needle");
    until("the failure", || !stage.all(".list-foot").is_empty()).await;
    settle().await;
    assert_eq!(grid.scroll_top(), 2_000, "the first try");
    // The next one comes by itself.
    wait(5_600).await;
    assert_eq!(grid.scroll_top(), 2_000, "the second");
    lost.set(false);
    wait(5_000).await;
    until("its rows", || shown(&stage, ".page-count") == "25 submissions").await;
    settle().await;
    assert_eq!(stage.one(".grid").scroll_top(), 0, "another list begins at its top");
}

fn form_count(stage: &Stage) -> String {
    let links = stage.all(".nav-link").into_iter();
    let mut own = links.filter(|link| link.text_content().unwrap().starts_with("Feedback"));
    own.next().unwrap().query_selector(".nav-count").unwrap().unwrap().text_content().unwrap()
}

#[wasm_bindgen_test]
async fn a_filter_taken_off_without_network_is_not_the_count_of_the_form() {
    let lost = Rc::new(Cell::new(false));
    let _network = Network::new(losing(&lost));
    let stage = open("/live/forms/frm_1?search=needle");
    until("its rows", || shown(&stage, ".page-count") == "25 submissions").await;
    until("the form", || form_count(&stage) == "250").await;
    lost.set(true);
    type_into(&stage.one("input[type=search]"), "");
    until("no filter", || address() == "/live/forms/frm_1").await;
    until("the failure", || !stage.all(".list-foot").is_empty()).await;
    settle().await;
    assert_eq!(form_count(&stage), "250");
}

#[wasm_bindgen_test]
async fn the_rail_stays_while_the_next_answer_is_on_its_way() {
    let waits_ms = Rc::new(Cell::new(0));
    let late = Rc::clone(&waits_ms);
    let _network = Network::new(move |asked| {
        let few = parameter(&asked.url, "search").as_deref() == Some("few");
        if few { page(&[3, 13], &asked.url) } else { long(0)(asked).late(late.get()) }
    });
    let stage = open("/live/forms/frm_1");
    until("the rail", || !stage.all(".rail-month").is_empty()).await;
    let width = || stage.one(".grid").client_width();
    let (before, rail) = (width(), stage.one(".rail"));
    waits_ms.set(400);
    for text in ["a", "ab"] {
        type_into(&stage.one("input[type=search]"), text);
        for _ in 0..12 {
            wait(20).await;
            assert_eq!(width(), before, "the table moves with the key `{text}`");
        }
    }
    until("the rows", || names(&stage).iter().all(Option::is_some)).await;
    wait(600).await;
    assert!(rail.is_connected(), "it is the same rail");
    // A list that is short has none.
    type_into(&stage.one("input[type=search]"), "few");
    until("few", || shown(&stage, ".page-count") == "2 submissions").await;
    until("no rail", || stage.all(".rail").is_empty()).await;
}

/// A phone's style for as long as it lives: there the card is the page, and the list below it takes
/// no focus.
struct OverList(web_sys::Element);

impl OverList {
    fn new() -> Self {
        let style = document().create_element("style").unwrap();
        let hides = ".split:has(> .drawer) > .split-list { visibility: hidden }";
        style.set_text_content(Some(hides));
        document().head().unwrap().append_child(&style).unwrap();
        Self(style)
    }
}

impl Drop for OverList {
    fn drop(&mut self) {
        self.0.remove();
    }
}

#[wasm_bindgen_test]
async fn a_card_that_hides_the_search_is_closed_for_it() {
    let (_network, _phone) = (Network::new(gateway), OverList::new());
    let stage = open("/live/forms/frm_1");
    until("rows", || first_row(&stage).is_some()).await;
    for key in ["/", "f"] {
        stage.all(".grid-track .grid-row")[1].click();
        until("the card", || !stage.all(".drawer .card").is_empty()).await;
        settle().await;
        let init = web_sys::KeyboardEventInit::new();
        init.set_key(key);
        init.set_ctrl_key(key == "f");
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event = web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init);
        let body = document().body().unwrap();
        assert!(!body.dispatch_event(&event.unwrap()).unwrap(), "`{key}` is taken");
        until("the list", || stage.all(".drawer").is_empty()).await;
        until("the search", || focused(&stage.one("input[type=search]"))).await;
        settle().await;
        assert!(focused(&stage.one("input[type=search]")), "`{key}` leads there, and stays");
        assert_eq!(address(), "/live/forms/frm_1");
    }
}
