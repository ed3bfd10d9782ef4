//! What is on its way when the page is left: nobody knows whether it is gone, and what is counted
//! is right all the same.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{ROWS, button, gateway, open, page, reopen, shown, until};
use super::{delete, deletes, keep_elsewhere, kept, keys};
use crate::network::{Asked, Network, Reply};
use crate::stage::{settle, wait};

/// A server that has no more what it deleted. The third deletion is answered late.
#[derive(Clone, Default)]
struct Server(Rc<RefCell<BTreeSet<u32>>>);

impl Server {
    fn answer(&self, asked: &Asked) -> Reply {
        let mut gone = self.0.borrow_mut();
        match asked.method.as_str() {
            "DELETE" => match gone.insert(asked.url.rsplit('_').next().unwrap().parse().unwrap()) {
                true if gone.len() == 3 => Reply::none().late(400),
                true => Reply::none(),
                false => Reply::error(404, "not_found", "gone"),
            },
            _ if asked.url.contains("/submissions?") => {
                let rows: Vec<u32> = (0..ROWS).filter(|number| !gone.contains(number)).collect();
                page(&rows, &asked.url)
            }
            _ => gateway(asked),
        }
    }
}

#[wasm_bindgen_test]
async fn what_went_right_before_a_reload_is_not_taken_off_twice() {
    let server = Server::default();
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1, 2, 3, 4]).await;
    button(&stage, "Delete now").click();
    until("the third on its way", || deletes(&network).len() == 3).await;
    window().dispatch_event(&web_sys::Event::new("pagehide").unwrap()).unwrap();
    drop(stage);
    wait(500).await;
    let stage = reopen("/live/forms/frm_1");
    until("the tray", || shown(&stage, ".tray").contains("Deleting the other 3")).await;
    until("the rows", || keys(&stage).len() > 10).await;
    assert_eq!(shown(&stage, ".page-count"), "245 submissions");
    assert_eq!(keys(&stage)[0], "sub_5");
    button(&stage, "Delete now").click();
    until("the word", || shown(&stage, ".toasts").contains("5 submissions deleted")).await;
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "245 submissions");
    assert_eq!(deletes(&network).len(), 6, "the third is asked for again");
}

/// When the server deleted what nobody knew of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Gone {
    BeforeTheList,
    BehindTheList,
    OnlyNow,
}

#[wasm_bindgen_test]
async fn what_nobody_knew_of_is_taken_off_once_whenever_it_went() {
    for query in ["", "?search=person"] {
        for gone in [Gone::BeforeTheList, Gone::BehindTheList, Gone::OnlyNow] {
            unknown_goes(query, gone).await;
        }
    }
}

async fn unknown_goes(query: &str, gone: Gone) {
    let (server, went) = (Server::default(), format!("{query} {gone:?}"));
    let rows = Rc::clone(&server.0);
    let network = Network::new(move |asked| server.answer(asked));
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0]).await;
    // As another visit left it: a row whose page has not come.
    let (key, text) = kept().unwrap();
    drop(stage);
    let head = text.lines().next().unwrap();
    keep_elsewhere(&key, Some(&format!("{head}\n1772625600000000 sub_240 sent\n")));
    if gone == Gone::BeforeTheList {
        rows.borrow_mut().insert(240);
    }
    let stage = reopen(&format!("/live/forms/frm_1{query}"));
    until("the tray", || shown(&stage, ".tray").contains("Deleting 1 submission in ")).await;
    until("the rows", || keys(&stage).len() > 10).await;
    let counted = if gone == Gone::BeforeTheList { "249 submissions" } else { "250 submissions" };
    let says = |count: &str| shown(&stage, ".page-count").contains(count);
    assert!(says(counted), "{went}: {}", shown(&stage, ".page-count"));
    if gone == Gone::BehindTheList {
        rows.borrow_mut().insert(240);
    }
    button(&stage, "Delete now").click();
    until("the word", || shown(&stage, ".toasts").contains("Submission deleted")).await;
    until(&format!("one less: {went}"), || says("249 submissions")).await;
    settle().await;
    assert!(says("249 submissions"), "{went}");
    if query.is_empty() {
        until("the side bar", || shown(&stage, ".side-bar").contains("249")).await;
    }
    assert_eq!(deletes(&network), ["sub_240"]);
}
