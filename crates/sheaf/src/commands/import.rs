//! `sheaf import`: imports submissions from a file, all or nothing.
//!
//! The file is read several times: it is analysed, checked completely, and then inserted.
//! Submissions become visible together at the end. Memory is bounded to one line, the ids,
//! statistics per column, and 16 bytes per row.

mod cell_type;
mod check;
mod column;
mod column_stats;
mod encoding;
mod export_fields;
mod file_kind;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod header;
mod inferred_fields;
mod input_file;
mod languages;
mod layout;
mod limesurvey;
mod metadata_cells;
mod ndjson;
mod notes;
mod parsed_submission;
mod plan;
mod preview;
mod progress;
mod row_order;
mod rows;
mod scan;
mod table;
mod target;
mod time;
mod time_columns;
mod tool;
#[cfg(test)]
mod tool_files;

use contract::audit::Action;
use contract::{Field, Form, Timestamp};
use sha2::{Digest as _, Sha256};
use std::fs::Metadata;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use store::clock::{Clock as _, SystemClock};
use store::{Import, ImportSource, Store, StoreError, SubmissionSource};

use crate::args;
use crate::config::Data;
use crate::error::{Error, Result};
use crate::field_spec::{self, FIELDS_MAX};
use crate::{audit_events, new_ids, output, stores};
use check::{CheckResult, StopAt, check_submissions};
use input_file::{Input, InputFormat};
use parsed_submission::ParsedSubmission;
use plan::{ImportOptions, Plan};
pub(crate) use progress::ProgressLine;
use row_order::SortedRows;

pub(crate) use table::Delimiter;
pub(crate) use target::Mapping;
pub(crate) use time::moment::DateOrder;
pub(crate) use time::zone::Zone;
pub(crate) use tool::Tool;

/// Version of the import's semantics. An import that was started by another version is not resumed.
const VERSION: u32 = 5;

/// Note about times without a time zone.
const ASSUMES_UTC: &str = "note: times without a time zone are read as UTC; set another with \
                           `--time-zone`, for example `--time-zone Europe/Berlin`";

/// Maximum time that a submission may be ahead of this clock, in microseconds. Clocks differ, and a
/// local time without a zone can be 14 hours ahead of UTC.
const AHEAD_MAX_US: i64 = 24 * 60 * 60 * 1_000_000;

/// Submissions of a file, in order.
type ParsedSubmissions = Box<dyn Iterator<Item = Result<ParsedSubmission>> + Send>;
/// Opens the file again: in its own order, or oldest first without the given number of rows. The
/// answers get the keys of the given fields.
type Reopen =
    Box<dyn FnMut(&[Field], Option<(&SortedRows, u64)>) -> Result<ParsedSubmissions> + Send>;

/// Submissions, each with the number of rows above it in the file.
type NumberedSubmissions = Box<dyn Iterator<Item = (Result<ParsedSubmission>, i64)> + Send>;

/// A file that was read and checked.
struct CheckedFile {
    hash: [u8; 32],
    /// Description of the tool, the encoding and the delimiter.
    kind: Option<String>,
    notes: Vec<String>,
    checked: CheckResult,
    /// Fields that the form does not have yet.
    fields: Vec<Field>,
    /// Plan of the columns, for CSV.
    plan: Option<Arc<Plan>>,
    open: Reopen,
}

/// Imports a file and prints the number of submissions, or prints a preview.
///
/// # Errors
/// The first invalid line, by its number. In this case nothing is imported.
pub(crate) async fn run(data: &Data, args: args::Import) -> Result<()> {
    let store = stores::open_existing(data).await?;
    let record = stores::find_form(store.as_ref(), &args.form).await?;
    let event = audit_events::form_event(Action::SubmissionsImported, &record);
    let form = record.form;
    let mut file = if let Some(path) = &args.csv {
        read_csv(Input::open(path, &data.temp_directory()?)?, data, &form, &args)?
    } else {
        let path = args.file.as_deref().unwrap_or(Path::new("-"));
        read_ndjson(Input::open(path, &data.temp_directory()?)?, data, &form, &args)?
    };
    if args.dry_run {
        record_taken_ids(store.as_ref(), &mut file).await?;
        return preview::show(&file, &form.fields);
    }
    let count = form.fields.len() + file.fields.len();
    if count > FIELDS_MAX {
        return Err(Error::invalid(format!(
            "a form has at most {FIELDS_MAX} fields, but this one would have {count}"
        )));
    }
    if !file.fields.is_empty() {
        let fields = form.fields.iter().chain(&file.fields);
        api::fields::check_total_bytes(fields).map_err(Error::invalid)?;
    }
    let fingerprint = import_fingerprint(&file, &form, &args);
    let messages: Vec<String> = file.kind.iter().chain(&file.notes).cloned().collect();
    if args.restart {
        store.delete_imports(&form.id).await?;
    }
    let store = store.with_audit(event);
    let (count, before) = insert_submissions(store.as_ref(), &form, file, fingerprint).await?;
    print_result(&messages, count, before)
}

/// Prints the messages and the number of imported submissions, of which an interrupted import had
/// inserted `before`.
fn print_result(messages: &[String], count: u64, before: u64) -> Result<()> {
    messages.iter().try_for_each(output::print_line)?;
    let count = format_submissions(count);
    output::print_line(match before {
        0 => format!("{count} imported"),
        _ => format!("{count} imported, {before} of them before an interruption"),
    })
}

/// Returns the latest accepted submission time. A later one is a wrong date.
fn latest_submission(now: Timestamp) -> Timestamp {
    Timestamp::from_micros(now.micros().saturating_add(AHEAD_MAX_US)).unwrap_or(now)
}

/// Formats a number of submissions.
fn format_submissions(count: u64) -> String {
    if count == 1 { "1 submission".to_owned() } else { format!("{count} submissions") }
}

fn read_csv(input: Input, data: &Data, form: &Form, args: &args::Import) -> Result<CheckedFile> {
    let (input, content) =
        input.into_utf_8(InputFormat::Csv, args.encoding.as_deref(), &data.temp_directory()?)?;
    let open = || input.reader();
    let options = ImportOptions::from_args(args);
    let state = input.metadata()?;
    let plan = Plan::create(open, content.bytes, &form.fields, &options, new_ids::new_field_id)?;
    let mut rows = plan.rows(input.reader()?);
    let mut progress = ProgressLine::new("checking", "rows", plan.rows, 0);
    let until = if args.dry_run { StopAt::End } else { StopAt::FirstProblem };
    let drafts = rows.by_ref().inspect(|_| progress.add_step());
    let mut checked = check_submissions(drafts, form, true, until)?;
    drop(progress);
    checked.notes = rows.notes;
    let kind = Some(format!("The file is {}.", plan.describe(&content)));
    let mut notes: Vec<String> = content.note.iter().cloned().collect();
    notes.extend(checked.notes.lines());
    if plan.assumes_utc() {
        notes.push(ASSUMES_UTC.to_owned());
    }
    let fields = plan.layout.new_fields.clone();
    let plan = Arc::new(plan);
    let opened = Arc::clone(&plan);
    let open: Reopen = Box::new(move |fields, sorted| {
        let file = input.duplicate()?;
        let state = state.clone();
        Ok(match sorted {
            None => fail_if_changed(opened.rows_with(input.reader()?, fields), file, state),
            Some((sorted, skipped)) => {
                let rows = sorted.read(input.random_access()?, skipped);
                fail_if_changed(opened.rows_with(rows, fields), file, state)
            }
        })
    });
    Ok(CheckedFile { hash: content.hash, kind, notes, checked, fields, plan: Some(plan), open })
}

fn read_ndjson(input: Input, data: &Data, form: &Form, args: &args::Import) -> Result<CheckedFile> {
    let encoding = args.encoding.as_deref();
    let (input, content) =
        input.into_utf_8(InputFormat::Ndjson, encoding, &data.temp_directory()?)?;
    let id = form.id.clone();
    let keeps_ids = !args.new_ids;
    let state = input.metadata()?;
    let mut open: Reopen = Box::new(move |_, sorted| {
        let with_id =
            move |line: Result<ParsedSubmission>| line.map(|draft| draft.with_id_if(keeps_ids));
        let file = input.duplicate()?;
        let state = state.clone();
        Ok(match sorted {
            None => {
                let lines = ndjson::NdjsonLines::new(input.reader()?, id.clone());
                fail_if_changed(lines.map(with_id), file, state)
            }
            Some((sorted, skipped)) => {
                let rows = BufReader::new(sorted.read(input.random_access()?, skipped));
                fail_if_changed(
                    ndjson::NdjsonLines::new(rows, id.clone()).map(with_id),
                    file,
                    state,
                )
            }
        })
    });
    let until = if args.dry_run { StopAt::End } else { StopAt::FirstProblem };
    let checked = check_submissions(open(&[], None)?, form, false, until)?;
    let specs = checked.inferred.specs();
    let fields = field_spec::create_fields(specs, &form.fields, new_ids::new_field_id);
    let hash = content.hash;
    let kind = None;
    let notes = Vec::new();
    Ok(CheckedFile { hash, kind, notes, checked, fields, plan: None, open })
}

/// Passes the submissions on, and fails if the file was changed since it was opened. The results of
/// the check and the positions of the rows are then invalid.
fn fail_if_changed(
    drafts: impl Iterator<Item = Result<ParsedSubmission>> + Send + 'static,
    input: Input,
    state: Metadata,
) -> ParsedSubmissions {
    let input = Arc::new(input);
    let state = Arc::new(state);
    let at_end = Arc::clone(&input);
    let then = Arc::clone(&state);
    let changed = || Error::invalid("the file was changed while it was imported; import it again");
    let drafts = drafts.map(move |draft| {
        draft.map_err(|error| if input.is_unchanged(&state) { error } else { changed() })
    });
    let at_end =
        std::iter::once_with(move || (!at_end.is_unchanged(&then)).then(|| Err(changed())));
    Box::new(drafts.chain(at_end.flatten()))
}

/// Inserts all submissions, or resumes an import that was interrupted. Returns the number of
/// submissions in total, and in earlier runs.
async fn insert_submissions(
    store: &dyn Store,
    form: &Form,
    file: CheckedFile,
    fingerprint: [u8; 32],
) -> Result<(u64, u64)> {
    let CheckedFile { checked, fields, open, .. } = file;
    // Shared, because the file is read again to name a line with an id that exists.
    let open = Arc::new(Mutex::new(open));
    let import = Import { fingerprint, fields, began_at: SystemClock.now(), inserted: 0 };
    let fields = import.fields.clone();
    let form_id = form.clone();
    let total = checked.count;
    let sorted = checked.positions.into_sorted();
    let opened = Arc::clone(&open);
    let before = Arc::new(AtomicU64::new(0));
    let found = Arc::clone(&before);
    let source: ImportSource = Box::new(move |import| {
        found.store(import.inserted, Ordering::Relaxed);
        let done = import.inserted;
        let sorted = sorted.as_ref();
        let drafts = reopen(&opened, &import.fields, sorted.map(|sorted| (sorted, done)));
        let drafts = drafts.map_err(|error| error.to_string())?;
        let skipped = usize::try_from(done).unwrap_or(usize::MAX);
        let numbered: NumberedSubmissions = match sorted {
            // One more item, for an error at the end of the file.
            Some(sorted) => Box::new(drafts.zip(sorted.rows_above(done).chain([0]))),
            None => Box::new(drafts.zip(0..).skip(skipped)),
        };
        Ok(complete_submissions(numbered, &form_id, import, total))
    });
    match store.import_submissions(&form.id, import, source).await {
        Err(error @ StoreError::Exists(_)) => {
            let drafts = reopen(&open, &fields, None)?;
            Err(find_taken_id(store, drafts).await.unwrap_or_else(|| hidden_id_error(&error)))
        }
        other => Ok((other?, before.load(Ordering::Relaxed))),
    }
}

fn reopen(
    open: &Mutex<Reopen>,
    fields: &[Field],
    sorted: Option<(&SortedRows, u64)>,
) -> Result<ParsedSubmissions> {
    let mut open = open.lock().map_err(|_| Error::invalid("the file could not be read again"))?;
    open(fields, sorted)
}

/// Completes the submissions that are not inserted yet. Submissions without a timestamp get that of
/// the import, each a microsecond before the one above it, so that newest first is the order of the
/// file.
fn complete_submissions(
    drafts: NumberedSubmissions,
    form: &Form,
    import: &Import,
    total: u64,
) -> SubmissionSource {
    let form_id = form.id.clone();
    let began_at = import.began_at;
    let inserted = import.inserted;
    let mut progress = ProgressLine::new("importing", "submissions", total, inserted);
    let complete = move |(draft, row): (Result<ParsedSubmission>, i64)| {
        progress.add_step();
        let draft = draft.map_err(|error| error.to_string())?;
        let default_at =
            Timestamp::from_micros(began_at.micros().saturating_sub(row)).unwrap_or(began_at);
        Ok(draft.complete(form_id.clone(), default_at, new_ids::new_submission_id))
    };
    Box::new(drafts.map(complete))
}

/// Identifies an import by the bytes of the file, and by everything that affects the result.
fn import_fingerprint(file: &CheckedFile, form: &Form, args: &args::Import) -> [u8; 32] {
    // The date of the import can affect the date order.
    let order = file.plan.as_ref().map(|plan| plan.layout.order);
    let mapping = (&args.from, &args.map, &args.time, &args.dates, &args.time_zone);
    let format = (args.csv.is_some(), &args.encoding, &args.delimiter, args.new_ids);
    let key = format!("{VERSION} {mapping:?} {format:?} {order:?} {} {:?}", form.id, form.fields);
    Sha256::new().chain_update(file.hash).chain_update(key).finalize().into()
}

/// Returns an error for the first line with an id that the store already has.
async fn find_taken_id(store: &dyn Store, drafts: ParsedSubmissions) -> Option<Error> {
    for draft in drafts.flatten() {
        if let Some(error) = taken_id_error(store, &draft).await {
            return Some(error);
        }
    }
    None
}

/// Records a problem for every line with an id that the store already has.
async fn record_taken_ids(store: &dyn Store, file: &mut CheckedFile) -> Result<()> {
    if !file.checked.has_ids {
        return Ok(());
    }
    for draft in (file.open)(&file.fields, None)?.flatten() {
        if let Some(error) = taken_id_error(store, &draft).await {
            file.checked.record_problem(&error);
        }
    }
    Ok(())
}

async fn taken_id_error(store: &dyn Store, draft: &ParsedSubmission) -> Option<Error> {
    let id = draft.id.as_ref()?;
    if !matches!(store.find_submission(id).await, Ok(Some(_))) {
        return None;
    }
    let sentence = format!(
        "the submission `{id}` exists already; use `--new-ids` to import it again with a new id"
    );
    Some(Error::at_line(draft.line, sentence))
}

/// Describes an id that exists but is not visible: it belongs to an unfinished import.
fn hidden_id_error(error: &StoreError) -> Error {
    Error::invalid(format!(
        "{error}, in an interrupted import; run that import again to finish it, discard it with \
         `--restart`, or use new ids with `--new-ids`"
    ))
}
