//! Compares PostgreSQL with SQLite: the same submissions in both, each behind a server, with the
//! same requests in turns. The ratios show the cost of a database on the network, and have no goal.

use crate::bench::Bench;
use crate::client::{fetch_ok, get_request};
use crate::data::{BenchData, EMAIL, PLAN_LIMITS, find_word, run_sheaf};
use crate::ingest::{self, COPY_ROWS_MAX};
use crate::list_filter::{FilterKind, ListFilter};
use crate::load::{Requests, Sample, median, percentile, random_requests, send_requests};
use crate::postgres::PostgresCluster;
use crate::process::{Program, free_address};
use crate::random::Random;
use crate::results::FigureRow;
use crate::tools::download;
use crate::{Result, fields, filters, print_line, samples, search, sorts, submissions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;

/// Name of the section.
pub(crate) const NAME: &str = "postgreSQL beside SQLite";
/// Number of API keys. The instances that share a database count the requests of each key in one
/// row, one after the other. An account cannot have more keys besides the one of the data.
const KEYS: usize = 9;
/// Queries of each filter and order.
const QUERIES: usize = 12;
/// Goal for the median of a filtered or sorted list over PostgreSQL, in milliseconds.
const QUERY_MS: f64 = 250.0;
/// Environment variable with the database URL of a server.
const URL_VARIABLE: &str = "SHEAF_DATABASE_URL";

/// Both servers, and their databases.
struct ServerPair<'b> {
    bench: &'b Bench,
    file: Program,
    postgres: Program,
    cluster: PostgresCluster,
    /// Data of the SQLite file, which both servers have.
    data: BenchData,
    keys: Vec<String>,
}

/// Measures the comparison.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    if bench.data.rows > COPY_ROWS_MAX {
        print_line(format!(
            "PostgreSQL is compared with SQLite only up to {COPY_ROWS_MAX} submissions"
        ));
        return Ok(Vec::new());
    }
    let Some(cluster) = PostgresCluster::start()? else { return Ok(Vec::new()) };
    let data = ingest::prepare_data(bench).await?;
    let keys = make_keys(&bench.sheaf, &data).await?;
    let url = cluster.create_database()?;
    // The first server creates the key that seals cursors. It is copied, so both servers use the
    // same.
    bench.start_server(&data).await?.stop().await?;
    print_line("copying the submissions into PostgreSQL");
    copy_data(&bench.sheaf, &data, &url).await?;
    cluster.run_sql_in(&url, "VACUUM ANALYZE").await?;
    let postgres = start_postgres_server(&bench.sheaf, &url).await?;
    let file = bench.start_server(&data).await?;
    let pair = ServerPair { bench, file, postgres, cluster, data, keys };
    let mut rows = pair.measure_lists().await?;
    rows.extend(pair.measure_searches().await?);
    rows.extend(pair.measure_filters_and_sorts().await?);
    rows.push(pair.measure_exports().await?);
    rows.extend(pair.measure_insertions().await?);
    pair.postgres.stop().await?;
    pair.file.stop().await?;
    Ok(rows)
}

async fn make_keys(sheaf: &Path, data: &BenchData) -> Result<Vec<String>> {
    let arguments = ["key", "create", "--account", EMAIL, "--name", "program", "--mode", "live"];
    let mut keys = Vec::with_capacity(KEYS);
    for _ in 0..KEYS {
        keys.push(find_word(&run_sheaf(sheaf, &data.folder, &arguments).await?, "svc_sk_live_")?);
    }
    Ok(keys)
}

async fn copy_data(sheaf: &Path, data: &BenchData, url: &str) -> Result {
    let archive = data.folder.with_extension("archive");
    let _ = std::fs::remove_file(&archive);
    let mut dump = Command::new(sheaf);
    let mut restore = Command::new(sheaf);
    dump.arg("dump").arg("--data").arg(&data.folder).arg(&archive);
    restore.arg("restore").arg(&archive).env(URL_VARIABLE, url);
    for command in [&mut dump, &mut restore] {
        let output = command.output().await?;
        if !output.status.success() {
            let output_text = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`sheaf dump` or `sheaf restore`: {output_text}").into());
        }
    }
    std::fs::remove_file(&archive)?;
    Ok(())
}

async fn start_postgres_server(sheaf: &Path, url: &str) -> Result<Program> {
    let address = free_address()?;
    let mut command = Command::new(sheaf);
    command.args(["serve", "--listen", &address.to_string(), "--plan-limits", PLAN_LIMITS]);
    Program::start_and_wait(command.env(URL_VARIABLE, url), address).await
}

/// Results of one side over all turns.
#[derive(Default)]
struct SideResults {
    all: Sample,
    rates: Vec<f64>,
    /// Processor time per response, in microseconds.
    processor_us: Vec<f64>,
}

impl SideResults {
    fn add(&mut self, sample: &Sample, spent_us: u64) -> Result {
        if sample.refused > 0 {
            return Err(format!("{} responses have no 2xx status", sample.refused).into());
        }
        self.rates.push(sample.rate());
        self.processor_us.push(spent_us as f64 / sample.latencies_ns.len().max(1) as f64);
        self.all.add(sample);
        Ok(())
    }

    fn summary(&self) -> String {
        let rate = median(&self.rates);
        let us = median(&self.processor_us);
        let p50 = self.all.percentile_ms(50);
        let p99 = self.all.percentile_ms(99);
        format!("{rate:.0}/s, {p50:.2}/{p99:.1} ms, {us:.0} µs CPU")
    }
}

impl ServerPair<'_> {
    async fn measure_lists(&self) -> Result<Vec<FigureRow>> {
        let Bench { samples, data, .. } = self.bench;
        let cursors = samples::read_all_pages(self.file.address, &self.data).await?;
        let newest = data.list_path("");
        let theirs = fetch_ok(self.file.address, &newest, &data.key).await?;
        if fetch_ok(self.postgres.address, &newest, &data.key).await? != theirs {
            return Err("the two servers return different newest pages".into());
        }
        let by_cursor = cursors.iter().map(|cursor| data.list_path(&format!("cursor={cursor}")));
        let by_id = samples.ids.iter().map(|id| format!("/v1/submissions/{id}"));
        let kinds = [
            ("list, newest 20", vec![newest; KEYS]),
            ("list, a page at random depth", by_cursor.collect()),
            ("list by date range", filters::random_list_paths(self.bench, FilterKind::Dates)),
            ("list by UTM value", filters::random_list_paths(self.bench, FilterKind::OneUtm)),
            ("get, random ids", by_id.collect()),
        ];
        let mut rows = Vec::new();
        for (name, paths) in kinds {
            let requested = paths.iter().zip(self.keys.iter().cycle());
            let requests =
                random_requests(requested.map(|(path, key)| get_request(path, key)).collect());
            for connections in [1, 8] {
                let name = format!("{name}, {connections} connections");
                rows.push(
                    self.measure_turns(name, connections, self.bench.turns.time, &requests).await?,
                );
            }
        }
        Ok(rows)
    }

    /// Sends the same requests to both servers in turns.
    async fn measure_turns(
        &self,
        name: String,
        connections: usize,
        time: Duration,
        requests: &Requests,
    ) -> Result<FigureRow> {
        let [mut file, mut postgres] = <[SideResults; 2]>::default();
        for round in 0..self.bench.turns.rounds as u64 {
            let before = self.file.processor_ns();
            let sample =
                send_requests(self.file.address, connections, time, round, requests).await?;
            file.add(&sample, self.file.processor_ns().saturating_sub(before) / 1000)?;
            let before = self.postgres_us()?;
            let sample =
                send_requests(self.postgres.address, connections, time, round, requests).await?;
            postgres.add(&sample, self.postgres_us()?.saturating_sub(before))?;
        }
        // The median: a turn is an outlier if a side first loads its in-memory data.
        let ratio = median(&postgres.rates) / median(&file.rates);
        Ok(FigureRow::new(name, postgres.summary())
            .against(format!("SQLite {}", file.summary()), ratio))
    }

    /// Returns the processor time of the server and the complete cluster, in microseconds.
    fn postgres_us(&self) -> Result<u64> {
        Ok(self.postgres.processor_ns() / 1000 + self.cluster.processor_us()?)
    }

    async fn measure_searches(&self) -> Result<Vec<FigureRow>> {
        let samples = &self.bench.samples;
        let kinds = [
            ("value of one submission", search::rare_terms(samples)),
            ("no match", search::missing_terms()),
            ("term in 17 to 90 % of the submissions, first time", search::common_terms(samples)),
        ];
        let mut rows = Vec::new();
        for (name, terms) in kinds {
            let (theirs, _) = search::measure_terms(self.bench, &self.file, &terms, 1).await?;
            let (ours, found) =
                search::measure_terms(self.bench, &self.postgres, &terms, 1).await?;
            let ms = |times_ns: &[u64], percent| percentile(times_ns, percent) / 1e6;
            let shown = |all: &[u64]| format!("{:.2}/{:.1} ms", ms(all, 50), ms(all, 99));
            let name = format!("search, {name}, 1 connections");
            let figure = shown(&ours);
            let row = FigureRow::new(name, format!("{figure}, {found:.0} found"));
            let ratio = ms(&theirs, 50) / ms(&ours, 50);
            rows.push(row.against(format!("SQLite {}", shown(&theirs)), ratio));
        }
        Ok(rows)
    }

    /// Measures lists that PostgreSQL finds by labels or answers, or sorts.
    async fn measure_filters_and_sorts(&self) -> Result<Vec<FigureRow>> {
        let form = fields::find_form(self.bench, &self.file).await?;
        let mut kinds = Vec::new();
        for (name, kind) in
            [("list by label", FilterKind::OneLabel), ("list by two labels", FilterKind::TwoLabels)]
        {
            let mut rng = Random::new(11);
            let mut query = || ListFilter::random(kind, &self.bench.samples, &mut rng).query();
            kinds.push((name.to_owned(), (0..QUERIES).map(|_| query()).collect::<Vec<_>>()));
        }
        for (name, queries) in fields::kinds(&form)? {
            let every = queries.len().div_ceil(QUERIES);
            let queries = queries.into_iter().step_by(every).collect();
            kinds.push((format!("list by a {name}"), queries));
        }
        for (name, query) in sorts::queries(self.bench, &self.file).await? {
            kinds.push((format!("list, {name}"), vec![query; QUERIES]));
        }
        let mut rows = Vec::new();
        for (name, queries) in kinds {
            let theirs = fields::measure_queries(self.bench, &self.file, &queries).await?;
            let ours = fields::measure_queries(self.bench, &self.postgres, &queries).await?;
            let shown = |(p50_ms, p99_ms): (f64, f64)| format!("{p50_ms:.2}/{p99_ms:.1} ms");
            let row = FigureRow::new(format!("{name}, 1 connections"), shown(ours));
            let row = row.against(format!("SQLite {}", shown(theirs)), theirs.0 / ours.0);
            rows.push(row.goal(format!("p50 ≤ {QUERY_MS} ms"), ours.0 <= QUERY_MS));
        }
        Ok(rows)
    }

    async fn measure_exports(&self) -> Result<FigureRow> {
        let request = get_request(&self.data.export_path("csv"), &self.data.key);
        let [mut file, mut postgres] = <[Vec<f64>; 2]>::default();
        for _ in 0..self.bench.turns.rounds {
            let theirs = download(self.file.address, &request, |_| Ok(())).await?;
            let ours = download(self.postgres.address, &request, |_| Ok(())).await?;
            if ours.bytes != theirs.bytes {
                let ours = ours.bytes;
                let theirs = theirs.bytes;
                return Err(format!(
                    "the export has {theirs} bytes over SQLite, but {ours} over PostgreSQL"
                )
                .into());
            }
            file.push(theirs.megabytes_a_second());
            postgres.push(ours.megabytes_a_second());
        }
        let file = median(&file);
        let postgres = median(&postgres);
        let row = FigureRow::new("export as CSV", format!("{postgres:.0} MB/s"));
        Ok(row.against(format!("SQLite {file:.0} MB/s"), postgres / file))
    }

    /// Measures insertions that are acknowledged once they are on disk.
    async fn measure_insertions(&self) -> Result<Vec<FigureRow>> {
        let requests = submissions::submission_requests(
            &self.data.large,
            &Arc::new(self.bench.samples.texts.clone()),
        );
        let mut rows = Vec::new();
        for senders in [32, 64] {
            let name = format!("ingestion, {senders} senders");
            rows.push(self.measure_turns(name, senders, ingest::TIME, &requests).await?);
        }
        Ok(rows)
    }
}
