//! E-mails to members whom a note mentions.

use super::own_form::OwnForm;
use crate::error::Result;
use crate::locale;
use contract::fold::fold;
use contract::notification::MailLanguage;
use contract::triage::{NOTIFIED_MEMBERS_MAX, Note, find_mentions};
use contract::{FormAccess, PersonId, SubmissionId};
use http::{HeaderMap, header};
use std::collections::{HashMap, HashSet};
use store::PersonRecord;
use store::mail::{AccountEvent, AccountMail};

/// Returns the e-mails about a new or edited note: to the members among the first
/// [`NOTIFIED_MEMBERS_MAX`] that the note mentions who have access to the form, are not its author,
/// want these e-mails, and are not mentioned in the text before the edit, `former`. There are none
/// if the server cannot send e-mail.
pub(super) async fn mention_mails(
    own: &OwnForm,
    (submission, note): (&SubmissionId, &Note),
    former: &str,
    language: MailLanguage,
) -> Result<Vec<AccountMail>> {
    let OwnForm { service, account, form, .. } = own;
    if service.mail().is_none() || find_mentions(&note.text).next().is_none() {
        return Ok(Vec::new());
    }
    let people = service.store().list_people(account).await?;
    let former: HashSet<PersonId> =
        mentioned(&people, former).map(|it| it.person.id.clone()).collect();
    let mut mails = Vec::new();
    for PersonRecord { person, .. } in mentioned(&people, &note.text).take(NOTIFIED_MEMBERS_MAX) {
        let is_author = note.author.as_ref() == Some(&person.id);
        let has_access = FormAccess(person.forms.clone()).covers(&form.id);
        if is_author || !has_access || former.contains(&person.id) {
            continue;
        }
        let preferences = service.store().find_preferences(&person.id).await?;
        if preferences.is_some_and(|preferences| preferences.mention_emails) {
            let event = AccountEvent::Mentioned {
                form: form.id.clone(),
                submission: submission.clone(),
                note: note.id.clone(),
            };
            mails.push(AccountMail { recipient: person.email.clone(), language, event });
        }
    }
    Ok(mails)
}

/// Returns the members that a text mentions, each once, in the order of their first mention.
fn mentioned<'a>(
    people: &'a [PersonRecord],
    text: &'a str,
) -> impl Iterator<Item = &'a PersonRecord> {
    let mut by_email: HashMap<String, &PersonRecord> =
        people.iter().map(|record| (fold(&record.person.email), record)).collect();
    find_mentions(text).filter_map(move |mention| by_email.remove(&fold(mention.email)))
}

/// Returns the language of e-mails that a request causes: that of its `Accept-Language`, because
/// the languages of other members are unknown.
pub(super) fn mail_language(headers: &HeaderMap) -> MailLanguage {
    let accept = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let locale = locale::preferred_locale(accept.unwrap_or_default());
    locale.language.parse().unwrap_or(MailLanguage::English)
}
