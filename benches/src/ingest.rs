//! Ingestion: single submissions, each acknowledged once it is on disk.
//!
//! The clients of PostgreSQL send the same submissions, each over its own connection: see
//! `submissions`.

use crate::Result;
use crate::bench::Bench;
use crate::client::Client;
use crate::data::{BenchData, run_sheaf};
use crate::load::{Sample, median, run_senders, send_requests};
use crate::postgres::PostgresCluster;
use crate::results::FigureRow;
use crate::sqlite_file;
use crate::{print_line, submissions};
use std::sync::Arc;
use std::time::Duration;

/// Goals: ratios to PostgreSQL, and to SQLite's own rate in batches.
const POSTGRES_RATIO: f64 = 2.0;
const BATCHED_RATIO: f64 = 0.5;
/// Rows and batch size of SQLite's own rate.
const OWN_ROWS: usize = 20_000;
const OWN_BATCH: usize = 100;
/// Duration of a turn. PostgreSQL's trigram index merges its pending entries many times in it, and
/// all turns together stay below the byte limit of a form.
pub(crate) const TIME: Duration = Duration::from_secs(3);
/// Rate limit of the form. Even the largest number would bind: a thirtieth of it is allowed within
/// a second.
pub(crate) const LIMIT: &str = "none";
/// Up to this size the data are copied before they are changed. Larger data serve one run.
pub(crate) const COPY_ROWS_MAX: u64 = 2_000_000;

/// Measures ingestion.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let data = prepare_data(bench).await?;
    let sheaf = bench.start_server(&data).await?;
    let texts = Arc::new(bench.samples.texts.clone());
    let requests = submissions::submission_requests(&data.large, &texts);
    let mut first = Vec::new();
    requests(&mut crate::random::Random::new(1), &mut first);
    let (status, body) = Client::connect(sheaf.address).await?.fetch(&first).await?;
    if status != 201 {
        let body_text = String::from_utf8_lossy(&body);
        print_line(format!("skipping ingestion, because the server answers {status}: {body_text}"));
        return sheaf.stop().await.map(|()| Vec::new());
    }
    let is_loaded = bench.data.rows <= COPY_ROWS_MAX;
    let postgres = if is_loaded { PostgresCluster::start()? } else { None };
    if let Some(postgres) = &postgres {
        print_line("loading the same submissions into PostgreSQL, with a trigram index");
        postgres.load_indexed(&bench.data).await?;
    }
    let mut rows = Vec::new();
    for senders in [32, 64] {
        let mut turns = TurnResults::default();
        for round in 0..bench.turns.rounds as u64 {
            let before = sheaf.processor_ns();
            let ours = send_requests(sheaf.address, senders, TIME, round, &requests).await?;
            let spent_us = sheaf.processor_ns().saturating_sub(before) / 1000;
            turns.ours.push(TurnResult::accepted(ours, spent_us)?);
            if let Some(postgres) = &postgres {
                let storers = postgres.connect_storers(senders, &texts).await?;
                let before = postgres.processor_us()?;
                let theirs = run_senders(storers, TIME, round).await?;
                let spent_us = postgres.processor_us()?.saturating_sub(before);
                turns.postgres.push(TurnResult::accepted(theirs, spent_us)?);
            }
            let scratch = bench.scratch.join("own.db");
            let file = bench.data.database_path();
            turns.batched.push(sqlite_file::batched_rate(&file, &scratch, OWN_ROWS, OWN_BATCH)?);
        }
        rows.extend(turns.result_rows(senders));
    }
    drop(postgres);
    sheaf.stop().await?;
    Ok(rows)
}

/// Returns data that can be changed, with the limits of the large form removed.
pub(crate) async fn prepare_data(bench: &Bench) -> Result<BenchData> {
    let data = if bench.data.rows <= COPY_ROWS_MAX {
        bench.data.copy(&bench.scratch).await?
    } else {
        print_line("the data are changed: remove them before the next run");
        bench.data.clone()
    };
    let limit = ["--address-limit", LIMIT, "--form-limit", LIMIT];
    let arguments = [&["form", "intake", &data.large][..], &limit].concat();
    run_sheaf(&bench.sheaf, &data.folder, &arguments).await?;
    Ok(data)
}

/// One turn of one side.
struct TurnResult {
    sample: Sample,
    /// Processor time of the server per submission, in microseconds.
    processor_us: f64,
}

impl TurnResult {
    /// Creates a turn. Fails if a submission was rejected.
    fn accepted(sample: Sample, spent_us: u64) -> Result<Self> {
        if sample.refused > 0 {
            return Err(format!("{} submissions were rejected", sample.refused).into());
        }
        let processor_us = spent_us as f64 / sample.latencies_ns.len().max(1) as f64;
        Ok(Self { sample, processor_us })
    }
}

/// Turns with a number of senders.
#[derive(Default)]
struct TurnResults {
    ours: Vec<TurnResult>,
    postgres: Vec<TurnResult>,
    /// SQLite's own rate, in rows per second.
    batched: Vec<f64>,
}

impl TurnResults {
    fn result_rows(self, senders: usize) -> Vec<FigureRow> {
        let ours = summary(&self.ours);
        let ratio = |theirs: &[f64]| {
            let turns = self.ours.iter().zip(theirs);
            median(&turns.map(|(ours, theirs)| ours.sample.rate() / theirs).collect::<Vec<_>>())
        };
        let row = |peer: &str, shown: String, ratio: f64, goal: f64| {
            FigureRow::new(format!("ingestion, {senders} senders, vs. {peer}"), &ours)
                .against(shown, ratio)
                .goal(format!("≥ {goal}"), ratio >= goal)
        };
        let mut rows = Vec::new();
        if !self.postgres.is_empty() {
            let rates: Vec<f64> = self.postgres.iter().map(|turn| turn.sample.rate()).collect();
            let peer = "PostgreSQL 15 with a trigram index";
            rows.push(row(peer, summary(&self.postgres), ratio(&rates), POSTGRES_RATIO));
        }
        let batched = format!("{:.0}/s", median(&self.batched));
        let peer = "SQLite alone, batches of 100";
        rows.push(row(peer, batched, ratio(&self.batched), BATCHED_RATIO));
        rows
    }
}

/// Formats the median rate and processor time, and the latencies of all turns.
fn summary(turns: &[TurnResult]) -> String {
    let median_of =
        |figure: fn(&TurnResult) -> f64| median(&turns.iter().map(figure).collect::<Vec<_>>());
    let rate = median_of(|turn| turn.sample.rate());
    let processor_us = median_of(|turn| turn.processor_us);
    let mut total = Sample::default();
    for turn in turns {
        total.add(&turn.sample);
    }
    let p50 = total.percentile_ms(50);
    let p99 = total.percentile_ms(99);
    format!("{rate:.0}/s, {p50:.1}/{p99:.1} ms, {processor_us:.0} µs CPU")
}
