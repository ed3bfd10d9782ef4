//! Measures a server and the baseline server in turns, so that other load of the machine affects
//! both.

use crate::Result;
use crate::client::get_request;
use crate::load::{Requests, Sample, median, repeat_request, send_requests};
use crate::process::Program;
use std::time::Duration;

/// Configuration of the turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnConfig {
    /// Duration of a turn.
    pub(crate) time: Duration,
    /// Number of turns of each side.
    pub(crate) rounds: usize,
}

/// Results of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// All of our latencies.
    pub(crate) ours: Sample,
    /// Our responses per second: median of the turns.
    pub(crate) rate: f64,
    /// Baseline responses per second: median of the turns.
    pub(crate) ceiling_rate: f64,
    /// Ratio of our rate to the baseline's: median of the turns.
    pub(crate) ratio: f64,
    /// Our server's processor time per response, in microseconds: median of the turns.
    pub(crate) processor_us: f64,
    /// The baseline server's processor time per response.
    pub(crate) ceiling_processor_us: f64,
}

/// Compares requests to `sheaf` with requests for the same bytes from the file of `hello`.
pub(crate) async fn compare_in_turns(
    turns: TurnConfig,
    connections: usize,
    (sheaf, requests): (&Program, &Requests),
    (hello, file): (&Program, &str),
) -> Result<Comparison> {
    let ceiling = repeat_request(get_request(&format!("/{file}"), "none"));
    let mut outcome = Comparison::default();
    let mut rates = Vec::new();
    let mut ceilings = Vec::new();
    let mut ratios = Vec::new();
    let mut processor = Vec::new();
    let mut ceilings_processor = Vec::new();
    for round in 0..turns.rounds as u64 {
        let before = sheaf.processor_ns();
        let ours = send_requests(sheaf.address, connections, turns.time, round, requests).await?;
        let spent_us = (sheaf.processor_ns().saturating_sub(before)) as f64 / 1000.0;
        if ours.refused > 0 {
            return Err(format!("{} responses have no 2xx status", ours.refused).into());
        }
        let before = hello.processor_ns();
        let theirs = send_requests(hello.address, connections, turns.time, round, &ceiling).await?;
        let theirs_us = (hello.processor_ns().saturating_sub(before)) as f64 / 1000.0;
        ceilings_processor.push(theirs_us / theirs.latencies_ns.len().max(1) as f64);
        rates.push(ours.rate());
        ceilings.push(theirs.rate());
        ratios.push(ours.rate() / theirs.rate());
        processor.push(spent_us / ours.latencies_ns.len().max(1) as f64);
        outcome.ours.add(&ours);
    }
    outcome.rate = median(&rates);
    outcome.ceiling_rate = median(&ceilings);
    outcome.ratio = median(&ratios);
    outcome.processor_us = median(&processor);
    outcome.ceiling_processor_us = median(&ceilings_processor);
    Ok(outcome)
}
