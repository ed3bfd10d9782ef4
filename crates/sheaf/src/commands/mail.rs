//! `sheaf mail`: tests the options of e-mail.

use crate::args;
use crate::error::{Error, Result};
use crate::{email, mail, output};

/// Runs `sheaf mail`.
///
/// # Errors
/// Options that are invalid, or a mail server that does not accept the e-mail.
pub(crate) async fn run(args: args::Mail) -> Result<()> {
    match args {
        args::Mail::Test { recipient, smtp } => send_test(&recipient, &smtp).await,
    }
}

async fn send_test(recipient: &str, smtp: &args::SmtpArgs) -> Result<()> {
    let recipient = email::mailbox_of("ADDRESS", recipient)?;
    let Some(mailer) = mail::open_mailer(smtp)? else {
        return Err(Error::invalid(
            "`sheaf mail test` needs a mail server; set `--smtp-url` and `--mail-from`, or their \
             variables",
        ));
    };
    match mailer.send_test(&recipient).await {
        Ok(response) => output::print_line(format!("accepted: {response}")),
        Err(error) => Err(Error::invalid(format!("the e-mail was not accepted: {error}"))),
    }
}
