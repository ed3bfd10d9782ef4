//! Export of a complete form: speed, memory, and the effect on other requests.

use crate::Result;
use crate::bench::Bench;
use crate::ceiling::Ready;
use crate::client::get;
use crate::data::Data;
use crate::load::{Requests, drawn, load, median, same};
use crate::postgres::Postgres;
use crate::process::Program;
use crate::results::Row;
use crate::tools::{self, Flow, export};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::process::Command;
use tokio::task::JoinHandle;

/// Goals: ratios to the `sqlite3` shell and to psql, and memory above an idle server.
const SHELL_RATIO: f64 = 3.0;
const COPY_RATIO: f64 = 1.8;
const MEMORY_MAX_MB: f64 = 16.0;
/// Interval of the memory samples.
const LOOK_EVERY: Duration = Duration::from_millis(10);
const CONNECTIONS: usize = 8;
/// Maximum number of submissions that are loaded into PostgreSQL for a comparison.
const COPY_ROWS_MAX: u64 = 2_000_000;

/// A program that the export is compared with: its name, the goal, the reason if it is missing, and
/// its speed in each turn in MB/s.
struct Peer {
    name: &'static str,
    goal: Option<f64>,
    missing: &'static str,
    speeds: Vec<f64>,
}

impl Peer {
    fn new(name: &'static str, goal: Option<f64>, missing: &'static str) -> Self {
        Self { name, goal, missing, speeds: Vec::new() }
    }

    fn row(&self, ours: f64) -> Row {
        let row = Row::new(format!("export as CSV, vs. {}", self.name), format!("{ours:.0} MB/s"));
        if self.speeds.is_empty() {
            return Row { against: self.missing.to_owned(), ..row };
        }
        let theirs = median(&self.speeds);
        let ratio = ours / theirs;
        let row = row.against(format!("{theirs:.0} MB/s"), ratio);
        match self.goal {
            Some(goal) => row.goal(format!("≥ {goal}"), ratio >= goal),
            None => row,
        }
    }
}

/// Measures exports.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let is_copied = bench.data.rows <= COPY_ROWS_MAX;
    let postgres = if is_copied { Postgres::start()? } else { None };
    if let Some(postgres) = &postgres {
        postgres.load(&bench.data).await?;
    }
    let sheaf = bench.serve(&bench.data).await?;
    let request = get(&bench.data.export("csv"), &bench.data.key);
    let ready = Ready::make(&bench.scratch, &sheaf, &request).await?;
    let no_postgres = if is_copied { "not installed" } else { "not measured at this size" };
    let mut shell = Peer::new("`sqlite3` shell", Some(SHELL_RATIO), "not installed");
    let mut copy = Peer::new("psql COPY", Some(COPY_RATIO), no_postgres);
    let mut cat = Peer::new("`cat` of the same bytes through a socket", None, "");
    let mut nginx = Peer::new("nginx with the same bytes", None, "not installed");
    let (mut csv, mut json, mut extra_mb) = (vec![], vec![], [0.0_f64; 2]);
    for _ in 0..bench.turns.rounds {
        for (n, (format, all)) in [("csv", &mut csv), ("json", &mut json)].into_iter().enumerate() {
            let (flow, extra) = watched(bench, &sheaf, format).await?;
            all.push(flow.megabytes_a_second());
            extra_mb[n] = extra_mb[n].max(extra);
        }
        if let Some(mut command) = shell_command(&bench.data) {
            shell.speeds.push(tools::flow(&mut command).await?.megabytes_a_second());
        }
        if let Some(postgres) = &postgres {
            copy.speeds.push(postgres.copy_out().await?.megabytes_a_second());
        }
        cat.speeds.push(ready.cat().await?.megabytes_a_second());
        nginx.speeds.extend(ready.nginx().await?.map(Flow::megabytes_a_second));
    }
    drop(postgres);
    ready.end().await?;
    let (csv, json) = (median(&csv), median(&json));
    let mut rows: Vec<Row> = [shell, copy, cat, nginx].iter().map(|peer| peer.row(csv)).collect();
    rows.push(
        Row::new("export as JSON, vs. CSV", format!("{json:.0} MB/s"))
            .against(format!("{csv:.0} MB/s"), json / csv)
            .goal("≥ 1", json >= csv),
    );
    rows.extend(["CSV", "JSON"].iter().zip(extra_mb).map(|(format, extra)| {
        let path = format!("additional memory of an export as {format}");
        let row = Row::new(path, format!("{extra:.1} MB"));
        row.goal(format!("≤ {MEMORY_MAX_MB} MB"), extra <= MEMORY_MAX_MB)
    }));
    rows.extend(beside(bench, &sheaf).await?);
    sheaf.end().await?;
    Ok(rows)
}

/// Exports once. Returns the speed, and the peak memory above the memory before, in megabytes.
async fn watched(bench: &Bench, sheaf: &Program, format: &str) -> Result<(Flow, f64)> {
    let request = get(&bench.data.export(format), &bench.data.key);
    let address = sheaf.address;
    let before = sheaf.anonymous_bytes();
    let mut most = before;
    let mut export = tokio::spawn(async move { export(address, &request, |_| Ok(())).await });
    let flow = loop {
        tokio::select! {
            done = &mut export => break done??,
            () = tokio::time::sleep(LOOK_EVERY) => most = most.max(sheaf.anonymous_bytes()),
        }
    };
    Ok((flow, most.saturating_sub(before) as f64 / 1e6))
}

/// Returns the shell's command to export the same columns from the same JSON.
fn shell_command(data: &Data) -> Option<Command> {
    let mut command = Command::new(tools::find("sqlite3")?);
    let fields = format!(
        "SELECT key FROM fields WHERE form = (SELECT seq FROM forms WHERE id = '{}') ORDER BY place",
        data.large
    );
    let listed = std::process::Command::new(command.as_std().get_program())
        .arg(data.file())
        .arg(fields)
        .output()
        .ok()?;
    let keys = String::from_utf8(listed.stdout).ok()?;
    let cell = |key: &str| format!("json ->> '$.answers.\"{}\"'", key.replace('\'', "''"));
    let answers: Vec<String> = keys.lines().map(cell).collect();
    let metadata = ["ip_country", "device", "browser", "completion_time_seconds"];
    let metadata = metadata.map(|name| format!("json ->> '$.metadata.{name}'")).join(", ");
    let sql = format!(
        "SELECT id, json ->> '$.metadata.submitted_at', {}, {metadata}, utm_source, utm_medium, \
         utm_campaign FROM submissions WHERE form = (SELECT seq FROM forms WHERE id = '{}') \
         ORDER BY submitted_at DESC, id DESC",
        answers.join(", "),
        data.large
    );
    command.args(["-readonly", "-csv"]).arg(data.file()).arg(sql);
    Some(command)
}

/// Measures the latency of other requests during an export, compared with the latency without one.
async fn beside(bench: &Bench, sheaf: &Program) -> Result<Vec<Row>> {
    let key = &bench.data.key;
    let ids = &bench.picks.ids;
    let asked = ids.iter().map(|id| get(&format!("/v1/submissions/{id}"), key)).collect();
    let kinds: [(&str, Requests); 2] =
        [("list, newest 20", same(bench.list(""))), ("get, random ids", drawn(asked))];
    let mut rows = Vec::new();
    for (name, requests) in kinds {
        let time = bench.turns.time;
        let (mut alone, mut together) = (Vec::new(), Vec::new());
        for round in 0..bench.turns.rounds as u64 {
            let sample = load(sheaf.address, CONNECTIONS, time, round, &requests).await?;
            alone.push(sample.percentile_ms(99));
            let exports = Exports::start(sheaf.address, get(&bench.data.export("csv"), key));
            let sample = load(sheaf.address, CONNECTIONS, time, round, &requests).await?;
            together.push(sample.percentile_ms(99));
            exports.end().await?;
        }
        let (alone_ms, together_ms) = (median(&alone), median(&together));
        let path = format!("{name}, {CONNECTIONS} connections, p99 while an export runs");
        let row = Row::new(path, format!("{together_ms:.1} ms"));
        rows.push(row.against(format!("{alone_ms:.1} ms without"), together_ms / alone_ms));
    }
    Ok(rows)
}

/// Repeated exports in the background, until they are ended.
struct Exports {
    is_over: Arc<AtomicBool>,
    task: JoinHandle<Result>,
}

impl Exports {
    fn start(address: SocketAddr, request: Vec<u8>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let task = tokio::spawn(async move {
            while !over.load(Ordering::Relaxed) {
                export(address, &request, |_| Ok(())).await?;
            }
            Ok(())
        });
        Self { is_over, task }
    }

    async fn end(self) -> Result {
        self.is_over.store(true, Ordering::Relaxed);
        self.task.await?
    }
}
