//! Forms and their fields.
//!
//! A transaction locks the account before it creates a form, and the form before it changes fields.
//! Only then does it read the current state, so concurrent changes are serialized.

use super::query;
use super::query::{insert_error, read_column};
use super::text_encoding::{decode, encode};
use crate::errors::database_error;
use contract::form::FORMS_MAX;
use contract::{AccountId, Environment, Field, Form, FormId};
use deadpool_postgres::{GenericClient, Transaction};
use std::collections::HashSet;
use store::columns::{damaged_row, parse, parse_count, parse_instant, parse_optional_instant};
use store::new_fields::missing_fields;
use store::new_submission::REMOVED_KEYS_MAX;
use store::{FormPosition, FormRecord, FormsPage, Owner, Result, StoreError};
use tokio_postgres::Row;

/// Inserts a form with its fields.
pub(super) async fn insert(tx: &Transaction<'_>, record: &FormRecord) -> Result<()> {
    let account = record.account_id.as_str();
    let form = &record.form;
    let lock = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
    if query::fetch_row(tx, lock, &[&account]).await?.is_none() {
        return Err(database_error(format!("account `{account}` does not exist")));
    }
    let count = "SELECT count(*) FROM forms WHERE account = $1";
    let count = query::fetch_one(tx, count, &[&account]).await?;
    if parse_count(read_column(&count, 0)?)? >= FORMS_MAX as u64 {
        return Err(StoreError::TooManyForms);
    }
    let sql = "INSERT INTO forms
                 (form_id, account, name, environment, analysis, created_at, trash_days)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let id = form.id.as_str();
    let name = encode(&form.name);
    let environment = form.environment.as_str();
    let created_at = form.created_at.micros();
    let trash_days = i64::from(form.trash_days);
    let values: query::Parameters<'_> =
        &[&id, &account, &name, &environment, &form.analysis, &created_at, &trash_days];
    query::execute_raw(tx, sql, values)
        .await
        .map_err(|error| insert_error(error, || format!("form `{id}`")))?;
    append_fields(tx, &form.id, &form.fields).await
}

/// Renames a form. Returns `false` if it does not exist.
pub(super) async fn rename_form(tx: &Transaction<'_>, id: &FormId, name: &str) -> Result<bool> {
    let sql = "UPDATE forms SET name = $2 WHERE form_id = $1";
    Ok(query::execute(tx, sql, &[&id.as_str(), &encode(name)]).await? > 0)
}

/// Replaces the fields of a form if they are still `was`, and returns whether it did.
pub(super) async fn replace_fields(
    tx: &Transaction<'_>,
    id: &FormId,
    was: &[Field],
    new_fields: &[Field],
) -> Result<bool> {
    if !lock(tx, id).await? || list_fields(tx, id).await? != was {
        return Ok(false);
    }
    query::execute(tx, "DELETE FROM fields WHERE form_id = $1", &[&id.as_str()]).await?;
    append_fields(tx, id, new_fields).await?;
    let is_removed = |field: &&Field| !new_fields.iter().any(|new_field| new_field.id == field.id);
    record_removed_keys(tx, id, was.iter().filter(is_removed)).await?;
    Ok(true)
}

/// Records the keys of removed fields of a locked form. Deletes the oldest keys beyond
/// [`REMOVED_KEYS_MAX`].
async fn record_removed_keys(
    tx: &Transaction<'_>,
    form: &FormId,
    removed: impl Iterator<Item = &Field>,
) -> Result<()> {
    let keys: Vec<_> = removed.map(|field| encode(&field.key)).collect();
    if keys.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO removed_fields (form_id, key, place)
               SELECT $1, k.key, k.number
                 + (SELECT coalesce(max(place), 0) FROM removed_fields WHERE form_id = $1)
               FROM unnest($2::TEXT[]) WITH ORDINALITY AS k (key, number)
               WHERE NOT EXISTS (SELECT 1 FROM fields WHERE form_id = $1 AND key = k.key)
               ON CONFLICT (form_id, key) DO UPDATE SET place = EXCLUDED.place";
    query::execute(tx, sql, &[&form.as_str(), &keys]).await?;
    let keys_max = i64::try_from(REMOVED_KEYS_MAX).map_err(database_error)?;
    let sql = "DELETE FROM removed_fields WHERE form_id = $1 AND place <= (
                 SELECT place FROM removed_fields WHERE form_id = $1
                 ORDER BY place DESC LIMIT 1 OFFSET $2)";
    query::execute(tx, sql, &[&form.as_str(), &keys_max]).await.map(drop)
}

/// Returns the keys of removed fields that were not added again.
pub(super) async fn list_removed_keys(
    client: &impl GenericClient,
    form: &FormId,
) -> Result<HashSet<String>> {
    let sql = "SELECT key FROM removed_fields WHERE form_id = $1";
    let rows = query::fetch_rows(client, sql, &[&form.as_str()]).await?;
    rows.iter().map(|row| Ok(decode(read_column(row, 0)?))).collect()
}

/// Locks a form's row until the transaction ends, and returns whether the form exists.
pub(super) async fn lock(tx: &Transaction<'_>, id: &FormId) -> Result<bool> {
    let sql = "SELECT 1 FROM forms WHERE form_id = $1 FOR NO KEY UPDATE";
    Ok(query::fetch_row(tx, sql, &[&id.as_str()]).await?.is_some())
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
        let id = field.id.as_str();
        let key = encode(&field.key);
        let name = encode(&field.name);
        let kind = field.kind.as_str();
        let values: query::Parameters<'_> =
            &[&form.as_str(), &id, &key, &name, &kind, &field.hidden];
        query::execute_raw(tx, sql, values).await.map_err(|error| {
            insert_error(error, || format!("field `{}` with key `{}`", field.id, field.key))
        })?;
    }
    Ok(())
}

/// Appends the fields of an import to a locked form, except those that it has.
pub(super) async fn append_missing_fields(
    tx: &Transaction<'_>,
    form: &FormId,
    fields: &[Field],
) -> Result<()> {
    if fields.is_empty() {
        return Ok(());
    }
    let known = list_fields(tx, form).await?;
    append_fields(tx, form, &missing_fields(fields, &known)).await
}

/// Selects all data of a form in one row. The newest submission is looked up, which is so fast that
/// its instant need not be stored.
macro_rules! select_forms_where {
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
pub(super) async fn find_form(
    client: &impl GenericClient,
    id: &FormId,
) -> Result<Option<FormRecord>> {
    let sql = select_forms_where!("f.form_id = $1");
    let found = query::fetch_row(client, sql, &[&id.as_str()]).await?;
    found.map(|row| read_form(&row)).transpose()
}

/// Lists the forms of an account after `after`, oldest first, and counts all of them.
pub(super) async fn list_forms(
    client: &impl GenericClient,
    account: &AccountId,
    environment: Option<Environment>,
    form_ids: Option<&[FormId]>,
    after: Option<&FormPosition>,
    rows_max: usize,
) -> Result<FormsPage> {
    let account = account.as_str();
    let environment = environment.map(Environment::as_str);
    let form_ids: Option<Vec<&str>> =
        form_ids.map(|forms| forms.iter().map(FormId::as_str).collect());
    let total = "SELECT count(*) FROM forms
                 WHERE account = $1 AND ($2::TEXT IS NULL OR environment = $2)
                   AND ($3::TEXT[] IS NULL OR form_id = ANY($3))";
    let total = query::fetch_one(client, total, &[&account, &environment, &form_ids]).await?;
    let sql = select_forms_where!(
        "f.account = $1 AND ($2::TEXT IS NULL OR f.environment = $2)
           AND (f.created_at, f.form_id) > ($3, $4)
           AND ($6::TEXT[] IS NULL OR f.form_id = ANY($6))
         ORDER BY f.created_at, f.form_id LIMIT $5"
    );
    let (created_at, id) = after
        .map_or((i64::MIN, ""), |position| (position.created_at.micros(), position.id.as_str()));
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let values: query::Parameters<'_> =
        &[&account, &environment, &created_at, &id, &rows_max, &form_ids];
    let rows = query::fetch_rows(client, sql, values).await?;
    let forms = rows.iter().map(|row| Ok(read_form(row)?.form)).collect::<Result<_>>()?;
    Ok(FormsPage { forms, total: parse_count(read_column(&total, 0)?)? })
}

/// Finds the owner of a form.
pub(super) async fn find_owner(client: &impl GenericClient, id: &FormId) -> Result<Option<Owner>> {
    let sql = "SELECT account, environment FROM forms WHERE form_id = $1";
    let found = query::fetch_row(client, sql, &[&id.as_str()]).await?;
    found.map(|row| read_owner(&row)).transpose()
}

/// Reads an owner from the first two columns of a row.
pub(super) fn read_owner(row: &Row) -> Result<Owner> {
    Ok(Owner {
        account_id: parse(read_column(row, 0)?)?,
        environment: parse(read_column(row, 1)?)?,
    })
}

fn read_form(row: &Row) -> Result<FormRecord> {
    let form = Form {
        id: parse(read_column(row, 1)?)?,
        name: decode(read_column(row, 2)?),
        environment: parse(read_column(row, 3)?)?,
        analysis: read_column(row, 4)?,
        created_at: parse_instant(read_column(row, 5)?)?,
        submission_count: parse_count(read_column(row, 6)?)?,
        last_submission_at: parse_optional_instant(read_column(row, 7)?)?,
        trash_days: u8::try_from(read_column::<i64>(row, 13)?).map_err(damaged_row)?,
        fields: read_fields(row, 8)?,
    };
    Ok(FormRecord { account_id: parse(read_column(row, 0)?)?, form })
}

/// Lists the fields of a form, in order.
pub(super) async fn list_fields(client: &impl GenericClient, form: &FormId) -> Result<Vec<Field>> {
    let sql = "SELECT id, key, name, kind, hidden FROM fields WHERE form_id = $1 ORDER BY place";
    let rows = query::fetch_rows(client, sql, &[&form.as_str()]).await?;
    let of = |row: &Row| {
        let names = (read_column(row, 1)?, read_column(row, 2)?);
        read_field(read_column(row, 0)?, names, read_column(row, 3)?, read_column(row, 4)?)
    };
    rows.iter().map(of).collect()
}

/// Reads fields from five array columns, starting at `place`.
fn read_fields(row: &Row, place: usize) -> Result<Vec<Field>> {
    let texts = |place: usize| read_column::<Vec<String>>(row, place);
    let ids = texts(place)?;
    let keys = texts(place + 1)?;
    let names = texts(place + 2)?;
    let kinds = texts(place + 3)?;
    let hidden = read_column::<Vec<bool>>(row, place + 4)?;
    if [keys.len(), names.len(), kinds.len(), hidden.len()] != [ids.len(); 4] {
        return Err(damaged_row("the field columns have different lengths"));
    }
    let columns = ids.iter().zip(keys.into_iter().zip(names)).zip(kinds.iter().zip(hidden));
    columns.map(|((id, names), (kind, hidden))| read_field(id, names, kind, hidden)).collect()
}

fn read_field(id: &str, (key, name): (String, String), kind: &str, hidden: bool) -> Result<Field> {
    Ok(Field { id: parse(id)?, key: decode(key), name: decode(name), kind: parse(kind)?, hidden })
}
