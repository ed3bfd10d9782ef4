//! Inserts a group of submissions: each form is looked up, and its count updated, once per group.
//!
//! Submissions are inserted in order, with the same result as one by one. The caller's savepoint
//! makes the group atomic.

use super::{find_receipt, insert_receipt, learn_fields};
use crate::index::Change;
use crate::insert::{self, InsertStatements};
use crate::memory_index::MemoryIndex;
use crate::outbox::DeliveryTarget;
use crate::{insight, mail, outbox, query, unlisted};
use contract::webhook::WebhookEvent;
use contract::{FormId, Receipt};
use rusqlite::Connection;
use store::Result;
use store::columns::parse_count;
use store::new_submission::{InsertOutcome, PreparedInsert};

/// Inserts submissions within the caller's savepoint. On success, takes the rows out of `ready` for
/// the in-memory indexes.
pub(crate) fn insert_group(
    conn: &Connection,
    index: &MemoryIndex,
    ready: &mut [PreparedInsert],
) -> Result<Vec<InsertOutcome>> {
    let mut group =
        InsertGroup { conn, inserts: InsertStatements::prepare(conn)?, forms: Vec::new() };
    let outcomes: Result<Vec<_>> =
        ready.iter().enumerate().map(|(number, ready)| group.insert_one(number, ready)).collect();
    let outcomes = outcomes?;
    let mut versions = Vec::new();
    for FormGroup { seq, inserted, targets, .. } in &group.forms {
        if !inserted.is_empty() {
            let rows = inserted.iter().map(|number| &ready[*number].row);
            outbox::enqueue_created(conn, *seq, targets, rows)?;
            versions.push((*seq, insert::add_count(conn, *seq, inserted.len())?, inserted));
        }
    }
    // After an error, the caller inserts the rows one by one, so they are taken at the end only.
    for (seq, version, inserted) in versions {
        let row = |number: &usize| Change::Insert(std::mem::take(&mut ready[*number].row).into());
        index.record_changes(seq, version, inserted.iter().map(row).collect());
    }
    Ok(outcomes)
}

struct InsertGroup<'c> {
    conn: &'c Connection,
    inserts: InsertStatements<'c>,
    forms: Vec<FormGroup>,
}

/// State of a form within the transaction.
struct FormGroup {
    id: FormId,
    seq: i64,
    /// Version of its fields and intake settings.
    version: i64,
    is_analysed: bool,
    /// Number of submissions before this group.
    rows: u64,
    /// Indexes in the group of the submissions inserted so far.
    inserted: Vec<usize>,
    /// Webhooks that get deliveries of these submissions.
    targets: Vec<DeliveryTarget>,
}

impl FormGroup {
    /// Returns the number of submissions including this group.
    fn submission_count(&self) -> u64 {
        self.rows + self.inserted.len() as u64
    }
}

impl InsertGroup<'_> {
    fn insert_one(&mut self, number: usize, ready: &PreparedInsert) -> Result<InsertOutcome> {
        let Some(form) = self.form_index(&ready.form)? else { return Ok(InsertOutcome::Stale) };
        let FormGroup { seq, version, is_analysed, .. } = self.forms[form];
        if version != ready.version {
            return Ok(InsertOutcome::Stale);
        }
        let PreparedInsert { submitted_at, row, fields, repeat, .. } = ready;
        if let Some(repeat) = repeat
            && let Some(outcome) = find_receipt(self.conn, seq, repeat, *submitted_at)?
        {
            return Ok(outcome);
        }
        if ready.rows_max.is_some_and(|max| self.forms[form].submission_count() >= max) {
            return Ok(InsertOutcome::LimitReached);
        }
        if let Some(repeat) = repeat {
            insert_receipt(self.conn, seq, repeat, ready)?;
        }
        if let Some(reason) = ready.spam {
            unlisted::insert_spam(self.conn, seq, reason, row, fields)?;
        } else {
            if !fields.is_empty() {
                learn_fields(self.conn, seq, fields)?;
                // New fields change the intake version. Later submissions of the group that were
                // validated against the previous version become stale.
                self.forms[form].version =
                    find_form(self.conn, &ready.form)?.map_or(i64::MIN, |form| form.1);
            }
            self.inserts.insert(seq, row)?;
            mail::enqueue(self.conn, seq, (row.submitted_at, &row.id))?;
            if is_analysed && !row.has_insight {
                insight::queue_submission(self.conn, seq, row)?;
            }
            self.forms[form].inserted.push(number);
        }
        Ok(InsertOutcome::Inserted(Receipt { id: ready.id.clone(), submitted_at: *submitted_at }))
    }

    /// Returns the index of a form in `forms`, and looks it up if needed; `None` if there is no
    /// such form.
    fn form_index(&mut self, id: &FormId) -> Result<Option<usize>> {
        if let Some(known) = self.forms.iter().position(|form| form.id == *id) {
            return Ok(Some(known));
        }
        let Some((seq, version, is_analysed, rows)) = find_form(self.conn, id)? else {
            return Ok(None);
        };
        let id = id.clone();
        let rows = parse_count(rows)?;
        let inserted = Vec::new();
        let targets = outbox::find_targets(self.conn, seq, WebhookEvent::Created)?;
        self.forms.push(FormGroup { id, seq, version, is_analysed, rows, inserted, targets });
        Ok(Some(self.forms.len() - 1))
    }
}

/// Returns a form's number, its intake version, whether analysis is on, and its submission count.
fn find_form(conn: &Connection, id: &FormId) -> Result<Option<(i64, i64, bool, i64)>> {
    let sql = "SELECT seq, intake_version, analysis, submission_count FROM forms WHERE id = ?";
    query::find(conn, sql, [id.as_str()], |row| row.try_into())
}
