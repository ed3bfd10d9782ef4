//! Notes that mention a member, read when the e-mail about them is sent.

use contract::{FormAccess, FormId, NoteId, SubmissionId};
use store::{Result, Store};

use super::document::Block;
use super::links::MailLinks;
use super::texts::Texts;
use crate::formats::message::{clean_line, clean_text, short_form_name, truncate};

/// Maximum length of the text of a note in an e-mail, in characters.
const NOTE_CHARS_MAX: usize = 500;

/// A note that mentions the recipient of an e-mail.
pub(crate) struct MentioningNote {
    /// Address of the author; `None` if the member was removed.
    pub(crate) author: Option<String>,
    /// Name of the form.
    pub(crate) form: String,
    /// Text of the note.
    pub(crate) text: String,
    /// URL of the submission in the dashboard.
    pub(crate) url: String,
}

impl MentioningNote {
    /// Finds a note for a recipient. `None` if it was deleted, its submission is not listed any
    /// more, or the recipient has no access to the form or does not want these e-mails any more.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn find(
        store: &dyn Store,
        links: &MailLinks,
        recipient: &str,
        (form, submission, note): (&FormId, &SubmissionId, &NoteId),
    ) -> Result<Option<Self>> {
        let Some(record) = store.find_form(form).await? else { return Ok(None) };
        let Some(reader) = store.find_person_by_email(recipient).await? else { return Ok(None) };
        let preferences = store.find_preferences(&reader.person.id).await?;
        let has_access =
            reader.account_id == record.account_id && FormAccess(reader.person.forms).covers(form);
        if !has_access || !preferences.is_some_and(|preferences| preferences.mention_emails) {
            return Ok(None);
        }
        let detail = store.find_triage(form, submission).await?;
        let notes = detail.map(|detail| detail.notes).unwrap_or_default();
        let Some(note) = notes.into_iter().find(|found| found.id == *note) else {
            return Ok(None);
        };
        let author = match &note.author {
            Some(author) => store.find_person(author).await?.map(|record| record.person.email),
            None => None,
        };
        let url = links.submission_url(record.form.environment, form, submission);
        Ok(Some(Self { author, form: record.form.name, text: note.text, url }))
    }

    /// Returns the values of the placeholders, each on one line.
    pub(crate) fn values(&self, texts: &Texts) -> Vec<(&'static str, String)> {
        vec![("author", self.author_name(texts)), ("form", short_form_name(&self.form))]
    }

    /// Returns the author and the begin of the text.
    pub(crate) fn quotation(&self, texts: &Texts) -> Block {
        let text = truncate(&clean_text(&self.text), NOTE_CHARS_MAX).0;
        Block::Answer { name: self.author_name(texts), text }
    }

    /// Returns the link to the submission.
    pub(crate) fn link(&self, texts: &Texts) -> Block {
        Block::Link { label: texts.submissions.open, url: self.url.clone(), is_main: true }
    }

    fn author_name(&self, texts: &Texts) -> String {
        self.author.as_deref().map_or_else(|| texts.account.removed_member.to_owned(), clean_line)
    }
}
