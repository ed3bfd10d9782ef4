//! `bench service`: all scenarios at one size, one after another.

use crate::args::Service;
use crate::bench::Bench;
use crate::data::Data;
use crate::duel::Turns;
use crate::narrowed::Narrowed;
use crate::own::Own;
use crate::picks::Picks;
use crate::results::{Row, Run, SERVICE, SERVICE_SCENARIOS};
use crate::{
    Result, beside, crowd, export, feed, filters, import, ingest, page, rest, say, search,
};
use std::fs;
use std::time::Duration;

/// Runs the scenarios, prints and stores their figures, and writes the page.
pub(crate) async fn run(args: &Service) -> Result {
    let mut data = Data::of(&args.data).await?;
    let scratch = args.data.folder.join("scratch");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch)?;
    let own = Own::open(&data.file())?;
    // Data that are too large to copy were changed by earlier ingestion runs, so they are counted.
    data.rows = own.count(&data.large, &Narrowed::default())?;
    let picks = Picks::read(&data, &own)?;
    let turns = Turns { time: Duration::from_secs_f64(args.seconds), rounds: args.rounds };
    let bench = Bench { sheaf: args.data.sheaf.clone(), data, own, picks, turns, scratch };
    let mut results = Run {
        rows: args.data.rows,
        file_bytes: fs::metadata(bench.data.file())?.len(),
        machine: rest::machine(),
        beside: args.beside.clone(),
        search_memory_mib: bench.data.search_memory_mib(),
        measured: Vec::new(),
    };
    for name in SERVICE_SCENARIOS {
        let is_wanted =
            |only: &String| name.to_ascii_lowercase().starts_with(&only.to_ascii_lowercase());
        if args.only.is_empty() || args.only.iter().any(is_wanted) {
            say(format!("\n{name}"));
            let rows = scenario(&bench, name).await;
            results.add(name, rows.map_err(|error| format!("{name}: {error}"))?);
        }
    }
    results.keep(&args.page.results, SERVICE, &SERVICE_SCENARIOS)?;
    page::write(&args.page.results, &args.page.page)
}

async fn scenario(bench: &Bench, name: &str) -> Result<Vec<Row>> {
    match name {
        "start" => rest::start(bench).await,
        "memory" => rest::memory(bench).await,
        "list" => feed::measure(bench).await,
        "filters" => filters::measure(bench).await,
        "search" => search::measure(bench).await,
        "export" => export::measure(bench).await,
        "crowd" => crowd::measure(bench).await,
        "import" => import::measure(bench).await,
        beside::NAME => beside::measure(bench).await,
        _ => ingest::measure(bench).await,
    }
}
