//! Webhooks of a server: the receivers that are allowed, and the worker.
//!
//! The worker starts after the server listens. It delays the shutdown by at most a few seconds.

use api::Service;
use notify::{AddressPolicy, Counters, Worker};
use rustls::ClientConfig;
use std::sync::Arc;
use store::Store;
use store::clock::SystemClock;

use crate::error::Result;
use crate::operator::Operator;
use crate::worker_task::WorkerTask;
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
        operator.readiness.watch_webhooks(Arc::clone(&counters));
        let worker = Worker::new(Arc::clone(&store), Arc::new(SystemClock), policy, tls, counters);
        let worker = if has_mail { worker.with_owner_mail() } else { worker };
        PreparedWebhooks { worker, store }
    }
}

impl PreparedWebhooks {
    /// Starts the worker.
    pub(crate) fn start(self) -> WorkerTask {
        let Self { worker, store } = self;
        let release = async move { store.release_leases().await };
        WorkerTask::start("webhooks", release, |stop| worker.run(stop))
    }
}
