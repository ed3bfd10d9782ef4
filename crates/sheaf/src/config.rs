//! What the environment and the command line set for every command. The only reader of the
//! environment: nothing else in the project asks for a variable.

use clap::Args;
use contract::Plan;
use service::store::insight::Limits;
use std::env;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The database's name in the data directory.
const DATABASE: &str = "sheaf.db";

/// Where everything is kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct Data {
    /// The directory in which everything is kept; made where it is missing
    #[arg(
        long = "data",
        value_name = "DIR",
        env = "SHEAF_DATA",
        default_value = "./data",
        global = true
    )]
    directory: PathBuf,
}

impl Data {
    /// Returns the directory.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the database's path. Its directory is made where it is missing, for its owner alone.
    ///
    /// # Errors
    /// A directory that cannot be made.
    pub(crate) fn database(&self) -> Result<PathBuf> {
        let directory = &self.directory;
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(Error::io(
            format!("cannot make the data directory `{}`", directory.display()),
        ))?;
        Ok(directory.join(DATABASE))
    }

    /// Returns the database's path where there is one.
    ///
    /// # Errors
    /// No database there yet: what a command that only reads says of a mistyped directory.
    pub(crate) fn existing_database(&self) -> Result<PathBuf> {
        let path = self.directory.join(DATABASE);
        if path.exists() {
            return Ok(path);
        }
        Err(Error::refused(format!(
            "there is no data in `{}`; name its directory with `--data`, or begin with \
             `sheaf account create`",
            self.directory.display()
        )))
    }
}

/// How many submissions are analysed a day.
#[derive(Debug, Clone, Args)]
pub(crate) struct InsightLimits {
    /// How many submissions of an account are analysed in a day (UTC), in place of the plan's 100,
    /// 1000, 10000 or 100000, for example `pro=5000`; may be given for each plan. Test forms have
    /// as many once more
    #[arg(
        long = "insight-limit",
        value_name = "PLAN=COUNT",
        env = "SHEAF_INSIGHT_LIMIT",
        value_delimiter = ',',
        value_parser = insight_limit
    )]
    limits: Vec<(Plan, u64)>,
}

impl InsightLimits {
    /// Returns the limits of all plans.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        for (plan, limit) in &self.limits {
            limits.set(*plan, *limit);
        }
        limits
    }
}

fn insight_limit(text: &str) -> Result<(Plan, u64), String> {
    let wrong = || format!("a limit is such as `pro=5000`, but this is `{text}`");
    let (plan, limit) = text.split_once('=').ok_or_else(wrong)?;
    Ok((plan.parse()?, limit.parse().map_err(|_| wrong())?))
}

/// Returns where the service manager wants to be told of start and end, if it does.
pub(crate) fn notify_socket() -> Option<OsString> {
    env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty())
}

/// Returns where a secret's file is. A name without a folder is looked for among the credentials
/// that systemd hands to the service, where it hands any; else it is a path.
pub(crate) fn secret_file(path: &Path) -> PathBuf {
    let credentials = env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    among(credentials.as_deref(), path)
}

fn among(credentials: Option<&Path>, path: &Path) -> PathBuf {
    let is_name = path.file_name() == Some(path.as_os_str());
    let found = credentials.filter(|_| is_name).map(|folder| folder.join(path));
    found.filter(|found| found.exists()).unwrap_or_else(|| path.to_owned())
}

/// Returns which log lines are wanted, as `RUST_LOG` says it: `debug`, or `service=trace`.
pub(crate) fn log_filter() -> Option<String> {
    env::var("RUST_LOG").ok().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_a_credential_where_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("live-key"), "x").unwrap();
        let credentials = Some(folder.path());
        let check = |path: &str, expect: &Path| {
            assert_eq!(among(credentials, Path::new(path)), expect);
        };
        check("live-key", &folder.path().join("live-key"));
        for path in ["other-key", "./live-key", "/live-key", "a/live-key", ".."] {
            check(path, Path::new(path));
        }
        assert_eq!(among(None, Path::new("live-key")), Path::new("live-key"));
    }

    #[test]
    fn a_limit_names_a_plan_and_a_count() {
        assert_eq!(insight_limit("pro=0"), Ok((Plan::Pro, 0)));
        for bad in ["", "pro", "pro=", "pro=-1", "gold=5", "=5", "pro=1=2"] {
            assert!(insight_limit(bad).is_err(), "{bad:?} was taken");
        }
        let limits = InsightLimits { limits: vec![(Plan::Free, 3), (Plan::Free, 4)] }.limits();
        assert_eq!((limits.of(Plan::Free), limits.of(Plan::Pro)), (4, 1000));
    }
}
