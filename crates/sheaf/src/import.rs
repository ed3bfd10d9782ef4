//! `sheaf import`: submissions from a file, all or nothing.
//!
//! The file is read twice: all of it is checked before the first submission is inserted, and the
//! insertion is one transaction. It never keeps more than a line and the ids in memory.

mod csv;
mod draft;
mod guess;
mod input;
mod instant;
mod ndjson;
mod table;

use contract::{Field, Form, SubmissionId, Timestamp};
use service::clock::{Clock as _, SystemClock};
use service::store::{Store, StoreError, SubmissionSource};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::field_spec::{self, FIELDS_MAX};
use crate::{mint, output, stores};
use draft::Draft;
use guess::Guesses;
use input::Input;

/// The submissions of a file, in its order.
type Drafts = Box<dyn Iterator<Item = Result<Draft>> + Send>;

/// Imports a file and prints how many submissions came.
///
/// # Errors
/// The first line that cannot be taken, by its number; then nothing is imported.
pub(crate) async fn run(data: &Data, args: args::Import) -> Result<()> {
    let store = stores::open_existing(data)?;
    let form = stores::form(&store, &args.form).await?.form;
    let count = match (&args.csv, &args.file) {
        (Some(path), _) => {
            let input = Input::open(path, data.directory())?;
            let time = args.time.as_deref();
            let layout = csv::Layout::read(input.rewound()?, &form.fields, time, mint::field_id)?;
            let fields = layout.new_fields.clone();
            let layout = Arc::new(layout);
            let drafts = || -> Result<Drafts> {
                Ok(Box::new(csv::Rows::new(input.rewound()?, Arc::clone(&layout))))
            };
            insert(&store, &form, Some(fields), drafts).await?
        }
        (None, path) => {
            let input = Input::open(path.as_deref().unwrap_or(Path::new("-")), data.directory())?;
            let drafts = || -> Result<Drafts> {
                Ok(Box::new(ndjson::Lines::new(input.rewound()?, form.id.clone())))
            };
            insert(&store, &form, None, drafts).await?
        }
    };
    output::line(format!("{count} submissions imported"))
}

/// Checks all, then inserts all. `fields` are those to make, where the file says so beforehand;
/// otherwise its answers do.
async fn insert(
    store: &impl Store,
    form: &Form,
    fields: Option<Vec<Field>>,
    drafts: impl Fn() -> Result<Drafts>,
) -> Result<u64> {
    let guessed = check(drafts()?, form, fields.is_some())?;
    let fields = fields.unwrap_or(guessed);
    let count = form.fields.len() + fields.len();
    if count > FIELDS_MAX {
        return Err(Error::refused(format!(
            "a form has at most {FIELDS_MAX} fields, but this one would have {count}"
        )));
    }
    let source = source(drafts()?, form, SystemClock.now());
    match store.insert_submissions(&form.id, fields, source).await {
        Err(error @ StoreError::Exists(_)) => {
            Err(taken(store, drafts()?).await.unwrap_or(error.into()))
        }
        other => Ok(other?),
    }
}

/// Reads all of a file and returns the fields that its answers bring.
fn check(drafts: Drafts, form: &Form, fields_are_known: bool) -> Result<Vec<Field>> {
    let mut guesses = Guesses::new(form.fields.iter().map(|field| field.key.clone()).collect());
    let mut ids: HashSet<SubmissionId> = HashSet::new();
    for draft in drafts {
        let Draft { line, id, answers, .. } = draft?;
        if let Some(id) = id
            && !ids.insert(id.clone())
        {
            return Err(Error::at_line(
                line,
                format!("the id `{id}` stands on an earlier line too"),
            ));
        }
        if !fields_are_known {
            guesses.note(&answers).map_err(|wrong| Error::at_line(line, wrong))?;
        }
    }
    Ok(field_spec::fields(guesses.finish(), &form.fields, mint::field_id))
}

/// The submissions, complete. Those without an instant get that of the import, each a microsecond
/// before the one above it, so that newest first is the order of the file.
fn source(drafts: Drafts, form: &Form, now: Timestamp) -> SubmissionSource {
    let form_id = form.id.clone();
    let complete = move |(row, draft): (i64, Result<Draft>)| {
        let draft = draft.map_err(|error| error.to_string())?;
        let default_at = Timestamp::from_micros(now.micros() - row).unwrap_or(now);
        Ok(draft.complete(form_id.clone(), default_at, mint::submission_id))
    };
    Box::new((0..).zip(drafts).map(complete))
}

/// The first line whose id the store has already.
async fn taken(store: &impl Store, drafts: Drafts) -> Option<Error> {
    for draft in drafts.flatten() {
        if let Some(id) = draft.id
            && matches!(store.find_submission(&id).await, Ok(Some(_)))
        {
            let sentence = format!("the submission `{id}` exists already");
            return Some(Error::at_line(draft.line, sentence));
        }
    }
    None
}
