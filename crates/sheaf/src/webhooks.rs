//! Webhooks of a server: the receivers that are allowed, and start and stop of the worker.
//!
//! The worker starts after the server listens, and delays neither its start nor its shutdown.

use api::Service;
use notify::{AddressPolicy, Counters, Worker};
use rustls::ClientConfig;
use std::sync::Arc;
use store::Store;
use store::clock::{Clock as _, SystemClock};
use tokio::task::JoinHandle;

use crate::error::Result;
use crate::operator::Operator;
use crate::{args, authorities};

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
pub(crate) struct RunningWebhooks(JoinHandle<()>);

impl WebhookOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// A file without a certificate.
    pub(crate) fn check_options(args: &args::Webhooks) -> Result<Self> {
        let tls = authorities::webhook_tls(args.webhook_ca.as_deref())?;
        Ok(Self { policy: args.addresses.policy(), tls })
    }

    /// Sets the policy of a service, prepares its worker, and adds both to the metrics.
    pub(crate) fn prepare(
        self,
        service: &Service,
        store: Arc<dyn Store>,
        operator: &Operator,
    ) -> PreparedWebhooks {
        let Self { policy, tls } = self;
        service.set_webhook_policy(policy.clone());
        let counters = Arc::<Counters>::default();
        operator.watch_webhooks(Arc::clone(&counters));
        let worker = Worker::new(Arc::clone(&store), Arc::new(SystemClock), policy, tls, counters);
        PreparedWebhooks { worker, store }
    }
}

impl PreparedWebhooks {
    /// Starts the worker.
    pub(crate) fn start(self) -> RunningWebhooks {
        let Self { worker, store } = self;
        RunningWebhooks(tokio::spawn(async move {
            // Without this, deliveries of a killed server wait until their leases end.
            if let Err(error) = store.release_leases(SystemClock.now()).await {
                tracing::warn!(%error, "webhooks: leases not released");
            }
            drop(store);
            worker.run().await;
        }))
    }
}

impl RunningWebhooks {
    /// Stops at once. Deliveries without a recorded attempt are sent again by the next server.
    pub(crate) async fn stop(self) {
        self.0.abort();
        // The error says that the task was aborted, which is intended.
        let _ = self.0.await;
    }
}
