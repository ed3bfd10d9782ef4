//! Reads triage, notes and history of listed submissions.

use crate::errors::database_error;
use crate::forms;
use crate::query;
use crate::query::read_column;
use crate::text_encoding::decode;
use contract::triage::{HistoryEntry, Note, SubmissionTriage, TriageDetail};
use contract::{FormId, PersonId, SubmissionId};
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use store::Result;
use store::columns::{damaged_row, parse, parse_instant, parse_optional_instant};
use store::triage::{HISTORY_MAX, StoredTriage, parse_triage, triage_detail};
use tokio_postgres::Row;

/// Lists the triage of those of the submissions that have one or have notes.
pub(super) async fn list(
    tx: &Transaction<'_>,
    form: &FormId,
    ids: &[SubmissionId],
) -> Result<Vec<SubmissionTriage>> {
    // A deleted form may still have rows.
    if forms::find_owner(tx, form).await?.is_none() {
        return Ok(Vec::new());
    }
    let form = form.as_str();
    let ids: Vec<&str> = ids.iter().map(SubmissionId::as_str).collect();
    let sql = "SELECT submitted_at, id, triage FROM submissions
               WHERE form_id = $1 AND id = ANY($2)";
    let listed = query::fetch_rows(tx, sql, &[&form, &ids]).await?;
    let at: Vec<i64> = listed.iter().map(|row| read_column(row, 0)).collect::<Result<_>>()?;
    let ids: Vec<&str> = listed.iter().map(|row| read_column(row, 1)).collect::<Result<_>>()?;
    let sql = "SELECT o.submission, count(*) FROM notes AS o
                 JOIN unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
                 ON o.submitted_at = n.submitted_at AND o.submission = n.id
               WHERE o.form_id = $1 GROUP BY o.submission";
    let counted = query::fetch_rows(tx, sql, &[&form, &at, &ids]).await?;
    let count = |row: &Row| -> Result<(String, u32)> {
        let count = u32::try_from(read_column::<i64>(row, 1)?).map_err(damaged_row)?;
        Ok((read_column(row, 0)?, count))
    };
    let counts: HashMap<_, _> = counted.iter().map(count).collect::<Result<_>>()?;
    let read = |row: &Row| {
        let id: &str = read_column(row, 1)?;
        let notes_count = counts.get(id).copied().unwrap_or(0);
        let triage = parse_triage(read_column(row, 2)?)?;
        if triage.is_default() && notes_count == 0 {
            return Ok(None);
        }
        Ok(Some(SubmissionTriage { id: parse(id)?, triage, notes_count }))
    };
    listed.iter().filter_map(|row| read(row).transpose()).collect()
}

/// Finds triage, notes and history of a listed submission.
pub(super) async fn find(
    tx: &Transaction<'_>,
    form: &FormId,
    id: &SubmissionId,
) -> Result<Option<TriageDetail>> {
    if forms::find_owner(tx, form).await?.is_none() {
        return Ok(None);
    }
    let (form, id) = (form.as_str(), id.as_str());
    let sql = "SELECT submitted_at, triage FROM submissions WHERE form_id = $1 AND id = $2";
    let Some(found) = query::fetch_row(tx, sql, &[&form, &id]).await? else { return Ok(None) };
    let at: i64 = read_column(&found, 0)?;
    let stored = StoredTriage::parse(read_column(&found, 1)?)?;
    // The joins exclude members that were removed.
    let sql = "SELECT n.id, p.id, n.text, n.created_at, n.edited_at
               FROM notes AS n LEFT JOIN people AS p ON p.id = n.author
               WHERE n.form_id = $1 AND n.submitted_at = $2 AND n.submission = $3
               ORDER BY n.created_at, n.id";
    let notes = query::fetch_rows(tx, sql, &[&form, &at, &id]).await?;
    let notes = notes.iter().map(read_note).collect::<Result<_>>()?;
    let sql = "SELECT h.at, p.id, h.change
               FROM triage_history AS h LEFT JOIN people AS p ON p.id = h.person
               WHERE h.form_id = $1 AND h.submitted_at = $2 AND h.submission = $3
               ORDER BY h.place DESC LIMIT $4";
    let entries_max = i64::try_from(HISTORY_MAX).map_err(database_error)?;
    let history = query::fetch_rows(tx, sql, &[&form, &at, &id, &entries_max]).await?;
    let history = history.iter().map(read_entry).collect::<Result<_>>()?;
    Ok(Some(triage_detail(stored, notes, history)))
}

fn read_note(row: &Row) -> Result<Note> {
    Ok(Note {
        id: parse(read_column(row, 0)?)?,
        author: read_person(row, 1)?,
        text: decode(read_column(row, 2)?),
        created_at: parse_instant(read_column(row, 3)?)?,
        edited_at: parse_optional_instant(read_column(row, 4)?)?,
    })
}

fn read_entry(row: &Row) -> Result<HistoryEntry> {
    Ok(HistoryEntry {
        at: parse_instant(read_column(row, 0)?)?,
        person: read_person(row, 1)?,
        change: serde_json::from_str(read_column(row, 2)?).map_err(damaged_row)?,
    })
}

fn read_person(row: &Row, place: usize) -> Result<Option<PersonId>> {
    read_column::<Option<&str>>(row, place)?.map(parse).transpose()
}
