//! Intake into a form with a webhook and a long queue, and into a form without a webhook.
//!
//! The receiver accepts connections and never answers, so the queue stays as long as it is.

use crate::Result;
use crate::bench::{Bench, start_server};
use crate::data::{BenchData, find_word, run_sheaf};
use crate::ingest::{LIMIT, TIME};
use crate::load::{Sample, median, send_requests};
use crate::results::FigureRow;
use crate::submissions;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Goal: rate with a webhook and a queue, divided by the rate without.
const RATIO: f64 = 0.9;
/// Pending deliveries before the run.
const QUEUED_ROWS: usize = 1_000_000;
const SENDERS: usize = 32;
/// Options that allow a receiver on this machine.
const OPTIONS: [&str; 3] = ["--webhook-allow-http", "--webhook-allow-network", "127.0.0.0/8"];

/// Measures intake with and without a queue of deliveries.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let receiver = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", receiver.local_addr()?);
    let silent = tokio::spawn(hold_connections(receiver));
    let plain = copy(bench, "plain").await?;
    let queued = copy(bench, "queued").await?;
    let create = ["webhook", "create", "--form", &queued.large, "--url", &url];
    let created =
        run_sheaf(&bench.sheaf, &queued.folder, &[&create[..], &OPTIONS].concat()).await?;
    fill_queue(queued.database_path(), &queued.large, &find_word(&created, "whk_")?)?;
    let without = start_server(&bench.sheaf, &plain, &OPTIONS).await?;
    let with = start_server(&bench.sheaf, &queued, &OPTIONS).await?;
    let texts = Arc::new(bench.samples.texts.clone());
    let requests = submissions::submission_requests(&bench.data.large, &texts);
    let mut ratios = Vec::new();
    let mut samples = [Sample::default(), Sample::default()];
    for round in 0..bench.turns.rounds as u64 {
        let ours = send_requests(with.address, SENDERS, TIME, round, &requests).await?;
        let theirs = send_requests(without.address, SENDERS, TIME, round, &requests).await?;
        if ours.refused + theirs.refused > 0 {
            return Err("submissions were rejected".into());
        }
        ratios.push(ours.rate() / theirs.rate());
        samples[0].add(&ours);
        samples[1].add(&theirs);
    }
    with.stop().await?;
    without.stop().await?;
    silent.abort();
    let ratio = median(&ratios);
    let [ours, theirs] = samples.map(|sample| summary(&sample));
    let name =
        format!("ingestion, {SENDERS} senders, webhook with 1,000,000 queued, vs. no webhook");
    let row = FigureRow::new(name, &ours).against(theirs, ratio);
    Ok(vec![row.goal(format!("≥ {RATIO}"), ratio >= RATIO)])
}

/// Returns a copy of the data, with the limits of the large form removed.
async fn copy(bench: &Bench, name: &str) -> Result<BenchData> {
    let data = bench.data.copy(&bench.scratch.join(name)).await?;
    let limits = ["--address-limit", LIMIT, "--form-limit", LIMIT];
    let arguments = [&["form", "intake", &data.large][..], &limits].concat();
    run_sheaf(&bench.sheaf, &data.folder, &arguments).await?;
    Ok(data)
}

/// Inserts pending deliveries of the form's newest submissions.
fn fill_queue(file: PathBuf, form: &str, webhook: &str) -> Result {
    let conn = Connection::open(file)?;
    let sql = "INSERT INTO deliveries
                 (nonce, queue, webhook, form, event, submitted_at, submission, created_at)
               SELECT lower(hex(randomblob(8))), (SELECT seq FROM webhooks WHERE id = ?3), ?3, form,
                 'submission.created', submitted_at, id, submitted_at
               FROM submissions WHERE form = (SELECT seq FROM forms WHERE id = ?2)
               ORDER BY submitted_at DESC LIMIT ?1";
    let rows = i64::try_from(QUEUED_ROWS)?;
    let inserted = conn.execute(sql, (rows, form, webhook))?;
    if inserted < QUEUED_ROWS {
        return Err(format!("the form has only {inserted} submissions to queue").into());
    }
    Ok(())
}

/// Accepts connections and holds them open.
async fn hold_connections(receiver: TcpListener) {
    let mut open = Vec::new();
    while let Ok((connection, _)) = receiver.accept().await {
        open.push(connection);
    }
}

fn summary(sample: &Sample) -> String {
    let p50 = sample.percentile_ms(50);
    let p99 = sample.percentile_ms(99);
    format!("{:.0}/s, {p50:.1}/{p99:.1} ms", sample.rate())
}
