//! The analysis beside a server: which analyst, within which limits, from start to end.
//!
//! It begins once the server listens and holds up neither its start nor its end.

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

/// What the command line says of the analysis, checked; still without a service.
pub(crate) struct Setup {
    limits: Limits,
    /// `None` if analysis is off.
    analyst: Option<Arc<dyn Analyst>>,
}

/// An analysis that has not begun.
pub(crate) struct Prepared(Option<Worker>);

/// One that has; or none, where none was wanted.
pub(crate) struct Running(Option<JoinHandle<()>>);

impl Setup {
    /// Takes what the command line says.
    ///
    /// # Errors
    /// A file without a key or a certificate, or an invalid address.
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

    /// Makes the analysis of a service ready.
    pub(crate) fn over(self, service: &Service, store: Arc<dyn Store>) -> Prepared {
        let Self { limits, analyst } = self;
        service.set_insight_limits(limits);
        let worker = |analyst| Worker::new(store, Arc::new(SystemClock), analyst, limits);
        Prepared(analyst.map(worker))
    }
}

impl Prepared {
    /// Begins.
    pub(crate) fn start(self) -> Running {
        Running(self.0.map(|worker| tokio::spawn(worker.run())))
    }
}

impl Running {
    /// Ends at once. What was not written down is done by the next server.
    pub(crate) async fn stop(self) {
        if let Some(task) = self.0 {
            task.abort();
            // It says that it was aborted, which is what was wanted.
            let _ = task.await;
        }
    }
}

fn read_key(path: &Path) -> Result<String> {
    let key = config::read_secret(path)?;
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let name = path.display();
        let wrong = format!("the file `{name}` must hold a key alone, on one line");
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
    fn a_key_is_one_line_and_is_not_shown() {
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
            assert!(error.contains("a key alone") && !error.contains("can"), "{error}");
        }
        assert!(read_key(Path::new("/nowhere/key")).is_err());
    }
}
