//! Accounts, and the secrets that authenticate cursors and links.

use super::people;
use super::query;
use super::query::{insert_error, read_column, read_hash};
use super::text_encoding::{decode, encode};
use contract::{Account, AccountId, fold::fold};
use deadpool_postgres::{GenericClient, Transaction};
use store::columns::{parse, parse_instant};
use store::{AccountRecord, Hash, Result, StoreError};
use tokio_postgres::Row;

/// Selects accounts. The password hash is the owner's.
macro_rules! select_account {
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
    let (email, folded) = (encode(&account.email), fold(&account.email));
    if people::find_by_email(tx, &account.email).await?.is_some() {
        return Err(email_taken_error(&account.email));
    }
    let sql = "INSERT INTO accounts (id, email, email_folded, plan, created_at)
               VALUES ($1, $2, $3, $4, $5)";
    let id = account.id.as_str();
    let created_at = record.created_at.micros();
    query::execute_raw(
        tx,
        sql,
        &[&id, &email, &encode(&folded), &account.plan.as_str(), &created_at],
    )
    .await
    .map_err(|error| {
        if people::is_email_conflict(&error) {
            return email_taken_error(&account.email);
        }
        insert_error(error, || format!("account `{id}`"))
    })?;
    people::insert_owner(tx, record).await
}

fn email_taken_error(email: &str) -> StoreError {
    StoreError::Exists(format!("an account with the mail address `{email}`"))
}

/// Finds an account by its id.
pub(super) async fn find_account(
    conn: &impl GenericClient,
    id: &AccountId,
) -> Result<Option<AccountRecord>> {
    let found = query::fetch_row(conn, select_account!("WHERE a.id = $1"), &[&id.as_str()]).await?;
    found.map(|row| read_account(&row)).transpose()
}

/// Finds an account by its email address, ignoring case.
pub(super) async fn find_by_email(
    conn: &impl GenericClient,
    email: &str,
) -> Result<Option<AccountRecord>> {
    let found = query::fetch_row(
        conn,
        select_account!("WHERE a.email_folded = $1"),
        &[&encode(&fold(email))],
    )
    .await?;
    found.map(|row| read_account(&row)).transpose()
}

/// Lists all accounts, oldest first.
pub(super) async fn list_accounts(conn: &impl GenericClient) -> Result<Vec<AccountRecord>> {
    let rows =
        query::fetch_rows(conn, select_account!("ORDER BY a.created_at, a.seq"), &[]).await?;
    rows.iter().map(read_account).collect()
}

/// Returns the secret with a name, if it exists.
pub(super) async fn find_secret(conn: &impl GenericClient, name: &str) -> Result<Option<Hash>> {
    let sql = "SELECT value FROM secrets WHERE name = $1";
    let found = query::fetch_row(conn, sql, &[&name]).await?;
    found.map(|row| read_hash(&row, 0)).transpose()
}

/// Stores `new` as the secret with a name unless there is one, and returns the stored secret.
pub(super) async fn init_secret(tx: &Transaction<'_>, name: &str, new: Hash) -> Result<Hash> {
    let sql = "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    query::execute(tx, sql, &[&name, &new.as_slice()]).await?;
    Ok(find_secret(tx, name).await?.unwrap_or(new))
}

fn read_account(row: &Row) -> Result<AccountRecord> {
    let account = Account {
        id: parse(read_column(row, 0)?)?,
        email: decode(read_column(row, 1)?),
        plan: parse(read_column(row, 2)?)?,
    };
    let created_at = parse_instant(read_column(row, 4)?)?;
    Ok(AccountRecord { account, password_hash: read_column(row, 3)?, created_at })
}
