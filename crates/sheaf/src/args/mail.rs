//! Arguments of e-mail: the mail server, the limits of a server, and `sheaf mail`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

use crate::config::MailLimits;

/// Mail server and sender.
#[derive(Debug, Args)]
#[command(next_help_heading = "E-mail")]
pub(crate) struct SmtpArgs {
    /// Mail server: `smtps://USER@HOST` (TLS), or `smtp://USER@HOST` (STARTTLS if offered)
    ///
    /// The ports default to 465 and 587. `?tls=required` and `?tls=none` change the use of
    /// STARTTLS. Without this option no e-mail is sent. Needs --mail-from.
    #[arg(
        long,
        value_name = "URL",
        env = "SHEAF_SMTP_URL",
        hide_env_values = true,
        requires = "mail_from"
    )]
    pub(crate) smtp_url: Option<String>,
    /// File with the password for the mail server; must not be world-readable
    #[arg(long, value_name = "FILE", env = "SHEAF_SMTP_PASSWORD_FILE", requires = "smtp_url")]
    pub(crate) smtp_password_file: Option<PathBuf>,
    /// File with CA certificates (PEM) to trust for the mail server, in addition to the public ones
    #[arg(long, value_name = "FILE", requires = "smtp_url")]
    pub(crate) smtp_ca: Option<PathBuf>,
    /// Sender of e-mails, such as `Forms <forms@example.com>`
    #[arg(long, value_name = "MAILBOX", env = "SHEAF_MAIL_FROM", requires = "smtp_url")]
    pub(crate) mail_from: Option<String>,
    /// File with a private key (PEM) that signs e-mails with DKIM; must not be world-readable
    #[arg(long, value_name = "FILE", requires_all = ["smtp_url", "dkim_selector"])]
    pub(crate) dkim_key_file: Option<PathBuf>,
    /// DKIM selector: the public key is the DNS record `NAME._domainkey` of the sender's domain
    #[arg(long, value_name = "NAME", requires = "dkim_key_file")]
    pub(crate) dkim_selector: Option<String>,
}

/// E-mail of a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "E-mail")]
pub(crate) struct MailArgs {
    #[command(flatten)]
    pub(crate) smtp: SmtpArgs,
    #[command(flatten)]
    pub(crate) limits: MailLimits,
    /// Address that gets an e-mail if the disk is nearly full, at most once a day
    #[arg(long, value_name = "ADDRESS", env = "SHEAF_MAIL_OPERATOR", requires = "smtp_url")]
    pub(crate) mail_operator: Option<String>,
}

/// Subcommands of `sheaf mail`.
#[derive(Debug, Subcommand)]
pub(crate) enum Mail {
    /// Sends a test e-mail, and prints what the mail server answered
    ///
    /// Needs no running server. The exit status is 1 if the mail server did not accept the e-mail.
    Test {
        /// Address of the recipient
        #[arg(value_name = "ADDRESS")]
        recipient: String,
        #[command(flatten)]
        smtp: SmtpArgs,
    },
}
