//! Test environment: a data directory, or a PostgreSQL database if `SHEAF_TEST_STORE` is
//! `postgres`, and the binary run on it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use store_postgres::{PostgresStore, Setup};
use store_sqlite::SqliteStore;
use test_servers::Postgres;

/// Maximum time of work in the background.
pub(crate) const SOON: Duration = Duration::from_mins(1);

/// A data directory that is deleted on drop.
pub(crate) struct TestEnv {
    directory: tempfile::TempDir,
    /// URL of the database that replaces the directory.
    database: Option<String>,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let is_postgres =
            std::env::var_os("SHEAF_TEST_STORE").is_some_and(|store| store == "postgres");
        let database = is_postgres.then(prepared_database);
        Self { directory: tempfile::tempdir().unwrap(), database }
    }

    /// Creates an environment with one account, `a@example.com`.
    pub(crate) fn with_account() -> Self {
        let env = Self::new();
        if env.database.is_none() {
            let prepare = |file: &Path| drop(SqliteStore::open(file).unwrap());
            test_servers::copy_prepared_file(&env.data().join("sheaf.db"), prepare).unwrap();
        }
        env.run("account create --email a@example.com --plan enterprise");
        env
    }

    /// Returns a path outside of the data directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Runs `sheaf check` on the data file. There is no such command for a database.
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

    /// Writes a file with mode 0600.
    pub(crate) fn secret(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.write(name, text);
        let owner_only = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, owner_only).unwrap();
        path
    }

    /// Returns the binary with arguments, split at spaces.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = binary();
        command.args(arguments.split_whitespace());
        match &self.database {
            Some(url) => command.env("SHEAF_DATABASE_URL", url),
            None => command.env("SHEAF_DATA", self.data()),
        };
        command
    }

    /// Runs a command that must succeed, and returns its output.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &str) -> String {
        expect_success(&self.command(arguments).output().unwrap())
    }

    /// Returns the token of a new sign-in link of the owner.
    #[track_caller]
    pub(crate) fn sign_in_token(&self) -> String {
        let link = self.run("account sign-in-link --account a@example.com");
        link.split_once("#token=").unwrap().1.to_owned()
    }

    /// Runs a command that must fail, and returns its error.
    #[track_caller]
    pub(crate) fn fail(&self, arguments: &str) -> String {
        expect_failure(&self.command(arguments).output().unwrap())
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

    /// Returns the number of submissions of a form.
    #[track_caller]
    pub(crate) fn count(&self, form: &str) -> u64 {
        self.json(&format!("form show {form} --json"))["submission_count"].as_u64().unwrap()
    }

    /// Runs a statement in the PostgreSQL database, and does nothing on a data directory.
    pub(crate) fn sql(&self, statement: &str) {
        if let Some(url) = &self.database {
            cluster().run_sql(url.rsplit('/').next().unwrap(), statement).unwrap();
        }
    }

    #[track_caller]
    pub(crate) fn json(&self, arguments: &str) -> serde_json::Value {
        serde_json::from_str(&self.run(arguments)).unwrap()
    }
}

/// Returns the URL of a new database with the current schema and no data.
fn prepared_database() -> String {
    let prepare = async |url: &str| {
        PostgresStore::open(&Setup::with_defaults(url)).await.unwrap();
    };
    cluster().create_prepared_database(prepare).unwrap()
}

/// Returns the cluster that the tests of this process share. It does not sync its writes to disk.
fn cluster() -> &'static Postgres {
    Postgres::shared()
}

/// Returns the binary, or the one that `SHEAF_BIN` names, without environment variables of this
/// process.
pub(crate) fn binary() -> Command {
    let other = std::env::var_os("SHEAF_BIN");
    let mut command = Command::new(other.unwrap_or_else(|| env!("CARGO_BIN_EXE_sheaf").into()));
    command.env_clear().stdin(Stdio::null());
    command
}

/// Returns the standard error of a command, without progress lines such as `importing: 5 of 9
/// submissions`. Commands write those only if they take long, as on a busy machine.
pub(crate) fn stderr_without_progress(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    let is_progress = |line: &str| {
        let what = ["reading", "checking", "importing", "dumping", "restoring", "verifying"];
        let figures = line.split_once(": ").filter(|(begin, _)| what.contains(begin));
        figures.is_some_and(|(_, figures)| figures.starts_with(|c: char| c.is_ascii_digit()))
    };
    error.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

#[track_caller]
pub(crate) fn expect_success(output: &Output) -> String {
    let error = stderr_without_progress(output);
    assert!(output.status.success(), "{error}");
    assert_eq!(error, "");
    String::from_utf8(output.stdout.clone()).unwrap().trim_end().to_owned()
}

#[track_caller]
pub(crate) fn expect_failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let error = stderr_without_progress(output);
    let sentence = error.strip_prefix("error: ").unwrap().trim_end().to_owned();
    assert!(!sentence.contains('\n'), "{sentence}");
    sentence
}

/// Runs a command with `input` as its standard input.
pub(crate) fn run_with_input(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Ignore a broken pipe: a command may stop reading early, and the test checks its output.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Returns the permissions of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Waits until a condition holds, for at most [`SOON`].
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < SOON, "timed out waiting until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
