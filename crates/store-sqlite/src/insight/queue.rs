//! The analysis queue. Submissions are queued when they are inserted, or by a sweep after analysis
//! was switched on. Forms take turns.

use super::{find_categories, write};
use crate::{forms, hidden, query};
use contract::insight::{FormAnalysis, SetAnalysis};
use contract::{FormId, Plan};
use rusqlite::Connection;
use store::columns::{SubmissionRow, parse, parse_count, stored_submission};
use store::daily_limits::UtcDay;
use store::insight::{PendingBatch, PendingQuery, RoundRobin};
use store::{Result, StoredSubmission};

/// Queues a new submission if its form is analysed and it has no insight.
pub(crate) fn queue_submission(conn: &Connection, form: i64, row: &SubmissionRow) -> Result<()> {
    if row.has_insight {
        return Ok(());
    }
    let sql = "INSERT INTO insight_queue (form, submitted_at, id)
               SELECT seq, ?, ? FROM forms WHERE seq = ? AND analysis";
    query::execute(conn, sql, (row.submitted_at, &row.id, form)).map(drop)
}

/// Schedules a sweep of a form if it is analysed. Used after a long import: its submissions were
/// hidden, so they could not be queued one by one.
pub(crate) fn schedule_sweep(conn: &Connection, form: i64) -> Result<()> {
    let sql = "INSERT INTO insight_sweeps (form, submitted_at, id, again)
         SELECT seq, ?, '', 0 FROM forms WHERE seq = ? AND analysis
         ON CONFLICT (form) DO UPDATE SET submitted_at = excluded.submitted_at, id = excluded.id";
    query::execute(conn, sql, (i64::MAX, form)).map(drop)
}

/// Deletes the queue entries and the correction of a deleted submission.
pub(crate) fn delete_insight_rows(
    conn: &Connection,
    form: i64,
    submitted_at: i64,
    id: &str,
) -> Result<()> {
    for table in ["insight_queue", "insight_retries", "insight_corrections"] {
        let sql = format!("DELETE FROM {table} WHERE form = ? AND submitted_at = ? AND id = ?");
        query::execute(conn, &sql, (form, submitted_at, id))?;
    }
    Ok(())
}

/// Switches the analysis of a form on or off; returns whether the form exists.
pub(super) fn switch_analysis(
    conn: &Connection,
    form: &FormId,
    switch: SetAnalysis,
) -> Result<bool> {
    let sql = "SELECT seq, analysis FROM forms WHERE id = ?";
    let found: Option<(i64, bool)> = query::find(conn, sql, [form.as_str()], |row| row.try_into())?;
    let Some((form, was_on)) = found else { return Ok(false) };
    let SetAnalysis { analysis, again } = switch;
    query::execute(conn, "UPDATE forms SET analysis = ? WHERE seq = ?", (analysis, form))?;
    if !analysis {
        query::execute(conn, "DELETE FROM insight_sweeps WHERE form = ?", [form])?;
    } else if again || !was_on {
        let sql = "INSERT INTO insight_sweeps (form, submitted_at, id, again) VALUES (?, ?, '', ?)
                   ON CONFLICT (form) DO UPDATE SET submitted_at = excluded.submitted_at,
                     id = excluded.id, again = MAX(again, excluded.again)";
        query::execute(conn, sql, (form, i64::MAX, again))?;
    }
    Ok(true)
}

/// Returns the analysis state of a form.
pub(super) fn find_analysis(conn: &Connection, form: &FormId) -> Result<Option<FormAnalysis>> {
    let sql = "SELECT f.analysis,
                 (SELECT COUNT(*) FROM insight_queue AS q WHERE q.form = f.seq)
                   + (SELECT COUNT(*) FROM insight_retries AS r WHERE r.form = f.seq),
                 EXISTS (SELECT 1 FROM insight_sweeps AS w WHERE w.form = f.seq)
               FROM forms AS f WHERE f.id = ?";
    let found: Option<(bool, i64, bool)> =
        query::find(conn, sql, [form.as_str()], |row| row.try_into())?;
    let analysis = |(analysis, pending, is_queueing)| {
        let pending = if analysis { parse_count(pending)? } else { 0 };
        Ok(FormAnalysis { analysis, pending, is_queueing })
    };
    found.map(analysis).transpose()
}

/// Whether a sweep of any form is due.
pub(super) fn has_sweep(conn: &Connection) -> Result<bool> {
    Ok(next_sweep(conn)?.is_some())
}

/// A sweep: the form, the key to continue after, and whether to queue analysed submissions too.
type SweepState = (i64, i64, String, bool);

fn next_sweep(conn: &Connection) -> Result<Option<SweepState>> {
    let sql = "SELECT w.form, w.submitted_at, w.id, w.again
               FROM insight_sweeps AS w JOIN forms AS f ON f.seq = w.form WHERE f.analysis LIMIT 1";
    query::find(conn, sql, [], |row| row.try_into())
}

/// Sweeps up to `rows_max` submissions of one form, newest first; returns whether more remain.
pub(super) fn run_sweep(conn: &Connection, rows_max: usize) -> Result<bool> {
    let Some((form, submitted_at, id, again)) = next_sweep(conn)? else { return Ok(false) };
    // A submission needs an analysis if its JSON ends with `"ai_insights":null}`, which has 19
    // bytes, or if its correction is stored with the analysis `null`.
    let sql = format!(
        "SELECT s.submitted_at, s.id,
           substr(CAST(s.json AS BLOB), -19) = CAST('\"ai_insights\":null}}' AS BLOB)
           OR EXISTS (SELECT 1 FROM insight_corrections AS c
             WHERE c.form = s.form AND c.submitted_at = s.submitted_at AND c.id = s.id
               AND c.analysis = 'null')
         FROM submissions AS s WHERE s.form = ? AND (s.submitted_at, s.id) < (?, ?){}
         ORDER BY s.submitted_at DESC, s.id DESC LIMIT ?",
        hidden::VISIBLE_SQL
    );
    let limit = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let piece: Vec<(i64, String, bool)> =
        query::list(conn, &sql, (form, submitted_at, id, limit), |row| row.try_into())?;
    for (submitted_at, id, is_bare) in &piece {
        if again || *is_bare {
            queue_older(conn, form, *submitted_at, id)?;
        }
    }
    match piece.last() {
        Some((submitted_at, id, _)) if piece.len() == rows_max => {
            let sql = "UPDATE insight_sweeps SET submitted_at = ?, id = ? WHERE form = ?";
            query::execute(conn, sql, (submitted_at, id, form))?
        }
        _ => query::execute(conn, "DELETE FROM insight_sweeps WHERE form = ?", [form])?,
    };
    has_sweep(conn)
}

fn queue_older(conn: &Connection, form: i64, at: i64, id: &str) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO insight_queue (form, submitted_at, id)
               SELECT ?1, ?2, ?3 WHERE NOT EXISTS (
                 SELECT 1 FROM insight_retries WHERE form = ?1 AND submitted_at = ?2 AND id = ?3)";
    query::execute(conn, sql, (form, at, id)).map(drop)
}

/// Lists pending submissions of the next form that has some and is within its daily limit.
pub(super) fn list_pending(
    conn: &Connection,
    query: &PendingQuery,
) -> Result<Option<PendingBatch>> {
    let found = list_between(conn, query, query.after.0, i64::MAX)?;
    match found {
        // Start again at the first form, up to and including the last one served.
        None if query.after.0 > 0 => list_between(conn, query, 0, query.after.0),
        found => Ok(found),
    }
}

fn list_between(
    conn: &Connection,
    query: &PendingQuery,
    mut after: i64,
    last: i64,
) -> Result<Option<PendingBatch>> {
    while let Some(form) = next_form(conn, after, query)?.filter(|form| *form <= last) {
        let rows_max = count_affordable(conn, form, query)?;
        let submissions =
            if rows_max > 0 { list_rows(conn, form, rows_max, query)? } else { vec![] };
        if !submissions.is_empty() {
            return Ok(Some(PendingBatch {
                turn: RoundRobin(form),
                fields: forms::list_fields(conn, form)?,
                categories: find_categories(conn, form)?,
                submissions,
            }));
        }
        after = form;
    }
    Ok(None)
}

fn next_form(conn: &Connection, after: i64, query: &PendingQuery) -> Result<Option<i64>> {
    let sql = "SELECT MIN(form) FROM (
               SELECT MIN(form) AS form FROM insight_queue WHERE form > ?1
               UNION ALL SELECT MIN(form) FROM insight_retries WHERE form > ?1 AND due_at <= ?2)";
    query::one(conn, sql, (after, query.now.micros()), |row| row.get(0))
}

/// Returns how many submissions of a form may be analysed now.
fn count_affordable(conn: &Connection, form: i64, query: &PendingQuery) -> Result<usize> {
    let sql = "SELECT f.account, f.environment, a.plan FROM forms AS f
               JOIN accounts AS a ON a.id = f.account WHERE f.seq = ? AND f.analysis";
    let owner: Option<(String, String, String)> =
        query::find(conn, sql, [form], |row| row.try_into())?;
    let Some((account, environment, plan)) = owner else { return Ok(0) };
    let used = write::find_used(conn, &account, &environment, UtcDay::of(query.now))?;
    let remaining = query.limits.for_plan(parse::<Plan>(&plan)?).saturating_sub(used);
    Ok(usize::try_from(remaining).unwrap_or(usize::MAX).min(query.rows_max))
}

fn list_rows(
    conn: &Connection,
    form: i64,
    rows_max: usize,
    query: &PendingQuery,
) -> Result<Vec<StoredSubmission>> {
    let limit = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let read = |sql: &str, due_at: i64, limit: i64| -> Result<Vec<_>> {
        query::list(conn, sql, (form, due_at, limit), |row| row.try_into())
    };
    // `?2 IS NOT NULL` is always true: it gives both statements the same parameters.
    let new_rows = "SELECT s.submitted_at, s.id, s.json FROM insight_queue AS q
         CROSS JOIN submissions AS s
           ON s.form = q.form AND s.submitted_at = q.submitted_at AND s.id = q.id
         WHERE q.form = ?1 AND ?2 IS NOT NULL
         ORDER BY q.submitted_at DESC, q.id DESC LIMIT ?3";
    let retries = "SELECT s.submitted_at, s.id, s.json FROM insight_retries AS q
         CROSS JOIN submissions AS s
           ON s.form = q.form AND s.submitted_at = q.submitted_at AND s.id = q.id
         WHERE q.form = ?1 AND q.due_at <= ?2 ORDER BY q.due_at LIMIT ?3";
    let now = query.now.micros();
    let mut found: Vec<(i64, String, String)> = read(new_rows, now, limit)?;
    let room = limit - i64::try_from(found.len()).unwrap_or(limit);
    if room > 0 {
        found.extend(read(retries, now, room)?);
    }
    found
        .into_iter()
        .map(|(submitted_at, id, json)| stored_submission(submitted_at, id, json))
        .collect()
}
