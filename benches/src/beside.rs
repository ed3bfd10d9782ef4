//! Compares PostgreSQL with SQLite: the same submissions in both, each behind a server, with the
//! same requests in turns. There is no goal: the ratios show the cost of a database on the network.

use crate::bench::Bench;
use crate::client::{fetch_ok, get};
use crate::data::{Data, EMAIL, PLAN_LIMITS, run, word};
use crate::ingest::{self, COPY_ROWS_MAX};
use crate::load::{Requests, Sample, drawn, load, median, percentile};
use crate::narrowed::Kind;
use crate::postgres::Postgres;
use crate::process::{Program, free_address};
use crate::results::Row;
use crate::tools::export;
use crate::{Result, filters, picks, say, search, sent};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

/// Name of the section.
pub(crate) const NAME: &str = "postgreSQL beside SQLite";
/// Number of API keys. The instances that share a database count the requests of each key in one
/// row, one after the other. An account cannot have more keys besides the one of the data.
const KEYS: usize = 9;
/// Environment variable with the database URL of a server.
const URL_VARIABLE: &str = "SHEAF_DATABASE_URL";

/// Both servers, and their databases.
struct Pair<'b> {
    bench: &'b Bench,
    file: Program,
    postgres: Program,
    cluster: Postgres,
    /// Data of the SQLite file, which both servers have.
    data: Data,
    keys: Vec<String>,
}

/// Measures the comparison.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    if bench.data.rows > COPY_ROWS_MAX {
        say(format!("PostgreSQL is compared with SQLite only up to {COPY_ROWS_MAX} submissions"));
        return Ok(Vec::new());
    }
    let Some(cluster) = Postgres::start()? else { return Ok(Vec::new()) };
    let data = ingest::written(bench).await?;
    let keys = make_keys(&bench.sheaf, &data).await?;
    let url = cluster.database()?;
    // The first server creates the key that seals cursors. It is copied, so both servers use the
    // same.
    bench.serve(&data).await?.end().await?;
    say("copying the submissions into PostgreSQL");
    copy(&bench.sheaf, &data, &url).await?;
    cluster.sql_in(&url, "VACUUM ANALYZE").await?;
    let postgres = serve(&bench.sheaf, &url).await?;
    let file = bench.serve(&data).await?;
    let pair = Pair { bench, file, postgres, cluster, data, keys };
    let mut rows = pair.lists().await?;
    rows.extend(pair.searches().await?);
    rows.push(pair.exports().await?);
    rows.extend(pair.arrivals().await?);
    pair.postgres.end().await?;
    pair.file.end().await?;
    Ok(rows)
}

async fn make_keys(sheaf: &Path, data: &Data) -> Result<Vec<String>> {
    let words = ["key", "create", "--account", EMAIL, "--name", "program", "--mode", "live"];
    let mut keys = Vec::with_capacity(KEYS);
    for _ in 0..KEYS {
        keys.push(word(&run(sheaf, &data.folder, &words).await?, "svc_sk_live_")?);
    }
    Ok(keys)
}

async fn copy(sheaf: &Path, data: &Data, url: &str) -> Result {
    let archive = data.folder.with_extension("archive");
    let _ = std::fs::remove_file(&archive);
    let (mut dump, mut restore) = (Command::new(sheaf), Command::new(sheaf));
    dump.arg("dump").arg("--data").arg(&data.folder).arg(&archive);
    restore.arg("restore").arg(&archive).env(URL_VARIABLE, url);
    for command in [&mut dump, &mut restore] {
        let output = command.output().await?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`sheaf dump` or `sheaf restore`: {said}").into());
        }
    }
    std::fs::remove_file(&archive)?;
    Ok(())
}

async fn serve(sheaf: &Path, url: &str) -> Result<Program> {
    let address = free_address()?;
    let mut command = Command::new(sheaf);
    command.args(["serve", "--listen", &address.to_string(), "--plan-limits", PLAN_LIMITS]);
    Program::start_and_wait(command.env(URL_VARIABLE, url), address).await
}

/// Results of one side over all turns.
#[derive(Default)]
struct Side {
    all: Sample,
    rates: Vec<f64>,
    /// Processor time per response, in microseconds.
    processor_us: Vec<f64>,
}

impl Side {
    fn add(&mut self, sample: &Sample, spent_us: u64) -> Result {
        if sample.refused > 0 {
            return Err(format!("{} responses have no 2xx status", sample.refused).into());
        }
        self.rates.push(sample.rate());
        self.processor_us.push(spent_us as f64 / sample.latencies_ns.len().max(1) as f64);
        self.all.add(sample);
        Ok(())
    }

    fn shown(&self) -> String {
        let (rate, us) = (median(&self.rates), median(&self.processor_us));
        let (p50, p99) = (self.all.percentile_ms(50), self.all.percentile_ms(99));
        format!("{rate:.0}/s, {p50:.2}/{p99:.1} ms, {us:.0} µs CPU")
    }
}

impl Pair<'_> {
    async fn lists(&self) -> Result<Vec<Row>> {
        let Bench { picks, data, .. } = self.bench;
        let cursors = picks::walk(self.file.address, &self.data).await?;
        let newest = data.list("");
        let theirs = fetch_ok(self.file.address, &newest, &data.key).await?;
        if fetch_ok(self.postgres.address, &newest, &data.key).await? != theirs {
            return Err("the two servers return different newest pages".into());
        }
        let by_cursor = cursors.iter().map(|cursor| data.list(&format!("cursor={cursor}")));
        let by_id = picks.ids.iter().map(|id| format!("/v1/submissions/{id}"));
        let kinds = [
            ("list, newest 20", vec![newest; KEYS]),
            ("list, a page at random depth", by_cursor.collect()),
            ("list by date range", filters::lists(self.bench, Kind::Dates)),
            ("list by UTM value", filters::lists(self.bench, Kind::OneUtm)),
            ("get, random ids", by_id.collect()),
        ];
        let mut rows = Vec::new();
        for (name, paths) in kinds {
            let asked = paths.iter().zip(self.keys.iter().cycle());
            let requests = drawn(asked.map(|(path, key)| get(path, key)).collect());
            for connections in [1, 8] {
                let name = format!("{name}, {connections} connections");
                rows.push(self.turns(name, connections, self.bench.turns.time, &requests).await?);
            }
        }
        Ok(rows)
    }

    /// Sends the same requests to both servers in turns.
    async fn turns(
        &self,
        name: String,
        connections: usize,
        time: Duration,
        requests: &Requests,
    ) -> Result<Row> {
        let [mut file, mut postgres] = <[Side; 2]>::default();
        for round in 0..self.bench.turns.rounds as u64 {
            let before = self.file.processor_ns();
            let sample = load(self.file.address, connections, time, round, requests).await?;
            file.add(&sample, self.file.processor_ns().saturating_sub(before) / 1000)?;
            let before = self.postgres_us()?;
            let sample = load(self.postgres.address, connections, time, round, requests).await?;
            postgres.add(&sample, self.postgres_us()?.saturating_sub(before))?;
        }
        // The median: a turn is an outlier if a side first loads its in-memory data.
        let ratio = median(&postgres.rates) / median(&file.rates);
        Ok(Row::new(name, postgres.shown()).against(format!("SQLite {}", file.shown()), ratio))
    }

    /// Returns the processor time of the server and the complete cluster, in microseconds.
    fn postgres_us(&self) -> Result<u64> {
        Ok(self.postgres.processor_ns() / 1000 + self.cluster.processor_us()?)
    }

    async fn searches(&self) -> Result<Vec<Row>> {
        let picks = &self.bench.picks;
        let kinds = [
            ("value of one submission", search::rare(picks)),
            ("no match", search::none()),
            ("term in 17 to 90 % of the submissions, first time", search::common(picks)),
        ];
        let mut rows = Vec::new();
        for (name, terms) in kinds {
            let (theirs, _) = search::ask(self.bench, &self.file, &terms, 1).await?;
            let (ours, found) = search::ask(self.bench, &self.postgres, &terms, 1).await?;
            let ms = |times_ns: &[u64], percent| percentile(times_ns, percent) / 1e6;
            let shown = |all: &[u64]| format!("{:.2}/{:.1} ms", ms(all, 50), ms(all, 99));
            let (name, figure) = (format!("search, {name}, 1 connections"), shown(&ours));
            let row = Row::new(name, format!("{figure}, {found:.0} found"));
            let ratio = ms(&theirs, 50) / ms(&ours, 50);
            rows.push(row.against(format!("SQLite {}", shown(&theirs)), ratio));
        }
        Ok(rows)
    }

    async fn exports(&self) -> Result<Row> {
        let request = get(&self.data.export("csv"), &self.data.key);
        let [mut file, mut postgres] = <[Vec<f64>; 2]>::default();
        for _ in 0..self.bench.turns.rounds {
            let theirs = export(self.file.address, &request, |_| Ok(())).await?;
            let ours = export(self.postgres.address, &request, |_| Ok(())).await?;
            if ours.bytes != theirs.bytes {
                let (ours, theirs) = (ours.bytes, theirs.bytes);
                return Err(format!(
                    "the export has {theirs} bytes over SQLite, but {ours} over PostgreSQL"
                )
                .into());
            }
            file.push(theirs.megabytes_a_second());
            postgres.push(ours.megabytes_a_second());
        }
        let (file, postgres) = (median(&file), median(&postgres));
        let row = Row::new("export as CSV", format!("{postgres:.0} MB/s"));
        Ok(row.against(format!("SQLite {file:.0} MB/s"), postgres / file))
    }

    /// Measures insertions that are acknowledged once they are on disk.
    async fn arrivals(&self) -> Result<Vec<Row>> {
        let requests = sent::requests(&self.data.large, &Arc::new(self.bench.picks.texts.clone()));
        let mut rows = Vec::new();
        for senders in [32, 64] {
            let name = format!("ingestion, {senders} senders");
            rows.push(self.turns(name, senders, ingest::TIME, &requests).await?);
        }
        Ok(rows)
    }
}
