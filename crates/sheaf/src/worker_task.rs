//! Start and stop of a background worker that sends requests or e-mails.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longest time that the shutdown waits for running attempts.
const STOP_MAX: Duration = Duration::from_secs(5);

/// A running worker.
pub(crate) struct WorkerTask {
    /// Name for the log.
    name: &'static str,
    task: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl WorkerTask {
    /// Starts a worker, once `release` has released the leases of an earlier process. `run` gets
    /// the signal that stops the worker. `name` is for the log.
    pub(crate) fn start<R>(
        name: &'static str,
        release: impl Future<Output = store::Result<()>> + Send + 'static,
        run: impl FnOnce(BoxFuture<'static, ()>) -> R + Send + 'static,
    ) -> Self
    where
        R: Future<Output = ()> + Send + 'static,
    {
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            // Without this, rows that a killed server has leased wait until their leases end.
            if let Err(error) = release.await {
                tracing::warn!(%error, "{name}: leases not released");
            }
            // A sender that is dropped also stops the worker.
            run(stopped.map(drop).boxed()).await;
        });
        Self { name, task, stop }
    }

    /// Waits for running attempts, at most [`STOP_MAX`]. The next server repeats those without a
    /// recorded outcome.
    pub(crate) async fn stop(self) {
        let Self { name, mut task, stop } = self;
        // It fails if the worker panicked. Then there is nothing to stop.
        let _ = stop.send(());
        if timeout(STOP_MAX, &mut task).await.is_err() {
            tracing::warn!("{name}: running attempts interrupted; they are repeated");
            task.abort();
            // The error says that the task was aborted, which is intended.
            let _ = task.await;
        }
    }
}
