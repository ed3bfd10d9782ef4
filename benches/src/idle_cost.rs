//! Cost of an idle server: start time and memory.

use crate::Result;
use crate::bench::{Bench, SEARCH_TEXT_LOG_MESSAGE};
use crate::client::{Client, get_request};
use crate::load::median;
use crate::process::Program;
use crate::results::FigureRow;
use std::fs;
use std::time::{Duration, Instant};

/// Goals.
const START_MS: f64 = 150.0;
const MEMORY_MB: f64 = 59.0;
const STARTS: usize = 7;
const POLL_INTERVAL: Duration = Duration::from_micros(500);
/// Maximum duration of a start.
const START_MAX: Duration = Duration::from_mins(1);

/// Returns the number of cores and the memory, without details that identify the machine.
pub(crate) fn describe_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kb = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kb: f64 = kb.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0.0);
    format!("{cores} cores, {:.0} GB of memory", kb / 1e6)
}

/// Measures the time from the start of the process to its first list, with the key check and the
/// exact total.
pub(crate) async fn measure_start(bench: &Bench) -> Result<Vec<FigureRow>> {
    let mut times_ms = Vec::new();
    for _ in 0..STARTS {
        let (mut command, address) = bench.serve_command(&bench.data)?;
        let request = bench.list_request("");
        let started_at = Instant::now();
        let program = Program::start(&mut command, address)?;
        loop {
            if let Ok(mut client) = Client::connect(address).await {
                let (status, _) = client.fetch(&request).await?;
                times_ms.push(started_at.elapsed().as_secs_f64() * 1e3);
                if status != 200 {
                    return Err(format!("the first response has status {status}").into());
                }
                break;
            }
            if started_at.elapsed() > START_MAX {
                return Err("the server does not start".into());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        program.stop().await?;
    }
    let ms = median(&times_ms);
    let max = times_ms.iter().copied().fold(0.0, f64::max);
    Ok(vec![
        FigureRow::new(
            "start until the first page of 20, with total",
            format!("{ms:.0} ms, at most {max:.0}"),
        )
        .goal(format!("≤ {START_MS} ms"), ms <= START_MS),
    ])
}

/// Measures anonymous memory after some requests of each kind.
pub(crate) async fn measure_memory(bench: &Bench) -> Result<Vec<FigureRow>> {
    let mut program = bench.start_server(&bench.data).await?;
    let idle = program.anonymous_bytes();
    for n in 0..2000 {
        let ids = &bench.samples.ids;
        let id = &ids[n % ids.len()];
        let mut client = Client::connect(program.address).await?;
        let key = &bench.data.key;
        client.send(&get_request(&format!("/v1/submissions/{id}"), key), |_| ()).await?;
        client.send(&bench.list_request("limit=100"), |_| ()).await?;
    }
    let text = match program.wait_for_line(SEARCH_TEXT_LOG_MESSAGE, Duration::from_millis(1)).await
    {
        Some(line) => bytes_in(&line),
        None => 0,
    };
    let used = program.anonymous_bytes();
    let resident = program.resident_bytes();
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let other_mb = megabytes(used.saturating_sub(text));
    program.stop().await?;
    let row = |name: &str, bytes| FigureRow::new(name, format!("{:.1} MB", megabytes(bytes)));
    Ok(vec![
        row("anonymous memory after the start", idle),
        row("anonymous memory after 4,000 requests", used),
        row("search text in memory, from the server's log", text),
        FigureRow::new("anonymous memory without search text", format!("{other_mb:.1} MB"))
            .goal(format!("≤ {MEMORY_MB} MB"), other_mb <= MEMORY_MB),
        row("resident memory, with pages of the file", resident),
        row("database file", fs::metadata(bench.data.database_path())?.len()),
    ])
}

/// Returns the field `bytes` of a log line.
fn bytes_in(line: &str) -> u64 {
    let line: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    let to_number = |it: &serde_json::Value| it.as_u64().or_else(|| it.as_str()?.parse().ok());
    to_number(&line["bytes"]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_line_has_bytes() {
        let line =
            r#"{"level":"INFO","message":"search text loaded into memory","bytes":198000000}"#;
        assert_eq!(bytes_in(line), 198_000_000);
        assert_eq!(bytes_in("no JSON"), 0);
    }
}
