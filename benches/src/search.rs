//! Search: rare terms, terms in most submissions, and terms too short for an index.
//!
//! The terms are from the data. Each is new to the server when it is first requested.

use crate::Result;
use crate::bench::Bench;
use crate::client::Client;
use crate::load::percentile;
use crate::process::Program;
use crate::random::Random;
use crate::results::FigureRow;
use crate::samples::{Samples, parse_pagination};
use contract::query::percent_encode;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Number of terms of a kind, and the maximum duration.
const TERMS: usize = 100;
const KIND_TIME_MAX: Duration = Duration::from_secs(20);
/// Goals for the median, in milliseconds.
const FEW_MS: f64 = 1.5;
const COMMON_MS: f64 = 25.0;
const AGAIN_MS: f64 = 3.0;
/// Kind that repeats the terms of the kind before it.
const AGAIN: &str = "term in 17 to 90 % of the submissions, repeated";
const SHORT_MS: f64 = 60.0;
/// Maximum number of submissions for a scan of all text in memory.
const PASS_ROWS_MAX: u64 = 2_000_000;

/// Measures searches.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let sheaf = bench.start_server(&bench.data).await?;
    let common = common_terms(&bench.samples);
    let kinds = [
        ("value of one submission", rare_terms(&bench.samples), FEW_MS),
        ("word in 0.1 to 0.5 % of the submissions", medium_terms(&bench.samples), FEW_MS),
        ("no match", missing_terms(), FEW_MS),
        ("term in 17 to 90 % of the submissions, first time", common.clone(), COMMON_MS),
        (AGAIN, common, AGAIN_MS),
        ("one and two characters, first time", short_terms(&bench.samples), SHORT_MS),
        ("20 most frequent trigrams, first time", frequent_trigrams(&bench.samples), SHORT_MS),
    ];
    let text = if bench.data.rows <= PASS_ROWS_MAX {
        bench.sqlite.all_text(&bench.data.large)?
    } else {
        Vec::new()
    };
    let mut rows = Vec::new();
    for (name, terms, goal_ms) in kinds {
        // If a term is repeated, only the second request is timed.
        let times = if name == AGAIN { 2 } else { 1 };
        let (times_ns, finds) = measure_terms(bench, &sheaf, &terms, times).await?;
        if let Some(term) = terms.first() {
            check_total(bench, &sheaf, term).await?;
        }
        let p50_ms = percentile(&times_ns, 50) / 1e6;
        let p99_ms = percentile(&times_ns, 99) / 1e6;
        let ours = format!("p50 {p50_ms:.2} ms, p99 {p99_ms:.1} ms, {finds:.0} found");
        let mut row = FigureRow::new(format!("search, {name}"), ours)
            .goal(format!("p50 ≤ {goal_ms} ms"), p50_ms <= goal_ms);
        if !text.is_empty() && !terms.is_empty() {
            row.against = format!("memmem {:.1} ms", pass_ms(&text, &terms));
        }
        rows.push(row);
    }
    sheaf.stop().await?;
    Ok(rows)
}

/// Searches each term `times` times in a row, over one connection. Returns the latencies of the
/// last requests, and the average number of matches.
pub(crate) async fn measure_terms(
    bench: &Bench,
    sheaf: &Program,
    terms: &[String],
    times: usize,
) -> Result<(Vec<u64>, f64)> {
    let mut client = Client::connect(sheaf.address).await?;
    let end = Instant::now() + KIND_TIME_MAX;
    let mut times_ns = Vec::new();
    let mut finds = 0;
    for term in terms {
        let request = bench.list_request(&format!("search={}", percent_encode(term)));
        for _ in 1..times {
            client.send(&request, |_| ()).await?;
        }
        let started_at = Instant::now();
        let (status, body) = client.fetch(&request).await?;
        times_ns.push(u64::try_from(started_at.elapsed().as_nanos())?);
        if status != 200 {
            return Err(format!("`{term}`: {status}").into());
        }
        finds += parse_pagination(&body)?.0;
        if Instant::now() > end {
            break;
        }
    }
    let count = times_ns.len().max(1) as f64;
    Ok((times_ns, finds as f64 / count))
}

/// Compares a total with a scan by SQLite.
async fn check_total(bench: &Bench, sheaf: &Program, term: &str) -> Result {
    let query = format!("search={}", percent_encode(term));
    let (total, _) = parse_pagination(&bench.fetch(sheaf, &bench.data.list_path(&query)).await?)?;
    let expected = bench.sqlite.count_text(&bench.data.large, &contract::fold::fold(term))?;
    if total == expected {
        return Ok(());
    }
    Err(format!("`{term}`: total {total}, but SQLite counts {expected}").into())
}

/// Returns the median time of one scan of all text for a term, in milliseconds.
fn pass_ms(text: &[u8], terms: &[String]) -> f64 {
    let mut times_ns = Vec::new();
    for term in terms.iter().take(9) {
        let started_at = Instant::now();
        let found = memchr::memmem::find_iter(text, term.as_bytes()).count();
        let took_ns = started_at.elapsed().as_nanos();
        // Uses the result, so that the compiler does not remove the scan.
        if found <= text.len() {
            times_ns.push(u64::try_from(took_ns).unwrap_or(u64::MAX));
        }
    }
    percentile(&times_ns, 50) / 1e6
}

/// Returns values that only one submission has.
pub(crate) fn rare_terms(samples: &Samples) -> Vec<String> {
    let lines = samples.texts.iter().flat_map(|text| text.lines());
    let is_own = |line: &&str| (12..40).contains(&line.len()) && line.trim() == *line;
    let mut seen = BTreeMap::new();
    lines.filter(is_own).for_each(|line| *seen.entry(line).or_insert(0) += 1);
    let once = seen.into_iter().filter(|(_, times)| *times == 1).map(|(line, _)| line.to_owned());
    once.take(TERMS).collect()
}

fn all_words(samples: &Samples) -> BTreeSet<&str> {
    let words = samples.texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).collect()
}

fn medium_terms(samples: &Samples) -> Vec<String> {
    let is_medium = |word: &&str| word.len() >= 4 && (0.001..0.005).contains(&samples.share(word));
    all_words(samples).into_iter().filter(is_medium).take(TERMS).map(str::to_owned).collect()
}

/// Returns terms that no submission has.
pub(crate) fn missing_terms() -> Vec<String> {
    let mut rng = Random::new(5);
    let letter = |rng: &mut Random| char::from(b'a' + u8::try_from(rng.below(26)).unwrap_or(0));
    (0..TERMS)
        .map(|_| format!("xq{}", (0..8).map(|_| letter(&mut rng)).collect::<String>()))
        .collect()
}

/// Returns substrings of the texts with these lengths in bytes, and the share of texts that
/// contain them.
fn substrings(samples: &Samples, lengths: std::ops::RangeInclusive<usize>) -> Vec<(f64, String)> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (n, text) in samples.texts.iter().take(500).enumerate() {
        for line in text.lines() {
            for at in 0..line.len() {
                for length in lengths.clone() {
                    let Some(part) = line.get(at..at + length) else { continue };
                    let count = counts.entry(part).or_insert((0, usize::MAX));
                    if count.1 != n {
                        *count = (count.0 + 1, n);
                    }
                }
            }
        }
    }
    let often = counts.into_iter().filter(|(part, count)| count.0 >= 60 && part.trim() == *part);
    often.map(|(part, _)| (samples.share(part), part.to_owned())).collect()
}

/// Returns substrings that 17 to 90 % of all submissions contain.
pub(crate) fn common_terms(samples: &Samples) -> Vec<String> {
    let mut terms = substrings(samples, 4..=8);
    terms.retain(|(share, _)| (0.17..=0.90).contains(share));
    shuffled_terms(terms)
}

fn short_terms(samples: &Samples) -> Vec<String> {
    shuffled_terms(substrings(samples, 1..=2))
}

fn frequent_trigrams(samples: &Samples) -> Vec<String> {
    let mut trigrams = substrings(samples, 3..=3);
    trigrams.sort_by(|a, b| b.0.total_cmp(&a.0));
    trigrams.truncate(20);
    trigrams.into_iter().map(|(_, part)| part).collect()
}

fn shuffled_terms(mut terms: Vec<(f64, String)>) -> Vec<String> {
    let mut rng = Random::new(9);
    let mut out = Vec::new();
    while out.len() < TERMS && !terms.is_empty() {
        out.push(terms.swap_remove(rng.below(terms.len())).1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_the_frequency_of_their_kind() {
        let texts = (0..2000).map(|n| {
            let often = if n % 2 == 0 { "often enough" } else { "else" };
            let seldom = if n % 400 == 0 { "seldom" } else { "" };
            format!("{often}\nperson{n}@example.com\n{seldom}\n")
        });
        let samples = Samples {
            ids: Vec::new(),
            instants: Vec::new(),
            utm: Default::default(),
            labels: Vec::new(),
            texts: texts.collect(),
        };
        assert!(
            rare_terms(&samples).iter().all(|term| (samples.share(term) - 0.0005).abs() < 1e-9)
        );
        assert_eq!(rare_terms(&samples).len(), TERMS);
        assert!(medium_terms(&samples).contains(&"seldom".to_owned()));
        assert!(common_terms(&samples).contains(&"often".to_owned()));
        assert!(missing_terms().iter().all(|term| samples.share(term) < 1e-9));
        assert!(short_terms(&samples).iter().all(|term| term.len() <= 2));
        assert!(
            frequent_trigrams(&samples).len() == 20
                && frequent_trigrams(&samples).iter().all(|term| term.len() == 3)
        );
    }
}
