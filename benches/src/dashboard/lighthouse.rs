//! Lighthouse scores of both pages, with a mobile and a desktop profile.

use super::{DashboardBench, Figures, Side};
use crate::results::FigureRow;
use crate::{Result, print_line};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Profiles with their arguments and performance goals. The goal of the other categories is 100.
const PROFILES: [(&str, &[&str], f64); 2] =
    [("mobile", &[], 95.0), ("desktop", &["--preset=desktop"], 100.0)];
const CATEGORIES: [(&str, &str); 3] = [
    ("performance", "performance"),
    ("accessibility", "accessibility"),
    ("best-practices", "best practices"),
];
const FLAGS: &str = "--headless=new --no-sandbox --disable-dev-shm-usage";

/// Runs Lighthouse on both pages in turns. Returns no rows if the program is not given.
pub(crate) async fn measure(bench: &DashboardBench) -> Result<Vec<FigureRow>> {
    let Some(program) = &bench.lighthouse else {
        print_line("skipping Lighthouse");
        return Ok(Vec::new());
    };
    let cookies =
        bench.browser.send_cdp("Network.getCookies", json!({ "urls": [bench.url(Side::Sheaf)] }));
    let cookies = cookies.await?;
    let pairs = cookies["cookies"].as_array().into_iter().flatten().map(|cookie| {
        format!(
            "{}={}",
            cookie["name"].as_str().unwrap_or(""),
            cookie["value"].as_str().unwrap_or("")
        )
    });
    let headers = json!({ "Cookie": pairs.collect::<Vec<_>>().join("; ") }).to_string();
    let mut rows = Vec::new();
    for (profile, arguments, performance) in PROFILES {
        let mut scores: [[Figures; 3]; 2] = Default::default();
        for _ in 0..bench.rounds {
            for side in Side::BOTH {
                let report = run_lighthouse(program, &bench.url(side), arguments, &headers).await?;
                for (n, (id, _)) in CATEGORIES.iter().enumerate() {
                    let score = report["categories"][id]["score"].as_f64();
                    scores[side as usize][n].add(score.unwrap_or_default() * 100.0);
                }
                let name = format!("{side:?}-{profile}.json").to_lowercase();
                fs::write(bench.reports.join(name), serde_json::to_vec(&report)?)?;
                print_audits(bench, side, profile, &report);
            }
        }
        for (n, (id, name)) in CATEGORIES.iter().enumerate() {
            let [ours, theirs] = [&scores[0][n], &scores[1][n]];
            let goal = if *id == "performance" { performance } else { 100.0 };
            let row = FigureRow::new(format!("Lighthouse, {profile}: {name}"), ours.format("", 0));
            let row = FigureRow { against: theirs.format("", 0), ..row };
            rows.push(row.goal(format!("≥ {goal}"), ours.median() >= goal - 0.01));
        }
    }
    Ok(rows)
}

async fn run_lighthouse(
    program: &Path,
    url: &str,
    arguments: &[&str],
    headers: &str,
) -> Result<Value> {
    let names: Vec<&str> = CATEGORIES.iter().map(|(id, _)| *id).collect();
    let mut command = Command::new(program);
    command.arg(url).args(arguments).args(["--quiet", "--output=json"]);
    command.arg(format!("--chrome-flags={FLAGS}")).arg(format!("--extra-headers={headers}"));
    command.arg(format!("--only-categories={}", names.join(",")));
    let output = command.stdin(Stdio::null()).output().await?;
    if !output.status.success() {
        let output_text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("Lighthouse failed: {output_text}").into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Prints the times behind the score, and all audits below 0.9.
fn print_audits(bench: &DashboardBench, side: Side, profile: &str, report: &Value) {
    let audits = report["audits"].as_object().into_iter().flatten();
    let timed = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time"];
    for (id, audit) in audits {
        let is_low = audit["score"].as_f64().is_some_and(|score| score < 0.9);
        if timed.contains(&id.as_str()) || is_low {
            let value = audit["displayValue"].as_str().unwrap_or("");
            bench.print_note(side, profile, &format!("{id} {} {value}", audit["score"]));
        }
    }
}
