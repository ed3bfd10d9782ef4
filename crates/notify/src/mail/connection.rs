//! Connection to the mail server that the e-mails of one lease share.

use std::time::Instant;

use super::counters::MailCounters;
use super::error::MailError;
use super::message::OutgoingMail;
use super::transport::{MailSession, Mailer};

/// Connection that is opened when it is needed.
pub(crate) struct Connection<'a> {
    mailer: &'a Mailer,
    counters: &'a MailCounters,
    session: Option<MailSession>,
    is_unreachable: bool,
}

impl<'a> Connection<'a> {
    /// Creates a connection that is not open.
    pub(crate) fn new(mailer: &'a Mailer, counters: &'a MailCounters) -> Self {
        Self { mailer, counters, session: None, is_unreachable: false }
    }

    /// Opens the connection, unless it is open.
    ///
    /// # Errors
    /// [`MailError::Server`] if the mail server cannot be reached or does not let Sheaf in.
    pub(crate) async fn open(&mut self) -> Result<&mut MailSession, MailError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.connect().await?,
        };
        Ok(self.session.insert(session))
    }

    async fn connect(&mut self) -> Result<MailSession, MailError> {
        let begin = Instant::now();
        let result = self.mailer.connect().await;
        if let Err(error) = &result {
            self.is_unreachable = true;
            self.counters.record(Some(error), begin.elapsed());
        }
        result
    }

    /// Sends an e-mail.
    ///
    /// # Errors
    /// Any [`MailError`].
    pub(crate) async fn send(&mut self, mail: OutgoingMail) -> Result<(), MailError> {
        let session = self.open().await?;
        let begin = Instant::now();
        let result = session.send(mail).await;
        self.counters.record(result.as_ref().err(), begin.elapsed());
        if matches!(result, Err(MailError::Server(_))) {
            // The next e-mail finds out whether the server can be reached.
            self.session = None;
        }
        result
    }

    /// Closes the connection. Returns whether the mail server could be reached whenever it was
    /// needed.
    pub(crate) async fn close(self) -> bool {
        if let Some(session) = self.session {
            session.close().await;
        }
        !self.is_unreachable
    }
}
