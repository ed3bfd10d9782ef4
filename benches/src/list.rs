//! The list and single submissions: newest page, random depth, and by id.

use crate::Result;
use crate::ab_runner::{Comparison, compare_in_turns};
use crate::bench::Bench;
use crate::client::get_request;
use crate::load::{random_requests, repeat_request, send_requests};
use crate::process::Program;
use crate::results::FigureRow;
use crate::samples;

/// Goals: ratios to a static response with the same bytes, and others.
const LIST_RATIO: f64 = 0.35;
const GET_RATIO: f64 = 0.5;
const P99_MS: f64 = 5.0;
const DEPTH_RATIO: f64 = 1.3;

/// Measures lists and single submissions.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let sheaf = bench.start_server(&bench.data).await?;
    let id = format!("/v1/submissions/{}", bench.samples.ids[0]);
    let hello = bench
        .start_baseline_server(
            &sheaf,
            &[
                ("list20", &bench.data.list_path("")),
                ("list100", &bench.data.list_path("limit=100")),
                ("get", &id),
            ],
        )
        .await?;
    let mut rows = measure_lists(bench, &sheaf, &hello).await?;
    rows.extend(measure_depth(bench, &sheaf).await?);
    rows.extend(measure_gets(bench, &sheaf, &hello).await?);
    let [newest, deep, single] =
        bench.sqlite.reads_us(&bench.data.large, &bench.samples.instants, &bench.samples.ids)?;
    let sheaf_times = format!("{newest:.1} / {deep:.1} / {single:.1} µs");
    rows.push(FigureRow::new(
        "SQLite alone: newest 20, 20 at random depth, by id, p50",
        sheaf_times,
    ));
    sheaf.stop().await?;
    Ok(rows)
}

async fn measure_lists(bench: &Bench, sheaf: &Program, hello: &Program) -> Result<Vec<FigureRow>> {
    let mut rows = Vec::new();
    for (limit, connections) in [(20, 1), (20, 8), (20, 32), (100, 8), (100, 32)] {
        let requests = repeat_request(bench.list_request(&format!("limit={limit}")));
        let file = format!("list{limit}");
        let out =
            compare_in_turns(bench.turns, connections, (sheaf, &requests), (hello, &file)).await?;
        let p99_ms = out.ours.percentile_ms(99);
        let name = format!("list, newest {limit}, {connections} connections");
        let row = comparison_row(name, &out);
        rows.push(match (limit, connections) {
            (_, 1) => row,
            (20, 8) => row.goal(
                format!("≥ {LIST_RATIO}, p99 < {P99_MS} ms"),
                out.ratio >= LIST_RATIO && p99_ms < P99_MS,
            ),
            _ => row.goal(format!("≥ {LIST_RATIO}"), out.ratio >= LIST_RATIO),
        });
    }
    Ok(rows)
}

async fn measure_gets(bench: &Bench, sheaf: &Program, hello: &Program) -> Result<Vec<FigureRow>> {
    let ids = &bench.samples.ids;
    let key = &bench.data.key;
    let gets = ids.iter().map(|id| get_request(&format!("/v1/submissions/{id}"), key)).collect();
    let requests = random_requests(gets);
    let mut rows = Vec::new();
    for connections in [1, 8, 32] {
        let out =
            compare_in_turns(bench.turns, connections, (sheaf, &requests), (hello, "get")).await?;
        let row = comparison_row(format!("get, random ids, {connections} connections"), &out);
        let is_met = out.ratio >= GET_RATIO;
        let goal = format!("≥ {GET_RATIO}");
        rows.push(if connections == 1 { row } else { row.goal(goal, is_met) });
    }
    Ok(rows)
}

/// Compares pages of 20 at random cursors with the newest page, in turns.
async fn measure_depth(bench: &Bench, sheaf: &Program) -> Result<Vec<FigureRow>> {
    let cursors = samples::read_all_pages(sheaf.address, &bench.data).await?;
    let deep =
        cursors.iter().map(|cursor| bench.list_request(&format!("cursor={cursor}"))).collect();
    let deep = random_requests(deep);
    let newest = repeat_request(bench.list_request(""));
    let mut rows = Vec::new();
    for connections in [1, 8] {
        let (mut ours, mut first) = Default::default();
        let mut from_disk = 0;
        for round in 0..bench.turns.rounds as u64 {
            for (requests, total) in [(&deep, &mut ours), (&newest, &mut first)] {
                let total: &mut crate::load::Sample = total;
                let time = bench.turns.time;
                let before = sheaf.pages_from_disk();
                total.add(&send_requests(sheaf.address, connections, time, round, requests).await?);
                from_disk += sheaf.pages_from_disk() - before;
            }
        }
        // Only pages at depth are read from the disk; the newest page is in memory.
        let from_disk = from_disk as f64 / ours.latencies_ns.len().max(1) as f64;
        let deep_ms = ours.percentile_ms(50);
        let first_ms = first.percentile_ms(50);
        let ratio = deep_ms / first_ms;
        rows.push(
            FigureRow::new(
                format!("list, a page at random depth, {connections} connections, p50"),
                format!("{deep_ms:.3} ms, {:.0}/s, {from_disk:.2} pages from disk", ours.rate()),
            )
            .against(format!("first page {first_ms:.3} ms"), ratio)
            .goal(format!("≤ {DEPTH_RATIO}"), ratio <= DEPTH_RATIO),
        );
    }
    Ok(rows)
}

/// Returns the row of a rate and its baseline.
pub(crate) fn comparison_row(name: String, out: &Comparison) -> FigureRow {
    let p50_ms = out.ours.percentile_ms(50);
    let p99_ms = out.ours.percentile_ms(99);
    let rate = out.rate;
    let us = out.processor_us;
    let ours = format!("{rate:.0}/s, {p50_ms:.2}/{p99_ms:.1} ms, {us:.0} µs CPU");
    let theirs = format!("static {:.0}/s, {:.0} µs", out.ceiling_rate, out.ceiling_processor_us);
    FigureRow::new(name, ours).against(theirs, out.ratio)
}
