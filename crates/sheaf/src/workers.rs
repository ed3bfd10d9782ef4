//! Background workers of a server: analysis, webhooks and e-mail.

use api::Service;

use crate::args;
use crate::error::Result;
use crate::insight::{AnalysisOptions, PreparedAnalysis, RunningAnalysis};
use crate::mail::{MailOptions, PreparedMail};
use crate::operator::Operator;
use crate::stores::OpenStore;
use crate::webhooks::{PreparedWebhooks, WebhookOptions};
use crate::worker_task::WorkerTask;

/// Checked options of the workers.
pub(crate) struct WorkerOptions {
    insight: AnalysisOptions,
    webhooks: WebhookOptions,
    mail: MailOptions,
}

/// Workers that are not started.
pub(crate) struct PreparedWorkers {
    insight: PreparedAnalysis,
    webhooks: PreparedWebhooks,
    mail: PreparedMail,
}

/// Running workers.
pub(crate) struct RunningWorkers {
    insight: RunningAnalysis,
    webhooks: WorkerTask,
    /// `None` if e-mail is off.
    mail: Option<WorkerTask>,
}

impl WorkerOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// Options that are invalid, or files that cannot be used.
    pub(crate) fn check_options(
        insight: &args::Insight,
        webhooks: &args::Webhooks,
        mail: &args::MailArgs,
        public: &args::PublicUrlArgs,
    ) -> Result<Self> {
        Ok(Self {
            insight: AnalysisOptions::check_options(insight)?,
            webhooks: WebhookOptions::check_options(webhooks)?,
            mail: MailOptions::check_options(mail, public)?,
        })
    }

    /// Applies the options to a service, prepares the workers, and adds them to the metrics.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) async fn prepare(
        self,
        service: &Service,
        opened: &OpenStore,
        operator: &Operator,
    ) -> Result<PreparedWorkers> {
        let Self { insight, webhooks, mail } = self;
        let has_mail = mail.is_enabled();
        Ok(PreparedWorkers {
            insight: insight.prepare(service, opened.store()),
            webhooks: webhooks.prepare(service, opened.store(), operator, has_mail),
            mail: mail.prepare(service, opened, operator).await?,
        })
    }
}

impl PreparedWorkers {
    /// Returns the e-mail of a gateway, once; `None` if e-mail is off.
    pub(crate) fn take_gateway_mail(&mut self) -> Option<gateway::Mail> {
        self.mail.take_gateway_mail()
    }

    /// Starts the workers.
    pub(crate) fn start(self) -> RunningWorkers {
        let Self { insight, webhooks, mail } = self;
        RunningWorkers { insight: insight.start(), webhooks: webhooks.start(), mail: mail.start() }
    }
}

impl RunningWorkers {
    /// Stops the workers. Waits a few seconds for running requests and e-mails.
    pub(crate) async fn stop(self) {
        let Self { insight, webhooks, mail } = self;
        let stop_mail = async {
            if let Some(mail) = mail {
                mail.stop().await;
            }
        };
        tokio::join!(insight.stop(), webhooks.stop(), stop_mail);
    }
}
