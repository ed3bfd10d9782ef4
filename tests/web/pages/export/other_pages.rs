//! A running export continues on other pages, which show a panel with its progress.

use export_worker::task::{ExportWarning, Failure, Progress, WorkerCommand, WorkerEvent};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Event, EventInit};

use super::{open_export_dialog, progress, worker_stub::WorkerStub};
use crate::network::{Network, RecordedRequest, Reply};
use crate::pages::{answer_as_gateway, button, press_button, text_of, wait_for_text, wait_until};
use crate::stage::{Stage, press_key, settle};

/// Starts an export with a worker that sends only the first progress, and hides the dialog.
async fn start_hidden_export() -> (Stage, WorkerStub) {
    let player = WorkerStub::new(&[], &[vec![WorkerEvent::Under(progress(100, 250))]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    wait_until("the bar", || text_of(&stage, "dialog[open]").contains("100 of 250")).await;
    assert!(stage.all(".task-panel").is_empty(), "no panel while the dialog is open");
    button(&stage, "Hide").click();
    wait_until("the panel", || text_of(&stage, ".task-panel").contains(": 100 of 250")).await;
    (stage, player)
}

/// Follows a link of the side bar.
async fn follow_link(stage: &Stage, name: &str) {
    let links = stage.all(".side-bar a");
    let link = links.iter().find(|one| one.text_content().unwrap().starts_with(name));
    link.unwrap_or_else(|| panic!("no link to {name}")).click();
    wait_until(name, || text_of(stage, "h1") == name).await;
    settle().await;
}

fn asks_before_leaving() -> bool {
    let init = EventInit::new();
    init.set_cancelable(true);
    let leaving = Event::new_with_event_init_dict("beforeunload", &init).unwrap();
    !window().dispatch_event(&leaving).unwrap()
}

#[wasm_bindgen_test]
async fn export_continues_on_other_page() {
    let _network = Network::new(answer_as_gateway);
    let (stage, player) = start_hidden_export().await;
    follow_link(&stage, "API keys").await;
    player.send_event(&WorkerEvent::Under(progress(200, 250)));
    wait_until("the panel", || text_of(&stage, ".task-panel").contains(".csv: 200 of 250")).await;
    let bar = stage.one(".task-panel [role=progressbar]");
    assert_eq!(bar.get_attribute("aria-valuenow").as_deref(), Some("80"));
    let left = Progress { left_ms: Some(64_100), ..progress(200, 250) };
    player.send_event(&WorkerEvent::Under(left));
    wait_for_text(&stage, ".task-panel", ".csv: 200 of 250, about 1 min 5 s left").await;
    assert!(asks_before_leaving());
    // The dialog opens on any page, and again on the list.
    button(&stage, "Show").click();
    wait_until("the dialog", || text_of(&stage, "dialog[open]").contains("200 of 250")).await;
    button(&stage, "Hide").click();
    wait_until("the page", || stage.all("dialog[open]").is_empty()).await;
    follow_link(&stage, "Feedback").await;
    wait_until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    press_key(&document().body().unwrap(), "e");
    wait_until("the dialog", || text_of(&stage, "dialog[open]").contains("200 of 250")).await;
    assert_eq!(stage.all("dialog[open]").len(), 1);
    button(&stage, "Hide").click();
    follow_link(&stage, "API keys").await;
    player.send_event(&WorkerEvent::Done(progress(250, 250), Vec::new()));
    wait_for_text(&stage, ".toasts", "Exported 250 submissions to").await;
    wait_until("no panel", || stage.all(".task-panel").is_empty()).await;
    assert!(!asks_before_leaving());
    assert_eq!(player.commands(1).await.len(), 1);
}

#[wasm_bindgen_test]
async fn truncated_export_on_other_page_is_resumed() {
    let _network = Network::new(answer_as_gateway);
    let (stage, player) = start_hidden_export().await;
    follow_link(&stage, "API keys").await;
    player.send_event(&WorkerEvent::Failed(progress(100, 250), Failure::Truncated));
    let failure = "The server ended the export early. Resume to continue.";
    wait_until("the panel", || text_of(&stage, ".task-panel").contains(failure)).await;
    assert!(stage.all("dialog[open]").is_empty(), "a failure opens no dialog");
    assert!(text_of(&stage, "[role=status]").contains(failure));
    assert!(!asks_before_leaving());
    button(&stage, "Show").click();
    wait_until("the dialog", || text_of(&stage, "dialog[open]").contains(failure)).await;
    button(&stage, "Resume").click();
    wait_until("the second", || player.asked.length() == 2).await;
    button(&stage, "Hide").click();
    player.send_event(&WorkerEvent::Done(progress(240, 250), vec![ExportWarning::Worksheets(2)]));
    wait_until("the end", || text_of(&stage, ".task-panel").contains("Missing: 10 of 250,")).await;
    button(&stage, "Close").click();
    wait_until("no panel", || stage.all(".task-panel").is_empty()).await;
    let asked = player.commands(2).await;
    let [WorkerCommand::Start { id: first, .. }, WorkerCommand::Resume { id }] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!(first, id);
}

#[wasm_bindgen_test]
async fn export_is_cancelled_from_panel() {
    let _network = Network::new(answer_as_gateway);
    let (stage, player) = start_hidden_export().await;
    follow_link(&stage, "API keys").await;
    button(&stage, "Cancel export").click();
    wait_until("no panel", || stage.all(".task-panel").is_empty()).await;
    assert!(matches!(player.commands(2).await[1], WorkerCommand::Discard { .. }));
}

#[wasm_bindgen_test]
async fn sign_out_ends_export() {
    let _network = Network::new(|asked: &RecordedRequest| match asked.method.as_str() {
        "DELETE" => Reply::no_content(),
        _ => answer_as_gateway(asked),
    });
    let (stage, player) = start_hidden_export().await;
    follow_link(&stage, "API keys").await;
    press_button(&stage, "Account owner@example.org").await;
    let items = stage.all("[role=menuitem]");
    let out = items.iter().find(|one| one.text_content().unwrap().contains("Sign out"));
    out.unwrap().click();
    wait_until("the sign-in", || !stage.all("input[type=password]").is_empty()).await;
    assert!(stage.all(".task-panel").is_empty());
    player.wait_for_end().await;
}
