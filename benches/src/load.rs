//! Load generator: concurrent connections that send one request after another.
//!
//! It shares the processors with the server, and with every baseline that is measured.

use crate::Result;
use crate::client::Client;
use crate::random::Random;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Function that writes the next request.
pub(crate) type Requests = Arc<dyn Fn(&mut Random, &mut Vec<u8>) + Send + Sync>;

/// Results of a load.
#[derive(Debug, Default, Clone)]
pub(crate) struct Sample {
    /// Latency of each response, in nanoseconds, unordered.
    pub(crate) latencies_ns: Vec<u64>,
    /// Number of responses with an unexpected status.
    pub(crate) refused: u64,
    /// Duration of the load.
    pub(crate) time: Duration,
}

impl Sample {
    /// Returns the responses per second.
    pub(crate) fn rate(&self) -> f64 {
        self.latencies_ns.len() as f64 / self.time.as_secs_f64().max(f64::EPSILON)
    }

    /// Returns a percentile of the latencies, in milliseconds.
    pub(crate) fn percentile_ms(&self, percent: usize) -> f64 {
        percentile(&self.latencies_ns, percent) / 1e6
    }

    /// Adds the results of another sample.
    pub(crate) fn add(&mut self, other: &Self) {
        self.latencies_ns.extend(&other.latencies_ns);
        self.refused += other.refused;
        self.time += other.time;
    }
}

/// Returns a percentile of some values, or 0 without values.
pub(crate) fn percentile(values: &[u64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    sorted.get((last * percent + 50) / 100).map_or(0.0, |value| *value as f64)
}

/// Returns the median of some values, or 0 without values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// A client with its own connection that sends requests one after another.
pub(crate) trait RequestSender: Send + 'static {
    /// Prepares the next request. The latency does not include this.
    fn prepare(&mut self, rng: &mut Random);

    /// Sends the request. Returns whether it succeeded.
    fn ask(&mut self) -> impl Future<Output = Result<bool>> + Send;
}

/// A client that sends HTTP requests to a server.
struct HttpSender {
    client: Client,
    requests: Requests,
    request: Vec<u8>,
}

impl RequestSender for HttpSender {
    fn prepare(&mut self, rng: &mut Random) {
        self.request.clear();
        (self.requests)(rng, &mut self.request);
    }

    async fn ask(&mut self) -> Result<bool> {
        let status = self.client.send(&self.request, |_| ()).await?;
        Ok((200..300).contains(&status))
    }
}

/// Sends requests over concurrent connections for a duration.
pub(crate) async fn send_requests(
    address: SocketAddr,
    connections: usize,
    time: Duration,
    seed: u64,
    requests: &Requests,
) -> Result<Sample> {
    let mut senders = Vec::new();
    for _ in 0..connections {
        let client = Client::connect(address).await?;
        senders.push(HttpSender { client, requests: Arc::clone(requests), request: Vec::new() });
    }
    run_senders(senders, time, seed).await
}

/// Runs all senders concurrently for a duration.
pub(crate) async fn run_senders(
    senders: Vec<impl RequestSender>,
    time: Duration,
    seed: u64,
) -> Result<Sample> {
    let started_at = Instant::now();
    let end = started_at + time;
    let tasks: Vec<_> = senders
        .into_iter()
        .enumerate()
        .map(|(n, sender)| {
            tokio::spawn(send_until(end, sender, Random::new(seed << 16 | n as u64)))
        })
        .collect();
    let mut total = Sample::default();
    for task in tasks {
        total.add(&task.await??);
    }
    total.time = started_at.elapsed();
    Ok(total)
}

async fn send_until(
    end: Instant,
    mut sender: impl RequestSender,
    mut rng: Random,
) -> Result<Sample> {
    let mut sample = Sample::default();
    let mut started_at = Instant::now();
    while started_at < end {
        sender.prepare(&mut rng);
        started_at = Instant::now();
        let is_done = sender.ask().await?;
        let now = Instant::now();
        let took_ns = now.duration_since(started_at).as_nanos();
        sample.latencies_ns.push(u64::try_from(took_ns).unwrap_or(u64::MAX));
        sample.refused += u64::from(!is_done);
        started_at = now;
    }
    Ok(sample)
}

/// Returns requests that are all the same.
pub(crate) fn repeat_request(request: Vec<u8>) -> Requests {
    Arc::new(move |_, out| out.extend_from_slice(&request))
}

/// Returns requests that are drawn at random from a list.
pub(crate) fn random_requests(requests: Vec<Vec<u8>>) -> Requests {
    Arc::new(move |rng, out| out.extend_from_slice(rng.choose::<Vec<u8>>(&requests)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_medians_are_existing_values() {
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
