//! Exports: the dialog and its messages to the worker. A script plays the worker here; `tests/e2e`
//! runs the real one.

mod other_pages;
mod triage_columns;
mod worker_stub;

use export_worker::task::{
    ExportWarning, Failure, Format, InterruptedExport, Progress, TableTimeZone, Unwritable,
    WorkerCommand, WorkerEvent,
};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    answer_as_gateway, button, foreign_session, open_rows, press_button, text_of, wait_for_text,
    wait_until,
};
use crate::network::{Network, RecordedRequest, Reply};
use crate::stage::{Stage, click, press_key, settle};
use worker_stub::WorkerStub;

fn progress(written: u64, total: u64) -> Progress {
    Progress { id: "own".to_owned(), written, total: Some(total), ..Progress::default() }
}

/// Returns an export that a reload interrupted, of the signed-in account.
fn interrupted_export(id: &str) -> InterruptedExport {
    InterruptedExport {
        id: id.to_owned(),
        account: "acc_1".parse().unwrap(),
        name: format!("old-{id}.csv"),
        progress: Progress { id: id.to_owned(), ..progress(120, 500) },
        chosen: false,
    }
}

async fn open_export_dialog(path: &str) -> Stage {
    let stage = open_rows(path).await;
    press_key(&document().body().unwrap(), "e");
    wait_until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    settle().await;
    stage
}

fn choose_option(stage: &Stage, label: &str) {
    let labels = stage.all("dialog[open] label");
    let label_text = |label: &web_sys::HtmlElement| label.text_content().unwrap_or_default();
    labels.iter().find(|one| label_text(one).starts_with(label)).expect(label).click();
}

fn answer_as_free_plan_gateway(asked: &RecordedRequest) -> Reply {
    let mut session = foreign_session();
    session["data"]["account"]["plan"] = "free".into();
    if asked.url == "/session" { Reply::ok(&session) } else { answer_as_gateway(asked) }
}

#[wasm_bindgen_test]
async fn export_without_filter_covers_whole_form() {
    let network = Network::new(answer_as_gateway);
    let done = WorkerEvent::Done(progress(250, 250), Vec::new());
    let player = WorkerStub::new(&[], &[vec![WorkerEvent::Under(progress(0, 250)), done]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    let text = text_of(&stage, "dialog[open]");
    assert!(text.contains("All submissions") && !text.contains("Filtered list"), "{text}");
    assert!(text.contains("Uses 1 API request."), "{text}");
    button(&stage, "Download").click();
    wait_for_text(&stage, ".toasts", "Exported 250 submissions to feedback-").await;
    assert!(stage.all("dialog[open]").is_empty());
    let task = player.task().await;
    assert_eq!((task.format, task.safe, task.zone), (Format::Csv, true, TableTimeZone::Utc));
    assert_eq!((task.query.as_str(), task.left_out, task.selected_ids), ("", vec![], None));
    assert_eq!((task.managed, task.expected, task.fields.len()), (true, Some(250), 3));
    assert!(network.requests("/export").is_empty(), "only the worker requests the export");
}

#[wasm_bindgen_test]
async fn every_choice_reaches_the_worker() {
    let _network = Network::new(answer_as_gateway);
    let player = WorkerStub::new(&[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1?search=needle").await;
    assert!(text_of(&stage, "dialog[open]").contains("Filtered list (25)"));
    choose_option(&stage, "Excel");
    settle().await;
    assert!(!text_of(&stage, "dialog[open]").contains("Escape spreadsheet formulas"));
    choose_option(&stage, "Use my time zone");
    choose_option(&stage, "Phone");
    choose_option(&stage, "device");
    settle().await;
    assert!(text_of(&stage, "dialog[open] summary").contains("14 of 16 columns"));
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!((task.format, task.zone), (Format::Xlsx, TableTimeZone::Viewer));
    assert_eq!(task.query, "search=needle");
    assert_eq!(task.expected, Some(25));
    assert_eq!(task.left_out, ["answers.missing", "device"]);
    let end = task.name.rsplit('.').next();
    assert!(task.name.starts_with("feedback-") && end == Some("xlsx"), "{}", task.name);
}

/// The session may name another plan than the upstream API key has, and part of the quota may be
/// used. The estimate follows the rate-limit headers.
#[wasm_bindgen_test]
async fn estimate_uses_last_rate_limit_headers() {
    let _player = WorkerStub::new(&[], &[]);
    let _network = Network::new(|asked| {
        let is_session = asked.url == "/session";
        let reply =
            if is_session { Reply::ok(&foreign_session()) } else { answer_as_gateway(asked) };
        reply.with_rate_limit(100, 11)
    });
    let stage = open_export_dialog("/live/forms/frm_1").await;
    let text = text_of(&stage, "dialog[open]");
    assert!(text.contains("Uses 3 API requests, about 10 s at your plan’s rate limit."), "{text}");
}

#[wasm_bindgen_test]
async fn whole_form_is_counted_once_when_filtered() {
    let network = Network::new(answer_as_free_plan_gateway);
    let player = WorkerStub::new(&[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1?search=needle").await;
    assert!(text_of(&stage, "dialog[open]").contains("Uses 1 API request."));
    let counted = || network.requests("").iter().filter(|one| one.url.ends_with("limit=1")).count();
    assert_eq!(counted(), 0);
    choose_option(&stage, "All submissions");
    wait_for_text(&stage, "dialog[open]", "Uses 3 API requests").await;
    choose_option(&stage, "Filtered list");
    choose_option(&stage, "All submissions");
    settle().await;
    assert_eq!(counted(), 1, "the form is counted once");
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!((task.query.as_str(), task.expected), ("", Some(250)));
}

#[wasm_bindgen_test]
async fn foreign_server_export_shows_request_count_and_sends_excluded_columns() {
    let _network = Network::new(answer_as_free_plan_gateway);
    let player = WorkerStub::new(&[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    let text = text_of(&stage, "dialog[open]");
    assert!(text.contains("Uses 3 API requests, about 2 s at your plan’s rate limit."), "{text}");
    assert!(stage.all(triage_columns::GROUP).is_empty(), "the server has no triage");
    choose_option(&stage, "JSON");
    settle().await;
    assert!(text_of(&stage, "dialog[open]").contains("Uses 1 API request."));
    choose_option(&stage, "CSV");
    settle().await;
    click(&stage.one("dialog[open] summary")).await;
    assert!(text_of(&stage, "dialog[open]").contains("found in other submissions"));
    choose_option(&stage, "site");
    settle().await;
    assert!(text_of(&stage, "dialog[open] summary").contains("17 of 18 columns"));
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!((task.left_out, task.fields.len()), (vec!["answers.site".to_owned()], 0));
}

#[wasm_bindgen_test]
async fn export_is_paused_resumed_and_cancelled() {
    let _network = Network::new(answer_as_gateway);
    let waits = Progress { waits_s: Some(65), ..progress(100, 250) };
    let player = WorkerStub::new(
        &[],
        &[
            vec![WorkerEvent::Under(waits)],
            vec![WorkerEvent::Paused(progress(100, 250))],
            vec![WorkerEvent::Failed(progress(200, 250), Failure::Network)],
        ],
    );
    let stage = open_export_dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    let says = |text: &'static str| {
        let stage = &stage;
        wait_until(text, move || text_of(stage, "dialog[open]").contains(text))
    };
    says("100 of 250. Rate limit reached. Resuming in 1:05").await;
    button(&stage, "Pause").click();
    says("Paused at 100 of 250").await;
    button(&stage, "Resume").click();
    says("Could not reach Sheaf").await;
    button(&stage, "Cancel export").click();
    let asked = player.commands(4).await;
    let WorkerCommand::Start { id, .. } = &asked[0] else { panic!("{:?}", asked[0]) };
    let id = || id.clone();
    assert_eq!(
        asked[1..],
        [
            WorkerCommand::Pause,
            WorkerCommand::Resume { id: id() },
            WorkerCommand::Discard { id: id() }
        ]
    );
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn messages_wait_for_worker_and_early_cancel_is_final() {
    let _network = Network::new(answer_as_gateway);
    // Messages of the first export come late: it completes while the second one starts.
    let late =
        WorkerEvent::Done(Progress { id: "another".to_owned(), ..progress(250, 250) }, Vec::new());
    let done = WorkerEvent::Done(progress(24, 24), Vec::new());
    let player = WorkerStub::new_late(&[], &[vec![], vec![], vec![late.clone(), done, late]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    press_button(&stage, "Download").await;
    assert_eq!(player.asked.length(), 0, "the worker is not ready yet");
    assert!(text_of(&stage, "dialog[open]").contains("0 submissions"));
    button(&stage, "Cancel export").click();
    wait_until("the end", || stage.all("dialog[open]").is_empty()).await;
    press_key(&document().body().unwrap(), "e");
    wait_until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Download").click();
    player.release();
    wait_for_text(&stage, ".toasts", "Exported 24 submissions to").await;
    let asked = player.commands(3).await;
    let [
        WorkerCommand::Start { id: first, .. },
        WorkerCommand::Discard { id },
        WorkerCommand::Start { id: second, .. },
    ] = &asked[..]
    else {
        panic!("{asked:?}")
    };
    assert!(first == id && id != second, "{asked:?}");
    assert!(!text_of(&stage, ".toasts").contains("Exported 250"), "a cancelled export was saved");
}

#[wasm_bindgen_test]
async fn incomplete_file_is_reported() {
    let _network = Network::new(answer_as_gateway);
    let remarks = vec![ExportWarning::CellsCut(2), ExportWarning::Worksheets(3)];
    let _player = WorkerStub::new(&[], &[vec![WorkerEvent::Done(progress(240, 250), remarks)]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    let says = |text: &str| text_of(&stage, "dialog[open]").contains(text);
    wait_until("the notice", || says("Missing: 10 of 250,")).await;
    assert!(says("File saved with 240 submissions."));
    assert!(says("2 answers were cut to 32,767 characters"));
    assert!(says("The workbook has 3 sheets."));
    assert!(!text_of(&stage, ".toasts").contains("Exported"));
}

#[wasm_bindgen_test]
async fn interrupted_exports_can_be_resumed() {
    let _network = Network::new(answer_as_gateway);
    let done = WorkerEvent::Done(progress(500, 500), Vec::new());
    let stranger =
        InterruptedExport { account: "acc_2".parse().unwrap(), ..interrupted_export("c") };
    let all = [stranger, interrupted_export("b"), interrupted_export("a")];
    let player = WorkerStub::new(&all, &[vec![], vec![], vec![done]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    let says = |text: &str| text_of(&stage, "dialog[open]").contains(text);
    wait_until("the offers", || says("The export old-a.csv was interrupted at 120 of 500.")).await;
    assert!(!says("old-c.csv"));
    let buttons = |name: &str| -> Vec<_> {
        let is_named = |one: &web_sys::HtmlElement| one.text_content().as_deref() == Some(name);
        stage.all("dialog[open] button").into_iter().filter(is_named).collect()
    };
    buttons("Discard")[0].click();
    wait_until("one offer", || buttons("Discard").len() == 1).await;
    // A double click resumes it once.
    let resume = buttons("Resume").remove(0);
    resume.click();
    resume.click();
    wait_for_text(&stage, ".toasts", "Exported 500 submissions to old-a.csv").await;
    // Exports of another account are not listed, and are discarded.
    let discard = |id: &str| WorkerCommand::Discard { id: id.to_owned() };
    let asked = player.commands(3).await;
    assert_eq!(asked, [discard("c"), discard("b"), WorkerCommand::Resume { id: "a".to_owned() }]);
}

#[wasm_bindgen_test]
async fn worker_load_failure_is_shown() {
    let _network = Network::new(answer_as_gateway);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    wait_for_text(&stage, "dialog[open]", "Could not start the export").await;
}

#[wasm_bindgen_test]
async fn worker_load_failure_reopens_hidden_dialog() {
    let _network = Network::new(answer_as_gateway);
    let first = WorkerStub::with_lifetime((true, 0), &[], &[]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    press_button(&stage, "Download").await;
    button(&stage, "Hide").click();
    wait_until("the page", || stage.all("dialog[open]").is_empty()).await;
    first.release();
    wait_for_text(&stage, "dialog[open]", "Could not start the export").await;
    drop(first);
    let player = WorkerStub::new(&[], &[vec![WorkerEvent::Done(progress(250, 250), Vec::new())]]);
    button(&stage, "Try again").click();
    wait_for_text(&stage, ".toasts", "Exported 250 submissions to").await;
    assert_eq!(player.commands(1).await.len(), 1);
}

#[wasm_bindgen_test]
async fn export_resumes_in_new_worker_after_crash() {
    let _network = Network::new(answer_as_gateway);
    let first =
        WorkerStub::with_lifetime((false, 1), &[], &[vec![WorkerEvent::Under(progress(100, 250))]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    wait_for_text(&stage, "dialog[open]", "stopped unexpectedly").await;
    let WorkerCommand::Start { id, .. } = first.commands(1).await.swap_remove(0) else {
        panic!("no `Start` message")
    };
    drop(first);
    let failed = WorkerEvent::Failed(progress(100, 250), Failure::Network);
    let second =
        WorkerStub::new(&[interrupted_export(&id), interrupted_export("b")], &[vec![failed]]);
    button(&stage, "Resume").click();
    wait_for_text(&stage, "dialog[open]", "Could not reach Sheaf").await;
    // The other interrupted export is offered only after this one has ended.
    assert!(!text_of(&stage, "dialog[open]").contains("was interrupted"));
    button(&stage, "Cancel export").click();
    assert_eq!(
        second.commands(2).await,
        [WorkerCommand::Resume { id: id.clone() }, WorkerCommand::Discard { id }]
    );
    press_key(&document().body().unwrap(), "e");
    wait_for_text(&stage, "dialog[open]", "old-b.csv was interrupted").await;
}

#[wasm_bindgen_test]
async fn export_that_failed_to_start_restarts() {
    let _network = Network::new(answer_as_gateway);
    let failure = Failure::Unwritable(Unwritable::Refused("The file is read-only".to_owned()));
    let refused = WorkerEvent::NotBegun { id: "own".to_owned(), failure };
    let player = WorkerStub::new(&[], &[vec![refused]]);
    let stage = open_export_dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    wait_for_text(&stage, "dialog[open]", "The file is read-only").await;
    choose_option(&stage, "NDJSON");
    button(&stage, "Try again").click();
    let asked = player.commands(2).await;
    let [WorkerCommand::Start { id: first, .. }, WorkerCommand::Start { id: second, task }] =
        &asked[..]
    else {
        panic!("{asked:?}")
    };
    assert!(first != second && task.format == Format::Ndjson);
}
