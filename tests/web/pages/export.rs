//! Exports: the dialog and its messages to the worker. A script plays the worker here; `tests/e2e`
//! runs the real one.

mod elsewhere;
mod player;

use export_worker::task::{Ask, Failure, Format, Left, Progress, Remark, Told, Unwritable, Zone};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{button, foreign_session, gateway, open, shown, until};
use crate::network::{Asked, Network, Reply};
use crate::stage::{Stage, press, settle};
use player::Player;

fn progress(written: u64, total: u64) -> Progress {
    Progress { id: "own".to_owned(), written, total: Some(total), ..Progress::default() }
}

/// Returns an export that a reload interrupted, of the signed-in account.
fn left(id: &str) -> Left {
    Left {
        id: id.to_owned(),
        account: "acc_1".parse().unwrap(),
        name: format!("old-{id}.csv"),
        progress: Progress { id: id.to_owned(), ..progress(120, 500) },
        chosen: false,
    }
}

async fn dialog(path: &str) -> Stage {
    let stage = open(path);
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    press(&document().body().unwrap(), "e");
    until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    settle().await;
    stage
}

fn choose(stage: &Stage, label: &str) {
    let labels = stage.all("dialog[open] label");
    let said = |label: &web_sys::HtmlElement| label.text_content().unwrap_or_default();
    labels.iter().find(|one| said(one).starts_with(label)).expect(label).click();
}

fn foreign(asked: &Asked) -> Reply {
    let mut session = foreign_session();
    session["data"]["account"]["plan"] = "free".into();
    if asked.url == "/session" { Reply::ok(&session) } else { gateway(asked) }
}

#[wasm_bindgen_test]
async fn export_without_filter_covers_whole_form() {
    let network = Network::new(gateway);
    let done = Told::Done(progress(250, 250), Vec::new());
    let player = Player::new(&[], &[vec![Told::Under(progress(0, 250)), done]]);
    let stage = dialog("/live/forms/frm_1").await;
    let said = shown(&stage, "dialog[open]");
    assert!(said.contains("All submissions") && !said.contains("Filtered list"), "{said}");
    assert!(said.contains("Uses 1 API request."), "{said}");
    button(&stage, "Download").click();
    until("the file", || {
        shown(&stage, ".toasts").contains("Exported 250 submissions to feedback-")
    })
    .await;
    assert!(stage.all("dialog[open]").is_empty());
    let task = player.task().await;
    assert_eq!((task.format, task.safe, task.zone), (Format::Csv, true, Zone::Utc));
    assert_eq!((task.query.as_str(), task.left_out, task.only), ("", vec![], None));
    assert_eq!((task.managed, task.expected, task.fields.len()), (true, Some(250), 3));
    assert!(network.asked("/export").is_empty(), "only the worker requests the export");
}

#[wasm_bindgen_test]
async fn every_choice_reaches_the_worker() {
    let _network = Network::new(gateway);
    let player = Player::new(&[], &[]);
    let stage = dialog("/live/forms/frm_1?search=needle").await;
    assert!(shown(&stage, "dialog[open]").contains("Filtered list (25)"));
    choose(&stage, "Excel");
    settle().await;
    assert!(!shown(&stage, "dialog[open]").contains("Escape spreadsheet formulas"));
    choose(&stage, "Use my time zone");
    choose(&stage, "Phone");
    choose(&stage, "device");
    settle().await;
    assert!(shown(&stage, "dialog[open] summary").contains("14 of 16 columns"));
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!((task.format, task.zone), (Format::Xlsx, Zone::Viewer));
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
    let _player = Player::new(&[], &[]);
    for (remaining, span) in [(100, "2 s"), (11, "10 s")] {
        let _network = Network::new(move |asked| {
            let is_session = asked.url == "/session";
            let reply = if is_session { Reply::ok(&foreign_session()) } else { gateway(asked) };
            reply.standing(100, remaining)
        });
        let stage = dialog("/live/forms/frm_1").await;
        let said = shown(&stage, "dialog[open]");
        let told = format!("Uses 3 API requests, about {span} at your plan’s rate limit.");
        assert!(said.contains(&told), "{said}");
    }
}

#[wasm_bindgen_test]
async fn whole_form_is_counted_once_when_filtered() {
    let network = Network::new(foreign);
    let player = Player::new(&[], &[]);
    let stage = dialog("/live/forms/frm_1?search=needle").await;
    assert!(shown(&stage, "dialog[open]").contains("Uses 1 API request."));
    let counted = || network.asked("").iter().filter(|one| one.url.ends_with("limit=1")).count();
    assert_eq!(counted(), 0);
    choose(&stage, "All submissions");
    until("its cost", || shown(&stage, "dialog[open]").contains("Uses 3 API requests")).await;
    choose(&stage, "Filtered list");
    choose(&stage, "All submissions");
    settle().await;
    assert_eq!(counted(), 1, "the form is counted once");
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!((task.query.as_str(), task.expected), ("", Some(250)));
}

#[wasm_bindgen_test]
async fn foreign_server_export_sends_excluded_columns() {
    let _network = Network::new(foreign);
    let player = Player::new(&[], &[]);
    let stage = dialog("/live/forms/frm_1").await;
    stage.one("dialog[open] summary").click();
    settle().await;
    assert!(shown(&stage, "dialog[open]").contains("found in other submissions"));
    choose(&stage, "site");
    settle().await;
    assert!(shown(&stage, "dialog[open] summary").contains("17 of 18 columns"));
    button(&stage, "Download").click();
    let task = player.task().await;
    assert_eq!((task.left_out, task.fields.len()), (vec!["answers.site".to_owned()], 0));
}

#[wasm_bindgen_test]
async fn paginated_export_shows_request_count() {
    let _network = Network::new(foreign);
    let _player = Player::new(&[], &[]);
    let stage = dialog("/live/forms/frm_1").await;
    let said = shown(&stage, "dialog[open]");
    assert!(said.contains("Uses 3 API requests, about 2 s at your plan’s rate limit."), "{said}");
    choose(&stage, "JSON");
    settle().await;
    assert!(shown(&stage, "dialog[open]").contains("Uses 1 API request."));
}

#[wasm_bindgen_test]
async fn export_is_paused_resumed_and_cancelled() {
    let _network = Network::new(gateway);
    let waits = Progress { waits_s: Some(65), ..progress(100, 250) };
    let player = Player::new(
        &[],
        &[
            vec![Told::Under(waits)],
            vec![Told::Paused(progress(100, 250))],
            vec![Told::Failed(progress(200, 250), Failure::Network)],
        ],
    );
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    let says = |text: &'static str| {
        let stage = &stage;
        until(text, move || shown(stage, "dialog[open]").contains(text))
    };
    says("100 of 250. Rate limit reached. Resuming in 1:05").await;
    button(&stage, "Pause").click();
    says("Paused at 100 of 250").await;
    button(&stage, "Resume").click();
    says("Could not reach Sheaf").await;
    button(&stage, "Cancel export").click();
    let asked = player.asked(4).await;
    let Ask::Begin { id, .. } = &asked[0] else { panic!("{:?}", asked[0]) };
    let id = || id.clone();
    assert_eq!(asked[1..], [Ask::Pause, Ask::GoOn { id: id() }, Ask::Discard { id: id() }]);
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn messages_wait_until_worker_is_ready() {
    let _network = Network::new(gateway);
    let done = Told::Done(progress(250, 250), Vec::new());
    let player = Player::late(&[], &[vec![done]]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    settle().await;
    assert_eq!(player.asked.length(), 0, "the worker is not ready yet");
    assert!(shown(&stage, "dialog[open]").contains("0 submissions"));
    player.come();
    until("the file", || shown(&stage, ".toasts").contains("Exported 250 submissions to")).await;
}

#[wasm_bindgen_test]
async fn export_is_cancelled_before_first_progress() {
    let _network = Network::new(gateway);
    // Messages of the first export come late: it completes while the second one starts.
    let late = Told::Done(Progress { id: "another".to_owned(), ..progress(250, 250) }, Vec::new());
    let done = Told::Done(progress(24, 24), Vec::new());
    let player = Player::late(&[], &[vec![], vec![], vec![late.clone(), done, late]]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    settle().await;
    button(&stage, "Cancel export").click();
    until("the end", || stage.all("dialog[open]").is_empty()).await;
    press(&document().body().unwrap(), "e");
    until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    button(&stage, "Download").click();
    player.come();
    until("the second", || shown(&stage, ".toasts").contains("Exported 24 submissions to")).await;
    let asked = player.asked(3).await;
    let [Ask::Begin { id: first, .. }, Ask::Discard { id }, Ask::Begin { id: second, .. }] =
        &asked[..]
    else {
        panic!("{asked:?}")
    };
    assert!(first == id && id != second, "{asked:?}");
    assert!(!shown(&stage, ".toasts").contains("Exported 250"), "a cancelled export was saved");
}

#[wasm_bindgen_test]
async fn incomplete_file_is_reported() {
    let _network = Network::new(gateway);
    let remarks = vec![Remark::CellsCut(2), Remark::Sheets(3)];
    let _player = Player::new(&[], &[vec![Told::Done(progress(240, 250), remarks)]]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    let says = |text: &str| shown(&stage, "dialog[open]").contains(text);
    until("the notice", || says("Missing: 10 of 250,")).await;
    assert!(says("File saved with 240 submissions."));
    assert!(says("2 answers were cut to 32,767 characters"));
    assert!(says("The workbook has 3 sheets."));
    assert!(!shown(&stage, ".toasts").contains("Exported"));
}

#[wasm_bindgen_test]
async fn interrupted_exports_can_be_resumed() {
    let _network = Network::new(gateway);
    let done = Told::Done(progress(500, 500), Vec::new());
    let stranger = Left { account: "acc_2".parse().unwrap(), ..left("c") };
    let all = [stranger, left("b"), left("a")];
    let player = Player::new(&all, &[vec![], vec![], vec![done]]);
    let stage = dialog("/live/forms/frm_1").await;
    let says = |text: &str| shown(&stage, "dialog[open]").contains(text);
    until("the offers", || says("The export old-a.csv was interrupted at 120 of 500.")).await;
    assert!(!says("old-c.csv"));
    let buttons = |name: &str| -> Vec<_> {
        let is_named = |one: &web_sys::HtmlElement| one.text_content().as_deref() == Some(name);
        stage.all("dialog[open] button").into_iter().filter(is_named).collect()
    };
    buttons("Discard")[0].click();
    until("one offer", || buttons("Discard").len() == 1).await;
    buttons("Resume")[0].click();
    until("the file", || {
        shown(&stage, ".toasts").contains("Exported 500 submissions to old-a.csv")
    })
    .await;
    // Exports of another account are not listed, and are discarded.
    let discard = |id: &str| Ask::Discard { id: id.to_owned() };
    let asked = player.asked(3).await;
    assert_eq!(asked, [discard("c"), discard("b"), Ask::GoOn { id: "a".to_owned() }]);
}

#[wasm_bindgen_test]
async fn double_click_resumes_export_once() {
    let _network = Network::new(gateway);
    let done = Told::Done(progress(500, 500), Vec::new());
    let player = Player::new(&[left("a")], &[vec![done]]);
    let stage = dialog("/live/forms/frm_1").await;
    until("the offer", || shown(&stage, "dialog[open]").contains("was interrupted")).await;
    let go_on = button(&stage, "Resume");
    go_on.click();
    go_on.click();
    until("the file", || shown(&stage, ".toasts").contains("Exported 500 submissions to")).await;
    assert_eq!(player.asked(1).await, [Ask::GoOn { id: "a".to_owned() }]);
}

#[wasm_bindgen_test]
async fn worker_load_failure_is_shown() {
    let _network = Network::new(gateway);
    let stage = dialog("/live/forms/frm_1").await;
    until("the notice", || shown(&stage, "dialog[open]").contains("Could not start the export"))
        .await;
}

#[wasm_bindgen_test]
async fn worker_load_failure_reopens_hidden_dialog() {
    let _network = Network::new(gateway);
    let first = Player::living((true, 0), &[], &[]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    settle().await;
    button(&stage, "Hide").click();
    until("the page", || stage.all("dialog[open]").is_empty()).await;
    first.come();
    until("the notice", || shown(&stage, "dialog[open]").contains("Could not start the export"))
        .await;
    drop(first);
    let player = Player::new(&[], &[vec![Told::Done(progress(250, 250), Vec::new())]]);
    button(&stage, "Try again").click();
    until("the file", || shown(&stage, ".toasts").contains("Exported 250 submissions to")).await;
    assert_eq!(player.asked(1).await.len(), 1);
}

#[wasm_bindgen_test]
async fn export_resumes_in_new_worker_after_crash() {
    let _network = Network::new(gateway);
    let first = Player::living((false, 1), &[], &[vec![Told::Under(progress(100, 250))]]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    until("the notice", || shown(&stage, "dialog[open]").contains("stopped unexpectedly")).await;
    let Ask::Begin { id, .. } = first.asked(1).await.swap_remove(0) else {
        panic!("no `Begin` message")
    };
    drop(first);
    let failed = Told::Failed(progress(100, 250), Failure::Network);
    let second = Player::new(&[left(&id), left("b")], &[vec![failed]]);
    button(&stage, "Try again").click();
    until("the failure", || shown(&stage, "dialog[open]").contains("Could not reach Sheaf")).await;
    // The other interrupted export is offered only after this one has ended.
    assert!(!shown(&stage, "dialog[open]").contains("was interrupted"));
    button(&stage, "Cancel export").click();
    assert_eq!(second.asked(2).await, [Ask::GoOn { id: id.clone() }, Ask::Discard { id }]);
    press(&document().body().unwrap(), "e");
    until("the other", || shown(&stage, "dialog[open]").contains("old-b.csv was interrupted"))
        .await;
}

#[wasm_bindgen_test]
async fn export_that_failed_to_start_restarts() {
    let _network = Network::new(gateway);
    let failure = Failure::Unwritable(Unwritable::Refused("The file is read-only".to_owned()));
    let refused = Told::NotBegun { id: "own".to_owned(), failure };
    let player = Player::new(&[], &[vec![refused]]);
    let stage = dialog("/live/forms/frm_1").await;
    button(&stage, "Download").click();
    until("the failure", || shown(&stage, "dialog[open]").contains("The file is read-only")).await;
    choose(&stage, "NDJSON");
    button(&stage, "Try again").click();
    let asked = player.asked(2).await;
    let [Ask::Begin { id: first, .. }, Ask::Begin { id: second, task }] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert!(first != second && task.format == Format::Ndjson);
}
