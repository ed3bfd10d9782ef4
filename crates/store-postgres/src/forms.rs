//! Forms and their fields.
//!
//! A transaction locks the account before it creates a form, and the form before it changes fields.
//! Only then does it read the current state, so concurrent changes are serialized.

use super::query;
use super::query::{column, exists};
use super::text_encoding::{kept, read};
use crate::errors::database;
use contract::form::FORMS_MAX;
use contract::{AccountId, Field, Form, FormId};
use deadpool_postgres::{GenericClient, Transaction};
use std::collections::HashSet;
use store::columns::{count, damaged, instant, maybe_instant, parse};
use store::new_submission::REMOVED_KEYS_MAX;
use store::{FormRecord, FormsPage, Owner, Result, StoreError};
use tokio_postgres::Row;

/// Inserts a form with its fields.
pub(super) async fn insert(tx: &Transaction<'_>, record: &FormRecord) -> Result<()> {
    let (account, form) = (record.account_id.as_str(), &record.form);
    let lock = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
    let lock = tx.prepare_cached(lock).await.map_err(database)?;
    if tx.query_opt(&lock, &[&account]).await.map_err(database)?.is_none() {
        return Err(database(format!("account `{account}` does not exist")));
    }
    let held = "SELECT count(*) FROM forms WHERE account = $1";
    let held = tx.prepare_cached(held).await.map_err(database)?;
    let held = tx.query_one(&held, &[&account]).await.map_err(database)?;
    if count(column(&held, 0)?)? >= FORMS_MAX as u64 {
        return Err(StoreError::TooManyForms);
    }
    let sql = "INSERT INTO forms
                 (form_id, account, name, environment, analysis, created_at, trash_days)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    let (id, name, environment) = (form.id.as_str(), kept(&form.name), form.environment.as_str());
    let (created_at, trash_days) = (form.created_at.micros(), i64::from(form.trash_days));
    tx.execute(
        &sql,
        &[&id, &account, &name, &environment, &form.analysis, &created_at, &trash_days],
    )
    .await
    .map_err(|error| exists(error, || format!("form `{id}`")))?;
    append_fields(tx, &form.id, &form.fields).await
}

/// Renames a form. Returns `false` if it does not exist.
pub(super) async fn rename(tx: &Transaction<'_>, id: &FormId, name: &str) -> Result<bool> {
    let sql = "UPDATE forms SET name = $2 WHERE form_id = $1";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    let renamed = tx.execute(&sql, &[&id.as_str(), &kept(name)]).await.map_err(database)?;
    Ok(renamed > 0)
}

/// Replaces the fields of a form if they are still `was`, and returns whether it did.
pub(super) async fn replace_fields(
    tx: &Transaction<'_>,
    id: &FormId,
    was: &[Field],
    wanted: &[Field],
) -> Result<bool> {
    if !lock(tx, id).await? || fields(tx, id).await? != was {
        return Ok(false);
    }
    let sql = "DELETE FROM fields WHERE form_id = $1";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    tx.execute(&sql, &[&id.as_str()]).await.map_err(database)?;
    append_fields(tx, id, wanted).await?;
    let is_removed = |field: &&Field| !wanted.iter().any(|it| it.id == field.id);
    remember_removed(tx, id, was.iter().filter(is_removed)).await?;
    Ok(true)
}

/// Records the keys of removed fields of a locked form. Deletes the oldest keys beyond
/// [`REMOVED_KEYS_MAX`].
async fn remember_removed(
    tx: &Transaction<'_>,
    form: &FormId,
    removed: impl Iterator<Item = &Field>,
) -> Result<()> {
    let keys: Vec<_> = removed.map(|field| kept(&field.key)).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO removed_fields (form_id, key, place)
               SELECT $1, k.key, k.number
                 + (SELECT coalesce(max(place), 0) FROM removed_fields WHERE form_id = $1)
               FROM unnest($2::TEXT[]) WITH ORDINALITY AS k (key, number)
               WHERE NOT EXISTS (SELECT 1 FROM fields WHERE form_id = $1 AND key = k.key)
               ON CONFLICT (form_id, key) DO UPDATE SET place = EXCLUDED.place";
    query::run(tx, sql, &[&form.as_str(), &keys]).await?;
    let kept_max = i64::try_from(REMOVED_KEYS_MAX).map_err(database)?;
    let sql = "DELETE FROM removed_fields WHERE form_id = $1 AND place <= (
                 SELECT place FROM removed_fields WHERE form_id = $1
                 ORDER BY place DESC LIMIT 1 OFFSET $2)";
    query::run(tx, sql, &[&form.as_str(), &kept_max]).await.map(drop)
}

/// Returns the keys of removed fields that were not added again.
pub(super) async fn removed_keys(
    client: &impl GenericClient,
    form: &FormId,
) -> Result<HashSet<String>> {
    let sql = "SELECT key FROM removed_fields WHERE form_id = $1";
    let rows = query::rows(client, sql, &[&form.as_str()]).await?;
    rows.iter().map(|row| Ok(read(column(row, 0)?))).collect()
}

/// Locks a form's row until the transaction ends, and returns whether the form exists.
pub(super) async fn lock(tx: &Transaction<'_>, id: &FormId) -> Result<bool> {
    let sql = "SELECT 1 FROM forms WHERE form_id = $1 FOR NO KEY UPDATE";
    let sql = tx.prepare_cached(sql).await.map_err(database)?;
    tx.query_opt(&sql, &[&id.as_str()]).await.map(|row| row.is_some()).map_err(database)
}

/// Appends fields to a form, which is locked or new.
pub(super) async fn append_fields(
    tx: &Transaction<'_>,
    form: &FormId,
    fields: &[Field],
) -> Result<()> {
    let sql = "WITH added AS (DELETE FROM removed_fields WHERE form_id = $1 AND key = $3)
               INSERT INTO fields (form_id, place, id, key, name, kind, hidden)
               SELECT $1, (SELECT coalesce(max(place), 0) + 1 FROM fields WHERE form_id = $1),
                 $2, $3, $4, $5, $6";
    for field in fields {
        let sql = tx.prepare_cached(sql).await.map_err(database)?;
        let (id, key, name) = (field.id.as_str(), kept(&field.key), kept(&field.name));
        let (kind, hidden) = (field.kind.as_str(), field.hidden);
        tx.execute(&sql, &[&form.as_str(), &id, &key, &name, &kind, &hidden])
            .await
            .map_err(|e| exists(e, || format!("field `{}` with key `{}`", field.id, field.key)))?;
    }
    Ok(())
}

/// Selects all data of a form in one row. The newest submission is looked up, which is so fast that
/// its instant need not be stored.
macro_rules! forms_where {
    ($condition:literal) => {
        concat!(
            "SELECT f.account, f.form_id, f.name, f.environment, f.analysis, f.created_at,
               f.submission_count,
               submissions_newest(f.form_id),
               ARRAY(SELECT d.id FROM fields AS d WHERE d.form_id = f.form_id ORDER BY d.place),
               ARRAY(SELECT d.key FROM fields AS d WHERE d.form_id = f.form_id ORDER BY d.place),
               ARRAY(SELECT d.name FROM fields AS d WHERE d.form_id = f.form_id ORDER BY d.place),
               ARRAY(SELECT d.kind FROM fields AS d WHERE d.form_id = f.form_id ORDER BY d.place),
               ARRAY(SELECT d.hidden FROM fields AS d WHERE d.form_id = f.form_id ORDER BY d.place),
               f.trash_days
             FROM forms AS f WHERE ",
            $condition
        )
    };
}

/// Finds a form.
pub(super) async fn find(client: &impl GenericClient, id: &FormId) -> Result<Option<FormRecord>> {
    let sql = client.prepare_cached(forms_where!("f.form_id = $1")).await.map_err(database)?;
    let found = client.query_opt(&sql, &[&id.as_str()]).await.map_err(database)?;
    found.map(|row| record(&row)).transpose()
}

/// Lists the forms of an account after `behind`, oldest first, and counts all of them.
pub(super) async fn list(
    client: &impl GenericClient,
    account: &AccountId,
    behind: Option<&FormId>,
    rows_max: usize,
) -> Result<FormsPage> {
    let account = account.as_str();
    let total = "SELECT count(*) FROM forms WHERE account = $1";
    let total = client.prepare_cached(total).await.map_err(database)?;
    let total = client.query_one(&total, &[&account]).await.map_err(database)?;
    let sql = forms_where!(
        "f.account = $1 AND ($2::TEXT IS NULL OR (f.created_at, f.seq) > (
           SELECT b.created_at, b.seq FROM forms AS b WHERE b.form_id = $2))
         ORDER BY f.created_at, f.seq LIMIT $3"
    );
    let sql = client.prepare_cached(sql).await.map_err(database)?;
    let (behind, rows_max) =
        (behind.map(FormId::as_str), i64::try_from(rows_max).unwrap_or(i64::MAX));
    let rows = client.query(&sql, &[&account, &behind, &rows_max]).await.map_err(database)?;
    let forms = rows.iter().map(|row| Ok(record(row)?.form)).collect::<Result<_>>()?;
    Ok(FormsPage { forms, total: count(column(&total, 0)?)? })
}

/// Finds the owner of a form.
pub(super) async fn find_owner(client: &impl GenericClient, id: &FormId) -> Result<Option<Owner>> {
    let sql = "SELECT account, environment FROM forms WHERE form_id = $1";
    let sql = client.prepare_cached(sql).await.map_err(database)?;
    let found = client.query_opt(&sql, &[&id.as_str()]).await.map_err(database)?;
    found.map(|row| owner(&row)).transpose()
}

/// Reads an owner from the first two columns of a row.
pub(super) fn owner(row: &Row) -> Result<Owner> {
    Ok(Owner { account_id: parse(column(row, 0)?)?, environment: parse(column(row, 1)?)? })
}

fn record(row: &Row) -> Result<FormRecord> {
    let form = Form {
        id: parse(column(row, 1)?)?,
        name: read(column(row, 2)?),
        environment: parse(column(row, 3)?)?,
        analysis: column(row, 4)?,
        created_at: instant(column(row, 5)?)?,
        submission_count: count(column(row, 6)?)?,
        last_submission_at: maybe_instant(column(row, 7)?)?,
        trash_days: u8::try_from(column::<i64>(row, 13)?).map_err(damaged)?,
        fields: fields_in(row, 8)?,
    };
    Ok(FormRecord { account_id: parse(column(row, 0)?)?, form })
}

/// Lists the fields of a form, in order.
pub(super) async fn fields(client: &impl GenericClient, form: &FormId) -> Result<Vec<Field>> {
    let sql = "SELECT id, key, name, kind, hidden FROM fields WHERE form_id = $1 ORDER BY place";
    let sql = client.prepare_cached(sql).await.map_err(database)?;
    let rows = client.query(&sql, &[&form.as_str()]).await.map_err(database)?;
    let of = |row: &Row| {
        let names = (column(row, 1)?, column(row, 2)?);
        field(column(row, 0)?, names, column(row, 3)?, column(row, 4)?)
    };
    rows.iter().map(of).collect()
}

/// Reads fields from five array columns, starting at `place`.
fn fields_in(row: &Row, place: usize) -> Result<Vec<Field>> {
    let texts = |place: usize| column::<Vec<String>>(row, place);
    let (ids, keys) = (texts(place)?, texts(place + 1)?);
    let (names, kinds) = (texts(place + 2)?, texts(place + 3)?);
    let hidden = column::<Vec<bool>>(row, place + 4)?;
    if [keys.len(), names.len(), kinds.len(), hidden.len()] != [ids.len(); 4] {
        return Err(damaged("the field columns have different lengths"));
    }
    let all = ids.iter().zip(keys.into_iter().zip(names)).zip(kinds.iter().zip(hidden));
    all.map(|((id, names), (kind, hidden))| field(id, names, kind, hidden)).collect()
}

fn field(id: &str, (key, name): (String, String), kind: &str, hidden: bool) -> Result<Field> {
    Ok(Field { id: parse(id)?, key: read(key), name: read(name), kind: parse(kind)?, hidden })
}
