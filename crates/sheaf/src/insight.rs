//! Background analysis of a server: the analyst, its limits, start and stop.
//!
//! The analysis starts after the server listens, and delays neither its start nor its shutdown.

mod analyst_protocol;
mod endpoint;

use analysis::{Analyst, BuiltIn, Worker};
use api::Service;
use std::path::Path;
use std::sync::Arc;
use store::Store;
use store::clock::SystemClock;
use store::daily_limits::DailyLimits;
use tokio::task::JoinHandle;

use crate::error::{Error, Result};
use crate::{args, authorities, config};
use endpoint::{Endpoint, EndpointTimeouts};

/// Checked options of the analysis, not yet connected to a service.
pub(crate) struct AnalysisOptions {
    limits: DailyLimits,
    /// `None` if analysis is off.
    analyst: Option<Arc<dyn Analyst>>,
}

/// An analysis that is not started.
pub(crate) struct PreparedAnalysis(Option<Worker>);

/// A running analysis; `None` if analysis is off.
pub(crate) struct RunningAnalysis(Option<JoinHandle<()>>);

impl AnalysisOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// A file without a key or a certificate, or an invalid URL.
    pub(crate) fn check_options(args: &args::Insight) -> Result<Self> {
        let limits = args.limits.limits();
        if args.is_off {
            return Ok(Self { limits, analyst: None });
        }
        let analyst: Arc<dyn Analyst> = match (&args.url, &args.model) {
            (Some(url), Some(model)) => {
                let key = args.key_file.as_deref().map(read_key).transpose()?;
                let trust = authorities::read_trust(args.ca.as_deref())?;
                Arc::new(Endpoint::new(
                    url,
                    model,
                    key.as_deref(),
                    EndpointTimeouts::default(),
                    &trust,
                )?)
            }
            _ => Arc::new(BuiltIn),
        };
        Ok(Self { limits, analyst: Some(analyst) })
    }

    /// Sets the limits of a service, and prepares its analysis.
    pub(crate) fn prepare(self, service: &Service, store: Arc<dyn Store>) -> PreparedAnalysis {
        let Self { limits, analyst } = self;
        service.set_insight_limits(limits);
        let worker = |analyst| Worker::new(store, Arc::new(SystemClock), analyst, limits);
        PreparedAnalysis(analyst.map(worker))
    }
}

impl PreparedAnalysis {
    /// Starts the analysis.
    pub(crate) fn start(self) -> RunningAnalysis {
        RunningAnalysis(self.0.map(|worker| tokio::spawn(worker.run())))
    }
}

impl RunningAnalysis {
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
        return Err(Error::invalid(wrong));
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
