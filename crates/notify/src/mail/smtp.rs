//! SMTP client. Each command is a step of its own, so that a refused e-mail and a failing server
//! are different errors.

use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, Certificate, TlsParameters, TlsParametersBuilder,
};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

use super::config::{Encryption, MailConfig};
use super::error::{MailConfigError, MailError, answer};
use super::message::{BuiltMail, OutgoingMail, build};

/// Time limits: of the connection to one address of the server, of the whole connection with TLS
/// and greeting, of one command, and of the message.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(25);
const COMMAND_TIMEOUT: Duration = Duration::from_secs(15);
const MESSAGE_TIMEOUT: Duration = Duration::from_mins(1);
/// Answers to any command that mean that the client must sign in, or that it made a mistake. They
/// say nothing about the recipient.
const SESSION_CODES: [u16; 4] = [503, 530, 535, 538];

/// A connection that can send e-mails.
pub(super) type SmtpConnection = AsyncSmtpConnection;

/// Settings of all connections. Clones share them.
#[derive(Clone)]
pub(super) struct SmtpClient {
    config: Arc<MailConfig>,
    tls: TlsParameters,
    limits: Limits,
}

/// Time limits.
#[derive(Clone, Copy)]
struct Limits {
    connect: Duration,
    command: Duration,
    message: Duration,
}

impl SmtpClient {
    /// Creates a client. It does not connect.
    pub(super) fn new(config: MailConfig) -> Result<Self, MailConfigError> {
        check_password(&config)?;
        let tls = build_tls(&config)?;
        let limits =
            Limits { connect: CONNECT_TIMEOUT, command: COMMAND_TIMEOUT, message: MESSAGE_TIMEOUT };
        Ok(Self { config: Arc::new(config), tls, limits })
    }

    /// Replaces the time limit of each step.
    pub(super) fn with_timeout(self, timeout: Duration) -> Self {
        Self { limits: Limits { connect: timeout, command: timeout, message: timeout }, ..self }
    }

    /// Writes and signs the message of an e-mail.
    pub(super) fn build(&self, mail: OutgoingMail) -> Result<BuiltMail, MailError> {
        let now = self.config.clock.now();
        let from = &self.config.from;
        let mut built = build(mail, from, now)?;
        if let Some(key) = &self.config.dkim {
            let no_random = || MailError::Server("the e-mail cannot be signed".to_owned());
            let signature = key.sign(&built.bytes, from.domain(), now).ok_or_else(no_random)?;
            built.bytes.splice(..0, signature.into_bytes());
        }
        Ok(built)
    }

    /// Connects, encrypts the connection and signs in, as the settings say.
    pub(super) async fn connect(&self) -> Result<SmtpConnection, MailError> {
        let server = &self.config.server;
        let name = ClientId::Domain(self.config.from.domain().to_owned());
        let is_implicit = server.encryption == Encryption::Implicit;
        let opening = AsyncSmtpConnection::connect_tokio1(
            (server.host.as_str(), server.port),
            Some(ADDRESS_TIMEOUT),
            &name,
            is_implicit.then(|| self.tls.clone()),
            None,
        );
        let mut connection = limited(self.limits.connect, opening).await.map_err(|failure| {
            let address = format!("{}:{}", server.host, server.port);
            failure.to_server_error(&format!("the mail server {address} cannot be used"))
        })?;
        self.start_tls(&mut connection, &name).await?;
        self.sign_in(&mut connection).await?;
        Ok(connection)
    }

    async fn start_tls(
        &self,
        connection: &mut SmtpConnection,
        name: &ClientId,
    ) -> Result<(), MailError> {
        let encryption = self.config.server.encryption;
        match (encryption, connection.can_starttls()) {
            (Encryption::Required | Encryption::IfOffered, true) => {
                let tls = connection.starttls(self.tls.clone(), name);
                let encrypted = limited(self.limits.connect, tls).await;
                encrypted.map_err(|failure| failure.to_server_error("STARTTLS failed"))
            }
            (Encryption::Required, false) => {
                Err(MailError::Server("the mail server offers no STARTTLS".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Signs in if there is a password. It is never sent without encryption, except to this host.
    async fn sign_in(&self, connection: &mut SmtpConnection) -> Result<(), MailError> {
        let server = &self.config.server;
        let (Some(user), Some(password)) = (&server.user, &self.config.password) else {
            return Ok(());
        };
        if !connection.is_encrypted() && !server.is_loopback() {
            return Err(MailError::Server(
                "the mail server offers no STARTTLS, so the password is not sent".to_owned(),
            ));
        }
        let mechanisms = [Mechanism::Plain, Mechanism::Login];
        if connection.server_info().get_auth_mechanism(&mechanisms).is_none() {
            return Err(MailError::Server(
                "the mail server offers neither AUTH PLAIN nor AUTH LOGIN".to_owned(),
            ));
        }
        let credentials = Credentials::new(user.clone(), password.clone());
        let signed_in = self.command(connection.auth(&mechanisms, &credentials)).await;
        signed_in.map(drop).map_err(|failure| {
            failure.to_server_error("the mail server refused the user or password")
        })
    }

    /// Sends a message. Returns what the server answered.
    pub(super) async fn transfer(
        &self,
        connection: &mut SmtpConnection,
        mail: BuiltMail,
    ) -> Result<String, MailError> {
        let parameters = mail_parameters(connection, &mail)?;
        let from = mail.from.to_string();
        let result = self.command(connection.command(Mail::new(Some(mail.from), parameters))).await;
        result.map_err(|failure| {
            failure.to_server_error(&format!("the mail server refused the sender `{from}`"))
        })?;
        let recipient = connection.command(Rcpt::new(mail.to, Vec::new()));
        self.command(recipient).await.map_err(Failure::into_mail_error)?;
        self.command(connection.command(Data)).await.map_err(Failure::into_mail_error)?;
        let message = connection.message(&mail.bytes);
        let done = limited(self.limits.message, message).await;
        let done = done.map_err(Failure::into_message_error)?;
        let lines: Vec<_> = done.message().collect();
        Ok(answer(&format!("{} {}", done.code(), lines.join(" "))))
    }

    /// Ends a transaction that the server refused. Returns whether the connection is usable.
    pub(super) async fn reset(&self, connection: &mut SmtpConnection) -> bool {
        self.command(connection.command(Rset)).await.is_ok()
    }

    async fn command(
        &self,
        step: impl Future<Output = Result<Response, SmtpError>>,
    ) -> Result<Response, Failure> {
        limited(self.limits.command, step).await
    }
}

/// Returns the parameters of `MAIL FROM`. The message has other characters than ASCII only if an
/// address has.
fn mail_parameters(
    connection: &SmtpConnection,
    mail: &BuiltMail,
) -> Result<Vec<MailParameter>, MailError> {
    if mail.bytes.is_ascii() {
        return Ok(Vec::new());
    }
    let server = connection.server_info();
    if !server.supports_feature(Extension::SmtpUtfEight) {
        let text = "the mail server does not support addresses with other than ASCII characters";
        return Err(MailError::Address(text.to_owned()));
    }
    let eight_bit = MailParameter::Body(MailBodyParameter::EightBitMime);
    Ok(vec![MailParameter::SmtpUtfEight, eight_bit])
}

/// Failure of one step.
enum Failure {
    Smtp(SmtpError),
    Timeout(Duration),
}

impl Failure {
    /// Returns the code of the server's answer, and what it says or what happened.
    fn describe(&self) -> (Option<u16>, String) {
        let error = match self {
            Self::Smtp(error) => error,
            Self::Timeout(limit) => {
                return (None, format!("there was no answer within {} s", limit.as_secs_f64()));
            }
        };
        let detail = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        match error.status() {
            Some(code) => (Some(code.into()), answer(&format!("{code} {detail}"))),
            None => (None, answer(&detail)),
        }
    }

    /// Returns the error of a step that says nothing about the recipient or the message.
    fn to_server_error(&self, step: &str) -> MailError {
        MailError::Server(format!("{step}: {}", self.describe().1))
    }

    /// Returns the error of the transfer of the message.
    fn into_message_error(self) -> MailError {
        let is_answered = self.describe().0.is_some();
        match self.into_mail_error() {
            MailError::Server(text) if !is_answered => MailError::Unanswered(text),
            error => error,
        }
    }

    /// Returns the error of a step with the recipient or the message.
    fn into_mail_error(self) -> MailError {
        match self.describe() {
            (Some(code), detail) if code >= 500 && !SESSION_CODES.contains(&code) => {
                MailError::Refused(detail)
            }
            (Some(_), detail) => {
                MailError::Server(format!("the mail server did not accept the e-mail: {detail}"))
            }
            (None, detail) => {
                MailError::Server(format!("the connection to the mail server failed: {detail}"))
            }
        }
    }
}

async fn limited<T>(
    limit: Duration,
    step: impl Future<Output = Result<T, SmtpError>>,
) -> Result<T, Failure> {
    match timeout(limit, step).await {
        Ok(result) => result.map_err(Failure::Smtp),
        Err(_) => Err(Failure::Timeout(limit)),
    }
}

fn check_password(config: &MailConfig) -> Result<(), MailConfigError> {
    let server = &config.server;
    let text = match (&server.user, &config.password) {
        (Some(_), None) => {
            "the URL of the SMTP server has a user, but there is no password; set \
             `--smtp-password-file`, or remove the user from the URL"
        }
        (None, Some(_)) => {
            "the SMTP password needs a user in the URL, such as `smtps://user@mail.example`"
        }
        (Some(_), Some(_)) if server.encryption == Encryption::Never && !server.is_loopback() => {
            "the SMTP password would be sent without encryption; remove `?tls=none` from the URL"
        }
        (None, None) | (Some(_), Some(_)) => return Ok(()),
    };
    Err(MailConfigError::Password(text))
}

fn build_tls(config: &MailConfig) -> Result<TlsParameters, MailConfigError> {
    let mut builder = TlsParametersBuilder::new(config.server.host.clone());
    let invalid = |error: SmtpError| {
        let detail = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        MailConfigError::Authority(detail)
    };
    if let Some(pem) = &config.authorities {
        if CertificateDer::pem_slice_iter(pem).next().is_none() {
            let text = "it contains no certificate as PEM".to_owned();
            return Err(MailConfigError::Authority(text));
        }
        let certificate = Certificate::from_pem(pem).map_err(invalid)?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(invalid)
}
