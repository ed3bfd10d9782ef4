//! Settings of e-mail: server, sender and signature.

use lettre::Address;
use lettre::message::Mailbox;
use std::net::IpAddr;
use std::sync::Arc;
use store::clock::Clock;
use url::{Host, Url};

use super::dkim::DkimKey;
use super::error::{MailConfigError, excerpt};
use super::mailbox::parse_mailbox;
use crate::formats::message::clean_line;

const SUBMISSIONS_PORT: u16 = 465;
const SUBMISSION_PORT: u16 = 587;

/// Settings of a [`Mailer`](super::Mailer).
pub struct MailConfig {
    /// The SMTP server.
    pub server: SmtpServer,
    /// Password of the user in the URL of the server.
    pub password: Option<String>,
    /// Sender of all e-mails.
    pub from: MailFrom,
    /// Certificates of further authorities for TLS, as PEM. The usual ones stay trusted.
    pub authorities: Option<Vec<u8>>,
    /// Key that signs e-mails.
    pub dkim: Option<DkimKey>,
    /// Clock for the dates of e-mails.
    pub clock: Arc<dyn Clock>,
}

/// When a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// From the begin.
    Implicit,
    /// By `STARTTLS`. Without it nothing is sent.
    Required,
    /// By `STARTTLS` if the server offers it.
    IfOffered,
    /// Never.
    Never,
}

/// SMTP server that accepts the e-mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmtpServer {
    /// Domain in its ASCII form, or IP address without brackets.
    pub(crate) host: String,
    /// Port, not 0.
    pub(crate) port: u16,
    /// Name of the user.
    pub(crate) user: Option<String>,
    /// When connections are encrypted.
    pub(crate) encryption: Encryption,
}

impl SmtpServer {
    /// Parses a URL: `smtps://user@host:465` with TLS from the begin, or `smtp://user@host:587`
    /// with `STARTTLS` if the server offers it. `?tls=required` refuses a server that does not
    /// offer it; `?tls=none` never uses it. Special characters of the user are percent-encoded.
    ///
    /// # Errors
    /// [`MailConfigError::Server`], also if the URL contains a password: others can see it in the
    /// list of processes.
    pub fn parse(url: &str) -> Result<Self, MailConfigError> {
        let invalid = |text: String| MailConfigError::Server(text);
        // The value is not shown, because it may contain a password.
        let parsed = Url::parse(url).map_err(|error| invalid(format!("it is no URL: {error}")))?;
        if parsed.password().is_some() {
            let text = "it contains a password; use `--smtp-password-file`";
            return Err(invalid(text.to_owned()));
        }
        let (port, is_implicit) = match parsed.scheme() {
            "smtps" => (SUBMISSIONS_PORT, true),
            "smtp" => (SUBMISSION_PORT, false),
            scheme => {
                return Err(invalid(format!("it begins with `{}:`", excerpt(scheme))));
            }
        };
        let encryption = match (parsed.query(), is_implicit) {
            (None, true) => Encryption::Implicit,
            (None, false) => Encryption::IfOffered,
            (Some("tls=required"), false) => Encryption::Required,
            (Some("tls=none"), false) => Encryption::Never,
            (Some(query), _) => {
                return Err(invalid(format!("it ends with `?{}`", excerpt(query))));
            }
        };
        if !matches!(parsed.path(), "" | "/") || parsed.fragment().is_some() {
            return Err(invalid("it has a path or fragment".to_owned()));
        }
        let host = match parsed.host_str().map(Host::parse) {
            Some(Ok(Host::Domain(domain))) => domain,
            Some(Ok(Host::Ipv4(ip))) => ip.to_string(),
            Some(Ok(Host::Ipv6(ip))) => ip.to_string(),
            _ => return Err(invalid("it has no valid host".to_owned())),
        };
        let port = parsed.port().unwrap_or(port);
        if port == 0 {
            return Err(invalid("the port is 0".to_owned()));
        }
        let user = decode_user(parsed.username()).ok_or_else(|| {
            invalid("the user is not valid UTF-8 or contains control characters".to_owned())
        })?;
        Ok(Self { host, port, user: (!user.is_empty()).then_some(user), encryption })
    }

    /// Returns whether the server is this host, so that a password needs no encryption.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

fn decode_user(encoded: &str) -> Option<String> {
    let user = percent_encoding::percent_decode_str(encoded).decode_utf8().ok()?;
    (!user.chars().any(char::is_control)).then(|| user.into_owned())
}

/// Sender of all e-mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFrom {
    mailbox: Mailbox,
}

impl MailFrom {
    /// Parses an address with or without a name: `Forms <forms@example.com>`.
    ///
    /// # Errors
    /// [`MailConfigError::From`], also for addresses with other than ASCII characters before the
    /// `@`.
    pub fn parse(text: &str) -> Result<Self, MailConfigError> {
        let invalid = || MailConfigError::From(excerpt(text));
        let text = text.trim();
        let (name, address) = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
            Some((name, address)) => (name.trim().trim_matches('"').trim(), address),
            None => ("", text),
        };
        if name.chars().any(char::is_control) {
            return Err(invalid());
        }
        let address = parse_mailbox(address).map_err(|_| invalid())?;
        let name = (!name.is_empty()).then(|| clean_line(name));
        let mailbox = Mailbox::new(name, address);
        // The builder of messages parses the sender again.
        let is_readable = mailbox.to_string().parse() == Ok(mailbox.clone());
        if !mailbox.email.user().is_ascii() || !is_readable {
            return Err(invalid());
        }
        Ok(Self { mailbox })
    }

    /// Returns the name and the address.
    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Returns the address.
    pub(crate) fn address(&self) -> &Address {
        &self.mailbox.email
    }

    /// Returns the domain of the address, in ASCII.
    pub(crate) fn domain(&self) -> &str {
        self.mailbox.email.domain()
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
