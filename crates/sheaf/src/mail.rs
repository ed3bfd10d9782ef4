//! E-mail of a server: its options and the worker.
//!
//! The mail server is not contacted at the start, because it may be down. The worker starts after
//! the server listens. It delays the shutdown by at most a few seconds.

mod disk_watch;

use api::{MailService, Service};
use notify::Counters;
use notify::mail::{
    DkimKey, MailConfig, MailConfigError, MailFrom, MailLinks, MailWorker, Mailer, SmtpServer,
};
use std::future;
use std::path::Path;
use std::sync::Arc;
use store::Store;
use store::clock::SystemClock;
use store::daily_limits::DailyLimits;

use crate::error::{Error, Result};
use crate::operator::Operator;
use crate::stores::OpenStore;
use crate::worker_task::WorkerTask;
use crate::{args, authorities, config, email, gateway_mail};
use disk_watch::DiskWatch;

/// Checked options of e-mail, not yet connected to a service; `None` if e-mail is off.
pub(crate) struct MailOptions(Option<EnabledMail>);

struct EnabledMail {
    mailer: Mailer,
    /// Public URL of the dashboard.
    base: String,
    limits: DailyLimits,
    /// Address of the operator.
    operator: Option<String>,
}

/// A worker that is not started; `None` if e-mail is off.
pub(crate) struct PreparedMail(Option<PreparedWorker>);

struct PreparedWorker {
    worker: MailWorker,
    store: Arc<dyn Store>,
    watch: Option<DiskWatch>,
    /// E-mail to members, until the gateway takes it.
    gateway_mail: Option<gateway::Mail>,
}

/// Returns a mailer with these options; `None` without a mail server.
///
/// # Errors
/// Options that are invalid, or files that cannot be used.
pub(crate) fn open_mailer(args: &args::SmtpArgs) -> Result<Option<Mailer>> {
    let (Some(url), Some(from)) = (&args.smtp_url, &args.mail_from) else { return Ok(None) };
    let config = MailConfig {
        server: SmtpServer::parse(url).map_err(|error| refused_option("--smtp-url", &error))?,
        password: args.smtp_password_file.as_deref().map(config::read_secret).transpose()?,
        from: MailFrom::parse(from).map_err(|error| refused_option("--mail-from", &error))?,
        authorities: args.smtp_ca.as_deref().map(authorities::read_file).transpose()?,
        dkim: match (&args.dkim_key_file, &args.dkim_selector) {
            (Some(file), Some(selector)) => Some(read_dkim_key(file, selector)?),
            _ => None,
        },
        clock: Arc::new(SystemClock),
    };
    Mailer::new(config).map(Some).map_err(|error| match (&error, &args.smtp_ca) {
        (MailConfigError::Authority(_), Some(file)) => {
            refused_option(&format!("--smtp-ca {}", file.display()), &error)
        }
        (MailConfigError::Password(_), _) => refused_option("--smtp-password-file", &error),
        _ => refused_option("--smtp-url", &error),
    })
}

fn read_dkim_key(file: &Path, selector: &str) -> Result<DkimKey> {
    let pem = config::read_secret(file)?;
    DkimKey::parse(pem.as_bytes(), selector)
        .map_err(|error| refused_option(&format!("--dkim-key-file {}", file.display()), &error))
}

fn refused_option(option: &str, error: &MailConfigError) -> Error {
    Error::invalid(format!("`{option}` is wrong: {error}"))
}

impl MailOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// As [`open_mailer`]; no public URL, because e-mails contain links.
    pub(crate) fn check_options(
        args: &args::MailArgs,
        public: &args::PublicUrlArgs,
    ) -> Result<Self> {
        let Some(mailer) = open_mailer(&args.smtp)? else { return Ok(Self(None)) };
        let base = public.public_url.clone().ok_or_else(|| {
            let example = "`--public-url https://forms.example.com`";
            Error::invalid(format!("`--smtp-url` needs a URL for links; set {example}"))
        })?;
        let operator = args.mail_operator.as_deref();
        let operator = operator.map(|it| email::mailbox_of("--mail-operator", it)).transpose()?;
        let limits = args.limits.limits();
        Ok(Self(Some(EnabledMail { mailer, base, limits, operator })))
    }

    /// Returns whether e-mail is on.
    pub(crate) fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    /// Enables e-mail in a service, prepares its worker, and adds it to the metrics.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) async fn prepare(
        self,
        service: &Service,
        opened: &OpenStore,
        operator: &Operator,
    ) -> Result<PreparedMail> {
        let Some(EnabledMail { mailer, base, limits, operator: address }) = self.0 else {
            return Ok(PreparedMail(None));
        };
        let store = opened.store();
        let secret = store.mail_secret().await?;
        let links = MailLinks::new(&base, secret);
        let counters = Arc::<Counters>::default();
        operator.readiness.watch_mail(Arc::clone(&counters));
        let worker = MailWorker::new(
            Arc::clone(&store),
            Arc::new(SystemClock),
            mailer.clone(),
            links.clone(),
            limits,
            counters,
        );
        let gateway_mail =
            Some(gateway_mail::build(mailer.clone(), base, Arc::clone(&store), secret));
        service.set_mail(MailService { mailer, links, limits });
        let disk_watch = address.map(|address| DiskWatch::new(opened.downgrade(), address));
        Ok(PreparedMail(Some(PreparedWorker { worker, store, watch: disk_watch, gateway_mail })))
    }
}

impl PreparedMail {
    /// Returns the e-mail of a gateway, once; `None` if e-mail is off.
    pub(crate) fn take_gateway_mail(&mut self) -> Option<gateway::Mail> {
        self.0.as_mut()?.gateway_mail.take()
    }

    /// Starts the worker; returns `None` if e-mail is off.
    pub(crate) fn start(self) -> Option<WorkerTask> {
        let PreparedWorker { worker, store, watch: disk_watch, .. } = self.0?;
        let release = async move { store.release_mail_leases().await };
        Some(WorkerTask::start("e-mail", release, |stop| async move {
            let disk_watch = async {
                match disk_watch {
                    Some(disk_watch) => disk_watch.run().await,
                    None => future::pending().await,
                }
            };
            tokio::select! {
                () = worker.run(stop) => {}
                () = disk_watch => {}
            }
        }))
    }
}
