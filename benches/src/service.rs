//! `bench service`: all scenarios at one size, one after another, on one running server.

use crate::args::Service;
use crate::client::{fetch_all_ok, fetch_ok, get};
use crate::data::{Data, PLAN_LIMITS};
use crate::duel::Turns;
use crate::filters::Narrowed;
use crate::own::Own;
use crate::picks::Picks;
use crate::process::{Program, free_address};
use crate::results::{Row, Run, SERVICE};
use crate::{
    Result, beside, crowd, export, feed, filters, import, ingest, page, rest, say, search,
};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// How long a server may take to read the text that is searched, at least; and by its rows. One
/// that holds none says so by saying nothing.
const WARM_MAX: Duration = Duration::from_secs(20);
const WARM_ROWS_A_SECOND: u64 = 50_000;
/// The line of the log that tells that it has.
pub(crate) const TEXT_LINE: &str = "search text held in memory";

/// The scenarios, in the order in which they run. What writes comes last, on a copy.
pub(crate) const SCENARIOS: [&str; 10] = [
    "start",
    "memory",
    "list",
    "filters",
    "search",
    "export",
    "crowd",
    "import",
    "ingest",
    beside::NAME,
];

/// What the scenarios share.
pub(crate) struct Bench {
    pub(crate) sheaf: PathBuf,
    pub(crate) data: Data,
    pub(crate) own: Own,
    pub(crate) picks: Picks,
    pub(crate) turns: Turns,
    /// A folder that is emptied before each run.
    pub(crate) scratch: PathBuf,
}

/// Runs the scenarios, prints and keeps their figures, and writes the page.
pub(crate) async fn run(args: &Service) -> Result {
    let mut data = Data::of(&args.data).await?;
    let scratch = args.data.folder.join("scratch");
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch)?;
    let own = Own::open(&data.file())?;
    // Data that are too large to be copied were written to, where ingestion was measured before.
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
    for scenario in SCENARIOS {
        let is_wanted =
            |name: &String| scenario.to_ascii_lowercase().starts_with(&name.to_ascii_lowercase());
        if args.only.is_empty() || args.only.iter().any(is_wanted) {
            say(format!("\n{scenario}"));
            let rows = bench.scenario(scenario).await;
            results.add(scenario, rows.map_err(|error| format!("{scenario}: {error}"))?);
        }
    }
    results.keep(&args.page.results, SERVICE, &SCENARIOS)?;
    page::write(&args.page.results, &args.page.page)
}

impl Bench {
    async fn scenario(&self, name: &str) -> Result<Vec<Row>> {
        match name {
            "start" => rest::start(self).await,
            "memory" => rest::memory(self).await,
            "list" => feed::measure(self).await,
            "filters" => filters::measure(self).await,
            "search" => search::measure(self).await,
            "export" => export::measure(self).await,
            "crowd" => crowd::measure(self).await,
            "import" => import::measure(self).await,
            beside::NAME => beside::measure(self).await,
            _ => ingest::measure(self).await,
        }
    }

    /// The command that serves the data, by limits that do not bind.
    pub(crate) fn command(&self, data: &Data) -> Result<(Command, SocketAddr)> {
        command(&self.sheaf, data)
    }

    /// Starts the server on some data, and waits until it has read what it keeps in memory.
    pub(crate) async fn serve(&self, data: &Data) -> Result<Program> {
        serve(&self.sheaf, data).await
    }

    /// One answer's body, which must be a 200.
    pub(crate) async fn fetch(&self, program: &Program, path: &str) -> Result<Vec<u8>> {
        fetch_ok(program.address, path, &self.data.key).await
    }

    /// Starts the ceiling, which answers under these names as a server does under these paths.
    pub(crate) async fn hello(&self, program: &Program, paths: &[(&str, &str)]) -> Result<Program> {
        let folder = self.scratch.join("hello");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        for (name, path) in paths {
            let (head, body) = fetch_all_ok(program.address, path, &self.data.key).await?;
            fs::write(folder.join(name), [head, body].concat())?;
        }
        let address = free_address()?;
        let mut command = Command::new(own_path()?);
        command.args(["hello", "--listen", &address.to_string(), "--folder"]).arg(folder);
        Program::start_and_wait(&mut command, address).await
    }

    /// The bytes of a GET of the large form's list.
    pub(crate) fn list(&self, query: &str) -> Vec<u8> {
        get(&self.data.list(query), &self.data.key)
    }
}

fn command(sheaf: &Path, data: &Data) -> Result<(Command, SocketAddr)> {
    let address = free_address()?;
    let mut command = Command::new(sheaf);
    command.args(["serve", "--listen", &address.to_string(), "--plan-limits", PLAN_LIMITS]);
    command.args(["--search-memory", &data.search_memory_mib().to_string()]);
    command.arg("--data").arg(&data.folder);
    Ok((command, address))
}

/// Starts the server on some data, and waits until it has read what it keeps in memory.
pub(crate) async fn serve(sheaf: &Path, data: &Data) -> Result<Program> {
    let (mut command, address) = command(sheaf, data)?;
    let mut program = Program::start_and_wait(&mut command, address).await?;
    fetch_ok(address, &data.list("limit=1"), &data.key).await?;
    fetch_ok(address, &data.list("limit=1&search=zzz"), &data.key).await?;
    let warm_max = WARM_MAX + Duration::from_secs(data.rows / WARM_ROWS_A_SECOND);
    if program.wait_for_line(TEXT_LINE, warm_max).await.is_none() {
        say("the server does not say that it holds the searched text in memory");
    }
    Ok(program)
}

/// This program, which is the ceiling as well.
fn own_path() -> Result<PathBuf> {
    Ok(fs::read_link("/proc/self/exe")?)
}
