//! PostgreSQL clusters for tests.

mod replica;

use crate::port::ReservedPort;
use crate::process::{
    Error, Result, ServerProcess, create_folder, run_to_end, unprivileged_command,
};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Folder of Debian's server programs, which are not in the search path.
const DEBIAN_FOLDER: &str = "/usr/lib/postgresql";
/// Environment variable with the address of the cluster that all test processes of a run share:
/// `postgres://sheaf@127.0.0.1:PORT/postgres`.
const SHARED_URL_VARIABLE: &str = "SHEAF_TEST_POSTGRES_URL";
/// Settings of a shared cluster. It need not survive a power failure. Autovacuum would always be
/// busy with the many small databases of the tests.
const SHARED_SETTINGS: [&str; 5] = [
    "fsync=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=500",
    "shared_buffers=64MB",
];
/// Template database for prepared databases.
#[cfg(feature = "async")]
const PREPARED_DATABASE: &str = "sheaf_prepared";
/// Maximum number of attempts, and the wait between them.
const ATTEMPTS_MAX: u32 = 600;
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(50);
/// Running cluster. Every user of this machine has full access.
pub struct Postgres {
    port: u16,
    programs: PathBuf,
    folder: PathBuf,
    settings: Vec<String>,
    /// Server process, which ends with this value, and its port. `None` if another process started
    /// it.
    running: Option<(ServerProcess, ReservedPort)>,
}

impl Postgres {
    /// Owner of all objects.
    pub const USER: &str = "sheaf";

    /// Returns the cluster that tests share: the one in `SHEAF_TEST_POSTGRES_URL`, otherwise one
    /// that is started for this process.
    ///
    /// Tests that stop or configure a cluster start their own.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub fn shared() -> &'static Self {
        static SHARED_CLUSTER: OnceLock<Postgres> = OnceLock::new();
        SHARED_CLUSTER.get_or_init(|| {
            let cluster = match std::env::var(SHARED_URL_VARIABLE) {
                Ok(url) => Self::attach(&url),
                Err(_) => Self::start_shared(&search_path()),
            };
            cluster.unwrap_or_else(|error| panic!("cannot start PostgreSQL: {error}"))
        })
    }

    /// Starts a cluster for the tests of several processes. `path` is the search path for its
    /// programs, if Debian's are not installed.
    ///
    /// # Errors
    /// As [`Postgres::start`].
    pub fn start_shared(path: &OsStr) -> Result<Self> {
        Self::init_and_run(find_programs(path)?, &SHARED_SETTINGS)
    }

    /// Returns a handle to a cluster that another process started, from its address.
    fn attach(url: &str) -> Result<Self> {
        let port = url.rsplit(['/', ':']).nth(1).and_then(|port| port.parse().ok());
        let port = port.ok_or_else(|| {
            Error::Failed(SHARED_URL_VARIABLE.to_owned(), format!("no port in `{url}`"))
        })?;
        Ok(Self {
            port,
            programs: find_programs(&search_path())?,
            folder: PathBuf::new(),
            settings: Vec::new(),
            running: None,
        })
    }

    /// Creates and starts a cluster with further settings, each as `name=value`.
    ///
    /// # Errors
    /// [`Error::Missing`] if PostgreSQL is not installed, and errors of its programs.
    pub fn start(settings: &[&str]) -> Result<Self> {
        Self::init_and_run(find_programs(&search_path())?, settings)
    }

    fn init_and_run(programs: PathBuf, settings: &[&str]) -> Result<Self> {
        let folder = create_folder()?;
        let data = folder.join("data");
        let mut make = unprivileged_command(programs.join("initdb"));
        make.args(["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]);
        run_to_end(make.args(["--username", Self::USER, "-D"]).arg(&data).current_dir(&folder))?;
        Self::run_cluster(programs, folder, settings.iter().map(ToString::to_string).collect())
    }

    /// Runs the cluster in the subfolder `data` of a folder.
    fn run_cluster(programs: PathBuf, folder: PathBuf, settings: Vec<String>) -> Result<Self> {
        let reserved = ReservedPort::new()?;
        let port = reserved.number();
        let port_text = port.to_string();
        let data = folder.join("data");
        let socket = folder.display().to_string();
        let data = data.display().to_string();
        let mut words = vec!["-D", &data, "-p", &port_text, "-k", &socket, "-h", "127.0.0.1"];
        for setting in &settings {
            words.extend(["-c", setting]);
        }
        let running = ServerProcess::start(&folder, &programs.join("postgres"), &words)?;
        let cluster = Self { port, programs, folder, settings, running: Some((running, reserved)) };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    /// Stops the server gracefully. Committed data are preserved.
    ///
    /// # Errors
    /// If the server no longer runs.
    pub fn stop(&self) -> Result<()> {
        self.running.as_ref().map_or(Ok(()), |(running, _)| running.stop())
    }

    /// Ends the server abruptly, as a crash does. Committed data are preserved.
    ///
    /// # Errors
    /// Errors of `pg_ctl`.
    pub fn crash(&self) -> Result<()> {
        let mut crash = unprivileged_command(self.programs.join("pg_ctl"));
        crash.args(["stop", "-w", "-m", "immediate", "-D"]).arg(self.folder.join("data"));
        run_to_end(crash.current_dir(&self.folder))?;
        Ok(())
    }

    /// Starts the server again on the same port, and waits until it answers.
    ///
    /// # Errors
    /// Errors of its programs.
    pub fn restart(&self) -> Result<()> {
        self.running.as_ref().map_or(Ok(()), |(running, _)| running.restart())?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&self) -> Result<()> {
        let mut attempts = 0;
        loop {
            let answer = self.run_sql("postgres", "SELECT 1");
            attempts += 1;
            match answer {
                Ok(_) => return Ok(()),
                Err(error) if attempts == ATTEMPTS_MAX => return Err(error),
                Err(_) => thread::sleep(ATTEMPT_INTERVAL),
            }
        }
    }

    /// Runs statements in a database with `psql` and returns the result as lines.
    ///
    /// # Errors
    /// Errors of `psql`.
    pub fn run_sql(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-X", "-d", &self.url(database)]);
        let output = run_to_end(psql.args(["-c", sql]).current_dir("/"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Creates an empty database and returns its address. Its name is unique among all processes
    /// that share the cluster.
    ///
    /// # Errors
    /// Errors of `psql`.
    pub fn create_database(&self) -> Result<String> {
        self.create_database_with("")
    }

    /// Creates a database as a copy of one filled by `prepare`, and returns its address.
    ///
    /// `prepare` gets the address of an empty database, and runs on a thread of its own, because
    /// the caller may already be in a runtime. All processes of the cluster share its result, so
    /// they must pass equivalent functions.
    ///
    /// # Errors
    /// Errors of `psql` and of the runtime, and connections of `prepare` that stay open.
    #[cfg(feature = "async")]
    pub fn create_prepared_database(
        &self,
        prepare: impl AsyncFnOnce(&str) + Send,
    ) -> Result<String> {
        let copy = format!(" TEMPLATE {PREPARED_DATABASE}");
        match self.create_database_with(&copy) {
            Err(error) if error.to_string().contains("does not exist") => {}
            result => return result,
        }
        let url = self.create_database()?;
        let run = || tokio::runtime::Runtime::new().map(|runtime| runtime.block_on(prepare(&url)));
        let prepared = thread::scope(|scope| scope.spawn(run).join());
        prepared.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let name = url.rsplit('/').next().unwrap_or_default();
        let rename = format!("ALTER DATABASE {name} RENAME TO {PREPARED_DATABASE}");
        let mut attempts = 0;
        // A connection ends slightly after it is closed, so the rename may need several attempts.
        while let Err(error) = self.run_sql("postgres", &rename) {
            attempts += 1;
            if error.to_string().contains("already exists") {
                // Another process renamed its database first.
                break;
            }
            if attempts == ATTEMPTS_MAX {
                return Err(error);
            }
            thread::sleep(ATTEMPT_INTERVAL);
        }
        self.create_database_with(&copy)
    }

    fn create_database_with(&self, options: &str) -> Result<String> {
        let uuid = std::fs::read_to_string("/proc/sys/kernel/random/uuid")?;
        let name = format!("sheaf_{}", uuid.trim().replace('-', ""));
        self.run_sql("postgres", &format!("CREATE DATABASE {name}{options}"))?;
        Ok(self.url(&name))
    }

    /// Returns the folder of the Unix socket, and the port in the socket's name.
    pub fn socket(&self) -> (&Path, u16) {
        (&self.folder, self.port)
    }

    /// Returns the process identifier of the postmaster, the parent of all other server processes.
    ///
    /// # Errors
    /// If the server is not running.
    pub fn pid(&self) -> Result<u32> {
        let pid_file = std::fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        let pid = pid_file.lines().next().unwrap_or_default();
        pid.parse().map_err(|_| Error::Failed("postgres".to_owned(), pid_file.clone()))
    }

    /// Returns the address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{}@127.0.0.1:{}/{database}", Self::USER, self.port)
    }
}

fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Finds the folder of the server's programs, the newest version first.
fn find_programs(path: &OsStr) -> Result<PathBuf> {
    let on_path = std::env::split_paths(path).collect::<Vec<_>>();
    let mut debian: Vec<_> =
        Path::new(DEBIAN_FOLDER).read_dir().into_iter().flatten().flatten().collect();
    debian.sort_by_key(|version| version.file_name().to_string_lossy().parse::<u32>().ok());
    let debian = debian.into_iter().rev().map(|version| version.path().join("bin"));
    debian
        .chain(on_path)
        .find(|folder| folder.join("initdb").exists())
        .ok_or_else(|| Error::Missing("initdb".to_owned(), "postgresql"))
}
