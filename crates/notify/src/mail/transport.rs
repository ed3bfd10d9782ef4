//! Sends e-mails, one per connection or several.

use std::time::Duration;
use tokio::time::timeout;

use super::config::MailConfig;
use super::error::MailConfigError;
pub(crate) use super::error::MailError;
use super::message::OutgoingMail;
use super::smtp::{SmtpClient, SmtpConnection};

/// Time limit of the farewell. Its answer does not matter.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of e-mails per connection, because servers limit them.
const SESSION_MAILS_MAX: u32 = 50;

/// Sends e-mails. Clones share the settings.
#[derive(Clone)]
pub struct Mailer {
    client: SmtpClient,
}

impl Mailer {
    /// Creates a mailer. It does not connect.
    ///
    /// # Errors
    /// If the password has no user or would be sent without encryption, or a certificate is not
    /// valid.
    pub fn new(config: MailConfig) -> Result<Self, MailConfigError> {
        Ok(Self { client: SmtpClient::new(config)? })
    }

    /// Replaces the time limit of each step: 25 s to connect, 15 s for a command, and 60 s for the
    /// message.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { client: self.client.with_timeout(timeout) }
    }

    /// Sends an e-mail by a connection of its own.
    ///
    /// # Errors
    /// Any [`MailError`].
    pub(crate) async fn send(&self, mail: OutgoingMail) -> Result<(), MailError> {
        self.deliver(mail).await.map(drop)
    }

    /// As [`Mailer::send`], and returns what the server answered.
    pub(super) async fn deliver(&self, mail: OutgoingMail) -> Result<String, MailError> {
        let mut session = self.connect().await?;
        let answer = session.deliver(mail).await?;
        session.close().await;
        Ok(answer)
    }

    /// Opens a connection for several e-mails.
    ///
    /// # Errors
    /// [`MailError::Server`].
    pub(crate) async fn connect(&self) -> Result<MailSession, MailError> {
        let connection = self.client.connect().await?;
        Ok(MailSession { client: self.client.clone(), connection: Some(connection), sent: 0 })
    }
}

/// A connection for several e-mails. It is opened again when it was closed by an error.
pub(crate) struct MailSession {
    client: SmtpClient,
    /// Taken out while an e-mail is sent: a dropped future must not leave half of a transaction.
    connection: Option<SmtpConnection>,
    /// Number of e-mails on this connection.
    sent: u32,
}

impl MailSession {
    /// Sends an e-mail. After any error the session can send others.
    ///
    /// # Errors
    /// Any [`MailError`].
    pub(crate) async fn send(&mut self, mail: OutgoingMail) -> Result<(), MailError> {
        self.deliver(mail).await.map(drop)
    }

    async fn deliver(&mut self, mail: OutgoingMail) -> Result<String, MailError> {
        let client = &self.client;
        let mail = client.build(mail)?;
        let mut connection = match self.connection.take() {
            Some(connection) if self.sent < SESSION_MAILS_MAX => connection,
            full => {
                quit(full).await;
                self.sent = 0;
                client.connect().await?
            }
        };
        self.sent += 1;
        let result = client.transfer(&mut connection, mail).await;
        let is_usable = match &result {
            Ok(_) => true,
            Err(error) if error.is_temporary() => false,
            // Ends the transaction that the server refused.
            Err(_) => client.reset(&mut connection).await,
        };
        self.connection = is_usable.then_some(connection);
        result
    }

    /// Takes leave of the server.
    pub(crate) async fn close(self) {
        quit(self.connection).await;
    }
}

async fn quit(connection: Option<SmtpConnection>) {
    if let Some(mut connection) = connection {
        // The e-mails are sent. An error changes nothing.
        let _ = timeout(QUIT_TIMEOUT, connection.quit()).await;
    }
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
