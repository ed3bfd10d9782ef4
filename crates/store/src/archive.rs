//! Dump and restore: all data of a store as one portable archive.
//!
//! Both stores read the same tables in the same order and as the same values. So the same data have
//! the same rows and checksums in SQLite and in PostgreSQL. A restore reads the filled store again
//! and compares the checksum of each table with the archive. `docs/archive.md` describes the
//! format.
//!
//! This module drives the dump and the restore. The stores implement [`DumpSource`] and
//! [`RestoreTarget`].

mod chains;
mod format;
mod tables;
mod value;

pub use format::TableSum;
pub use tables::{
    AUDIT, AUDIT_HEADS, ColumnKind, IS_INDEXED, SUBMISSIONS, Section, TABLES, Table, TableColumn,
    UNLISTED,
};
pub use value::Value;

use crate::columns::{SubmissionRow, damaged_row};
use crate::triage::StoredTriage;
use crate::{Result, StoreError};
use async_trait::async_trait;
use chains::ArchiveChains;
use contract::{ErrorBody, FormId, Submission, Timestamp};
use format::{ArchiveReader, ArchiveWriter, TableHasher};
use std::io::{Read, Write};

/// A batch of rows is written to the store when it reaches one of these sizes.
const BATCH_ROWS_MAX: usize = 5_000;
const BATCH_BYTES_MAX: usize = 4 << 20;

/// Maximum length of a quotation from an archive in a message, in characters.
const QUOTED_MAX: usize = 100;

/// Stage of a dump or a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Writes the archive.
    Dumping,
    /// Writes rows into the store.
    Restoring,
    /// Reads the store again and compares it with the archive.
    Verifying,
}

/// Progress of a dump or a restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// Number of submissions in this stage so far.
    pub done: u64,
    /// Expected number of submissions, at least `done`.
    pub total: u64,
}

/// A callback for each row.
pub type RowCallback<'e> = dyn FnMut(&[Value]) -> Result<()> + Send + 'e;

/// A snapshot of a store, independent of concurrent writes.
#[async_trait]
pub trait DumpSource: Send {
    /// Returns the sum of the submission counts that the forms store. It is only used for the
    /// progress of the dump and of a later restore, so it need not be exact.
    async fn count_submissions(&mut self) -> Result<u64>;

    /// Calls `each` with all rows of a table, in the order that [`Table`] defines.
    async fn read_table(&mut self, section: &Section, each: &mut RowCallback<'_>) -> Result<()>;
}

/// An empty store to fill. Other processes see its data only after the restore has succeeded.
#[async_trait]
pub trait RestoreTarget: DumpSource {
    /// Appends rows to a table. `rows` may be empty.
    async fn write_rows(&mut self, section: &Section, rows: Vec<Vec<Value>>) -> Result<()>;

    /// Writes the data derived from all rows, after the last row: counts, indexes and the next
    /// sequence numbers.
    async fn finish(&mut self) -> Result<()>;
}

/// A callback for the progress of a dump or a restore.
pub type ProgressCallback<'t> = dyn FnMut(Progress) + Send + 't;

/// Writes a snapshot of a store as an archive. Returns the checksum of each table, and the writer.
///
/// # Errors
/// [`StoreError::Unusable`] for a submission or an audit log that could not be restored, or if the
/// archive cannot be written.
pub async fn dump<W: Write + Send>(
    source: &mut dyn DumpSource,
    to: W,
    now: Timestamp,
    on_progress: &mut ProgressCallback<'_>,
) -> Result<(Vec<TableSum>, W)> {
    let total = source.count_submissions().await?;
    let mut archive = ArchiveWriter::begin(to, now, total)?;
    let mut count =
        ProgressCounter { stage: Stage::Dumping, done: 0, total, callback: on_progress };
    let mut chains = ArchiveChains::default();
    for table in tables::TABLES {
        let section = Section::all_columns(table);
        archive.write_table_start(&section)?;
        let mut sum = TableHasher::default();
        let mut each = |row: &[Value]| {
            // A restore fails on these errors. Report them while the original data still exist.
            chains.add(&section, row)?;
            if table.name == SUBMISSIONS || has_texts(&section, row) {
                parse_submission(&section, row)?;
            }
            row_triage(&section, row)?;
            archive.write_row(sum.add(row)?)?;
            count.add(table);
            Ok(())
        };
        source.read_table(&section, &mut each).await?;
        archive.write_table_end(sum.finish(&section))?;
    }
    chains.finish()?;
    archive.finish()
}

/// An open archive after its header.
pub struct Archive<R: Read> {
    reader: ArchiveReader<R>,
    total: u64,
}

impl<R: Read + Send> Archive<R> {
    /// Reads the header. This rejects a file of another kind before the caller creates a store.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] if the file is not an archive, or has another format version.
    pub fn open(from: R) -> Result<Self> {
        let (reader, header) = ArchiveReader::begin(from)?;
        Ok(Self { reader, total: header.submissions })
    }

    /// Fills an empty store, then reads it again and compares the checksums. Returns the checksum
    /// of each table.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] for a damaged archive. After any error, the caller must discard the
    /// written data.
    pub async fn restore(
        self,
        target: &mut dyn RestoreTarget,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Vec<TableSum>> {
        let Self { mut reader, total } = self;
        let mut sections = Vec::new();
        let mut count =
            ProgressCounter { stage: Stage::Restoring, done: 0, total, callback: on_progress };
        let mut chains = ArchiveChains::default();
        while let Some(section) = reader.read_table()? {
            let mut sum = TableHasher::default();
            let mut rows = Vec::new();
            let mut bytes = 0;
            while let Some(row) = reader.read_row(&section, &mut sum)? {
                chains.add(&section, &row)?;
                row_triage(&section, &row)?;
                count.add(section.table);
                bytes += row.iter().map(Value::memory_size).sum::<usize>();
                rows.push(row);
                if rows.len() == BATCH_ROWS_MAX || bytes >= BATCH_BYTES_MAX {
                    bytes = 0;
                    target.write_rows(&section, std::mem::take(&mut rows)).await?;
                }
            }
            target.write_rows(&section, rows).await?;
            sections.push(section);
        }
        chains.finish()?;
        target.finish().await?;
        verify(target, &sections, reader.sums(), total, on_progress).await?;
        Ok(reader.sums().to_vec())
    }
}

/// Compares the restored tables with the checksums of the archive.
async fn verify(
    target: &mut dyn RestoreTarget,
    sections: &[Section],
    sums: &[TableSum],
    total: u64,
    on_progress: &mut ProgressCallback<'_>,
) -> Result<()> {
    let mut count =
        ProgressCounter { stage: Stage::Verifying, done: 0, total, callback: on_progress };
    for (section, expected) in sections.iter().zip(sums) {
        let mut sum = TableHasher::default();
        let mut each = |row: &[Value]| {
            sum.add(row)?;
            count.add(section.table);
            Ok(())
        };
        target.read_table(section, &mut each).await?;
        let found = sum.finish(section);
        if found != *expected {
            return Err(StoreError::Unusable(format!(
                "the restored table `{}` has {} rows with the checksum {}, but the archive has {} \
                 with {}; nothing was restored. If sheaf wrote the archive, please report this",
                found.table, found.rows, found.sha256, expected.rows, expected.sha256
            )));
        }
    }
    Ok(())
}

/// Counts submissions for the progress.
struct ProgressCounter<'c, 't> {
    stage: Stage,
    done: u64,
    total: u64,
    callback: &'c mut ProgressCallback<'t>,
}

impl ProgressCounter<'_, '_> {
    fn add(&mut self, table: &Table) {
        if table.name == SUBMISSIONS {
            self.done += 1;
            let Self { stage, done, total, .. } = *self;
            (self.callback)(Progress { stage, done, total: total.max(done) });
        }
    }
}

/// Parses the JSON of a submission in a row of an archive, and compares it with the key columns.
///
/// # Errors
/// [`StoreError::Unusable`] for JSON that is not a submission, or that has another id, form or time
/// than the row.
fn parse_submission(section: &Section, row: &[Value]) -> Result<Submission> {
    let text = |name| section.value(row, name).as_text().unwrap_or_default();
    let id = text("id");
    let unrestorable = |why: &dyn std::fmt::Display| {
        let id = truncate_quote(id);
        StoreError::Unusable(format!("the submission `{id}` cannot be restored: {why}"))
    };
    let submission: Submission = serde_json::from_str(text("json"))
        .map_err(|error| unrestorable(&ErrorBody::bound_message(&error.to_string())))?;
    let submitted_at = Value::Int(submission.metadata.submitted_at.micros());
    if submission.form_id.as_str() != text("form_id")
        || submission.id.as_str() != id
        || submitted_at != *section.value(row, "submitted_at")
    {
        return Err(unrestorable(&"its JSON is a different submission"));
    }
    Ok(submission)
}

/// Returns the form and all columns of a submission in a row of an archive. The JSON is that of the
/// archive, byte by byte.
///
/// # Errors
/// [`StoreError::Unusable`] for JSON that is not a submission, or that has another id, form or time
/// than the row.
pub fn submission_row(section: &Section, row: &[Value]) -> Result<(FormId, SubmissionRow)> {
    let submission = parse_submission(section, row)?;
    let form = submission.form_id.clone();
    let json = section.value(row, "json").as_text().unwrap_or_default().to_owned();
    Ok((form, SubmissionRow { json, ..SubmissionRow::new(submission)? }))
}

/// Returns the triage of a submission in a row of an archive, with its JSON; `None` for a new
/// submission.
///
/// # Errors
/// [`StoreError::Unusable`] for a text that is not the JSON of a triage.
pub fn row_triage<'r>(
    section: &Section,
    row: &'r [Value],
) -> Result<Option<(&'r str, StoredTriage)>> {
    let Some(json) = section.value(row, "triage").as_text() else { return Ok(None) };
    let parsed = serde_json::from_str(json).map_err(|error| {
        let id = truncate_quote(section.value(row, "id").as_text().unwrap_or_default());
        let reason = ErrorBody::bound_message(&error.to_string());
        StoreError::Unusable(format!("the triage of `{id}` cannot be restored: {reason}"))
    });
    parsed.map(|triage| Some((json, triage)))
}

/// Shortens a quotation for a message.
fn truncate_quote(text: &str) -> String {
    text.chars().take(QUOTED_MAX).collect()
}

/// Whether a row is a spam or trash row with search texts. Spam from intake has no search texts.
fn has_texts(section: &Section, row: &[Value]) -> bool {
    *section.value(row, IS_INDEXED) == Value::Bool(true)
}

/// Like [`submission_row`], for a spam or trash row. `None` for a row without search texts.
pub fn indexed_submission(section: &Section, row: &[Value]) -> Result<Option<SubmissionRow>> {
    has_texts(section, row).then(|| submission_row(section, row).map(|(_, row)| row)).transpose()
}

/// Returns the error for a column that holds a value of another type.
pub fn type_mismatch(column: &TableColumn) -> StoreError {
    damaged_row(format!(
        "the column `{}` holds a value that is not of type {:?}",
        column.name, column.kind
    ))
}
