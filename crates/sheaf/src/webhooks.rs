//! Webhooks of a server: the receivers that are allowed, and start and stop of the worker.
//!
//! The worker starts after the server listens. It delays the shutdown by at most a few seconds.

use api::Service;
use notify::{AddressPolicy, Counters, Worker};
use rustls::ClientConfig;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::clock::SystemClock;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::Result;
use crate::operator::Operator;
use crate::{args, authorities};

/// Longest time that the shutdown waits for running attempts.
const STOP_MAX: Duration = Duration::from_secs(5);

/// Checked options of webhooks, not yet connected to a service.
pub(crate) struct WebhookOptions {
    policy: AddressPolicy,
    tls: Arc<ClientConfig>,
}

/// A worker that is not started.
pub(crate) struct PreparedWebhooks {
    worker: Worker,
    store: Arc<dyn Store>,
}

/// A running worker.
pub(crate) struct RunningWebhooks {
    task: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl WebhookOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// A file without a certificate.
    pub(crate) fn check_options(args: &args::Webhooks) -> Result<Self> {
        let tls = authorities::webhook_tls(args.webhook_ca.as_deref())?;
        Ok(Self { policy: args.addresses.policy(), tls })
    }

    /// Sets the policy of a service, prepares its worker, and adds both to the metrics. With
    /// e-mail, the worker tells owners that a webhook was disabled.
    pub(crate) fn prepare(
        self,
        service: &Service,
        store: Arc<dyn Store>,
        operator: &Operator,
        has_mail: bool,
    ) -> PreparedWebhooks {
        let Self { policy, tls } = self;
        service.set_webhook_policy(policy.clone());
        let counters = Arc::<Counters>::default();
        operator.watch_webhooks(Arc::clone(&counters));
        let worker = Worker::new(Arc::clone(&store), Arc::new(SystemClock), policy, tls, counters);
        let worker = if has_mail { worker.with_owner_mail() } else { worker };
        PreparedWebhooks { worker, store }
    }
}

impl PreparedWebhooks {
    /// Starts the worker.
    pub(crate) fn start(self) -> RunningWebhooks {
        let Self { worker, store } = self;
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            // Without this, deliveries of a killed server wait until their leases end.
            if let Err(error) = store.release_leases().await {
                tracing::warn!(%error, "webhooks: leases not released");
            }
            drop(store);
            worker
                .run(async {
                    // The sender also stops the worker if it is dropped.
                    let _ = stopped.await;
                })
                .await;
        });
        RunningWebhooks { task, stop }
    }
}

impl RunningWebhooks {
    /// Waits for running attempts, at most [`STOP_MAX`]. Deliveries without a recorded attempt are
    /// sent again by the next server.
    pub(crate) async fn stop(self) {
        let Self { mut task, stop } = self;
        // It fails if the worker panicked. Then there is nothing to stop.
        let _ = stop.send(());
        if timeout(STOP_MAX, &mut task).await.is_err() {
            tracing::warn!("webhooks: running attempts interrupted; they are sent again");
            task.abort();
            // The error says that the task was aborted, which is intended.
            let _ = task.await;
        }
    }
}
