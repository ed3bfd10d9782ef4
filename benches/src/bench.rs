//! State that the scenarios share: the server, the data, and the baseline server.

use crate::ab_runner::TurnConfig;
use crate::client::{fetch_all_ok, fetch_ok, get_request};
use crate::data::{BenchData, PLAN_LIMITS};
use crate::process::{Program, free_address};
use crate::samples::Samples;
use crate::sqlite_file::SqliteFile;
use crate::{Result, print_line};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// Maximum time until a server has read the text for searches: a base, plus time by the number of
/// rows. A server that keeps no text in memory logs nothing.
const WARM_MAX: Duration = Duration::from_secs(20);
const WARM_ROWS_A_SECOND: u64 = 50_000;
/// Log message of a server that has read the text for searches.
pub(crate) const SEARCH_TEXT_LOG_MESSAGE: &str = "search text loaded into memory";

/// State that the scenarios share.
pub(crate) struct Bench {
    /// The measured binary.
    pub(crate) sheaf: PathBuf,
    /// The data that the server serves.
    pub(crate) data: BenchData,
    /// The database of the data, read without the server for comparison.
    pub(crate) sqlite: SqliteFile,
    /// Ids and times that the requests use.
    pub(crate) samples: Samples,
    pub(crate) turns: TurnConfig,
    /// Temporary folder, emptied before each run.
    pub(crate) scratch: PathBuf,
}

impl Bench {
    /// Returns the command that serves the data, with limits that do not bind.
    pub(crate) fn serve_command(&self, data: &BenchData) -> Result<(Command, SocketAddr)> {
        serve_command(&self.sheaf, data)
    }

    /// Starts the server on some data, and waits until its in-memory data are loaded.
    pub(crate) async fn start_server(&self, data: &BenchData) -> Result<Program> {
        start_server(&self.sheaf, data, &[]).await
    }

    /// Returns the body of one response. Fails unless the status is 200.
    pub(crate) async fn fetch(&self, program: &Program, path: &str) -> Result<Vec<u8>> {
        fetch_ok(program.address, path, &self.data.key).await
    }

    /// Starts the baseline server. `paths` has pairs of a name and a path: under the name, the
    /// baseline server serves the response that `program` gives to the path.
    pub(crate) async fn start_baseline_server(
        &self,
        program: &Program,
        paths: &[(&str, &str)],
    ) -> Result<Program> {
        let folder = self.scratch.join("hello");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        for (name, path) in paths {
            let (head, body) = fetch_all_ok(program.address, path, &self.data.key).await?;
            fs::write(folder.join(name), [head, body].concat())?;
        }
        let address = free_address()?;
        let mut command = Command::new(bench_path()?);
        command.args(["hello", "--listen", &address.to_string(), "--folder"]).arg(folder);
        Program::start_and_wait(&mut command, address).await
    }

    /// Returns the bytes of a GET request for the list of the large form.
    pub(crate) fn list_request(&self, query: &str) -> Vec<u8> {
        get_request(&self.data.list_path(query), &self.data.key)
    }
}

fn serve_command(sheaf: &Path, data: &BenchData) -> Result<(Command, SocketAddr)> {
    let address = free_address()?;
    let mut command = Command::new(sheaf);
    command.args(["serve", "--listen", &address.to_string(), "--plan-limits", PLAN_LIMITS]);
    command.args(["--search-memory", &data.search_memory_mib().to_string()]);
    command.arg("--data").arg(&data.folder);
    Ok((command, address))
}

/// Starts the server on some data with further options, and waits until its in-memory data are
/// loaded.
pub(crate) async fn start_server(
    sheaf: &Path,
    data: &BenchData,
    options: &[&str],
) -> Result<Program> {
    let (mut command, address) = serve_command(sheaf, data)?;
    command.args(options);
    let mut program = Program::start_and_wait(&mut command, address).await?;
    fetch_ok(address, &data.list_path("limit=1"), &data.key).await?;
    fetch_ok(address, &data.list_path("limit=1&search=zzz"), &data.key).await?;
    let warm_max = WARM_MAX + Duration::from_secs(data.rows / WARM_ROWS_A_SECOND);
    if program.wait_for_line(SEARCH_TEXT_LOG_MESSAGE, warm_max).await.is_none() {
        print_line("the server did not log that it holds the search text in memory");
    }
    Ok(program)
}

/// Returns the path of this program, which is also the baseline server.
fn bench_path() -> Result<PathBuf> {
    Ok(fs::read_link("/proc/self/exe")?)
}
