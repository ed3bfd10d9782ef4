//! Lists filtered by the answers to a field. Each criterion is new to the server when it is first
//! requested.

use crate::Result;
use crate::bench::Bench;
use crate::client::Client;
use crate::filters::wait_until_fast;
use crate::load::percentile;
use crate::process::Program;
use crate::results::FigureRow;
use crate::samples::parse_pagination;
use contract::query::percent_encode;
use serde_json::Value;
use std::time::Instant;

/// Goals for the median, in milliseconds.
const FIRST_MS: f64 = 25.0;
const AGAIN_MS: f64 = 3.0;

/// Returns the large form.
pub(crate) async fn find_form(bench: &Bench, sheaf: &Program) -> Result<Value> {
    let body = bench.fetch(sheaf, &format!("/v1/forms/{}", bench.data.large)).await?;
    Ok(serde_json::from_slice(&body)?)
}

/// Returns kinds of criteria, each with different queries.
pub(crate) fn kinds(form: &Value) -> Result<[(&'static str, Vec<String>); 4]> {
    let rating = field_id(form, "How satisfied are you?")?;
    let source = field_id(form, "How did you hear of us?")?;
    let budget = field_id(form, "Budget")?;
    let message = field_id(form, "What would you like to tell us?")?;
    let words = ["delivery", "price", "support", "late", "great", "love", "broken", "team"];
    Ok([
        ("rating", (0..40).map(|at| format!("{rating}=gte:{}", 0.1 * f64::from(at))).collect()),
        ("choice", (0..20).map(|at| format!("{source}=ne:option%20{at}")).collect()),
        ("number", (0..40).map(|at| format!("{budget}=lte:{}", at * 250)).collect()),
        (
            "word in a long text",
            words.iter().map(|it| format!("{message}=contains:{}", percent_encode(it))).collect(),
        ),
    ])
}

/// Measures filters by field. Fails if the totals of complementary criteria do not add up.
pub(crate) async fn measure(bench: &Bench) -> Result<Vec<FigureRow>> {
    let sheaf = bench.start_server(&bench.data).await?;
    let form = find_form(bench, &sheaf).await?;
    let mut rows = Vec::new();
    for (name, queries) in kinds(&form)? {
        let field = queries[0].split('=').next().unwrap_or_default();
        wait_until_fast(bench, &sheaf, &format!("{field}=filled")).await?;
        check_totals(bench, &sheaf, field).await?;
        for (how, goal_ms) in [("first time", FIRST_MS), ("repeated", AGAIN_MS)] {
            let (p50_ms, p99_ms) = measure_queries(bench, &sheaf, &queries).await?;
            let ours = format!("p50 {p50_ms:.2} ms, p99 {p99_ms:.1} ms");
            let row = FigureRow::new(format!("list by a {name}, {how}"), ours);
            rows.push(row.goal(format!("p50 ≤ {goal_ms} ms"), p50_ms <= goal_ms));
        }
    }
    sheaf.stop().await?;
    Ok(rows)
}

/// Returns the id of the field with this name.
pub(crate) fn field_id(form: &Value, name: &str) -> Result<String> {
    let fields = form["data"]["fields"].as_array().into_iter().flatten();
    let field = fields.into_iter().find(|field| field["name"] == name);
    let id = field.and_then(|field| field["id"].as_str());
    Ok(id.ok_or_else(|| format!("the form has no field `{name}`"))?.to_owned())
}

/// Checks that each submission has an answer or none.
async fn check_totals(bench: &Bench, sheaf: &Program, field: &str) -> Result {
    let mut sum = 0;
    for operator in ["empty", "filled"] {
        let path = bench.data.list_path(&format!("{field}={operator}"));
        sum += parse_pagination(&bench.fetch(sheaf, &path).await?)?.0;
    }
    if sum == bench.data.rows {
        return Ok(());
    }
    Err(format!("{field}: {sum} submissions are empty or filled, of {}", bench.data.rows).into())
}

/// Requests each query once. Returns the median and the 99th percentile, in milliseconds.
pub(crate) async fn measure_queries(
    bench: &Bench,
    sheaf: &Program,
    queries: &[String],
) -> Result<(f64, f64)> {
    let mut client = Client::connect(sheaf.address).await?;
    let mut times_ns = Vec::new();
    for query in queries {
        let request = bench.list_request(query);
        let started_at = Instant::now();
        let (status, _) = client.fetch(&request).await?;
        times_ns.push(u64::try_from(started_at.elapsed().as_nanos())?);
        if status != 200 {
            return Err(format!("`{query}`: {status}").into());
        }
    }
    Ok((percentile(&times_ns, 50) / 1e6, percentile(&times_ns, 99) / 1e6))
}
