//! Auto-replies: e-mails to the senders of submissions. They never contain text of a sender.

use contract::notification::AutoReply;
use store::mail::{MailBatch, PendingMail};

use super::document::{Block, Document, format_time, isolate};
use super::message::OutgoingMail;
use super::submission_mail::{parse_submission, sender_address};
use super::texts::{fill, texts};
use crate::formats::message::{clean_line, clean_text, short_form_name};

/// Time zone of auto-replies. The zone of the sender is unknown.
const ZONE: &str = "UTC";

/// Writes the auto-reply to a submission. `None` if the submission is not listed any more, or has
/// no valid e-mail address.
pub(crate) fn auto_reply(
    batch: &MailBatch,
    reply: &AutoReply,
    pending: &PendingMail,
) -> Option<OutgoingMail> {
    let submission = parse_submission(pending.submission.as_deref()?)?;
    let recipient = sender_address(batch, &submission)?;
    let form = short_form_name(&batch.form_name);
    let time = format_time(pending.created_at, ZONE);
    let values = [("form", form.as_str()), ("time", &time), ("id", submission.id.as_str())];
    let subject = clean_line(&fill(&reply.subject, &values));
    let reason = texts(reply.language).submissions.reply_reason;
    let document = Document {
        language: reply.language,
        title: subject.clone(),
        blocks: vec![Block::Paragraph(clean_text(&fill(&reply.text, &values)))],
        footer: vec![Block::Note(fill(reason, &[("form", &isolate(&form))]))],
    };
    let mut mail = document.into_mail(&recipient, subject);
    mail.reply_to = Some(batch.account_email.clone());
    mail.id = Some(format!("{}.{}", batch.id, submission.id));
    mail.is_auto_reply = true;
    Some(mail)
}

#[cfg(test)]
#[path = "auto_reply_tests.rs"]
mod tests;
