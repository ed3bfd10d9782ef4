//! E-mails as RFC 5322 messages.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use contract::Timestamp;
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{Date, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MessageBuilder, MultiPart, SinglePart};
use std::time::{Duration, UNIX_EPOCH};
use store::secret::random_bytes;

use super::config::MailFrom;
use super::document::Document;
use super::error::MailError;
use super::html::render_html;
use super::mailbox::parse_mailbox;
use crate::formats::message::{clean_line, truncate};

/// Maximum length of a subject, in characters.
pub(crate) const SUBJECT_CHARS_MAX: usize = 200;

const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");
const SUPPRESS: HeaderName = HeaderName::new_from_ascii_str("X-Auto-Response-Suppress");
const UNSUBSCRIBE: HeaderName = HeaderName::new_from_ascii_str("List-Unsubscribe");
const UNSUBSCRIBE_POST: HeaderName = HeaderName::new_from_ascii_str("List-Unsubscribe-Post");

/// An e-mail to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutgoingMail {
    /// Address of the recipient.
    pub(crate) recipient: String,
    /// Address that answers go to. It is left out if it is invalid, or if it has characters other
    /// than ASCII before the `@` and the recipient's address has none: then the message could not
    /// be sent without the extension SMTPUTF8.
    pub(crate) reply_to: Option<String>,
    /// Subject. Control characters become spaces.
    pub(crate) subject: String,
    /// Plain text.
    pub(crate) text: String,
    /// The same as HTML.
    pub(crate) html: String,
    /// Begin of the message identifier, of letters, digits and `._-`. A repeated e-mail has the
    /// same one, so that some readers hide the repetition. Random if it is `None`.
    pub(crate) id: Option<String>,
    /// Begin of the identifier that all e-mails of one thread refer to.
    pub(crate) thread: Option<String>,
    /// URL that unsubscribes the recipient by a POST request (RFC 8058).
    pub(crate) unsubscribe: Option<String>,
    /// Whether it answers a submission, and must not be answered automatically.
    pub(crate) is_auto_reply: bool,
}

/// A message with its envelope.
pub(crate) struct BuiltMail {
    /// Sender of the envelope.
    pub(crate) from: Address,
    /// Recipient of the envelope.
    pub(crate) to: Address,
    /// Headers and body, with CR LF at line ends.
    pub(crate) bytes: Vec<u8>,
}

impl OutgoingMail {
    /// Returns an e-mail with a recipient, a subject and a body, and without further headers.
    pub(crate) fn new(recipient: &str, subject: String, text: String, html: String) -> Self {
        Self {
            recipient: recipient.to_owned(),
            reply_to: None,
            subject,
            text,
            html,
            id: None,
            thread: None,
            unsubscribe: None,
            is_auto_reply: false,
        }
    }
}

impl Document {
    /// Returns the e-mail with this content.
    pub(crate) fn into_mail(self, recipient: &str, subject: String) -> OutgoingMail {
        let (text, html) = (self.render_text(), render_html(&self));
        OutgoingMail::new(recipient, subject, text, html)
    }
}

/// Builds the message of an e-mail.
///
/// # Errors
/// [`MailError::Address`] if the recipient's address is not valid.
pub(crate) fn build(
    mail: OutgoingMail,
    from: &MailFrom,
    now: Timestamp,
) -> Result<BuiltMail, MailError> {
    let to = parse_mailbox(&mail.recipient)?;
    let domain = from.domain();
    let id = mail.id.unwrap_or_else(|| BASE64_URL_SAFE_NO_PAD.encode(random_bytes::<18>()));
    let (subject, _) = truncate(&clean_line(&mail.subject), SUBJECT_CHARS_MAX);
    let mut message = Message::builder()
        .envelope(envelope(from.address().clone(), to.clone())?)
        .from(from.mailbox().clone())
        .to(Mailbox::new(None, to.clone()))
        .subject(subject)
        .header(Date::new(UNIX_EPOCH + since_epoch(now)))
        .message_id(Some(format!("<{id}@{domain}>")))
        .raw_header(plain_header(AUTO_SUBMITTED, "auto-generated".to_owned()));
    let is_ascii = |address: &Address| address.user().is_ascii();
    let is_sendable = |address: &Address| is_ascii(address) || !is_ascii(&to);
    let reply_to = mail.reply_to.and_then(|address| parse_mailbox(&address).ok());
    if let Some(address) = reply_to.filter(is_sendable) {
        message = message.reply_to(Mailbox::new(None, address));
    }
    if let Some(thread) = mail.thread {
        let reference = format!("<{thread}@{domain}>");
        message = message.in_reply_to(reference.clone()).references(reference);
    }
    if mail.is_auto_reply {
        message = message.raw_header(plain_header(SUPPRESS, "All".to_owned()));
    }
    if let Some(url) = mail.unsubscribe {
        message = add_unsubscribe(message, &url);
    }
    let parts = MultiPart::alternative()
        .singlepart(SinglePart::plain(mail.text))
        .singlepart(SinglePart::html(mail.html));
    let message = message.multipart(parts).map_err(|error| unbuildable(&error))?;
    Ok(BuiltMail { from: from.address().clone(), to, bytes: message.formatted() })
}

/// Adds the link that unsubscribes. A URL with other characters than those of a URL is left out,
/// because it is not encoded.
fn add_unsubscribe(message: MessageBuilder, url: &str) -> MessageBuilder {
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'));
    if !is_plain {
        tracing::error!(url, "the link that unsubscribes is not a URL");
        return message;
    }
    let post = "List-Unsubscribe=One-Click".to_owned();
    message
        .raw_header(plain_header(UNSUBSCRIBE, format!("<{url}>")))
        .raw_header(plain_header(UNSUBSCRIBE_POST, post))
}

/// Returns a header with a value of printable ASCII characters. It is not folded.
fn plain_header(name: HeaderName, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(name, value.clone(), value)
}

fn envelope(from: Address, to: Address) -> Result<Envelope, MailError> {
    Envelope::new(Some(from), vec![to]).map_err(|error| unbuildable(&error))
}

fn unbuildable(error: &lettre::error::Error) -> MailError {
    MailError::Address(format!("the e-mail cannot be written: {error}"))
}

fn since_epoch(now: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(now.seconds()).unwrap_or_default())
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
