//! `sheaf spam`: submissions that were marked as spam.

use contract::audit::Action;
use contract::{FormId, SpamSubmission, SubmissionId, Timestamp};
use store::Store;
use store::clock::{Clock as _, SystemClock};
use store::unlisted::{SPAM_AGE_MAX, SPAM_ROWS_MAX, SpamRow, UnlistedSelection, UnlistedState};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{audit_events, output, stores};

/// Maximum length of the answers in a table, in characters.
const EXCERPT_CHARS_MAX: usize = 60;

/// Runs `sheaf spam`.
///
/// # Errors
/// Arguments that are invalid, or a store that fails.
pub(crate) async fn run(data: &Data, args: args::Spam) -> Result<()> {
    let store = stores::open_existing(data).await?;
    match args {
        args::Spam::List { form, shape } => {
            stores::find_form(store.as_ref(), &form).await?;
            print_spam(&list_all_spam(store.as_ref(), &form).await?, shape.json)
        }
        args::Spam::Release { form, id } => {
            let record = stores::find_form(store.as_ref(), &form).await?;
            let event = audit_events::form_event(Action::SpamReleased, &record)
                .with_object("submission", &id);
            let chosen = UnlistedSelection::Ids(vec![id.clone()]);
            if store
                .with_audit(event)
                .restore_submissions(&form, UnlistedState::Spam, chosen)
                .await?
                == 0
            {
                return Err(unknown_spam(&form, &id));
            }
            output::print_line(format!("{id} is released"))
        }
        args::Spam::Delete { form, id, all: _ } => {
            let record = stores::find_form(store.as_ref(), &form).await?;
            let event = audit_events::form_event(Action::SpamDeleted, &record);
            let event = match &id {
                Some(id) => event.with_object("submission", id),
                None => event,
            };
            let chosen =
                id.clone().map_or(UnlistedSelection::All, |id| UnlistedSelection::Ids(vec![id]));
            let store = store.with_audit(event);
            let deleted = store.delete_unlisted(&form, UnlistedState::Spam, chosen).await?;
            match id {
                Some(id) if deleted == 0 => Err(unknown_spam(&form, &id)),
                _ => output::print_line(format!("{deleted} deleted")),
            }
        }
    }
}

fn unknown_spam(form: &FormId, id: &SubmissionId) -> Error {
    Error::invalid(format!(
        "the form `{form}` has no spam with the id `{id}`; see `sheaf spam list --form {form}`"
    ))
}

async fn list_all_spam(store: &dyn Store, form: &FormId) -> Result<Vec<SpamSubmission>> {
    let age = i64::try_from(SPAM_AGE_MAX.as_micros()).unwrap_or(i64::MAX);
    let after = Timestamp::from_micros(SystemClock.now().micros() - age).unwrap_or(Timestamp::MIN);
    let mut rows = Vec::new();
    let mut position = None;
    loop {
        // A page is limited to 2 MiB, so a short page is not always the last.
        let page = store.list_spam(form, after, position.as_ref(), SPAM_ROWS_MAX).await?;
        let Some(last) = page.rows.last() else { break };
        position = Some(last.position.clone());
        rows.extend(page.rows);
    }
    let read = |row: SpamRow| {
        let submission = serde_json::from_str(&row.json).map_err(std::io::Error::from);
        let submission = submission.map_err(Error::io("cannot read a spam submission"))?;
        Ok(SpamSubmission { reason: row.reason, submission })
    };
    rows.into_iter().map(read).collect()
}

fn print_spam(spam: &[SpamSubmission], json: bool) -> Result<()> {
    let row = |spam: &SpamSubmission| {
        let submission = &spam.submission;
        [
            submission.id.to_string(),
            submission.metadata.submitted_at.to_string(),
            spam.reason.as_str().to_owned(),
            answer_excerpt(&submission.answers),
        ]
    };
    output::print_list(spam, json, ["ID", "SUBMITTED", "REASON", "ANSWERS"], row)
}

fn answer_excerpt(answers: &contract::Answers) -> String {
    let texts: Vec<_> = answers.0.values().map(contract::submission::answer_text).collect();
    let text = texts.join(" | ");
    match text.char_indices().nth(EXCERPT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
