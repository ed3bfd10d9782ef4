//! Accounts, and the secret that authenticates cursors.

use super::people;
use super::query;
use super::query::{column, exists, hash};
use super::text_encoding::{kept, read};
use crate::errors::database;
use contract::{Account, AccountId, fold::fold};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{instant, parse};
use store::{AccountRecord, Hash, Result, StoreError};
use tokio_postgres::Row;

/// Selects accounts. The password hash is the owner's.
macro_rules! account {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, a.email, a.plan, p.password_hash, a.created_at FROM accounts AS a
             LEFT JOIN people AS p ON p.account = a.id AND p.role = 'owner' ",
            $rest
        )
    };
}

/// Inserts an account with its owner. If two processes insert one email address at once, the unique
/// index accepts one of them.
pub(super) async fn insert(tx: &Transaction<'_>, record: &AccountRecord) -> Result<()> {
    let account = &record.account;
    let (email, folded) = (kept(&account.email), fold(&account.email));
    if people::find_by_email(tx, &account.email).await?.is_some() {
        return Err(taken(&account.email));
    }
    let sql = "INSERT INTO accounts (id, email, email_folded, plan, created_at)
               VALUES ($1, $2, $3, $4, $5)";
    let (id, created_at) = (account.id.as_str(), record.created_at.micros());
    query::change(tx, sql, &[&id, &email, &kept(&folded), &account.plan.as_str(), &created_at])
        .await
        .map_err(|error| {
            if people::is_of_email(&error) {
                return taken(&account.email);
            }
            exists(error, || format!("account `{id}`"))
        })?;
    people::insert_owner(tx, record).await
}

fn taken(email: &str) -> StoreError {
    StoreError::Exists(format!("an account with the mail address `{email}`"))
}

/// Finds an account by its id.
pub(super) async fn find(
    conn: &impl GenericClient,
    id: &AccountId,
) -> Result<Option<AccountRecord>> {
    let found = query::row(conn, account!("WHERE a.id = $1"), &[&id.as_str()]).await?;
    found.map(|row| record(&row)).transpose()
}

/// Finds an account by its email address, ignoring case.
pub(super) async fn find_by_email(
    conn: &impl GenericClient,
    email: &str,
) -> Result<Option<AccountRecord>> {
    let found =
        query::row(conn, account!("WHERE a.email_folded = $1"), &[&kept(&fold(email))]).await?;
    found.map(|row| record(&row)).transpose()
}

/// Lists all accounts, oldest first.
pub(super) async fn list(conn: &impl GenericClient) -> Result<Vec<AccountRecord>> {
    let all = query::rows(conn, account!("ORDER BY a.created_at, a.seq"), &[]).await?;
    all.iter().map(record).collect()
}

/// Returns the cursor secret, if it exists.
pub(super) async fn find_cursor_secret(conn: &impl GenericClient) -> Result<Option<Hash>> {
    let sql = "SELECT value FROM secrets WHERE name = 'cursor'";
    let found = query::row(conn, sql, &[]).await?;
    found.map(|row| hash(&row, 0)).transpose()
}

/// Stores `new` as the cursor secret unless there is one, and returns the stored secret.
pub(super) async fn cursor_secret(tx: &Transaction<'_>, new: Hash) -> Result<Hash> {
    let sql = "INSERT INTO secrets (name, value) VALUES ('cursor', $1) ON CONFLICT DO NOTHING";
    query::change(tx, sql, &[&new.as_slice()]).await.map_err(database)?;
    Ok(find_cursor_secret(tx).await?.unwrap_or(new))
}

fn record(row: &Row) -> Result<AccountRecord> {
    let account = Account {
        id: parse(column(row, 0)?)?,
        email: read(column(row, 1)?),
        plan: parse(column(row, 2)?)?,
    };
    let created_at = instant(column(row, 4)?)?;
    Ok(AccountRecord { account, password_hash: column(row, 3)?, created_at })
}
