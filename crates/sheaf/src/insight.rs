//! Background analysis of a server: the analyst, its limits, start and stop.
//!
//! The analysis starts after the server listens, and delays neither its start nor its shutdown.

mod endpoint;
mod talk;

use analysis::{Analyst, BuiltIn, Worker};
use api::Service;
use std::path::Path;
use std::sync::Arc;
use store::Store;
use store::clock::SystemClock;
use store::insight::Limits;
use tokio::task::JoinHandle;

use crate::error::{Error, Result};
use crate::{args, authorities, config};
use endpoint::{Endpoint, Patience};

/// Checked options of the analysis, not yet connected to a service.
pub(crate) struct Setup {
    limits: Limits,
    /// `None` if analysis is off.
    analyst: Option<Arc<dyn Analyst>>,
}

/// An analysis that is not started.
pub(crate) struct Prepared(Option<Worker>);

/// A running analysis; `None` if analysis is off.
pub(crate) struct Running(Option<JoinHandle<()>>);

impl Setup {
    /// Checks the options.
    ///
    /// # Errors
    /// A file without a key or a certificate, or an invalid URL.
    pub(crate) fn of(args: &args::Insight) -> Result<Self> {
        let limits = args.limits.limits();
        if args.is_off {
            return Ok(Self { limits, analyst: None });
        }
        let analyst: Arc<dyn Analyst> = match (&args.url, &args.model) {
            (Some(url), Some(model)) => {
                let key = args.key_file.as_deref().map(read_key).transpose()?;
                let trust = authorities::read(args.ca.as_deref())?;
                Arc::new(Endpoint::new(url, model, key.as_deref(), Patience::default(), &trust)?)
            }
            _ => Arc::new(BuiltIn),
        };
        Ok(Self { limits, analyst: Some(analyst) })
    }

    /// Sets the limits of a service, and prepares its analysis.
    pub(crate) fn over(self, service: &Service, store: Arc<dyn Store>) -> Prepared {
        let Self { limits, analyst } = self;
        service.set_insight_limits(limits);
        let worker = |analyst| Worker::new(store, Arc::new(SystemClock), analyst, limits);
        Prepared(analyst.map(worker))
    }
}

impl Prepared {
    /// Starts the analysis.
    pub(crate) fn start(self) -> Running {
        Running(self.0.map(|worker| tokio::spawn(worker.run())))
    }
}

impl Running {
    /// Stops at once. Submissions without a saved result stay pending for the next server.
    pub(crate) async fn stop(self) {
        if let Some(task) = self.0 {
            task.abort();
            // The error says that the task was aborted, which is intended.
            let _ = task.await;
        }
    }
}

fn read_key(path: &Path) -> Result<String> {
    let key = config::read_secret(path)?;
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let name = path.display();
        let wrong = format!("the file `{name}` must contain only a key, on one line");
        return Err(Error::refused(wrong));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn invalid_key_is_rejected_without_showing_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            read_key(&path).map_err(|error| error.to_string())
        };
        assert_eq!(read(" sk-canary\n"), Ok("sk-canary".to_owned()));
        for bad in ["", "\n", "sk canary", "sk-canary\nsk-canary", "sk-canäry"] {
            let error = read(bad).unwrap_err();
            assert!(error.contains("only a key") && !error.contains("can"), "{error}");
        }
        assert!(read_key(Path::new("/nowhere/key")).is_err());
    }
}
