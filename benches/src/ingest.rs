//! Ingestion: single submissions, each acknowledged once it is on disk.
//!
//! The clients of PostgreSQL send the same submissions, each over its own connection: see `sent`.

use crate::Result;
use crate::bench::Bench;
use crate::client::Client;
use crate::data::{Data, run};
use crate::load::{Sample, load, median, send};
use crate::own;
use crate::postgres::Postgres;
use crate::results::Row;
use crate::{say, sent};
use std::sync::Arc;
use std::time::Duration;

/// Goals: ratios to PostgreSQL, and to SQLite's own rate in batches.
const POSTGRES_RATIO: f64 = 2.0;
const BATCHED_RATIO: f64 = 0.5;
/// Rows and batch size of SQLite's own rate.
const OWN_ROWS: usize = 20_000;
const OWN_BATCH: usize = 100;
/// Duration of a turn: long enough that PostgreSQL's trigram index merges its pending entries many
/// times.
pub(crate) const TIME: Duration = Duration::from_secs(10);
/// Rate limit of the form. Even the largest number would bind: a thirtieth of it is allowed within
/// a second.
const LIMIT: &str = "none";
/// Up to this size the data are copied before they are changed. Larger data serve one run.
pub(crate) const COPY_ROWS_MAX: u64 = 2_000_000;

/// Measures ingestion.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let data = written(bench).await?;
    let sheaf = bench.serve(&data).await?;
    let texts = Arc::new(bench.picks.texts.clone());
    let requests = sent::requests(&data.large, &texts);
    let mut first = Vec::new();
    requests(&mut crate::dice::Dice::new(1), &mut first);
    let (status, body) = Client::connect(sheaf.address).await?.fetch(&first).await?;
    if status != 201 {
        let said = String::from_utf8_lossy(&body);
        say(format!("skipping ingestion, because the server answers {status}: {said}"));
        return sheaf.end().await.map(|()| Vec::new());
    }
    let is_loaded = bench.data.rows <= COPY_ROWS_MAX;
    let postgres = if is_loaded { Postgres::start()? } else { None };
    if let Some(postgres) = &postgres {
        say("loading the same submissions into PostgreSQL, with a trigram index");
        postgres.load_indexed(&bench.data).await?;
    }
    let mut rows = Vec::new();
    for senders in [32, 64] {
        let mut turns = Turns::default();
        for round in 0..bench.turns.rounds as u64 {
            let before = sheaf.processor_ns();
            let ours = load(sheaf.address, senders, TIME, round, &requests).await?;
            let spent_us = sheaf.processor_ns().saturating_sub(before) / 1000;
            turns.ours.push(Turn::whole(ours, spent_us)?);
            if let Some(postgres) = &postgres {
                let storers = postgres.storers(senders, &texts).await?;
                let before = postgres.processor_us()?;
                let theirs = send(storers, TIME, round).await?;
                let spent_us = postgres.processor_us()?.saturating_sub(before);
                turns.postgres.push(Turn::whole(theirs, spent_us)?);
            }
            let scratch = bench.scratch.join("own.db");
            let file = bench.data.file();
            turns.batched.push(own::batched_rate(&file, &scratch, OWN_ROWS, OWN_BATCH)?);
        }
        rows.extend(turns.rows(senders));
    }
    drop(postgres);
    sheaf.end().await?;
    Ok(rows)
}

/// Returns data that can be changed, with the limits of the large form removed.
pub(crate) async fn written(bench: &Bench) -> Result<Data> {
    let data = if bench.data.rows <= COPY_ROWS_MAX {
        bench.data.copy(&bench.scratch).await?
    } else {
        say("the data are changed: remove them before the next run");
        bench.data.clone()
    };
    let limit = ["--address-limit", LIMIT, "--form-limit", LIMIT];
    let words = [&["form", "intake", &data.large][..], &limit].concat();
    run(&bench.sheaf, &data.folder, &words).await?;
    Ok(data)
}

/// One turn of one side.
struct Turn {
    sample: Sample,
    /// Processor time of the server per submission, in microseconds.
    processor_us: f64,
}

impl Turn {
    /// Creates a turn. Fails if a submission was rejected.
    fn whole(sample: Sample, spent_us: u64) -> Result<Self> {
        if sample.refused > 0 {
            return Err(format!("{} submissions were rejected", sample.refused).into());
        }
        let processor_us = spent_us as f64 / sample.latencies_ns.len().max(1) as f64;
        Ok(Self { sample, processor_us })
    }
}

/// Turns with a number of senders.
#[derive(Default)]
struct Turns {
    ours: Vec<Turn>,
    postgres: Vec<Turn>,
    /// SQLite's own rate, in rows per second.
    batched: Vec<f64>,
}

impl Turns {
    fn rows(self, senders: usize) -> Vec<Row> {
        let ours = shown(&self.ours);
        let ratio = |theirs: &[f64]| {
            let turns = self.ours.iter().zip(theirs);
            median(&turns.map(|(ours, theirs)| ours.sample.rate() / theirs).collect::<Vec<_>>())
        };
        let row = |peer: &str, shown: String, ratio: f64, goal: f64| {
            Row::new(format!("ingestion, {senders} senders, vs. {peer}"), &ours)
                .against(shown, ratio)
                .goal(format!("≥ {goal}"), ratio >= goal)
        };
        let mut rows = Vec::new();
        if !self.postgres.is_empty() {
            let rates: Vec<f64> = self.postgres.iter().map(|turn| turn.sample.rate()).collect();
            let peer = "PostgreSQL 15 with a trigram index";
            rows.push(row(peer, shown(&self.postgres), ratio(&rates), POSTGRES_RATIO));
        }
        let batched = format!("{:.0}/s", median(&self.batched));
        let peer = "SQLite alone, batches of 100";
        rows.push(row(peer, batched, ratio(&self.batched), BATCHED_RATIO));
        rows
    }
}

/// Formats the median rate and processor time, and the latencies of all turns.
fn shown(turns: &[Turn]) -> String {
    let of = |figure: fn(&Turn) -> f64| median(&turns.iter().map(figure).collect::<Vec<_>>());
    let (rate, processor_us) = (of(|turn| turn.sample.rate()), of(|turn| turn.processor_us));
    let mut all = Sample::default();
    for turn in turns {
        all.add(&turn.sample);
    }
    let (p50, p99) = (all.percentile_ms(50), all.percentile_ms(99));
    format!("{rate:.0}/s, {p50:.1}/{p99:.1} ms, {processor_us:.0} µs CPU")
}
