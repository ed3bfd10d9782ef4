//! Inserts and deletes submissions: the row, its searched text and the count of the form together.

use super::memory_index::{self, MemoryIndex};
use super::{erase_traces, forms, hidden, insertion_error, insight, outbox, query};
use crate::index::{Change, IndexedRow};
use contract::webhook::WebhookEvent;
use contract::{Field, FormId, SubmissionId};
use rusqlite::{CachedStatement, Connection};
use store::clock::{Clock as _, SystemClock};
use store::columns::{SubmissionRow, database_error, row_from_source, unknown_form};
use store::{Result, SubmissionSource};

/// A source with fewer rows is short: it goes through the writer, together with other writes. A
/// long one is inserted in batches over a connection of its own.
const SHORT_MAX: usize = 64;

/// The first rows of a source.
pub(super) enum SourceRows {
    /// All rows.
    Short(Vec<SubmissionRow>),
    /// The first rows, and the source of the remaining ones.
    Long(Vec<SubmissionRow>, SubmissionSource),
}

/// Reads a source up to [`SHORT_MAX`] rows.
pub(super) fn read_source_start(form: &FormId, mut source: SubmissionSource) -> Result<SourceRows> {
    let mut rows = Vec::new();
    while rows.len() < SHORT_MAX {
        match source.next() {
            Some(item) => rows.push(row_from_source(form, item)?),
            None => return Ok(SourceRows::Short(rows)),
        }
    }
    Ok(SourceRows::Long(rows, source))
}

/// Inserts all rows of a short source, within a writer job.
pub(super) fn insert_short(
    conn: &Connection,
    index: &MemoryIndex,
    form: &FormId,
    fields: &[Field],
    rows: Vec<SubmissionRow>,
) -> Result<u64> {
    let seq = form_seq(conn, form)?;
    forms::append_missing_fields(conn, seq, fields)?;
    let mut inserts = InsertStatements::prepare(conn)?;
    for row in &rows {
        inserts.insert(seq, row)?;
        insight::queue_submission(conn, seq, row)?;
    }
    let inserted = rows.len();
    let version = add_count(conn, seq, inserted)?;
    index.record_changes(
        seq,
        version,
        rows.into_iter().map(|row| Change::Insert(row.into())).collect(),
    );
    Ok(inserted as u64)
}

/// Deletes a submission, within a writer job.
pub(super) fn delete_submission(
    conn: &Connection,
    index: &MemoryIndex,
    id: &SubmissionId,
) -> Result<bool> {
    let visible = hidden::VISIBLE_SQL;
    let sql = format!(
        "DELETE FROM submissions AS s WHERE s.id = ?{visible}
         RETURNING form, submitted_at, utm_source, utm_medium, utm_campaign"
    );
    let deleted: Option<(i64, IndexedRow)> =
        query::find(conn, &sql, [id.as_str()], |row| deleted_row(row, id))?;
    let Some((form, row)) = deleted else { return Ok(false) };
    let sql = "DELETE FROM submission_texts WHERE form = ? AND submitted_at = ? AND id = ?";
    query::execute(conn, sql, (form, row.at, id.as_str()))?;
    insight::delete_insight_rows(conn, form, row.at, id.as_str())?;
    erase_traces::request_erasure(conn)?;
    let now = SystemClock.now().micros();
    outbox::enqueue(conn, form, WebhookEvent::Deleted, (row.at, id.as_str()), now)?;
    let version = change_count(conn, form, -1)?;
    index.record_changes(form, version, vec![Change::Delete(row)]);
    Ok(true)
}

fn deleted_row(row: &rusqlite::Row<'_>, id: &SubmissionId) -> rusqlite::Result<(i64, IndexedRow)> {
    let utm = memory_index::read_utm(row, 2)?;
    let id = id.as_str().to_owned();
    Ok((row.get(0)?, IndexedRow { at: row.get(1)?, id, utm, ..IndexedRow::default() }))
}

/// Returns the number of a form; fails if there is no such form.
pub(super) fn form_seq(conn: &Connection, form: &FormId) -> Result<i64> {
    forms::find_seq(conn, form)?.ok_or_else(|| unknown_form(form))
}

/// The prepared statements that insert rows.
pub(super) struct InsertStatements<'c> {
    submission: CachedStatement<'c>,
    text: CachedStatement<'c>,
}

impl<'c> InsertStatements<'c> {
    /// Prepares the statements.
    pub(super) fn prepare(conn: &'c Connection) -> Result<Self> {
        let submission = conn.prepare_cached(
            "INSERT INTO submissions
               (form, submitted_at, id, utm_source, utm_medium, utm_campaign, json, triage)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        );
        let text = conn.prepare_cached(
            "INSERT INTO submission_texts (form, submitted_at, id, text) VALUES (?, ?, ?, ?)",
        );
        Ok(Self {
            submission: submission.map_err(database_error)?,
            text: text.map_err(database_error)?,
        })
    }

    /// Inserts the row of a new submission.
    pub(super) fn insert(&mut self, form: i64, row: &SubmissionRow) -> Result<()> {
        self.insert_with_triage(form, row, None)
    }

    /// Inserts a row with its triage as JSON; `None` is the default.
    pub(super) fn insert_with_triage(
        &mut self,
        form: i64,
        row: &SubmissionRow,
        triage: Option<&str>,
    ) -> Result<()> {
        self.submission
            .execute((
                form,
                row.submitted_at,
                &row.id,
                &row.utm_source,
                &row.utm_medium,
                &row.utm_campaign,
                &row.json,
                triage,
            ))
            .map_err(|error| insertion_error(error, || format!("submission `{}`", row.id)))?;
        self.text.execute((form, row.submitted_at, &row.id, &row.text)).map_err(database_error)?;
        Ok(())
    }
}

/// Adds to the count of a form, and returns the form's new version.
pub(super) fn add_count(conn: &Connection, form: i64, inserted: usize) -> Result<i64> {
    change_count(conn, form, i64::try_from(inserted).map_err(database_error)?)
}

/// As [`add_count`], for removed submissions.
pub(super) fn remove_count(conn: &Connection, form: i64, removed: usize) -> Result<i64> {
    change_count(conn, form, -i64::try_from(removed).map_err(database_error)?)
}

/// Changes count and version in one statement, so that readers always see both together.
fn change_count(conn: &Connection, form: i64, by: i64) -> Result<i64> {
    let sql = "UPDATE forms SET submission_count = submission_count + ?, version = version + 1
               WHERE seq = ? RETURNING version";
    query::one(conn, sql, (by, form), |row| row.get(0))
}
