//! `bench service`: all scenarios at one size, one after another.

use crate::ab_runner::TurnConfig;
use crate::args::ServiceArgs;
use crate::bench::Bench;
use crate::data::BenchData;
use crate::list_filter::ListFilter;
use crate::results::{FigureRow, Run, SERVICE, SERVICE_SCENARIOS};
use crate::samples::Samples;
use crate::sqlite_file::SqliteFile;
use crate::{
    Result, contention, database_comparison, export, fields, filters, idle_cost, import, ingest,
    list, page, print_line, search, sorts, triage, webhooks,
};
use std::fs;
use std::time::Duration;

/// Runs the scenarios, prints and stores their figures, and writes the page.
pub(crate) async fn run(args: &ServiceArgs) -> Result {
    let mut data = BenchData::ensure(&args.data).await?;
    let scratch = args.data.folder.join("scratch");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch)?;
    let sqlite = SqliteFile::open(&data.database_path())?;
    // Data that are too large to copy were changed by earlier ingestion runs, so they are counted.
    data.rows = sqlite.count_matches(&data.large, &ListFilter::default())?;
    let samples = Samples::read(&data, &sqlite)?;
    let turns = TurnConfig { time: Duration::from_secs_f64(args.seconds), rounds: args.rounds };
    let bench = Bench { sheaf: args.data.sheaf.clone(), data, sqlite, samples, turns, scratch };
    let mut results = Run {
        rows: args.data.rows,
        file_bytes: fs::metadata(bench.data.database_path())?.len(),
        machine: idle_cost::describe_machine(),
        other_load: args.other_load.clone(),
        search_memory_mib: bench.data.search_memory_mib(),
        measured: Vec::new(),
    };
    for name in SERVICE_SCENARIOS {
        let is_wanted =
            |only: &String| name.to_ascii_lowercase().starts_with(&only.to_ascii_lowercase());
        if args.only.is_empty() || args.only.iter().any(is_wanted) {
            print_line(format!("\n{name}"));
            let rows = run_scenario(&bench, name).await;
            results.add(name, rows.map_err(|error| format!("{name}: {error}"))?);
        }
    }
    results.store(&args.page.results, SERVICE, &SERVICE_SCENARIOS)?;
    page::write_page(&args.page.results, &args.page.page)
}

async fn run_scenario(bench: &Bench, name: &str) -> Result<Vec<FigureRow>> {
    match name {
        "start" => idle_cost::measure_start(bench).await,
        "memory" => idle_cost::measure_memory(bench).await,
        "list" => list::measure(bench).await,
        "filters" => filters::measure(bench).await,
        "answers" => fields::measure(bench).await,
        "sorts" => sorts::measure(bench).await,
        "search" => search::measure(bench).await,
        "export" => export::measure(bench).await,
        "crowd" => contention::measure(bench).await,
        "import" => import::measure(bench).await,
        "webhooks" => webhooks::measure(bench).await,
        "triage" => triage::measure(bench).await,
        database_comparison::NAME => database_comparison::measure(bench).await,
        _ => ingest::measure(bench).await,
    }
}
