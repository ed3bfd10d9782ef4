//! `sheaf sample`: generated submissions for trying Sheaf.
//!
//! The same form, seed, count and `--until` give the same submissions, including ids and times.
//! Samples are generated on request only.

mod answer;
mod generator;
mod metadata;
mod person;
mod random;
mod texts;

use contract::audit::Action;
use contract::{FieldType, Form, Timestamp};
use store::clock::{Clock as _, SystemClock};
use store::{Store, StoreError};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::field_spec::{self, FieldSpec};
use crate::{audit_events, new_ids, output, stores};
use generator::Generator;

const HOUR_MICROS: i64 = 3_600_000_000;

/// Fills a form and prints the number of submissions.
///
/// # Errors
/// An unknown form, or one that has these submissions already.
pub(crate) async fn run(data: &Data, args: args::Sample) -> Result<()> {
    let store = stores::open_existing(data).await?;
    let record = stores::find_form(store.as_ref(), &args.form).await?;
    let store = store.with_audit(audit_events::form_event(Action::SubmissionsImported, &record));
    let until = args.until.unwrap_or_else(current_hour);
    let count = fill_form(store.as_ref(), record.form, args.count, args.seed, until).await?;
    output::print_line(format!("{count} sample submissions inserted"))
}

/// Returns the start of the current hour.
pub(crate) fn current_hour() -> Timestamp {
    let now = SystemClock.now();
    Timestamp::from_micros(now.micros() - now.micros().rem_euclid(HOUR_MICROS)).unwrap_or(now)
}

/// Inserts sample submissions into a form. A form without fields gets default fields.
///
/// # Errors
/// Submissions of this seed that exist already.
pub(crate) async fn fill_form(
    store: &dyn Store,
    mut form: Form,
    count: u64,
    seed: u64,
    until: Timestamp,
) -> Result<u64> {
    let fields = if form.fields.is_empty() {
        field_spec::create_fields(default_fields(), &[], new_ids::new_field_id)
    } else {
        Vec::new()
    };
    form.fields.extend(fields.iter().cloned());
    let id = form.id.clone();
    let source = Box::new(Generator::new(form, count, seed, until).map(Ok));
    store.insert_submissions(&id, fields, source).await.map_err(|error| match error {
        StoreError::Exists(_) => Error::invalid(format!(
            "this form already has samples of the seed {seed}; choose another `--seed`"
        )),
        other => other.into(),
    })
}

/// Returns the default fields, for a form without fields.
pub(crate) fn default_fields() -> Vec<FieldSpec> {
    let fields = [
        ("Name", FieldType::Text),
        ("Email", FieldType::Email),
        ("Company", FieldType::Text),
        ("How satisfied are you?", FieldType::Rating),
        ("What would you like to tell us?", FieldType::LongText),
        ("What is it about?", FieldType::Choices),
        ("How did you hear of us?", FieldType::Choice),
        ("May we contact you?", FieldType::Boolean),
        ("Phone", FieldType::Phone),
        ("Budget", FieldType::Number),
        ("Website", FieldType::Url),
        ("Since when are you with us?", FieldType::Date),
    ];
    fields.map(|(name, kind)| FieldSpec { name: name.to_owned(), kind }).into()
}
