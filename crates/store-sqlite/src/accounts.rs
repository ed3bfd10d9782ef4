//! Accounts, and the secret that authenticates cursors.

use super::{insertion_error, people, query};
use contract::{Account, AccountId, fold::fold};
use rusqlite::{Connection, Row};
use store::columns::{parse, parse_instant};
use store::{AccountRecord, Hash, Result, StoreError};

/// Id of the account that owns deleted forms until their rows are removed. It is not a valid
/// [`AccountId`].
pub(super) const DELETED_ACCOUNT: &str = "deleted";

const SECRET_SQL: &str = "SELECT value FROM secrets WHERE name = ?";

/// Selects accounts with the owner's password hash, except the [`DELETED_ACCOUNT`] account.
fn account_sql(rest: &str) -> String {
    format!(
        "SELECT id, email, plan,
           (SELECT password_hash FROM people WHERE account = accounts.id AND role = 'owner'),
           created_at
         FROM accounts WHERE id <> '{DELETED_ACCOUNT}' {rest}"
    )
}

/// Inserts an account with its owner.
pub(super) fn insert(conn: &Connection, record: &AccountRecord) -> Result<()> {
    let account = &record.account;
    if people::find_by_email(conn, &account.email)?.is_some() {
        let description = format!("an account with the mail address `{}`", account.email);
        return Err(StoreError::Exists(description));
    }
    conn.prepare_cached(
        "INSERT INTO accounts (id, email, email_folded, plan, created_at)
         VALUES (?, ?, ?, ?, ?)",
    )
    .and_then(|mut insert| {
        insert.execute((
            account.id.as_str(),
            &account.email,
            fold(&account.email),
            account.plan.as_str(),
            record.created_at.micros(),
        ))
    })
    .map_err(|error| insertion_error(error, || format!("account `{}`", account.id)))?;
    people::insert_owner(conn, record)
}

/// Finds an account by its id.
pub(super) fn find(conn: &Connection, id: &AccountId) -> Result<Option<AccountRecord>> {
    find_where(conn, "id = ?", id.as_str())
}

/// Finds an account by its mail address, case ignored.
pub(super) fn find_by_email(conn: &Connection, email: &str) -> Result<Option<AccountRecord>> {
    find_where(conn, "email_folded = ?", &fold(email))
}

fn find_where(conn: &Connection, is: &str, value: &str) -> Result<Option<AccountRecord>> {
    query::find(conn, &account_sql(&format!("AND {is}")), [value], read_columns)?
        .map(to_account_record)
        .transpose()
}

/// Lists all accounts, oldest first.
pub(super) fn list(conn: &Connection) -> Result<Vec<AccountRecord>> {
    let sql = account_sql("ORDER BY created_at, seq");
    let rows: Vec<_> = query::list(conn, &sql, [], read_columns)?;
    rows.into_iter().map(to_account_record).collect()
}

/// Returns the secret with a name; stores `new` if there is no such secret yet.
pub(super) fn get_or_insert_secret(conn: &Connection, name: &str, new: Hash) -> Result<Hash> {
    let sql = "INSERT OR IGNORE INTO secrets (name, value) VALUES (?, ?)";
    query::execute(conn, sql, (name, new))?;
    query::one(conn, SECRET_SQL, [name], |row| row.get(0))
}

/// Returns the secret with a name, or `None` if it was not created yet.
pub(super) fn find_secret(conn: &Connection, name: &str) -> Result<Option<Hash>> {
    query::find(conn, SECRET_SQL, [name], |row| row.get(0))
}

type AccountColumns = (String, String, String, Option<String>, i64);

fn read_columns(row: &Row<'_>) -> rusqlite::Result<AccountColumns> {
    row.try_into()
}

fn to_account_record(
    (id, email, plan, password_hash, created_at): AccountColumns,
) -> Result<AccountRecord> {
    let account = Account { id: parse(&id)?, email, plan: parse(&plan)? };
    Ok(AccountRecord { account, password_hash, created_at: parse_instant(created_at)? })
}
