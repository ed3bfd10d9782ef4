//! Members of the accounts: one owner each, editors and readers.

use super::query::{insert_error, read_column};
use super::text_encoding::{decode, encode};
use super::{query, sessions};
use contract::people::{PEOPLE_MAX, PersonChange, Preferences};
use contract::{AccountId, Person, PersonId, Role, fold::fold};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{forms_json, parse, parse_forms, parse_instant};
use store::{AccountRecord, PersonRecord, Result, StoreError};
use tokio_postgres::Row;
use tokio_postgres::error::DbError;

macro_rules! select_person {
    ($rest:literal) => {
        concat!(
            "SELECT account, id, email, role, password_hash, created_at, forms FROM people ",
            $rest
        )
    };
}

/// Whether an insertion failed because the email address is taken.
pub(super) fn is_email_conflict(error: &tokio_postgres::Error) -> bool {
    let constraint = error.as_db_error().and_then(DbError::constraint);
    matches!(constraint, Some("people_by_email" | "accounts_by_email"))
}

/// Inserts the owner of an account. The owner's id is the account's id with another prefix.
pub(super) async fn insert_owner(tx: &Transaction<'_>, record: &AccountRecord) -> Result<()> {
    let account = &record.account;
    let person = Person {
        id: owner_id(&account.id)?,
        email: account.email.clone(),
        role: Role::Owner,
        has_password: record.password_hash.is_some(),
        created_at: record.created_at,
        forms: None,
    };
    let password_hash = record.password_hash.clone();
    insert(tx, &PersonRecord { account_id: account.id.clone(), person, password_hash }).await
}

/// Returns the id of an account's owner.
pub(super) fn owner_id(account: &AccountId) -> Result<PersonId> {
    let opaque = &account.as_str()[AccountId::PREFIX.len()..];
    parse(&format!("{}{opaque}", PersonId::PREFIX))
}

/// Inserts an editor or reader. Locks the account's row, so that concurrent processes respect the
/// limit.
pub(super) async fn insert_member(tx: &Transaction<'_>, record: &PersonRecord) -> Result<()> {
    lock_account(tx, &record.account_id).await?;
    if find_by_email(tx, &record.person.email).await?.is_some() {
        return Err(email_taken_error(&record.person.email));
    }
    let sql = "SELECT COUNT(*) >= $2 FROM people WHERE account = $1";
    let of = record.account_id.as_str();
    let max = i64::from(PEOPLE_MAX);
    if read_column(&query::fetch_one(tx, sql, &[&of, &max]).await?, 0)? {
        return Err(StoreError::TooManyMembers);
    }
    insert(tx, &record.to_member()).await
}

/// Locks an account's row until the transaction ends, so that counts of its members and keys stay
/// valid. Rows that reference the account can still be inserted. If the account does not exist, the
/// insertion that follows fails.
pub(super) async fn lock_account(tx: &Transaction<'_>, id: &AccountId) -> Result<()> {
    let sql = "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE";
    query::fetch_row(tx, sql, &[&id.as_str()]).await.map(drop)
}

async fn insert(tx: &Transaction<'_>, record: &PersonRecord) -> Result<()> {
    let person = &record.person;
    let sql = "INSERT INTO people (id, account, email, email_folded, role, password_hash,
                                   created_at, forms)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    query::execute_raw(
        tx,
        sql,
        &[
            &person.id.as_str(),
            &record.account_id.as_str(),
            &encode(&person.email),
            &encode(&fold(&person.email)),
            &person.role.as_str(),
            &record.password_hash,
            &person.created_at.micros(),
            &person.forms.as_deref().map(forms_json),
        ],
    )
    .await
    .map(drop)
    .map_err(|error| {
        if is_email_conflict(&error) {
            return email_taken_error(&person.email);
        }
        insert_error(error, || format!("a person `{}`", person.id))
    })
}

fn email_taken_error(email: &str) -> StoreError {
    StoreError::Exists(format!("a person with the mail address `{email}`"))
}

/// Finds a member by id.
pub(super) async fn find_person(
    conn: &impl GenericClient,
    id: &PersonId,
) -> Result<Option<PersonRecord>> {
    let found = query::fetch_row(conn, select_person!("WHERE id = $1"), &[&id.as_str()]).await?;
    found.map(|row| read_person(&row)).transpose()
}

/// Finds a member by email address, ignoring case.
pub(super) async fn find_by_email(
    conn: &impl GenericClient,
    email: &str,
) -> Result<Option<PersonRecord>> {
    let found =
        query::fetch_row(conn, select_person!("WHERE email_folded = $1"), &[&encode(&fold(email))])
            .await?;
    found.map(|row| read_person(&row)).transpose()
}

/// Lists the members of an account, the owner first.
pub(super) async fn list_people(
    conn: &impl GenericClient,
    account: &AccountId,
) -> Result<Vec<PersonRecord>> {
    let sql = select_person!("WHERE account = $1 ORDER BY role <> 'owner', created_at, seq");
    let rows = query::fetch_rows(conn, sql, &[&account.as_str()]).await?;
    rows.iter().map(read_person).collect()
}

/// Changes the role or the forms of an editor or reader.
pub(super) async fn change_member(
    tx: &Transaction<'_>,
    account: &AccountId,
    id: &PersonId,
    change: &PersonChange,
) -> Result<bool> {
    let sql = "UPDATE people SET role = COALESCE($1, role),
                                 forms = CASE WHEN $2 THEN $3 ELSE forms END
               WHERE account = $4 AND id = $5 AND role <> 'owner'
                 AND $1 IS DISTINCT FROM 'owner'";
    let role = change.role.map(Role::as_str);
    let forms = change.forms.as_ref().and_then(Option::as_deref).map(forms_json);
    let params: query::Parameters<'_> =
        &[&role, &change.forms.is_some(), &forms, &account.as_str(), &id.as_str()];
    Ok(query::execute(tx, sql, params).await? > 0)
}

/// Deletes an editor or reader. Sessions and links are deleted in the common lock order, identities
/// by foreign keys.
pub(super) async fn delete_member(
    tx: &Transaction<'_>,
    account: &AccountId,
    id: &PersonId,
) -> Result<bool> {
    let sql = "SELECT 1 FROM people WHERE account = $1 AND id = $2 AND role <> 'owner'
               FOR NO KEY UPDATE";
    if query::fetch_row(tx, sql, &[&account.as_str(), &id.as_str()]).await?.is_none() {
        return Ok(false);
    }
    sessions::delete_sessions_and_links(tx, id).await?;
    let sql = "DELETE FROM people WHERE id = $1";
    query::execute(tx, sql, &[&id.as_str()]).await?;
    Ok(true)
}

/// Returns the preferences of a member.
pub(super) async fn find_preferences(
    conn: &impl GenericClient,
    id: &PersonId,
) -> Result<Option<Preferences>> {
    let sql = "SELECT mention_emails FROM people WHERE id = $1";
    let found = query::fetch_row(conn, sql, &[&id.as_str()]).await?;
    found.map(|row| Ok(Preferences { mention_emails: read_column(&row, 0)? })).transpose()
}

/// Sets the preferences of a member.
pub(super) async fn set_preferences(
    tx: &Transaction<'_>,
    id: &PersonId,
    preferences: &Preferences,
) -> Result<bool> {
    let sql = "UPDATE people SET mention_emails = $2 WHERE id = $1";
    Ok(query::execute(tx, sql, &[&id.as_str(), &preferences.mention_emails]).await? > 0)
}

/// Sets the password of a member.
pub(super) async fn set_password(tx: &Transaction<'_>, id: &PersonId, hash: &str) -> Result<()> {
    let sql = "UPDATE people SET password_hash = $1 WHERE id = $2";
    query::execute(tx, sql, &[&hash, &id.as_str()]).await.map(drop)
}

fn read_person(row: &Row) -> Result<PersonRecord> {
    let password_hash: Option<String> = read_column(row, 4)?;
    let person = Person {
        id: parse(read_column(row, 1)?)?,
        email: decode(read_column(row, 2)?),
        role: parse(read_column(row, 3)?)?,
        has_password: password_hash.is_some(),
        created_at: parse_instant(read_column(row, 5)?)?,
        forms: read_column::<Option<&str>>(row, 6)?.map(parse_forms).transpose()?,
    };
    Ok(PersonRecord { account_id: parse(read_column(row, 0)?)?, person, password_hash })
}
