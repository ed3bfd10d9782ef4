//! What is on its way when a decision is taken back, here or in another tab, and the one time that
//! all tabs tell.

use js_sys::{Date, Function, Promise};
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use super::super::{button, gateway, open, reopen, shown, until};
use super::{delete, deletes, keep_elsewhere, kept, keys, on_its_way, slow};
use crate::network::{Network, Reply};
use crate::stage::{Stage, press, settle, wait};

#[wasm_bindgen_test]
async fn what_is_on_its_way_is_counted_also_where_the_rest_is_kept() {
    let network = Network::new(slow);
    let stage = open("/live/forms/frm_1");
    on_its_way(&stage, &network, &[0, 1, 2]).await;
    button(&stage, "Keep the rest").click();
    until("no tray", || stage.all(".tray").is_empty()).await;
    until("two again", || shown(&stage, ".page-count") == "249 submissions").await;
    assert_eq!(deletes(&network), ["sub_2"]);
    wait(400).await;
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "249 submissions", "it is gone");
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_3"]);
    // Other tabs may have brought it back: they are told.
    assert!(kept().unwrap().1.contains("sub_2 gone"));
    wait(2_000).await;
    assert_eq!(kept(), None);
}

#[wasm_bindgen_test]
async fn what_is_on_its_way_and_fails_comes_back_alone() {
    let network = Network::new(|asked| match asked.method.as_str() {
        "DELETE" => Reply::error(409, "conflict", "It is locked").late(300),
        _ => gateway(asked),
    });
    let stage = open("/live/forms/frm_1");
    on_its_way(&stage, &network, &[0, 1, 2]).await;
    press(&document().body().unwrap(), "u");
    until("two again", || shown(&stage, ".page-count") == "249 submissions").await;
    until("the third", || shown(&stage, ".page-count") == "250 submissions").await;
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_2"]);
    assert_eq!(kept(), None);
}

#[wasm_bindgen_test]
async fn what_another_tab_takes_back_on_its_way_is_counted_in_both() {
    let network = Network::new(slow);
    let stage = open("/live/forms/frm_1");
    on_its_way(&stage, &network, &[0, 1, 2]).await;
    let (key, _) = kept().unwrap();
    keep_elsewhere(&key, None);
    until("two again", || shown(&stage, ".page-count") == "249 submissions").await;
    until("the answer", || kept().is_some_and(|(_, text)| text.contains("sub_2 gone"))).await;
    settle().await;
    assert_eq!(shown(&stage, ".page-count"), "249 submissions");
    assert_eq!(keys(&stage)[..3], ["sub_0", "sub_1", "sub_3"]);
    assert_eq!(deletes(&network), ["sub_2"]);
    // The other tab hears of it in the same way.
    let text = kept().unwrap().1.replace("sub_2", "sub_4");
    keep_elsewhere(&key, Some(&text));
    until("one less", || shown(&stage, ".page-count") == "248 submissions").await;
    assert_eq!(keys(&stage)[..4], ["sub_0", "sub_1", "sub_3", "sub_5"]);
    assert!(stage.all(".tray").is_empty());
}

/// Another tab that works, until it is dropped.
struct Worker(Function);

impl Worker {
    /// Takes the lock of the one decision that is kept.
    async fn new() -> Self {
        let (key, _) = kept().unwrap();
        let name = &key[..=key.rfind('-').unwrap()];
        let script = format!(
            "new Promise(held => navigator.locks.request('{name}',
                () => new Promise(end => held(end))))"
        );
        let held: Promise = js_sys::eval(&script).unwrap().unchecked_into();
        Self(JsFuture::from(held).await.unwrap().unchecked_into())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.call0(&JsValue::NULL).unwrap();
    }
}

/// Until when nothing of what is kept is deleted, from now on in milliseconds.
fn due_in_ms() -> f64 {
    let (_, text) = kept().unwrap();
    text.split(' ').nth(4).unwrap().parse::<f64>().unwrap() - Date::now()
}

/// Keeps another due time of the one decision, so many milliseconds from now on.
fn put_off(ms: f64) {
    let (key, text) = kept().unwrap();
    let mut parts: Vec<_> = text.split(' ').map(str::to_owned).collect();
    parts[4] = format!("{:.0}", Date::now() + ms);
    keep_elsewhere(&key, Some(&parts.join(" ")));
}

/// How far the seconds that the tray tells are from those that are kept.
fn apart_s(stage: &Stage) -> f64 {
    let text = shown(stage, ".tray-text");
    let told = text.rsplit_once(" in ").and_then(|(_, told)| told.strip_suffix(" s"));
    told.map_or(f64::MAX, |told| (told.parse::<f64>().unwrap() - due_in_ms() / 1000.0).abs())
}

#[wasm_bindgen_test]
async fn a_second_tab_tells_the_time_that_the_first_keeps() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    drop(stage);
    let first = Worker::new().await;
    put_off(60_000.0);
    let stage = reopen("/live/forms/frm_1");
    until("the tray", || shown(&stage, ".tray").contains("Deleting 2 submissions in ")).await;
    assert!(apart_s(&stage) < 5.0, "{}", shown(&stage, ".tray-text"));
    // What the first changes, the second follows.
    put_off(300_000.0);
    until("the other time", || apart_s(&stage) < 5.0).await;
    // It goes on where the first ends, and does not begin anew.
    wait(2_100).await;
    put_off(-1_000.0);
    until("its beginning", || shown(&stage, ".tray-note").contains("nother tab")).await;
    assert_eq!(deletes(&network), Vec::<String>::new());
    drop(first);
    let ended_ms = Date::now();
    until("the word", || shown(&stage, ".toasts").contains("2 submissions deleted")).await;
    assert!(Date::now() - ended_ms < 9_000.0, "it waits anew");
}

#[wasm_bindgen_test]
async fn a_tab_that_is_alone_waits_anew_and_keeps_until_when() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1");
    delete(&stage, &[0, 1]).await;
    drop(stage);
    put_off(-60_000.0);
    let stage = reopen("/live/forms/frm_1");
    until("the tray", || shown(&stage, ".tray").contains("Deleting 2 submissions in ")).await;
    assert!((1_000.0..=10_000.0).contains(&due_in_ms()), "{}", due_in_ms());
    assert_eq!(deletes(&network), Vec::<String>::new());
    button(&stage, "Undo").click();
    until("no tray", || stage.all(".tray").is_empty()).await;
}
