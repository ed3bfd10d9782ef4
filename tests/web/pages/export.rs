//! Exports: the walk writes the server's bytes, waits where it must and goes on where it broke; the
//! dialog chooses the way.

use std::cell::Cell;

use contract::{
    Columns, Environment, ExportFormat, ExportQuery, Field, Filter, Plan, Submission,
    csv::CsvWriter, filter::Search, json::JsonWriter,
};
use dashboard::api::ApiError;
use dashboard::pages::submissions::walk::{Progress, Task, Walk};
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{ROWS, button, form, gateway, open, shown, submission, until};
use crate::network::{Network, Reply};
use crate::stage::{press, settle};

fn fields() -> Vec<Field> {
    serde_json::from_value(form("frm_1", "Feedback", "live")["fields"].clone()).unwrap()
}

fn task(format: ExportFormat, search: &str, safe: bool) -> Task {
    let filter = Filter { search: Search::new(search).unwrap(), ..Filter::default() };
    Task {
        environment: Environment::Live,
        form: "frm_1".parse().unwrap(),
        fields: Some(fields()),
        query: ExportQuery { filter, format, fields: None, safe },
        plan: Plan::Enterprise,
    }
}

fn rows(numbers: impl Iterator<Item = u32>) -> Vec<Submission> {
    numbers.map(|number| serde_json::from_value(submission(number)).unwrap()).collect()
}

async fn finish(walk: Walk) -> (String, Progress) {
    let (file, progress) = walk.finish().unwrap();
    let text = JsFuture::from(file.text()).await.unwrap();
    (text.as_string().unwrap(), progress)
}

#[wasm_bindgen_test]
async fn a_walk_writes_the_bytes_that_the_server_would() {
    let network = Network::new(gateway);
    for (search, safe, numbers) in [
        ("", false, (0..ROWS).collect::<Vec<_>>()),
        ("needle", true, (0..ROWS).filter(|n| n % 10 == 3).collect()),
    ] {
        let mut walk = Walk::new(task(ExportFormat::Csv, search, safe)).unwrap();
        walk.run(None, |_| ()).await.unwrap();
        let (text, progress) = finish(walk).await;
        let mut writer = CsvWriter::new(Columns::whole(&fields()), safe, Vec::new()).unwrap();
        for row in rows(numbers.iter().copied()) {
            writer.row(&row).unwrap();
        }
        assert_eq!(text.as_bytes(), writer.finish().unwrap());
        assert_eq!(progress.written, numbers.len() as u64);
        assert_eq!(progress.total, Some(numbers.len() as u64));
    }
    assert_eq!(network.asked("limit=100").len(), 3 + 1);
}

#[wasm_bindgen_test]
async fn a_walk_writes_the_json_that_the_server_would() {
    let _network = Network::new(gateway);
    let task = task(ExportFormat::Json, "needle", false);
    let mut walk = Walk::new(task.clone()).unwrap();
    walk.run(None, |_| ()).await.unwrap();
    let text = finish(walk).await.0;
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let at = whole["export"]["exported_at"].as_str().unwrap().parse::<String>().unwrap();
    let at = contract::Timestamp::parse(&at).unwrap();
    let mut writer = JsonWriter::new(task.form, &fields(), &task.query, at).unwrap();
    for row in rows((0..ROWS).filter(|n| n % 10 == 3)) {
        writer.row(&row);
    }
    assert_eq!(text.as_bytes(), writer.finish());
}

#[wasm_bindgen_test]
async fn a_walk_waits_when_refused_and_goes_on_where_it_broke() {
    let turn = Cell::new(0);
    let network = Network::new(move |asked| match turn.replace(turn.get() + 1) {
        1 => Reply::too_many(1),
        3 => Reply { lost: true, ..Reply::default() },
        _ => gateway(asked),
    });
    let mut walk = Walk::new(task(ExportFormat::Csv, "", true)).unwrap();
    let waited = Cell::new(false);
    let tell = |progress: Progress| waited.set(waited.get() || progress.waits_s == Some(1));
    assert_eq!(walk.run(None, tell).await, Err(ApiError::Network));
    assert!(waited.get(), "the wait was never told");
    walk.run(None, tell).await.unwrap();
    let (text, progress) = finish(walk).await;
    assert_eq!(progress.written, u64::from(ROWS));
    assert_eq!(text.matches("\r\nsub_").count(), ROWS as usize);
    let cursors: Vec<_> =
        network.asked("").iter().map(|asked| super::parameter(&asked.url, "cursor")).collect();
    let at = |cursor: &str| Some(cursor.to_owned());
    assert_eq!(cursors, [None, at("100"), at("100"), at("200"), at("200")]);
}

#[wasm_bindgen_test]
async fn a_walk_that_is_given_up_stops_at_once() {
    let _network = Network::new(|_| Reply::too_many(600));
    let abort = web_sys::AbortController::new().unwrap();
    let signal = abort.signal();
    set_timeout(move || abort.abort(), std::time::Duration::from_millis(100));
    let mut walk = Walk::new(task(ExportFormat::Csv, "", true)).unwrap();
    assert_eq!(walk.run(Some(&signal), |_| ()).await, Err(ApiError::Aborted));
}

#[wasm_bindgen_test]
async fn answers_of_a_foreign_server_tell_their_own_columns() {
    let _network = Network::new(gateway);
    let unknown = Task { fields: None, ..task(ExportFormat::Csv, "needle", true) };
    let mut walk = Walk::new(unknown).unwrap();
    walk.run(None, |_| ()).await.unwrap();
    let text = finish(walk).await.0;
    assert!(text.starts_with("submission_id,submitted_at,extra,name,text,site,bad,ip_country,"));
    assert_eq!(text.matches("\r\nsub_").count(), 25);
}

#[wasm_bindgen_test]
async fn the_dialog_lets_the_server_write_what_it_can_say() {
    let network = Network::new(|asked| {
        if asked.url.contains("/export") {
            Reply { status: 200, body: "a,b\r\n".to_owned(), ..Reply::default() }
        } else {
            gateway(asked)
        }
    });
    let stage = open("/live/forms/frm_1");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    press(&document().body().unwrap(), "e");
    until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    assert!(shown(&stage, "dialog[open]").contains("The whole form"));
    assert!(!shown(&stage, "dialog[open]").contains("filtered list"));
    button(&stage, "Download").click();
    until("the file", || shown(&stage, ".toasts").contains("Exported to feedback-")).await;
    let asked = network.asked("/export");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].url, "/api/live/v1/forms/frm_1/submissions/export?safe=true");
    assert!(asked[0].marked);
    assert!(stage.all("dialog[open]").is_empty());
}

#[wasm_bindgen_test]
async fn the_dialog_walks_exactly_the_filtered_list() {
    let network = Network::new(gateway);
    let stage = open("/live/forms/frm_1?search=needle");
    until("rows", || !stage.all(".grid-track .grid-row").is_empty()).await;
    button(&stage, "Export").click();
    until("the dialog", || !stage.all("dialog[open]").is_empty()).await;
    assert!(shown(&stage, "dialog[open]").contains("Exactly this filtered list (25)"));
    settle().await;
    button(&stage, "Download").click();
    until("the file", || shown(&stage, ".toasts").contains("Exported 25 submissions")).await;
    assert!(network.asked("/export").is_empty());
}
