//! The members of accounts: one owner each, editors and readers.

use super::{insertion_error, query};
use contract::people::{PEOPLE_MAX, PersonChange, Preferences};
use contract::{AccountId, Person, PersonId, Role, fold::fold};
use rusqlite::{Connection, Row};
use store::columns::{forms_json, parse, parse_forms, parse_instant};
use store::{AccountRecord, PersonRecord, Result, StoreError};

const PERSON_SQL: &str =
    "SELECT account, id, email, role, password_hash, created_at, forms FROM people";

/// Inserts the owner of an account. The id is the account's id with another prefix.
pub(super) fn insert_owner(conn: &Connection, record: &AccountRecord) -> Result<()> {
    let account = &record.account;
    let opaque = &account.id.as_str()[AccountId::PREFIX.len()..];
    let person = Person {
        id: parse(&format!("{}{opaque}", PersonId::PREFIX))?,
        email: account.email.clone(),
        role: Role::Owner,
        has_password: record.password_hash.is_some(),
        created_at: record.created_at,
        forms: None,
    };
    let password_hash = record.password_hash.clone();
    insert(conn, &PersonRecord { account_id: account.id.clone(), person, password_hash })
}

/// Inserts an editor or reader.
pub(super) fn insert_member(conn: &Connection, record: &PersonRecord) -> Result<()> {
    let of = "SELECT COUNT(*) FROM people WHERE account = ?";
    let count: u32 = query::one(conn, of, [record.account_id.as_str()], |row| row.get(0))?;
    if find_by_email(conn, &record.person.email)?.is_some() {
        let description = format!("a user with the email address `{}`", record.person.email);
        return Err(StoreError::Exists(description));
    }
    if count >= PEOPLE_MAX {
        return Err(StoreError::TooManyMembers);
    }
    insert(conn, &record.to_member())
}

fn insert(conn: &Connection, record: &PersonRecord) -> Result<()> {
    let person = &record.person;
    conn.execute(
        "INSERT INTO people (id, account, email, email_folded, role, password_hash, created_at,
                             forms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            person.id.as_str(),
            record.account_id.as_str(),
            &person.email,
            fold(&person.email),
            person.role.as_str(),
            &record.password_hash,
            person.created_at.micros(),
            person.forms.as_deref().map(forms_json),
        ),
    )
    .map_err(|error| insertion_error(error, || format!("user `{}`", person.id)))?;
    Ok(())
}

/// Finds a member by id.
pub(super) fn find(conn: &Connection, id: &PersonId) -> Result<Option<PersonRecord>> {
    find_where(conn, "id = ?", id.as_str())
}

/// Finds a member by mail address, ignoring case.
pub(super) fn find_by_email(conn: &Connection, email: &str) -> Result<Option<PersonRecord>> {
    find_where(conn, "email_folded = ?", &fold(email))
}

fn find_where(conn: &Connection, is: &str, value: &str) -> Result<Option<PersonRecord>> {
    query::find(conn, &format!("{PERSON_SQL} WHERE {is}"), [value], read_columns)?
        .map(to_person_record)
        .transpose()
}

/// Lists the members of an account, the owner first.
pub(super) fn list(conn: &Connection, account: &AccountId) -> Result<Vec<PersonRecord>> {
    let of = format!("{PERSON_SQL} WHERE account = ? ORDER BY role <> 'owner', created_at, seq");
    let rows: Vec<_> = query::list(conn, &of, [account.as_str()], read_columns)?;
    rows.into_iter().map(to_person_record).collect()
}

/// Changes the role or the forms of an editor or reader.
pub(super) fn change_member(
    conn: &Connection,
    account: &AccountId,
    id: &PersonId,
    change: &PersonChange,
) -> Result<bool> {
    let sql = "UPDATE people SET role = COALESCE(?1, role), forms = IIF(?2, ?3, forms)
               WHERE account = ?4 AND id = ?5 AND role <> 'owner' AND ?1 IS NOT 'owner'";
    let forms = change.forms.as_ref().and_then(Option::as_deref).map(forms_json);
    let role = change.role.map(Role::as_str);
    let params = (role, change.forms.is_some(), forms, account.as_str(), id.as_str());
    Ok(query::execute(conn, sql, params)? > 0)
}

/// Deletes an editor or reader. Sessions and links are deleted by foreign keys.
pub(super) fn delete_member(conn: &Connection, account: &AccountId, id: &PersonId) -> Result<bool> {
    let of = "DELETE FROM people WHERE account = ? AND id = ? AND role <> 'owner'";
    let count = query::execute(conn, of, (account.as_str(), id.as_str()))?;
    Ok(count > 0)
}

/// Returns the preferences of a member.
pub(super) fn find_preferences(conn: &Connection, id: &PersonId) -> Result<Option<Preferences>> {
    let sql = "SELECT mention_emails FROM people WHERE id = ?";
    query::find(conn, sql, [id.as_str()], |row| row.get(0))
        .map(|found| found.map(|mention_emails| Preferences { mention_emails }))
}

/// Sets the preferences of a member.
pub(super) fn set_preferences(
    conn: &Connection,
    id: &PersonId,
    preferences: &Preferences,
) -> Result<bool> {
    let sql = "UPDATE people SET mention_emails = ? WHERE id = ?";
    Ok(query::execute(conn, sql, (preferences.mention_emails, id.as_str()))? > 0)
}

/// Whether a member exists and has this password hash.
pub(super) fn has_hash(conn: &Connection, id: &PersonId, hash: Option<&str>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM people WHERE id = ? AND password_hash IS ?)";
    query::one(conn, sql, (id.as_str(), hash), |row| row.get(0))
}

/// Sets the password hash of a member.
pub(super) fn set_password(conn: &Connection, id: &PersonId, hash: &str) -> Result<()> {
    query::execute(conn, "UPDATE people SET password_hash = ? WHERE id = ?", (hash, id.as_str()))?;
    Ok(())
}

type PersonColumns = (String, String, String, String, Option<String>, i64, Option<String>);

fn read_columns(row: &Row<'_>) -> rusqlite::Result<PersonColumns> {
    row.try_into()
}

fn to_person_record(
    (account, id, email, role, password_hash, created_at, forms): PersonColumns,
) -> Result<PersonRecord> {
    let person = Person {
        id: parse(&id)?,
        email,
        role: parse(&role)?,
        has_password: password_hash.is_some(),
        created_at: parse_instant(created_at)?,
        forms: forms.as_deref().map(parse_forms).transpose()?,
    };
    Ok(PersonRecord { account_id: parse(&account)?, person, password_hash })
}
