//! E-mails to members about their account.

use crate::Result;
use crate::columns::{damaged_row, parse_instant};
use contract::notification::MailLanguage;
use contract::{FormId, NoteId, SubmissionId, Timestamp};
use serde::{Deserialize, Serialize};

/// E-mail to a member, without a secret: it waits in the database until it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountMail {
    /// Address of the recipient.
    pub recipient: String,
    /// Language.
    pub language: MailLanguage,
    /// Subject matter.
    pub event: AccountEvent,
}

/// Event that an e-mail reports to a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AccountEvent {
    /// The password of the member was changed.
    PasswordChanged,
    /// The address of the member was changed. Sent to the previous one.
    EmailChanged,
    /// The member signed in with a browser for the first time.
    NewSignIn {
        /// Device, such as `Desktop`; `None` if unknown.
        device: Option<String>,
        /// Browser, such as `Firefox`; `None` if unknown.
        browser: Option<String>,
    },
    /// A webhook was disabled.
    WebhookDisabled {
        /// Name of the form.
        form: String,
        /// Host of the webhook's URL.
        host: String,
        /// Whether the receiver responded with 410. Otherwise it failed for five days.
        is_gone: bool,
    },
    /// An address was disabled, because the mail server refused it.
    AddressDisabled {
        /// Name of the form.
        form: String,
        /// The address.
        address: String,
    },
    /// A note mentions the member. The text of the note is read when the e-mail is sent, so a
    /// deleted one leaves no trace.
    Mentioned {
        /// The form.
        form: FormId,
        /// The submission that the note is about.
        submission: SubmissionId,
        /// The note.
        note: NoteId,
    },
    /// The disk of the server is nearly full. Sent to the operator.
    DiskNearlyFull {
        /// Free space, in MiB.
        free_mib: u64,
    },
}

/// E-mail to a member, leased by this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedAccountMail {
    /// Number in the database.
    pub seq: i64,
    /// The e-mail.
    pub mail: AccountMail,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Number of failed attempts.
    pub retries: u32,
}

impl LeasedAccountMail {
    /// Returns an e-mail from its columns: number, content as JSON, time of the event, and retries.
    ///
    /// # Errors
    /// A value that is not valid.
    pub fn from_columns(columns: (i64, String, i64, i64)) -> Result<Self> {
        let (seq, content, created_at, retries) = columns;
        Ok(Self {
            seq,
            mail: serde_json::from_str(&content).map_err(damaged_row)?,
            created_at: parse_instant(created_at)?,
            retries: u32::try_from(retries).map_err(damaged_row)?,
        })
    }
}
