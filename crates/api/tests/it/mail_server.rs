//! A mail server that records e-mails, and the service that sends through it.

use crate::app::App;
use api::MailService;
use notify::mail::{MailConfig, MailFrom, MailLinks, Mailer, SmtpServer};
use store::daily_limits::DailyLimits;
use test_servers::{ReceivedMail, SmtpReceiver, SmtpStage};

/// Public URL of the links.
const BASE: &str = "https://sheaf.example";

/// A mail server that records e-mails.
pub(crate) struct MailServer(SmtpReceiver);

impl MailServer {
    pub(crate) async fn start() -> Self {
        Self(SmtpReceiver::start().await)
    }

    /// Returns a service that sends through this server.
    pub(crate) async fn service(&self, app: &App, limits: DailyLimits) -> MailService {
        let config = MailConfig {
            server: SmtpServer::parse(&self.0.url()).unwrap(),
            password: None,
            from: MailFrom::parse("Sheaf <sheaf@sheaf.example>").unwrap(),
            authorities: None,
            dkim: None,
            clock: app.clock.clone(),
        };
        let secret = app.store.mail_secret().await.unwrap();
        MailService {
            mailer: Mailer::new(config).unwrap(),
            links: MailLinks::new(BASE, secret),
            limits,
        }
    }

    /// Refuses the recipients of the next e-mails with 550.
    pub(crate) fn refuse_recipients(&self, times: usize) {
        self.0.refuse(SmtpStage::Rcpt, 550, "no such user", times);
    }

    /// Returns the e-mails so far.
    pub(crate) fn mails(&self) -> Vec<ReceivedMail> {
        self.0.mails()
    }

    /// Returns the path of the link in the last e-mail that confirms or unsubscribes.
    pub(crate) fn last_link(&self) -> String {
        let mails = self.mails();
        let raw = String::from_utf8(mails.last().unwrap().raw.clone()).unwrap();
        // Quoted-printable lines are joined. Links contain no character that is encoded.
        let text = raw.replace("=\r\n", "");
        let (_, link) = text.split_once(&format!("{BASE}/n/")).unwrap();
        let end = link.find(|c: char| c.is_whitespace() || "\"<>".contains(c)).unwrap();
        format!("/n/{}", &link[..end])
    }
}
