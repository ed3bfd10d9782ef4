//! Ingestion: single submissions, each acknowledged when it is on disk.

use crate::Result;
use crate::client::{Client, post_json};
use crate::data::run;
use crate::load::{Requests, load, median};
use crate::own;
use crate::postgres::Postgres;
use crate::results::Row;
use crate::say;
use crate::service::Bench;
use std::sync::Arc;

/// To reach: by PostgreSQL, and of SQLite's own rate by batches.
const POSTGRES_RATIO: f64 = 2.0;
const BATCHED_RATIO: f64 = 0.5;
/// Rows and batch of SQLite's own rate.
const OWN_ROWS: usize = 20_000;
const OWN_BATCH: usize = 100;
const SECONDS: u64 = 4;
/// The largest limit that can be set would bind: it lets a thirtieth of itself in within a second.
const LIMIT: &str = "none";
/// Up to this size the data are copied first; larger ones are for one run.
const COPY_ROWS_MAX: u64 = 2_000_000;

/// Measures it.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let data = if bench.data.rows <= COPY_ROWS_MAX {
        bench.data.copy(&bench.scratch).await?
    } else {
        say("the data are written to: remove them before the next run");
        bench.data.clone()
    };
    let limit = ["--address-limit", LIMIT, "--form-limit", LIMIT];
    run(&bench.sheaf, &data.folder, &[&["form", "intake", &data.large][..], &limit].concat())
        .await?;
    let sheaf = bench.serve(&data).await?;
    let requests = requests(bench);
    let mut first = Vec::new();
    requests(&mut crate::dice::Dice::new(1), &mut first);
    let (status, body) = Client::connect(sheaf.address).await?.fetch(&first).await?;
    if status != 201 {
        let said = String::from_utf8_lossy(&body);
        say(format!("ingestion is left out, since the server answers {status}: {said}"));
        return sheaf.end().await.map(|()| Vec::new());
    }
    let is_loaded = bench.data.rows <= COPY_ROWS_MAX;
    let postgres = if is_loaded { Postgres::start(&bench.scratch).await? } else { None };
    if let Some(postgres) = &postgres {
        say("loading the same submissions into PostgreSQL, with a trigram index");
        postgres.load_indexed(&bench.data).await?;
    }
    let mut rows = Vec::new();
    for senders in [32, 64] {
        let (mut ours, mut theirs, mut batched) = (Vec::new(), Vec::new(), Vec::new());
        let (mut p50, mut p99) = (0.0, 0.0);
        for round in 0..bench.turns.rounds as u64 {
            let time = std::time::Duration::from_secs(SECONDS);
            let sample = load(sheaf.address, senders, time, round, &requests).await?;
            if sample.refused > 0 {
                return Err(format!("{} submissions were refused", sample.refused).into());
            }
            ours.push(sample.rate());
            (p50, p99) = (sample.percentile_ms(50), sample.percentile_ms(99));
            if let Some(postgres) = &postgres {
                theirs.push(postgres.insert_rate(senders, SECONDS).await?);
            }
            let scratch = bench.scratch.join("own.db");
            let file = bench.data.file();
            batched.push(own::batched_rate(&file, &scratch, OWN_ROWS, OWN_BATCH)?);
        }
        let rate = median(&ours);
        let shown = format!("{rate:.0}/s, {p50:.1}/{p99:.1} ms");
        let peers = [
            ("PostgreSQL 15 with a trigram index", theirs, POSTGRES_RATIO),
            ("SQLite by itself, 100 at a time", batched, BATCHED_RATIO),
        ];
        for (peer, rates, goal) in peers.into_iter().filter(|(_, rates, _)| !rates.is_empty()) {
            let peers_rate = median(&rates);
            let ratio = rate / peers_rate;
            rows.push(
                Row::new(format!("ingestion, {senders} senders, by {peer}"), &shown)
                    .against(format!("{peers_rate:.0}/s"), ratio)
                    .goal(format!("≥ {goal}"), ratio >= goal),
            );
        }
    }
    drop(postgres);
    sheaf.end().await?;
    Ok(rows)
}

/// Submissions that differ, with texts as the samples have them.
fn requests(bench: &Bench) -> Requests {
    let path = format!("/f/{}", bench.data.large);
    let texts = bench.picks.texts.clone();
    Arc::new(move |dice, out| {
        let lines: Vec<&str> = dice.one_of(&texts).lines().collect();
        let longest = lines.iter().max_by_key(|line| line.len()).copied().unwrap_or_default();
        let body = serde_json::json!({
            "Name": format!("Sender {}", dice.next()),
            "Email": format!("sender{}@example.com", dice.below(1_000_000)),
            "What would you like to tell us?": longest,
            "Company": lines.first(),
        });
        out.extend_from_slice(&post_json(&path, &body.to_string()));
    })
}
