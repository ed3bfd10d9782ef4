//! `sheaf spam`: submissions that were marked as spam.

use contract::audit::Action;
use contract::{FormId, Spam, SubmissionId, Timestamp};
use store::Store;
use store::clock::{Clock as _, SystemClock};
use store::unlisted::{Chosen, SPAM_AGE_MAX, SPAM_ROWS_MAX, SpamRow, State};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::{noted, output, stores};

/// Maximum length of the answers in a table, in characters.
const GLIMPSE_CHARS_MAX: usize = 60;

/// Runs `sheaf spam`.
///
/// # Errors
/// Arguments that are invalid, or a store that fails.
pub(crate) async fn run(data: &Data, args: args::Spam) -> Result<()> {
    let store = stores::open_existing(data).await?;
    match args {
        args::Spam::List { form, shape } => {
            stores::form(store.as_ref(), &form).await?;
            list(&find_all(store.as_ref(), &form).await?, shape.json)
        }
        args::Spam::Release { form, id } => {
            let record = stores::form(store.as_ref(), &form).await?;
            let act = noted::form(Action::SpamReleased, &record).on("submission", &id);
            let chosen = Chosen::Ids(vec![id.clone()]);
            if store.noting(act).restore(&form, State::Spam, chosen).await? == 0 {
                return Err(not_there(&form, &id));
            }
            output::line(format!("{id} is released"))
        }
        args::Spam::Delete { form, id, all: _ } => {
            let record = stores::form(store.as_ref(), &form).await?;
            let act = noted::form(Action::SpamDeleted, &record);
            let act = match &id {
                Some(id) => act.on("submission", id),
                None => act,
            };
            let chosen = id.clone().map_or(Chosen::All, |id| Chosen::Ids(vec![id]));
            let store = store.noting(act);
            let deleted = store.delete_unlisted(&form, State::Spam, chosen).await?;
            match id {
                Some(id) if deleted == 0 => Err(not_there(&form, &id)),
                _ => output::line(format!("{deleted} deleted")),
            }
        }
    }
}

fn not_there(form: &FormId, id: &SubmissionId) -> Error {
    Error::refused(format!(
        "the form `{form}` has no spam with the id `{id}`; see `sheaf spam list --form {form}`"
    ))
}

async fn find_all(store: &dyn Store, form: &FormId) -> Result<Vec<Spam>> {
    let age = i64::try_from(SPAM_AGE_MAX.as_micros()).unwrap_or(i64::MAX);
    let after = Timestamp::from_micros(SystemClock.now().micros() - age).unwrap_or(Timestamp::MIN);
    let (mut rows, mut behind) = (Vec::new(), None);
    loop {
        // A page is limited to 2 MiB, so a short page is not always the last.
        let page = store.list_spam(form, after, behind.as_ref(), SPAM_ROWS_MAX).await?;
        let Some(last) = page.rows.last() else { break };
        behind = Some(last.position.clone());
        rows.extend(page.rows);
    }
    let read = |row: SpamRow| {
        let submission = serde_json::from_str(&row.json).map_err(std::io::Error::from);
        let submission = submission.map_err(Error::io("cannot read a spam submission"))?;
        Ok(Spam { reason: row.reason, submission })
    };
    rows.into_iter().map(read).collect()
}

fn list(spam: &[Spam], json: bool) -> Result<()> {
    if json {
        return output::json(&spam);
    }
    let row = |spam: &Spam| {
        let submission = &spam.submission;
        [
            submission.id.to_string(),
            submission.metadata.submitted_at.to_string(),
            spam.reason.as_str().to_owned(),
            glimpse(&submission.answers),
        ]
    };
    let rows: Vec<_> = spam.iter().map(row).collect();
    output::table(["ID", "SUBMITTED", "REASON", "ANSWERS"], &rows)
}

fn glimpse(answers: &contract::Answers) -> String {
    let texts: Vec<_> = answers.0.values().map(contract::submission::text_of).collect();
    let text = texts.join(" | ");
    match text.char_indices().nth(GLIMPSE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
