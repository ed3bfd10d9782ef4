//! [`ReadStateStore`] for SQLite.

use super::submission_range::{ListKey, visible_range};
use super::{SqliteStore, forms, query, submissions, unlisted};
use crate::index::Change;
use async_trait::async_trait;
use contract::triage::{Reader, UnreadCount};
use contract::{AccountId, Filter, FormId, PersonId, SubmissionId};
use rusqlite::{Connection, params_from_iter};
use store::Result;
use store::columns::{database_error, parse, parse_count, parse_instant};
use store::read_state::ReadStateStore;

#[async_trait]
impl ReadStateStore for SqliteStore {
    async fn find_reader(&self, person: &PersonId) -> Result<Option<Reader>> {
        self.readers.read_statement(|conn| find_reader(conn, person)).await
    }

    async fn list_read(
        &self,
        form: &FormId,
        ids: &[SubmissionId],
        reader: &Reader,
    ) -> Result<Vec<SubmissionId>> {
        self.readers.read_here(|conn| list_read(conn, form, ids, reader)).await
    }

    async fn count_unread(&self, account: &AccountId, reader: &Reader) -> Result<Vec<UnreadCount>> {
        let (account, reader) = (account.clone(), reader.clone());
        self.readers.read(move |conn| count_unread(conn, &account, &reader)).await
    }
}

fn find_reader(conn: &Connection, person: &PersonId) -> Result<Option<Reader>> {
    let sql = "SELECT COALESCE(unread_from, created_at) FROM people WHERE id = ?";
    let found: Option<i64> = query::find(conn, sql, [person.as_str()], |row| row.get(0))?;
    let unread_from = found.map(parse_instant).transpose()?;
    Ok(unread_from.map(|unread_from| Reader { person: person.clone(), unread_from }))
}

fn list_read(
    conn: &Connection,
    form: &FormId,
    ids: &[SubmissionId],
    reader: &Reader,
) -> Result<Vec<SubmissionId>> {
    let Some(seq) = forms::find_seq(conn, form)? else { return Ok(Vec::new()) };
    let sql = "SELECT EXISTS (SELECT 1 FROM read_marks
               WHERE form = ? AND submitted_at = ? AND submission = ? AND person = ?)";
    let mut read = Vec::new();
    for (at, id) in unlisted::find_listed_keys(conn, seq, ids)? {
        let key = (seq, at, &id, reader.person.as_str());
        let is_marked = query::one(conn, sql, key, |row| row.get(0))?;
        if reader.has_read(parse_instant(at)?, is_marked) {
            read.push(parse(&id)?);
        }
    }
    Ok(read)
}

fn count_unread(
    conn: &Connection,
    account: &AccountId,
    reader: &Reader,
) -> Result<Vec<UnreadCount>> {
    let sql = "SELECT seq, id, submission_count FROM forms WHERE account = ?";
    let forms: Vec<(i64, String, i64)> =
        query::list(conn, sql, [account.as_str()], |row| row.try_into())?;
    let mut counts = Vec::new();
    for (seq, id, rows) in forms {
        let unread = count_unread_of_form(conn, seq, parse_count(rows)?, reader)?;
        if unread > 0 {
            counts.push(UnreadCount { form_id: parse(&id)?, unread });
        }
    }
    Ok(counts)
}

/// Counts the unread submissions of a form with `rows` submissions: those that are unread by
/// default, without the marked ones, and the marked ones of the others.
fn count_unread_of_form(conn: &Connection, form: i64, rows: u64, reader: &Reader) -> Result<u64> {
    if rows == 0 {
        return Ok(0);
    }
    let unread_from = reader.unread_from;
    let before = Filter { date_to: Some(unread_from), ..Filter::default() };
    let range = visible_range(conn, form, &before, None)?;
    let mut keys = conn.prepare_cached(&range.keys_sql()).map_err(database_error)?;
    let mut params = range.params();
    params.push(&1);
    let all_are_unread = !keys.exists(params_from_iter(params)).map_err(database_error)?;
    let by_default = if all_are_unread {
        rows
    } else {
        let since = Filter { date_from: Some(unread_from), ..Filter::default() };
        submissions::count_in_file(conn, form, &since)?
    };
    let sql = "SELECT COUNT(*) FILTER (WHERE r.submitted_at < ?3),
                 COUNT(*) FILTER (WHERE r.submitted_at >= ?3)
               FROM read_marks AS r WHERE r.person = ?1 AND r.form = ?2 AND EXISTS (
                 SELECT 1 FROM submissions AS s
                 WHERE s.form = r.form AND s.submitted_at = r.submitted_at
                   AND s.id = r.submission)";
    let params = (reader.person.as_str(), form, unread_from.micros());
    let (unread, read): (i64, i64) = query::one(conn, sql, params, |row| row.try_into())?;
    Ok((by_default + parse_count(unread)?).saturating_sub(parse_count(read)?))
}

/// Sets whether a member has read listed submissions. Returns the keys of those that are different
/// now, and whether they have a mark.
pub(super) fn set(
    conn: &Connection,
    form: i64,
    keys: &[ListKey],
    reader: &Reader,
    is_read: bool,
) -> Result<Vec<(ListKey, bool)>> {
    let insert = "INSERT OR IGNORE INTO read_marks (form, submitted_at, submission, person)
                  VALUES (?, ?, ?, ?)";
    let delete = "DELETE FROM read_marks
                  WHERE form = ? AND submitted_at = ? AND submission = ? AND person = ?";
    let mut changed = Vec::new();
    for (at, id) in keys {
        let is_marked = reader.has_read(parse_instant(*at)?, false) != is_read;
        let sql = if is_marked { insert } else { delete };
        let params = (form, at, id, reader.person.as_str());
        if query::execute(conn, sql, params)? > 0 {
            changed.push(((*at, id.clone()), is_marked));
        }
    }
    Ok(changed)
}

/// Returns the marks of a restored submission as changes of the in-memory indexes.
pub(super) fn marks_of(conn: &Connection, form: i64, (at, id): (i64, &str)) -> Result<Vec<Change>> {
    let sql =
        "SELECT person FROM read_marks WHERE form = ? AND submitted_at = ? AND submission = ?";
    let people: Vec<String> = query::list(conn, sql, (form, at, id), |row| row.get(0))?;
    let mark = |person: String| Change::Read {
        at,
        id: id.to_owned(),
        person: person.into(),
        is_marked: true,
    };
    Ok(people.into_iter().map(mark).collect())
}

/// Calls `on_mark` with the marks of a form's submissions, listed or not: instant, id and member.
/// Ends when it returns `false`.
pub(super) fn for_each_mark(
    conn: &Connection,
    form: i64,
    mut on_mark: impl FnMut(i64, &str, &str) -> bool,
) -> Result<()> {
    let sql = "SELECT submitted_at, submission, person FROM read_marks WHERE form = ?";
    let mut marks = conn.prepare_cached(sql).map_err(database_error)?;
    let mut rows = marks.query([form]).map_err(database_error)?;
    while let Some(row) = rows.next().map_err(database_error)? {
        let text = |column| row.get_ref(column).and_then(|value| Ok(value.as_str()?));
        let at = row.get(0).map_err(database_error)?;
        let id = text(1).map_err(database_error)?;
        if !on_mark(at, id, text(2).map_err(database_error)?) {
            break;
        }
    }
    Ok(())
}
