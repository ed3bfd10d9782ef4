//! Settings from the environment and the command line that apply to every command. Only this module
//! reads environment variables.

use clap::Args;
use contract::Plan;
use std::env;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use store::daily_limits::DailyLimits;
use store_postgres::Setup;

use crate::args::database::{DATA_OPTIONS, Database};
use crate::error::{Error, Result};
use crate::secret_file;

/// File name of the database in the data directory.
pub(crate) const DATABASE_FILE: &str = "sheaf.db";
/// Default data directory.
const DEFAULT_DIRECTORY: &str = "./data";
const DIRECTORY_VARIABLE: &str = "SHEAF_DATA";

/// Location of the data.
#[derive(Debug, Clone, Args)]
pub(crate) struct Data {
    /// Data directory with the database and all other files, created if missing; defaults to
    /// `./data`
    #[arg(
        long = "data",
        value_name = "DIR",
        env = DIRECTORY_VARIABLE,
        global = true,
        help_heading = DATA_OPTIONS
    )]
    directory: Option<PathBuf>,
    #[command(flatten)]
    database: Database,
    /// Location, cached after the first call, so that its warnings are logged only once.
    #[arg(skip)]
    location: OnceLock<DataLocation>,
}

/// Location of the data: a directory or a database.
#[derive(Debug, Clone)]
pub(crate) enum DataLocation {
    /// Data directory.
    Directory(PathBuf),
    /// Database.
    Database(Setup),
}

impl Data {
    /// Returns the location of the data.
    ///
    /// # Errors
    /// Two locations, an invalid URL, or a file that cannot be read.
    pub(crate) fn location(&self) -> Result<DataLocation> {
        if let Some(location) = self.location.get() {
            return Ok(location.clone());
        }
        let location = self.resolve_location()?;
        Ok(self.location.get_or_init(|| location).clone())
    }

    fn resolve_location(&self) -> Result<DataLocation> {
        let Some(url) = self.database_url()? else {
            return Ok(DataLocation::Directory(self.directory()));
        };
        // `SHEAF_DATA` may be set for all commands by an image or a unit, so it does not conflict
        // with a database.
        let is_set = self.directory.as_deref().map(Path::as_os_str);
        if is_set.is_some() && is_set != env::var_os(DIRECTORY_VARIABLE).as_deref() {
            return Err(Error::invalid(
                "`--data` and `--database-url` name two locations of the data; remove one of them",
            ));
        }
        let authority = self.database.database_ca.clone();
        let setup = Setup { ca_file: authority, ..Setup::with_defaults(&url) };
        setup.check()?;
        Ok(DataLocation::Database(setup))
    }

    fn database_url(&self) -> Result<Option<String>> {
        let Database { database_url, database_url_file, .. } = &self.database;
        self::database_url(database_url.as_deref(), database_url_file.as_deref())
    }

    /// Returns the data directory.
    fn directory(&self) -> PathBuf {
        self.directory.clone().unwrap_or_else(|| DEFAULT_DIRECTORY.into())
    }

    /// Returns the directory for temporary files: the data directory, or the system's for a
    /// database.
    ///
    /// # Errors
    /// As [`Data::place`].
    pub(crate) fn temp_directory(&self) -> Result<PathBuf> {
        Ok(match self.location()? {
            DataLocation::Directory(directory) => directory,
            DataLocation::Database(_) => env::temp_dir(),
        })
    }

    /// Returns the database file, for a command that works on files only.
    ///
    /// # Errors
    /// A file that does not exist. If the data are in a database, the error text is `instead`.
    pub(crate) fn database_file(&self, instead: &str) -> Result<PathBuf> {
        match self.location()? {
            DataLocation::Directory(directory) => find_database(&directory),
            DataLocation::Database(_) => Err(Error::invalid(instead)),
        }
    }
}

const URL_ARGUMENT: &str = "--database-url";
const URL_VARIABLE: &str = "SHEAF_DATABASE_URL";

/// Returns the database URL from the argument, its variable, or a file.
fn database_url(url: Option<&str>, file: Option<&Path>) -> Result<Option<String>> {
    match (url.filter(|url| !url.trim().is_empty()), file) {
        (Some(_), Some(_)) => Err(Error::invalid(format!(
            "`{URL_ARGUMENT}` and `{URL_ARGUMENT}-file` name the database twice; remove one of them"
        ))),
        (Some(url), None) => {
            if env::var(URL_VARIABLE).ok().as_deref() != Some(url) {
                warn_of_password(url);
            }
            Ok(Some(url.to_owned()))
        }
        (None, Some(file)) => read_secret(file).map(Some),
        (None, None) => Ok(None),
    }
}

fn warn_of_password(url: &str) {
    if has_password(url) {
        tracing::warn!(
            "every user of this machine can read the password of the database in the process list; \
             set the URL with `{URL_VARIABLE}` or `{URL_ARGUMENT}-file`"
        );
    }
}

fn has_password(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let name = authority.split_once('@').map_or("", |(name, _)| name);
    name.contains(':') || url.contains("password=")
}

/// Returns the path of the database file. Creates its directory if missing, accessible to its owner
/// only.
///
/// # Errors
/// A directory that cannot be created.
pub(crate) fn create_data_directory(directory: &Path) -> Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(Error::io(format!(
        "cannot create the data directory `{}`",
        directory.display()
    )))?;
    Ok(directory.join(DATABASE_FILE))
}

/// Returns the path of an existing database file.
///
/// # Errors
/// A file that does not exist, for example because the directory is mistyped.
pub(crate) fn find_database(directory: &Path) -> Result<PathBuf> {
    let path = directory.join(DATABASE_FILE);
    if path.exists() {
        return Ok(path);
    }
    Err(Error::invalid(format!(
        "there is no data in `{}`; set the data directory with `--data`, or begin with `sheaf \
         account create`",
        directory.display()
    )))
}

/// Daily limits of analysed submissions.
#[derive(Debug, Clone, Args)]
pub(crate) struct InsightLimits {
    /// Submissions analysed per account and day (UTC), such as `pro=5000`
    ///
    /// Can be repeated for each plan. Defaults: free 100, pro 1000, business 10000, enterprise
    /// 100000. Test forms have a separate limit of the same size.
    #[arg(
        long = "insight-limit",
        value_name = "PLAN=COUNT",
        env = "SHEAF_INSIGHT_LIMIT",
        value_delimiter = ',',
        value_parser = plan_count
    )]
    limits: Vec<(Plan, u64)>,
}

impl InsightLimits {
    /// Returns the limits of all plans.
    pub(crate) fn limits(&self) -> DailyLimits {
        let mut limits = DailyLimits::default();
        for (plan, limit) in &self.limits {
            limits.set(*plan, *limit);
        }
        limits
    }
}

/// Daily limits of e-mails.
#[derive(Debug, Clone, Args)]
pub(crate) struct MailLimits {
    /// E-mails to notified addresses per account and day (UTC), such as `pro=5000`
    ///
    /// Can be repeated for each plan. Defaults: free 100, pro 1000, business 10000, enterprise
    /// 100000. Auto-replies have a separate limit of the same size.
    #[arg(
        long = "mail-limit",
        value_name = "PLAN=COUNT",
        env = "SHEAF_MAIL_LIMIT",
        value_delimiter = ',',
        value_parser = plan_count
    )]
    mail_limits: Vec<(Plan, u64)>,
}

impl MailLimits {
    /// Returns the limits of all plans.
    pub(crate) fn limits(&self) -> DailyLimits {
        let mut limits = DailyLimits::default();
        let defaults = Plan::ALL.iter().map(|plan| (*plan, plan.mails_per_day()));
        for (plan, limit) in defaults.chain(self.mail_limits.iter().copied()) {
            limits.set(plan, limit);
        }
        limits
    }
}

fn plan_count(text: &str) -> Result<(Plan, u64), String> {
    let wrong = || format!("must be a limit such as `pro=5000`, but is `{text}`");
    let (plan, limit) = text.split_once('=').ok_or_else(wrong)?;
    Ok((plan.parse()?, limit.parse().map_err(|_| wrong())?))
}

/// Returns the notification socket of the service manager, if it has one.
pub(crate) fn notify_socket() -> Option<OsString> {
    env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty())
}

/// Reads a secret from a file, and trims it. The caller checks its format.
///
/// # Errors
/// A file that cannot be read, or that is accessible to all users.
pub(crate) fn read_secret(path: &Path) -> Result<String> {
    secret_file::read_secret_file(&secret_path(path))
}

/// Returns the path of a secret's file. A file name without a folder is first looked up among the
/// credentials that systemd passes to the service.
fn secret_path(path: &Path) -> PathBuf {
    let credentials = env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    resolve_credential(credentials.as_deref(), path)
}

fn resolve_credential(credentials: Option<&Path>, path: &Path) -> PathBuf {
    let is_name = path.file_name() == Some(path.as_os_str());
    let found = credentials.filter(|_| is_name).map(|folder| folder.join(path));
    found.filter(|found| found.exists()).unwrap_or_else(|| path.to_owned())
}

/// Returns the log filter from `RUST_LOG`, such as `debug` or `api=trace`.
pub(crate) fn log_filter() -> Option<String> {
    env::var("RUST_LOG").ok().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_file_name_is_a_credential() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("live-key"), "x").unwrap();
        let credentials = Some(folder.path());
        let check = |path: &str, expect: &Path| {
            assert_eq!(resolve_credential(credentials, Path::new(path)), expect);
        };
        check("live-key", &folder.path().join("live-key"));
        for path in ["other-key", "./live-key", "/live-key", "a/live-key", ".."] {
            check(path, Path::new(path));
        }
        assert_eq!(resolve_credential(None, Path::new("live-key")), Path::new("live-key"));
    }

    #[test]
    fn password_in_url_is_detected() {
        for with in ["postgres://a:b@h/d", "postgres://a@h/d?password=b", "postgres://:b@h"] {
            assert!(has_password(with), "{with}");
        }
        for without in ["postgres://a@h:1/d", "postgres://h:1/d", "h:1"] {
            assert!(!has_password(without), "{without}");
        }
    }

    #[test]
    fn database_url_given_twice_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("url");
        std::fs::write(&file, "postgres://:b@h\n").unwrap();
        let say = |url: Option<&str>, file: Option<&Path>| database_url(url, file);
        let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&file, owner_only).unwrap();
        assert_eq!(say(None, None).unwrap(), None);
        assert_eq!(say(Some("postgres://h"), None).unwrap().as_deref(), Some("postgres://h"));
        assert_eq!(say(Some(" "), Some(&file)).unwrap().as_deref(), Some("postgres://:b@h"));
        let error = say(Some("postgres://h"), Some(&file)).unwrap_err().to_string();
        assert!(error.contains("`--database-url-file` name the database twice"), "{error}");
    }

    #[test]
    fn daily_limit_requires_plan_and_count() {
        assert_eq!(plan_count("pro=0"), Ok((Plan::Pro, 0)));
        for bad in ["", "pro", "pro=", "pro=-1", "gold=5", "=5", "pro=1=2"] {
            assert!(plan_count(bad).is_err(), "{bad:?} was accepted");
        }
        let limits = InsightLimits { limits: vec![(Plan::Free, 3), (Plan::Free, 4)] }.limits();
        assert_eq!((limits.for_plan(Plan::Free), limits.for_plan(Plan::Pro)), (4, 1000));
        let limits = MailLimits { mail_limits: vec![(Plan::Pro, 5)] }.limits();
        let free = Plan::Free.mails_per_day();
        assert_eq!((limits.for_plan(Plan::Free), limits.for_plan(Plan::Pro)), (free, 5));
    }
}
