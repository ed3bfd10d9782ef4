//! Export of a complete form: speed, memory, and the effect on other requests.

use crate::Result;
use crate::bench::Bench;
use crate::client::get_request;
use crate::data::BenchData;
use crate::load::{Requests, median, random_requests, repeat_request, send_requests};
use crate::postgres::PostgresCluster;
use crate::process::Program;
use crate::results::FigureRow;
use crate::tools::{self, Throughput, download};
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
const SAMPLE_INTERVAL: Duration = Duration::from_millis(10);
const CONNECTIONS: usize = 8;
/// Maximum number of submissions that are loaded into PostgreSQL for a comparison.
const COPY_ROWS_MAX: u64 = 2_000_000;

/// A program that the export is compared with: its name, the goal, the reason if it is missing, and
/// its speed in each turn in MB/s.
struct Peer {
    name: &'static str,
    goal: f64,
    missing: &'static str,
    speeds: Vec<f64>,
}

impl Peer {
    fn new(name: &'static str, goal: f64, missing: &'static str) -> Self {
        Self { name, goal, missing, speeds: Vec::new() }
    }

    fn result_row(&self, ours: f64) -> FigureRow {
        let row =
            FigureRow::new(format!("export as CSV, vs. {}", self.name), format!("{ours:.0} MB/s"));
        if self.speeds.is_empty() {
            return FigureRow { against: self.missing.to_owned(), ..row };
        }
        let theirs = median(&self.speeds);
        let ratio = ours / theirs;
        let row = row.against(format!("{theirs:.0} MB/s"), ratio);
        row.goal(format!("≥ {}", self.goal), ratio >= self.goal)
    }
}

/// Measures exports.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let is_copied = bench.data.rows <= COPY_ROWS_MAX;
    let postgres = if is_copied { PostgresCluster::start()? } else { None };
    if let Some(postgres) = &postgres {
        postgres.load_rows(&bench.data).await?;
    }
    let sheaf = bench.start_server(&bench.data).await?;
    let no_postgres = if is_copied { "not installed" } else { "not measured at this size" };
    let mut shell = Peer::new("`sqlite3` shell", SHELL_RATIO, "not installed");
    let mut copy = Peer::new("psql COPY", COPY_RATIO, no_postgres);
    let mut csv = vec![];
    let mut json = vec![];
    let mut extra_mb = [0.0_f64; 2];
    for _ in 0..bench.turns.rounds {
        for (n, (format, speeds)) in
            [("csv", &mut csv), ("json", &mut json)].into_iter().enumerate()
        {
            let (flow, extra) = export_with_memory(bench, &sheaf, format).await?;
            speeds.push(flow.megabytes_a_second());
            extra_mb[n] = extra_mb[n].max(extra);
        }
        if let Some(mut command) = shell_command(&bench.data) {
            shell.speeds.push(tools::measure_output(&mut command).await?.megabytes_a_second());
        }
        if let Some(postgres) = &postgres {
            copy.speeds.push(postgres.copy_out().await?.megabytes_a_second());
        }
    }
    drop(postgres);
    let csv = median(&csv);
    let json = median(&json);
    let mut rows = vec![shell.result_row(csv), copy.result_row(csv)];
    rows.push(
        FigureRow::new("export as JSON, vs. CSV", format!("{json:.0} MB/s"))
            .against(format!("{csv:.0} MB/s"), json / csv)
            .goal("≥ 1", json >= csv),
    );
    rows.extend(["CSV", "JSON"].iter().zip(extra_mb).map(|(format, extra)| {
        let path = format!("additional memory of an export as {format}");
        let row = FigureRow::new(path, format!("{extra:.1} MB"));
        row.goal(format!("≤ {MEMORY_MAX_MB} MB"), extra <= MEMORY_MAX_MB)
    }));
    rows.extend(measure_concurrent_requests(bench, &sheaf).await?);
    sheaf.stop().await?;
    Ok(rows)
}

/// Exports once. Returns the speed, and the peak memory above the memory before, in megabytes.
async fn export_with_memory(
    bench: &Bench,
    sheaf: &Program,
    format: &str,
) -> Result<(Throughput, f64)> {
    let request = get_request(&bench.data.export_path(format), &bench.data.key);
    let address = sheaf.address;
    let before = sheaf.anonymous_bytes();
    let mut peak = before;
    let mut export = tokio::spawn(async move { download(address, &request, |_| Ok(())).await });
    let flow = loop {
        tokio::select! {
            done = &mut export => break done??,
            () = tokio::time::sleep(SAMPLE_INTERVAL) => peak = peak.max(sheaf.anonymous_bytes()),
        }
    };
    Ok((flow, peak.saturating_sub(before) as f64 / 1e6))
}

/// Returns the shell's command to export the same columns from the same JSON.
fn shell_command(data: &BenchData) -> Option<Command> {
    let mut command = Command::new(tools::find_program("sqlite3")?);
    let fields = format!(
        "SELECT key FROM fields WHERE form = (SELECT seq FROM forms WHERE id = '{}') ORDER BY place",
        data.large
    );
    let listed = std::process::Command::new(command.as_std().get_program())
        .arg(data.database_path())
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
    command.args(["-readonly", "-csv"]).arg(data.database_path()).arg(sql);
    Some(command)
}

/// Measures the latency of other requests during an export, compared with the latency without one.
async fn measure_concurrent_requests(bench: &Bench, sheaf: &Program) -> Result<Vec<FigureRow>> {
    let key = &bench.data.key;
    let ids = &bench.samples.ids;
    let gets = ids.iter().map(|id| get_request(&format!("/v1/submissions/{id}"), key)).collect();
    let kinds: [(&str, Requests); 2] = [
        ("list, newest 20", repeat_request(bench.list_request(""))),
        ("get, random ids", random_requests(gets)),
    ];
    let mut rows = Vec::new();
    for (name, requests) in kinds {
        let time = bench.turns.time;
        let mut alone = Vec::new();
        let mut together = Vec::new();
        for round in 0..bench.turns.rounds as u64 {
            let sample = send_requests(sheaf.address, CONNECTIONS, time, round, &requests).await?;
            alone.push(sample.percentile_ms(99));
            let exports = BackgroundExports::start(
                sheaf.address,
                get_request(&bench.data.export_path("csv"), key),
            );
            let sample = send_requests(sheaf.address, CONNECTIONS, time, round, &requests).await?;
            together.push(sample.percentile_ms(99));
            exports.end().await?;
        }
        let alone_ms = median(&alone);
        let together_ms = median(&together);
        let path = format!("{name}, {CONNECTIONS} connections, p99 while an export runs");
        let row = FigureRow::new(path, format!("{together_ms:.1} ms"));
        rows.push(row.against(format!("{alone_ms:.1} ms without"), together_ms / alone_ms));
    }
    Ok(rows)
}

/// Repeated exports in the background, until they are ended.
struct BackgroundExports {
    is_over: Arc<AtomicBool>,
    task: JoinHandle<Result>,
}

impl BackgroundExports {
    fn start(address: SocketAddr, request: Vec<u8>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_over);
        let task = tokio::spawn(async move {
            while !flag.load(Ordering::Relaxed) {
                download(address, &request, |_| Ok(())).await?;
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
