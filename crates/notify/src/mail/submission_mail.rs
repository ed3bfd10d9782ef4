//! E-mails about submissions: about one, or a digest of several.

use contract::form::FieldType;
use contract::intake::{REPLY_TO, SUBJECT};
use contract::notification::{MailContent, MailLanguage};
use contract::submission::answer_text;
use contract::{Environment, Notification, Submission};
use store::mail::{MailBatch, MailDestination, PendingMail};

use super::document::{Block, Document, format_time, isolate};
use super::html::escape;
use super::links::MailLinks;
use super::mailbox::is_mailbox;
use super::message::OutgoingMail;
use super::texts::{SubmissionTexts, fill, texts};
use crate::formats::message::{
    Message, MessageLimits, ShownAnswer, clean_line, short_form_name, truncate,
};

/// Limits of an e-mail about one submission, and of each submission in a digest.
const FULL_LIMITS: MessageLimits = MessageLimits { answers_max: 100, answer_chars_max: 2000 };
const DIGEST_LIMITS: MessageLimits = MessageLimits { answers_max: 3, answer_chars_max: 200 };
/// Maximum number of submissions that a digest shows.
const DIGEST_SUBMISSIONS_MAX: usize = 100;
/// Maximum size of the answers of an e-mail as HTML without elements, in bytes. An e-mail is
/// smaller than 1 MB: it also has the plain text, the encoding can make both three times as long,
/// and the elements have at most 140 kB.
const ANSWERS_BYTES_MAX: usize = 140_000;
/// Maximum length of a subject with text of the sender, in characters.
const SUBJECT_CHARS_MAX: usize = 100;

/// Writes an e-mail about one submission; `None` if it is not listed any more, or the batch is not
/// of a notification.
pub(crate) fn submission_mail(
    batch: &MailBatch,
    pending: &PendingMail,
    links: &MailLinks,
) -> Option<OutgoingMail> {
    let letter = Letter::new(batch, links)?;
    let submission = parse_submission(pending.submission.as_deref()?);
    let time = format_time(pending.created_at, &letter.notification.time_zone);
    let mut blocks = vec![Block::Note(time)];
    if letter.notification.content == MailContent::Full {
        blocks.extend(letter.full_answers(submission.as_ref()));
    }
    let url = match &submission {
        Some(submission) => links.submission_url(batch.environment, &batch.form, &submission.id),
        None => links.form_url(batch.environment, &batch.form),
    };
    blocks.push(Block::Link { label: letter.texts.open, url, is_main: true });
    let title = letter.title(1);
    let sent_subject = submission.as_ref().and_then(subject_of_sender);
    let subject = match sent_subject {
        Some(text) if letter.notification.content == MailContent::Full => {
            letter.with_prefix(&truncate(&format!("{text} – {}", letter.form), SUBJECT_CHARS_MAX).0)
        }
        _ => title.clone(),
    };
    let mut mail = letter.finish(title, subject, blocks);
    if letter.notification.content == MailContent::Full {
        mail.reply_to = submission.as_ref().and_then(|listed| sender_address(batch, listed));
    }
    let name = submission.map_or_else(|| pending.seq.to_string(), |listed| listed.id.to_string());
    mail.id = Some(format!("{}.{name}", batch.id));
    Some(mail)
}

/// Writes an e-mail about `total` submissions. It shows `pending`, the first ones, and links to the
/// list with the query `list_query`. `None` for an auto-reply.
pub(crate) fn digest_mail(
    batch: &MailBatch,
    (pending, total): (&[PendingMail], usize),
    list_query: &str,
    links: &MailLinks,
) -> Option<OutgoingMail> {
    let letter = Letter::new(batch, links)?;
    let mut blocks = Vec::new();
    let (mut shown, mut size) = (0, 0);
    for submission in pending.iter().take(DIGEST_SUBMISSIONS_MAX) {
        let section = letter.digest_section(submission);
        size += section.iter().map(block_size).sum::<usize>();
        if size > ANSWERS_BYTES_MAX {
            break;
        }
        blocks.extend(section);
        shown += 1;
    }
    if total > shown {
        let count = group_digits(total - shown, letter.notification.language);
        blocks.push(Block::Paragraph(fill(letter.texts.more, &[("count", &count)])));
    }
    let url = links.list_url(batch.environment, &batch.form, list_query);
    blocks.push(Block::Link { label: letter.texts.open_all, url, is_main: true });
    let title = letter.title(total);
    let mut mail = letter.finish(title.clone(), title, blocks);
    mail.id = pending
        .first()
        .map(|first| format!("{}.{}.{}.{total}", batch.id, first.created_at.micros(), first.seq));
    Some(mail)
}

/// Returns the e-mail address of the sender of a submission: the first answer of a field for e-mail
/// addresses that is one, or else the control input `_replyto`.
pub(crate) fn sender_address(batch: &MailBatch, submission: &Submission) -> Option<String> {
    let answers = &submission.answers.0;
    let fields = batch.fields.iter().filter(|field| field.kind == FieldType::Email);
    let keys = fields.map(|field| field.key.as_str()).chain([REPLY_TO]);
    let mut texts = keys.filter_map(|key| answers.get(key)?.as_str());
    texts.find_map(|text| is_mailbox(text.trim()).then(|| text.trim().to_owned()))
}

/// Parses a stored submission. It should always succeed; if it fails, the e-mail has no answers.
pub(crate) fn parse_submission(json: &str) -> Option<Submission> {
    serde_json::from_str(json)
        .inspect_err(|error| tracing::error!(%error, "cannot parse a stored submission"))
        .ok()
}

fn subject_of_sender(submission: &Submission) -> Option<String> {
    let text = answer_text(submission.answers.0.get(SUBJECT)?);
    (!text.trim().is_empty()).then(|| clean_line(&text))
}

/// Parts that the e-mails of a batch share.
struct Letter<'a> {
    batch: &'a MailBatch,
    notification: &'a Notification,
    links: &'a MailLinks,
    texts: &'static SubmissionTexts,
    /// Short name of the form.
    form: String,
}

impl<'a> Letter<'a> {
    fn new(batch: &'a MailBatch, links: &'a MailLinks) -> Option<Self> {
        let MailDestination::Notification(notification) = &batch.destination else {
            return None;
        };
        let texts = &texts(notification.language).submissions;
        Some(Self { batch, notification, links, texts, form: short_form_name(&batch.form_name) })
    }

    /// Returns the title for a number of submissions.
    fn title(&self, count: usize) -> String {
        let texts = self.texts;
        let (one, several) = match &self.batch.view {
            None => (texts.one, texts.several),
            Some(_) => (texts.one_in_view, texts.several_in_view),
        };
        let template = if count == 1 { one } else { several };
        let count = group_digits(count, self.notification.language);
        let view = self.batch.view.as_ref().map(|view| clean_line(&view.name)).unwrap_or_default();
        let values = [("count", count.as_str()), ("form", &self.form), ("view", &view)];
        self.with_prefix(&fill(template, &values))
    }

    fn with_prefix(&self, subject: &str) -> String {
        match self.batch.environment {
            Environment::Live => subject.to_owned(),
            Environment::Test => format!("{}{subject}", self.texts.test_prefix),
        }
    }

    fn full_answers(&self, submission: Option<&Submission>) -> Vec<Block> {
        let fields = &self.batch.fields;
        let message = Message::with_limits(String::new(), fields, submission, FULL_LIMITS);
        let message = message.fit(ANSWERS_BYTES_MAX, answer_size);
        let is_incomplete = message.is_incomplete();
        let mut blocks: Vec<_> = message.answers.into_iter().map(answer_block).collect();
        if is_incomplete {
            blocks.push(Block::Note(self.texts.incomplete.to_owned()));
        }
        blocks
    }

    /// Returns the part of a digest about one submission.
    fn digest_section(&self, pending: &PendingMail) -> Vec<Block> {
        let submission = pending.submission.as_deref().and_then(parse_submission);
        let time = format_time(pending.created_at, &self.notification.time_zone);
        let mut blocks = vec![Block::Heading(time)];
        if self.notification.content == MailContent::Full {
            let fields = &self.batch.fields;
            let submission = submission.as_ref();
            let message = Message::with_limits(String::new(), fields, submission, DIGEST_LIMITS);
            blocks.extend(message.answers.into_iter().map(answer_block));
        }
        if let Some(Submission { id, .. }) = submission {
            let url = self.links.submission_url(self.batch.environment, &self.batch.form, &id);
            blocks.push(Block::Link { label: self.texts.open, url, is_main: false });
        }
        blocks
    }

    /// Adds the footer and the headers that all e-mails have.
    fn finish(&self, title: String, subject: String, blocks: Vec<Block>) -> OutgoingMail {
        let Self { batch, notification, links, texts, .. } = self;
        let values = [
            ("address", isolate(&clean_line(&notification.email))),
            ("form", isolate(&self.form)),
            ("account", isolate(&clean_line(&batch.account_email))),
        ];
        let unsubscribe = links.unsubscribe_url(&notification.id, &notification.email);
        let settings = links.settings_url(batch.environment, &batch.form);
        let footer = vec![
            Block::Note(fill(texts.reason, &values)),
            Block::Link { label: texts.unsubscribe, url: unsubscribe.clone(), is_main: false },
            Block::Link { label: texts.settings, url: settings, is_main: false },
        ];
        let document = Document { language: notification.language, title, blocks, footer };
        let mut mail = document.into_mail(&notification.email, subject);
        mail.unsubscribe = Some(unsubscribe);
        mail.thread = Some(batch.form.to_string());
        mail
    }
}

fn answer_block(answer: ShownAnswer) -> Block {
    Block::Answer { name: answer.name, text: answer.text }
}

fn answer_size(answer: &ShownAnswer) -> usize {
    escape(&answer.name).len() + escape(&answer.text).len()
}

fn block_size(block: &Block) -> usize {
    match block {
        Block::Answer { name, text } => escape(name).len() + escape(text).len(),
        Block::Paragraph(text) | Block::Note(text) | Block::Heading(text) => escape(text).len(),
        Block::Link { url, .. } => escape(url).len(),
    }
}

/// Returns a number with a mark between thousands.
fn group_digits(number: usize, language: MailLanguage) -> String {
    let mark = match language {
        MailLanguage::English => ',',
        MailLanguage::German => '.',
    };
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(mark);
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
#[path = "submission_mail_tests.rs"]
mod tests;
