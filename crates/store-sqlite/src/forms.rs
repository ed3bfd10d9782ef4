//! Forms and their fields.

use super::memory_index::FormState;
use super::{hidden, insertion_error, query};
use contract::form::FORMS_MAX;
use contract::{AccountId, Environment, Field, Form, FormId};
use rusqlite::{Connection, Params, Row};
use std::collections::HashSet;
use store::columns::{
    database_error, forms_json, parse, parse_count, parse_instant, parse_optional_instant,
};
use store::new_fields::missing_fields;
use store::new_submission::REMOVED_KEYS_MAX;
use store::{FormPosition, FormRecord, FormsPage, Owner, Result, StoreError};

/// Selects forms. The newest submission is the last row of the form's index range, so looking it up
/// is as fast as storing it.
fn form_sql() -> String {
    format!(
        "SELECT f.seq, f.account, f.id, f.name, f.environment, f.analysis,
           f.created_at, f.submission_count,
           (SELECT s.submitted_at FROM submissions AS s WHERE s.form = f.seq{}
            ORDER BY s.submitted_at DESC LIMIT 1),
           f.trash_days
         FROM forms AS f",
        hidden::VISIBLE_SQL
    )
}

/// Inserts a form with its fields.
pub(super) fn insert(conn: &Connection, record: &FormRecord) -> Result<()> {
    let form = &record.form;
    let sql = "SELECT COUNT(*) FROM forms WHERE account = ?";
    let form_count: i64 = query::one(conn, sql, [record.account_id.as_str()], |row| row.get(0))?;
    if parse_count(form_count)? >= FORMS_MAX as u64 {
        return Err(StoreError::TooManyForms);
    }
    // Numbers of deleted forms are not used again, because caches identify a form by its number.
    conn.execute(
        "INSERT INTO forms (seq, id, account, name, environment, analysis, created_at, trash_days)
         VALUES (1 + MAX((SELECT COALESCE(MAX(seq), 0) FROM forms),
                         (SELECT COALESCE(MAX(form), 0) FROM deleted_forms)), ?, ?, ?, ?, ?, ?, ?)",
        (
            form.id.as_str(),
            record.account_id.as_str(),
            &form.name,
            form.environment.as_str(),
            form.analysis,
            form.created_at.micros(),
            form.trash_days,
        ),
    )
    .map_err(|error| insertion_error(error, || format!("form `{}`", form.id)))?;
    append_fields(conn, conn.last_insert_rowid(), &form.fields)
}

/// Renames a form; returns whether it exists.
pub(super) fn rename(conn: &Connection, id: &FormId, name: &str) -> Result<bool> {
    query::execute(conn, "UPDATE forms SET name = ? WHERE id = ?", (name, id.as_str()))
        .map(|renamed| renamed > 0)
}

/// Replaces the fields of a form. Returns `false`, without a change, if the form does not exist or
/// its fields are no longer `was`. Triggers on the table increase the intake version.
pub(super) fn replace_fields(
    conn: &Connection,
    id: &FormId,
    was: &[Field],
    new_fields: &[Field],
) -> Result<bool> {
    let Some(seq) = find_seq(conn, id)? else { return Ok(false) };
    if list_fields(conn, seq)? != was {
        return Ok(false);
    }
    query::execute(conn, "DELETE FROM fields WHERE form = ?", [seq])?;
    append_fields(conn, seq, new_fields)?;
    let is_removed = |field: &&Field| !new_fields.iter().any(|new_field| new_field.id == field.id);
    remember_removed(conn, seq, was.iter().filter(is_removed))?;
    Ok(true)
}

/// Stores the keys of removed fields, and deletes the oldest beyond the maximum.
fn remember_removed<'f>(
    conn: &Connection,
    form: i64,
    removed: impl Iterator<Item = &'f Field>,
) -> Result<()> {
    for field in removed {
        let sql = "INSERT OR REPLACE INTO removed_fields (form, key, place)
             SELECT ?1, ?2, (SELECT COALESCE(MAX(place), 0) + 1 FROM removed_fields WHERE form = ?1)
             WHERE NOT EXISTS (SELECT 1 FROM fields WHERE form = ?1 AND key = ?2)";
        query::execute(conn, sql, (form, &field.key))?;
    }
    let keys_max = i64::try_from(REMOVED_KEYS_MAX).map_err(database_error)?;
    let sql = "DELETE FROM removed_fields WHERE form = ?1 AND place <= (
                 SELECT place FROM removed_fields WHERE form = ?1
                 ORDER BY place DESC LIMIT 1 OFFSET ?2)";
    query::execute(conn, sql, (form, keys_max)).map(drop)
}

/// Returns the keys of fields that were removed and not added again.
pub(super) fn removed_keys(conn: &Connection, form: i64) -> Result<HashSet<String>> {
    let sql = "SELECT key FROM removed_fields WHERE form = ?";
    query::list(conn, sql, [form], |row| row.get(0))
}

/// Appends fields to those of a form.
pub(super) fn append_fields(conn: &Connection, form: i64, fields: &[Field]) -> Result<()> {
    let mut insert = conn
        .prepare_cached(
            "INSERT INTO fields (form, place, id, key, name, kind, hidden) VALUES (
               ?1, (SELECT COALESCE(MAX(place), 0) + 1 FROM fields WHERE form = ?1),
               ?2, ?3, ?4, ?5, ?6)",
        )
        .map_err(database_error)?;
    for Field { id, key, name, kind, hidden } in fields {
        insert
            .execute((form, id.as_str(), key, name, kind.as_str(), hidden))
            .map_err(|error| insertion_error(error, || format!("field `{id}` with key `{key}`")))?;
        let sql = "DELETE FROM removed_fields WHERE form = ? AND key = ?";
        query::execute(conn, sql, (form, key))?;
    }
    Ok(())
}

/// Appends the fields of an import to a form, except those that it has.
pub(super) fn append_missing_fields(conn: &Connection, form: i64, fields: &[Field]) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let known = list_fields(conn, form)?;
    append_fields(conn, form, &missing_fields(fields, &known))
}

/// Returns the internal number of a form, which its rows refer to.
pub(super) fn find_seq(conn: &Connection, id: &FormId) -> Result<Option<i64>> {
    query::find(conn, "SELECT seq FROM forms WHERE id = ?", [id.as_str()], |row| row.get(0))
}

/// Increments and returns the version of a form's submissions, given the form's number.
pub(super) fn next_version(conn: &Connection, seq: i64) -> Result<i64> {
    let sql = "UPDATE forms SET version = version + 1 WHERE seq = ? RETURNING version";
    query::one(conn, sql, [seq], |row| row.get(0))
}

/// Finds the owner of a form.
pub(super) fn find_owner(conn: &Connection, id: &FormId) -> Result<Option<Owner>> {
    let sql = "SELECT account, environment FROM forms WHERE id = ?";
    let found: Option<(String, String)> =
        query::find(conn, sql, [id.as_str()], |row| row.try_into())?;
    let owner = |(account, environment): (String, String)| {
        Ok(Owner { account_id: parse(&account)?, environment: parse(&environment)? })
    };
    found.map(owner).transpose()
}

/// Returns the state of a form in the connection's snapshot.
pub(super) fn find_state(conn: &Connection, id: &FormId) -> Result<Option<FormState>> {
    find_state_where(conn, "id = ?", [id.as_str()])
}

/// As [`state`], but `None` if the form belongs to another owner.
pub(super) fn find_state_for_owner(
    conn: &Connection,
    id: &FormId,
    owner: &Owner,
) -> Result<Option<FormState>> {
    let of = (id.as_str(), owner.account_id.as_str(), owner.environment.as_str());
    find_state_where(conn, "id = ? AND account = ? AND environment = ?", of)
}

/// As [`state`], by the internal number.
pub(super) fn find_state_by_seq(conn: &Connection, seq: i64) -> Result<Option<FormState>> {
    find_state_where(conn, "seq = ?", [seq])
}

fn find_state_where(
    conn: &Connection,
    condition: &str,
    params: impl Params,
) -> Result<Option<FormState>> {
    let sql = format!("SELECT seq, submission_count, version FROM forms WHERE {condition}");
    let state =
        |row: &Row<'_>| Ok(FormState { seq: row.get(0)?, rows: row.get(1)?, version: row.get(2)? });
    query::find(conn, &sql, params, state)
}

/// Finds a form.
pub(super) fn find(conn: &Connection, id: &FormId) -> Result<Option<FormRecord>> {
    query::find(conn, &format!("{} WHERE f.id = ?", form_sql()), [id.as_str()], read_columns)?
        .map(|columns| to_form_record(conn, columns))
        .transpose()
}

/// Lists the forms of an account after `after`, oldest first, and counts all.
pub(super) fn list(
    conn: &Connection,
    account: &AccountId,
    environment: Option<Environment>,
    form_ids: Option<&[FormId]>,
    after: Option<&FormPosition>,
    rows_max: usize,
) -> Result<FormsPage> {
    let account = account.as_str();
    let environment = environment.map(Environment::as_str);
    let form_ids = form_ids.map(forms_json);
    let sql = "SELECT COUNT(*) FROM forms WHERE account = ?1 AND (?2 IS NULL OR environment = ?2)
                 AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3)))";
    let total: i64 = query::one(conn, sql, (account, environment, &form_ids), |row| row.get(0))?;
    let sql = format!(
        "{} WHERE f.account = ?1 AND (?2 IS NULL OR f.environment = ?2)
           AND (f.created_at, f.id) > (?3, ?4)
           AND (?6 IS NULL OR f.id IN (SELECT value FROM json_each(?6)))
         ORDER BY f.created_at, f.id LIMIT ?5",
        form_sql()
    );
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let (created_at, id) = after
        .map_or((i64::MIN, ""), |position| (position.created_at.micros(), position.id.as_str()));
    let params = (account, environment, created_at, id, rows_max, &form_ids);
    let rows: Vec<_> = query::list(conn, &sql, params, read_columns)?;
    let forms = rows.into_iter().map(|row| Ok(to_form_record(conn, row)?.form));
    Ok(FormsPage { forms: forms.collect::<Result<_>>()?, total: parse_count(total)? })
}

struct FormColumns {
    seq: i64,
    account: String,
    id: String,
    name: String,
    environment: String,
    analysis: bool,
    created_at: i64,
    submission_count: i64,
    last_submission_at: Option<i64>,
    trash_days: u8,
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<FormColumns> {
    Ok(FormColumns {
        seq: row.get(0)?,
        account: row.get(1)?,
        id: row.get(2)?,
        name: row.get(3)?,
        environment: row.get(4)?,
        analysis: row.get(5)?,
        created_at: row.get(6)?,
        submission_count: row.get(7)?,
        last_submission_at: row.get(8)?,
        trash_days: row.get(9)?,
    })
}

fn to_form_record(conn: &Connection, columns: FormColumns) -> Result<FormRecord> {
    let form = Form {
        id: parse(&columns.id)?,
        name: columns.name,
        environment: parse(&columns.environment)?,
        analysis: columns.analysis,
        fields: list_fields(conn, columns.seq)?,
        created_at: parse_instant(columns.created_at)?,
        submission_count: parse_count(columns.submission_count)?,
        last_submission_at: parse_optional_instant(columns.last_submission_at)?,
        trash_days: columns.trash_days,
    };
    Ok(FormRecord { account_id: parse(&columns.account)?, form })
}

/// Lists a form's fields, in order.
pub(super) fn list_fields(conn: &Connection, form: i64) -> Result<Vec<Field>> {
    let sql = "SELECT id, key, name, kind, hidden FROM fields WHERE form = ? ORDER BY place";
    let rows: Vec<_> = query::list(conn, sql, [form], |row| row.try_into())?;
    let field = |(id, key, name, kind, hidden): (String, String, String, String, bool)| {
        Ok(Field { id: parse(&id)?, key, name, kind: parse(&kind)?, hidden })
    };
    rows.into_iter().map(field).collect()
}
