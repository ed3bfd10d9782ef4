//! Inserts a group of submissions: each form is looked up, and its count updated, once per group.
//!
//! Submissions are inserted in order, with the same result as one by one. The caller's savepoint
//! makes the group atomic.

use super::{Ready, find_receipt, insert_receipt, learn};
use crate::index::Change;
use crate::insert::{self, Inserts};
use crate::memory_index::Held;
use crate::{insight, unlisted};
use contract::{FormId, Receipt};
use rusqlite::{Connection, OptionalExtension};
use store::Result;
use store::columns::{count, database};
use store::new_submission::Arrived;

/// Inserts submissions within the caller's savepoint. On success, takes the rows out of `ready` for
/// the in-memory indexes.
pub(crate) fn insert(conn: &Connection, held: &Held, ready: &mut [Ready]) -> Result<Vec<Arrived>> {
    let mut group = Group { conn, inserts: Inserts::prepare(conn)?, forms: Vec::new() };
    let arrived: Result<Vec<_>> =
        ready.iter().enumerate().map(|(number, ready)| group.insert(number, ready)).collect();
    let arrived = arrived?;
    for Standing { seq, inserted, .. } in group.forms {
        if !inserted.is_empty() {
            let version = insert::add_count(conn, seq, inserted.len())?;
            let row = |number: usize| Change::Insert(std::mem::take(&mut ready[number].row).into());
            held.note(seq, version, inserted.into_iter().map(row).collect());
        }
    }
    Ok(arrived)
}

struct Group<'c> {
    conn: &'c Connection,
    inserts: Inserts<'c>,
    forms: Vec<Standing>,
}

/// State of a form within the transaction.
struct Standing {
    id: FormId,
    seq: i64,
    /// Version of its fields and intake settings.
    version: i64,
    is_analysed: bool,
    /// Number of submissions before this group.
    rows: u64,
    /// Indexes in the group of the submissions inserted so far.
    inserted: Vec<usize>,
}

impl Standing {
    /// Returns the number of submissions including this group.
    fn count(&self) -> u64 {
        self.rows + self.inserted.len() as u64
    }
}

impl Group<'_> {
    fn insert(&mut self, number: usize, ready: &Ready) -> Result<Arrived> {
        let Some(form) = self.stand(&ready.form)? else { return Ok(Arrived::Stale) };
        let Standing { seq, version, is_analysed, .. } = self.forms[form];
        if version != ready.version {
            return Ok(Arrived::Stale);
        }
        let Ready { submitted_at, row, fields, repeat, .. } = ready;
        if let Some(repeat) = repeat
            && let Some(arrived) = find_receipt(self.conn, seq, repeat, *submitted_at)?
        {
            return Ok(arrived);
        }
        if ready.rows_max.is_some_and(|most| self.forms[form].count() >= most) {
            return Ok(Arrived::Closed);
        }
        if let Some(repeat) = repeat {
            insert_receipt(self.conn, seq, repeat, ready)?;
        }
        if let Some(reason) = ready.spam {
            unlisted::insert_spam(self.conn, seq, reason, row, fields)?;
        } else {
            if !fields.is_empty() {
                learn(self.conn, seq, fields)?;
                // New fields change the intake version. Later submissions of the group that were
                // validated against the previous version become stale.
                self.forms[form].version =
                    find(self.conn, &ready.form)?.map_or(i64::MIN, |it| it.1);
            }
            self.inserts.insert(seq, row)?;
            if is_analysed && !row.has_insight {
                insight::queue(self.conn, seq, row).map_err(database)?;
            }
            self.forms[form].inserted.push(number);
        }
        Ok(Arrived::Taken(Receipt { id: ready.id.clone(), submitted_at: *submitted_at }))
    }

    /// Returns the index of a form in `forms`, and looks it up if needed; `None` if there is no
    /// such form.
    fn stand(&mut self, id: &FormId) -> Result<Option<usize>> {
        if let Some(known) = self.forms.iter().position(|form| form.id == *id) {
            return Ok(Some(known));
        }
        let Some((seq, version, is_analysed, rows)) = find(self.conn, id)? else {
            return Ok(None);
        };
        let (id, rows, inserted) = (id.clone(), count(rows)?, Vec::new());
        self.forms.push(Standing { id, seq, version, is_analysed, rows, inserted });
        Ok(Some(self.forms.len() - 1))
    }
}

/// Returns a form's number, its intake version, whether analysis is on, and its submission count.
fn find(conn: &Connection, id: &FormId) -> Result<Option<(i64, i64, bool, i64)>> {
    let sql = "SELECT seq, intake_version, analysis, submission_count FROM forms WHERE id = ?";
    conn.prepare_cached(sql)
        .and_then(|mut find| find.query_row([id.as_str()], |row| row.try_into()).optional())
        .map_err(database)
}
