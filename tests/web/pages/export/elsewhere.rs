//! A running export continues on other pages, which show a panel with its progress.

use export_worker::task::{Ask, Failure, Progress, Remark, Told};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Event, EventInit};

use super::{dialog, player::Player, progress};
use crate::network::{Asked, Network, Reply};
use crate::pages::{button, gateway, shown, until};
use crate::stage::{Stage, press, settle};

/// Starts an export with a worker that sends only the first progress, and hides the dialog.
async fn begun() -> (Stage, Player) {
    let player = Player::new(&[], &[vec![Told::Under(progress(100, 250))]]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    until("the bar", || shown(&stage, "dialog[open]").contains("100 of 250")).await;
    assert!(stage.all(".task-panel").is_empty(), "no panel while the dialog is open");
    button(&stage, "Hide").click();
    until("the panel", || shown(&stage, ".task-panel").contains(": 100 of 250")).await;
    (stage, player)
}

/// Follows a link of the side bar.
async fn go(stage: &Stage, name: &str) {
    let links = stage.all(".side-bar a");
    let link = links.iter().find(|one| one.text_content().unwrap().starts_with(name));
    link.unwrap_or_else(|| panic!("no link to {name}")).click();
    until(name, || shown(stage, "h1") == name).await;
    settle().await;
}

fn asks_who_leaves() -> bool {
    let init = EventInit::new();
    init.set_cancelable(true);
    let leaving = Event::new_with_event_init_dict("beforeunload", &init).unwrap();
    !window().dispatch_event(&leaving).unwrap()
}

#[wasm_bindgen_test]
async fn export_continues_on_other_page() {
    let _network = Network::new(gateway);
    let (stage, player) = begun().await;
    go(&stage, "API keys").await;
    player.say(&Told::Under(progress(200, 250)));
    until("the panel", || shown(&stage, ".task-panel").contains(".csv: 200 of 250")).await;
    let bar = stage.one(".task-panel [role=progressbar]");
    assert_eq!(bar.get_attribute("aria-valuenow").as_deref(), Some("80"));
    let left = Progress { left_ms: Some(64_100), ..progress(200, 250) };
    player.say(&Told::Under(left));
    until("the time", || {
        shown(&stage, ".task-panel").contains(".csv: 200 of 250, about 1 min 5 s left")
    })
    .await;
    assert!(asks_who_leaves());
    // The dialog opens on any page, and again on the list.
    button(&stage, "Show").click();
    until("the dialog", || shown(&stage, "dialog[open]").contains("200 of 250")).await;
    button(&stage, "Hide").click();
    until("the page", || stage.all("dialog[open]").is_empty()).await;
    go(&stage, "Feedback").await;
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    press(&document().body().unwrap(), "e");
    until("the dialog", || shown(&stage, "dialog[open]").contains("200 of 250")).await;
    assert_eq!(stage.all("dialog[open]").len(), 1);
    button(&stage, "Hide").click();
    go(&stage, "API keys").await;
    player.say(&Told::Done(progress(250, 250), Vec::new()));
    until("the file", || shown(&stage, ".toasts").contains("Exported 250 submissions to")).await;
    until("no panel", || stage.all(".task-panel").is_empty()).await;
    assert!(!asks_who_leaves());
    assert_eq!(player.asked(1).await.len(), 1);
}

#[wasm_bindgen_test]
async fn failure_on_other_page_can_be_retried() {
    let _network = Network::new(gateway);
    let (stage, player) = begun().await;
    go(&stage, "API keys").await;
    player.say(&Told::Failed(progress(100, 250), Failure::Network));
    until("the panel", || shown(&stage, ".task-panel").contains("Could not reach Sheaf")).await;
    assert!(stage.all("dialog[open]").is_empty(), "a failure opens no dialog");
    assert!(shown(&stage, "[role=status]").contains("Could not reach Sheaf"));
    assert!(!asks_who_leaves());
    button(&stage, "Show").click();
    until("the dialog", || shown(&stage, "dialog[open]").contains("Could not reach Sheaf")).await;
    button(&stage, "Try again").click();
    until("the second", || player.asked.length() == 2).await;
    button(&stage, "Hide").click();
    player.say(&Told::Done(progress(240, 250), vec![Remark::Sheets(2)]));
    until("the end", || shown(&stage, ".task-panel").contains("Missing: 10 of 250,")).await;
    button(&stage, "Close").click();
    until("no panel", || stage.all(".task-panel").is_empty()).await;
    let asked = player.asked(2).await;
    let [Ask::Begin { id: first, .. }, Ask::GoOn { id }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(first, id);
}

#[wasm_bindgen_test]
async fn export_is_cancelled_from_panel() {
    let _network = Network::new(gateway);
    let (stage, player) = begun().await;
    go(&stage, "API keys").await;
    button(&stage, "Cancel export").click();
    until("no panel", || stage.all(".task-panel").is_empty()).await;
    assert!(matches!(player.asked(2).await[1], Ask::Discard { .. }));
}

#[wasm_bindgen_test]
async fn sign_out_ends_export() {
    let _network = Network::new(|asked: &Asked| match asked.method.as_str() {
        "DELETE" => Reply::none(),
        _ => gateway(asked),
    });
    let (stage, player) = begun().await;
    go(&stage, "API keys").await;
    button(&stage, "Account owner@example.org").click();
    settle().await;
    let items = stage.all("[role=menuitem]");
    let out = items.iter().find(|one| one.text_content().unwrap().contains("Sign out"));
    out.unwrap().click();
    until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    assert!(stage.all(".task-panel").is_empty());
    player.gone().await;
}
