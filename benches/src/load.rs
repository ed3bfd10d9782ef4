//! Load: so many connections, each asking again as soon as it was answered.
//!
//! It shares the processors with the server, as every ceiling does that it is held against.

use crate::Result;
use crate::client::Client;
use crate::dice::Dice;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Writes the next request.
pub(crate) type Requests = Arc<dyn Fn(&mut Dice, &mut Vec<u8>) + Send + Sync>;

/// What came of some load.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sample {
    /// How long each answer took, in nanoseconds, in no order.
    pub(crate) latencies_ns: Vec<u64>,
    /// Answers that were none of the wanted status.
    pub(crate) refused: u64,
    /// How long it went on.
    pub(crate) time: Duration,
}

impl Sample {
    /// Answers a second.
    pub(crate) fn rate(&self) -> f64 {
        self.latencies_ns.len() as f64 / self.time.as_secs_f64().max(f64::EPSILON)
    }

    /// The latency that so many of a hundred stay below, in milliseconds.
    pub(crate) fn percentile_ms(&self, percent: usize) -> f64 {
        percentile(&self.latencies_ns, percent) / 1e6
    }

    /// Adds another.
    pub(crate) fn add(&mut self, other: &Self) {
        self.latencies_ns.extend(&other.latencies_ns);
        self.refused += other.refused;
        self.time += other.time;
    }
}

/// The value that so many of a hundred stay below; 0 of none.
pub(crate) fn percentile(values: &[u64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    sorted.get((last * percent + 50) / 100).map_or(0.0, |value| *value as f64)
}

/// The middle one of some figures; 0 of none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Somebody who asks over a connection of their own, and asks again as soon as they were answered.
pub(crate) trait Sender: Send + 'static {
    /// Makes what is asked next. That takes no part in how long the answer takes.
    fn prepare(&mut self, dice: &mut Dice);

    /// Asks it; returns whether it was done.
    fn ask(&mut self) -> impl Future<Output = Result<bool>> + Send;
}

/// Sends requests to a server.
struct Visitor {
    client: Client,
    requests: Requests,
    request: Vec<u8>,
}

impl Sender for Visitor {
    fn prepare(&mut self, dice: &mut Dice) {
        self.request.clear();
        (self.requests)(dice, &mut self.request);
    }

    async fn ask(&mut self) -> Result<bool> {
        let status = self.client.ask(&self.request, |_| ()).await?;
        Ok((200..300).contains(&status))
    }
}

/// Asks for a while over so many connections.
pub(crate) async fn load(
    address: SocketAddr,
    connections: usize,
    time: Duration,
    seed: u64,
    requests: &Requests,
) -> Result<Sample> {
    let mut visitors = Vec::new();
    for _ in 0..connections {
        let client = Client::connect(address).await?;
        visitors.push(Visitor { client, requests: Arc::clone(requests), request: Vec::new() });
    }
    send(visitors, time, seed).await
}

/// Has all of them ask for a while.
pub(crate) async fn send(senders: Vec<impl Sender>, time: Duration, seed: u64) -> Result<Sample> {
    let begin = Instant::now();
    let end = begin + time;
    let tasks: Vec<_> = senders
        .into_iter()
        .enumerate()
        .map(|(n, sender)| tokio::spawn(ask_until(end, sender, Dice::new(seed << 16 | n as u64))))
        .collect();
    let mut all = Sample::default();
    for task in tasks {
        all.add(&task.await??);
    }
    all.time = begin.elapsed();
    Ok(all)
}

async fn ask_until(end: Instant, mut sender: impl Sender, mut dice: Dice) -> Result<Sample> {
    let mut sample = Sample::default();
    let mut begin = Instant::now();
    while begin < end {
        sender.prepare(&mut dice);
        begin = Instant::now();
        let is_done = sender.ask().await?;
        let now = Instant::now();
        let took_ns = now.duration_since(begin).as_nanos();
        sample.latencies_ns.push(u64::try_from(took_ns).unwrap_or(u64::MAX));
        sample.refused += u64::from(!is_done);
        begin = now;
    }
    Ok(sample)
}

/// Requests that are all the same.
pub(crate) fn same(request: Vec<u8>) -> Requests {
    Arc::new(move |_, out| out.extend_from_slice(&request))
}

/// Requests that are drawn from several.
pub(crate) fn drawn(requests: Vec<Vec<u8>>) -> Requests {
    Arc::new(move |dice, out| out.extend_from_slice(dice.one_of::<Vec<u8>>(&requests)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_medians_are_values_that_occurred() {
        let values: Vec<u64> = (1..=101).rev().collect();
        let check = |percent, is: f64| assert!((percentile(&values, percent) - is).abs() < 1e-9);
        check(0, 1.0);
        check(50, 51.0);
        check(99, 100.0);
        check(100, 101.0);
        assert!(percentile(&[], 50).abs() < 1e-9);
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
    }
}
