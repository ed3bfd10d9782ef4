//! Connection to the mail server that the e-mails of one lease share.

use std::time::Instant;

use super::error::MailError;
use super::message::OutgoingMail;
use super::transport::{MailSession, Mailer};
use crate::counters::{AttemptResult, Counters};

/// Connection that is opened when it is needed.
pub(crate) struct Connection<'a> {
    mailer: &'a Mailer,
    counters: &'a Counters,
    session: Option<MailSession>,
    is_unreachable: bool,
}

impl<'a> Connection<'a> {
    /// Creates a connection that is not open.
    pub(crate) fn new(mailer: &'a Mailer, counters: &'a Counters) -> Self {
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
        let started_at = Instant::now();
        let result = self.mailer.connect().await;
        if result.is_err() {
            self.is_unreachable = true;
            self.count(&result, started_at);
        }
        result
    }

    /// Sends an e-mail.
    ///
    /// # Errors
    /// Any [`MailError`].
    pub(crate) async fn send(&mut self, mail: OutgoingMail) -> Result<(), MailError> {
        let session = self.open().await?;
        let started_at = Instant::now();
        let result = session.send(mail).await;
        self.count(&result, started_at);
        if result.as_ref().is_err_and(MailError::is_temporary) {
            // The next e-mail finds out whether the server can be reached.
            self.session = None;
        }
        result
    }

    /// Counts an attempt.
    fn count<T>(&self, result: &Result<T, MailError>, started_at: Instant) {
        let label = match result {
            Ok(_) => AttemptResult::Succeeded,
            Err(error) if error.is_temporary() => AttemptResult::Retried,
            Err(_) => AttemptResult::Failed,
        };
        self.counters.record(label, started_at.elapsed());
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
