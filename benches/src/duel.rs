//! One figure and its ceiling, taken in turns: what else the machine does then meets both alike.

use crate::Result;
use crate::client::get;
use crate::load::{Requests, Sample, load, median, same};
use crate::process::Program;
use std::time::Duration;

/// How the sides take turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turns {
    /// How long each side runs at a time.
    pub(crate) time: Duration,
    /// How often.
    pub(crate) rounds: usize,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// All of ours.
    pub(crate) ours: Sample,
    /// Ours, answers a second: the middle of the turns.
    pub(crate) rate: f64,
    /// The ceiling's.
    pub(crate) ceiling_rate: f64,
    /// Ours by the ceiling's, turn by turn: the middle one.
    pub(crate) ratio: f64,
    /// Processor time of our server for each answer, in microseconds: the middle of the turns.
    pub(crate) processor_us: f64,
    /// The ceiling's.
    pub(crate) ceiling_processor_us: f64,
}

/// Holds requests to `sheaf` against the same bytes from `hello`, by the name of its file.
pub(crate) async fn duel(
    turns: Turns,
    connections: usize,
    (sheaf, requests): (&Program, &Requests),
    (hello, file): (&Program, &str),
) -> Result<Outcome> {
    let ceiling = same(get(&format!("/{file}"), "none"));
    let mut outcome = Outcome::default();
    let (mut rates, mut ceilings, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut processor, mut ceilings_processor) = (Vec::new(), Vec::new());
    for round in 0..turns.rounds as u64 {
        let before = sheaf.processor_ns();
        let ours = load(sheaf.address, connections, turns.time, round, requests).await?;
        let spent_us = (sheaf.processor_ns().saturating_sub(before)) as f64 / 1000.0;
        if ours.refused > 0 {
            return Err(format!("{} of the answers are no 2xx", ours.refused).into());
        }
        let before = hello.processor_ns();
        let theirs = load(hello.address, connections, turns.time, round, &ceiling).await?;
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
