//! A cluster of PostgreSQL.

mod replica;

use crate::port::ReservedPort;
use crate::process::{Error, Result, Running, folder, output, unprivileged};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

/// Where Debian puts the programs of a server, which are not on the path.
const DEBIAN: &str = "/usr/lib/postgresql";
/// Names the cluster that all test processes of a run share, as
/// `postgres://sheaf@127.0.0.1:PORT/postgres`.
const SHARED: &str = "SHEAF_TEST_POSTGRES_URL";
/// The settings of a cluster that many tests share. It need not outlive a power cut.
const SHARED_SETTINGS: [&str; 3] = ["fsync=off", "max_connections=500", "shared_buffers=64MB"];
/// The database that prepared databases are copies of.
const PREPARED: &str = "sheaf_prepared";
/// How often a cluster that starts is asked whether it is there, and how long in between.
const ASKED_MAX: u32 = 600;
const ASKED_EVERY: Duration = Duration::from_millis(50);
/// A running cluster, in which anybody on this machine may do anything.
pub struct Postgres {
    port: u16,
    programs: PathBuf,
    folder: PathBuf,
    settings: Vec<String>,
    /// The server, which ends with this, and its port; `None` if another process has started it.
    running: Option<(Running, ReservedPort)>,
}

impl Postgres {
    /// Who owns everything in it.
    pub const USER: &str = "sheaf";

    /// Returns the cluster that tests share: the one that `SHEAF_TEST_POSTGRES_URL` names, or else
    /// one that is started for this process.
    ///
    /// Tests that stop or configure a cluster start their own.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub fn shared() -> &'static Self {
        static SHARED_CLUSTER: OnceLock<Postgres> = OnceLock::new();
        SHARED_CLUSTER.get_or_init(|| {
            let cluster = match std::env::var(SHARED) {
                Ok(url) => Self::attach(&url),
                Err(_) => Self::start_shared(&search_path()),
            };
            cluster.unwrap_or_else(|error| panic!("no PostgreSQL for the tests: {error}"))
        })
    }

    /// Starts a cluster for the tests of several processes, with the programs of a search path if
    /// the system has none installed.
    ///
    /// # Errors
    /// As [`Postgres::start`].
    pub fn start_shared(path: &OsStr) -> Result<Self> {
        Self::make(programs(path)?, &SHARED_SETTINGS)
    }

    /// A cluster that another process has started.
    fn attach(url: &str) -> Result<Self> {
        let port = url.rsplit(['/', ':']).nth(1).and_then(|port| port.parse().ok());
        let port =
            port.ok_or_else(|| Error::Failed(SHARED.to_owned(), format!("no port in `{url}`")))?;
        Ok(Self {
            port,
            programs: programs(&search_path())?,
            folder: PathBuf::new(),
            settings: Vec::new(),
            running: None,
        })
    }

    /// Makes and starts a cluster with further settings, each as `name=value`.
    ///
    /// # Errors
    /// [`Error::Missing`] where PostgreSQL is not installed; what its programs say where they fail.
    pub fn start(settings: &[&str]) -> Result<Self> {
        Self::make(programs(&search_path())?, settings)
    }

    fn make(programs: PathBuf, settings: &[&str]) -> Result<Self> {
        let folder = folder()?;
        let data = folder.join("data");
        let mut make = unprivileged(programs.join("initdb"));
        make.args(["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]);
        output(make.args(["--username", Self::USER, "-D"]).arg(&data).current_dir(&folder))?;
        Self::run(programs, folder, settings.iter().map(ToString::to_string).collect())
    }

    /// Runs what lies in the folder `data` of a folder.
    fn run(programs: PathBuf, folder: PathBuf, settings: Vec<String>) -> Result<Self> {
        let reserved = ReservedPort::new()?;
        let port = reserved.number();
        let (port_text, data, socket) =
            (port.to_string(), folder.join("data"), folder.display().to_string());
        let data = data.display().to_string();
        let mut words = vec!["-D", &data, "-p", &port_text, "-k", &socket, "-h", "127.0.0.1"];
        for setting in &settings {
            words.extend(["-c", setting]);
        }
        let running = Running::start(&folder, &programs.join("postgres"), &words)?;
        let it = Self { port, programs, folder, settings, running: Some((running, reserved)) };
        it.wait()?;
        Ok(it)
    }

    /// Ends the server, as who manages it would: what was committed is kept.
    ///
    /// # Errors
    /// A server that is not there any more.
    pub fn stop(&self) -> Result<()> {
        self.running.as_ref().map_or(Ok(()), |(running, _)| running.stop())
    }

    /// Ends the server without a word to anybody, as a crash does: what was committed is kept.
    ///
    /// # Errors
    /// What `pg_ctl` says.
    pub fn crash(&self) -> Result<()> {
        let mut crash = unprivileged(self.programs.join("pg_ctl"));
        crash.args(["stop", "-w", "-m", "immediate", "-D"]).arg(self.folder.join("data"));
        output(crash.current_dir(&self.folder))?;
        Ok(())
    }

    /// Starts it again on the same port, and waits until it answers.
    ///
    /// # Errors
    /// What its programs say.
    pub fn restart(&self) -> Result<()> {
        self.running.as_ref().map_or(Ok(()), |(running, _)| running.restart())?;
        self.wait()
    }

    fn wait(&self) -> Result<()> {
        let mut asked = 0;
        loop {
            let answer = self.sql("postgres", "SELECT 1");
            asked += 1;
            match answer {
                Ok(_) => return Ok(()),
                Err(error) if asked == ASKED_MAX => return Err(error),
                Err(_) => thread::sleep(ASKED_EVERY),
            }
        }
    }

    /// Runs statements in a database by `psql` and returns what they give, as lines.
    ///
    /// # Errors
    /// What `psql` says.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = unprivileged(self.programs.join("psql"));
        psql.args(["-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-X", "-d", &self.url(database)]);
        let output = output(psql.args(["-c", sql]).current_dir("/"))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Creates an empty database for each call and returns its address. Its name is unique among
    /// all processes that share the cluster.
    ///
    /// # Errors
    /// What `psql` says.
    pub fn database(&self) -> Result<String> {
        self.create("")
    }

    /// Creates a database for each call as a copy of one that `prepare` fills, and returns its
    /// address. `prepare` gets the address of an empty database. Its result is shared by all
    /// processes of the cluster, so each passes one that does the same.
    ///
    /// # Errors
    /// What `psql` says, and connections of `prepare` that stay open.
    pub fn prepared_database(&self, prepare: impl FnOnce(&str)) -> Result<String> {
        if !self.has_database(PREPARED)? {
            let url = self.database()?;
            prepare(&url);
            let name = url.rsplit('/').next().unwrap_or_default();
            let rename = format!("ALTER DATABASE {name} RENAME TO {PREPARED}");
            let mut asked = 0;
            // Connections end a moment after they are closed.
            while let Err(error) = self.sql("postgres", &rename) {
                asked += 1;
                if self.has_database(PREPARED)? {
                    // Another process was quicker.
                    break;
                }
                if asked == ASKED_MAX {
                    return Err(error);
                }
                thread::sleep(ASKED_EVERY);
            }
        }
        self.create(&format!(" TEMPLATE {PREPARED}"))
    }

    fn has_database(&self, name: &str) -> Result<bool> {
        let sql = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
        Ok(self.sql("postgres", &sql)? == "1")
    }

    fn create(&self, options: &str) -> Result<String> {
        let uuid = std::fs::read_to_string("/proc/sys/kernel/random/uuid")?;
        let name = format!("sheaf_{}", uuid.trim().replace('-', ""));
        self.sql("postgres", &format!("CREATE DATABASE {name}{options}"))?;
        Ok(self.url(&name))
    }

    /// The folder of its socket, and the port that the socket is named by.
    pub fn socket(&self) -> (&Path, u16) {
        (&self.folder, self.port)
    }

    /// The number of its first process, whose children all others are.
    ///
    /// # Errors
    /// A server that is not running.
    pub fn pid(&self) -> Result<u32> {
        let noted = std::fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        let pid = noted.lines().next().unwrap_or_default();
        pid.parse().map_err(|_| Error::Failed("postgres".to_owned(), noted.clone()))
    }

    /// The address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{}@127.0.0.1:{}/{database}", Self::USER, self.port)
    }
}

fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Finds the folder of the server's programs: the newest, where there are several.
fn programs(path: &OsStr) -> Result<PathBuf> {
    let on_path = std::env::split_paths(path).collect::<Vec<_>>();
    let mut debian: Vec<_> = Path::new(DEBIAN).read_dir().into_iter().flatten().flatten().collect();
    debian.sort_by_key(|version| version.file_name().to_string_lossy().parse::<u32>().ok());
    let debian = debian.into_iter().rev().map(|version| version.path().join("bin"));
    debian
        .chain(on_path)
        .find(|folder| folder.join("initdb").exists())
        .ok_or_else(|| Error::Missing("initdb".to_owned(), "postgresql"))
}
