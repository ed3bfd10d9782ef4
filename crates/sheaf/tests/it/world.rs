//! A data directory, or a database of PostgreSQL where `SHEAF_TEST_STORE=postgres` says so, and the
//! binary run on it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use store_postgres::{PostgresStore, Setup};
use test_servers::Postgres;

/// How long something in the background may take.
pub(crate) const SOON: Duration = Duration::from_mins(1);

/// A data directory that is gone with the test.
pub(crate) struct World {
    directory: tempfile::TempDir,
    /// The address of the database that stands in its place.
    database: Option<String>,
}

impl World {
    pub(crate) fn new() -> Self {
        let is_postgres =
            std::env::var_os("SHEAF_TEST_STORE").is_some_and(|store| store == "postgres");
        let database = is_postgres.then(prepared_database);
        Self { directory: tempfile::tempdir().unwrap(), database }
    }

    /// A world with one account, `a@example.com`.
    pub(crate) fn with_account() -> Self {
        let world = Self::new();
        world.run("account create --email a@example.com --plan enterprise");
        world
    }

    /// A path outside the data directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Looks through the file of data. Nothing looks through a database.
    pub(crate) fn check(&self) {
        if self.database.is_none() {
            self.run("check");
        }
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Writes a file that nobody else can read.
    pub(crate) fn secret(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.write(name, text);
        let alone = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, alone).unwrap();
        path
    }

    /// The binary, with arguments of which none holds a space.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = binary();
        command.args(arguments.split_whitespace());
        match &self.database {
            Some(url) => command.env("SHEAF_DATABASE_URL", url),
            None => command.env("SHEAF_DATA", self.data()),
        };
        command
    }

    /// Runs a command that must do its work, and returns what it printed.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &str) -> String {
        good(&self.command(arguments).output().unwrap())
    }

    /// Returns the token of a new sign-in link of the owner.
    #[track_caller]
    pub(crate) fn sign_in_token(&self) -> String {
        let link = self.run("account sign-in-link --account a@example.com");
        link.split_once("#token=").unwrap().1.to_owned()
    }

    /// Runs a command that must fail, and returns what it said.
    #[track_caller]
    pub(crate) fn fail(&self, arguments: &str) -> String {
        bad(&self.command(arguments).output().unwrap())
    }

    /// Creates a form and returns its id.
    #[track_caller]
    pub(crate) fn form(&self, more: &str) -> String {
        self.run(&format!("form create --account a@example.com --name Form {more}"))
    }

    /// Creates a key and returns its secret.
    #[track_caller]
    pub(crate) fn key(&self, mode: &str) -> String {
        self.run(&format!("key create --account a@example.com --name Key --mode {mode}"))
    }

    /// How many submissions a form has.
    #[track_caller]
    pub(crate) fn count(&self, form: &str) -> u64 {
        self.json(&format!("form show {form} --json"))["submission_count"].as_u64().unwrap()
    }

    /// Runs a statement in the database, where that stands in the directory's place.
    pub(crate) fn sql(&self, statement: &str) {
        if let Some(url) = &self.database {
            cluster().sql(url.rsplit('/').next().unwrap(), statement).unwrap();
        }
    }

    #[track_caller]
    pub(crate) fn json(&self, arguments: &str) -> serde_json::Value {
        serde_json::from_str(&self.run(arguments)).unwrap()
    }
}

/// An address of a database that no other test has, with the newest schema and no data.
fn prepared_database() -> String {
    let prepare = |url: &str| {
        let setup = Setup { connections_max: 1, ..Setup::of(url) };
        let open = async || PostgresStore::open(&setup).await.map(drop);
        // The caller may have a runtime already.
        let open = || tokio::runtime::Runtime::new().unwrap().block_on(open()).unwrap();
        std::thread::scope(|scope| scope.spawn(open).join().unwrap());
    };
    cluster().prepared_database(prepare).unwrap()
}

/// The cluster of this process's worlds. It need not outlive a power cut.
fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// The binary, or another one that `SHEAF_BIN` names, without anything of this process' environment.
pub(crate) fn binary() -> Command {
    let other = std::env::var_os("SHEAF_BIN");
    let mut command = Command::new(other.unwrap_or_else(|| env!("CARGO_BIN_EXE_sheaf").into()));
    command.env_clear().stdin(Stdio::null());
    command
}

/// Returns what a command wrote to standard error, without lines of progress such as `importing: 5
/// of 9 submissions`. Commands write them only if they take long, as on a busy machine.
pub(crate) fn said(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    let is_progress = |line: &str| {
        let what = ["reading", "checking", "importing", "dumping", "restoring", "verifying"];
        let figures = line.split_once(": ").filter(|(begin, _)| what.contains(begin));
        figures.is_some_and(|(_, figures)| figures.starts_with(|c: char| c.is_ascii_digit()))
    };
    error.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

#[track_caller]
pub(crate) fn good(output: &Output) -> String {
    let error = said(output);
    assert!(output.status.success(), "{error}");
    assert_eq!(error, "");
    String::from_utf8(output.stdout.clone()).unwrap().trim_end().to_owned()
}

#[track_caller]
pub(crate) fn bad(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let error = said(output);
    let sentence = error.strip_prefix("error: ").unwrap().trim_end().to_owned();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}

/// Runs a command with something on its standard input.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that has read enough closes its end; what it says then matters, not this.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// The permissions of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Waits until something is so that comes by itself.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < SOON, "it did not come to pass: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
