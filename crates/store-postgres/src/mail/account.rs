//! E-mails to members. Each function is one statement.

use crate::errors::database_error;
use crate::query;
use crate::query::read_column;
use contract::Timestamp;
use deadpool_postgres::GenericClient;
use store::Result;
use store::columns::skip_damaged;
use store::mail::{AccountMail, LeasedAccountMail, MAIL_LEASE};
use tokio_postgres::Row;

/// Inserts an e-mail to a member.
pub(crate) async fn insert(
    conn: &impl GenericClient,
    mail: &AccountMail,
    now: Timestamp,
) -> Result<()> {
    // JSON escapes NUL, which a text column cannot contain.
    let content = serde_json::to_string(mail).map_err(database_error)?;
    let sql = "INSERT INTO account_mails (content, created_at) VALUES ($1, $2)";
    query::execute(conn, sql, &[&content, &now.micros()]).await.map(drop)
}

pub(super) async fn lease(
    conn: &impl GenericClient,
    now: Timestamp,
    rows_max: usize,
) -> Result<Vec<LeasedAccountMail>> {
    let sql = "WITH due AS MATERIALIZED (
                 SELECT seq FROM account_mails WHERE due_at <= $1
                 ORDER BY due_at, seq LIMIT $2 FOR UPDATE SKIP LOCKED)
               UPDATE account_mails AS m SET due_at = $3 FROM due WHERE m.seq = due.seq
               RETURNING m.seq, m.content, m.created_at, m.retries";
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let lease_until = now.saturating_add(MAIL_LEASE);
    let values: query::Parameters<'_> = &[&now.micros(), &rows_max, &lease_until.micros()];
    let rows = query::fetch_rows(conn, sql, values).await?;
    let mut leased = skip_damaged(rows.iter().map(read_leased), "an e-mail to a member");
    leased.sort_unstable_by_key(|mail| mail.seq);
    Ok(leased)
}

fn read_leased(row: &Row) -> Result<LeasedAccountMail> {
    let [seq, created_at, retries] =
        [read_column(row, 0)?, read_column(row, 2)?, read_column(row, 3)?];
    LeasedAccountMail::from_columns((seq, read_column(row, 1)?, created_at, retries))
}

pub(super) async fn record(
    conn: &impl GenericClient,
    seq: i64,
    retry_at: Option<Timestamp>,
) -> Result<()> {
    match retry_at {
        Some(at) => {
            let sql = "UPDATE account_mails SET due_at = $2, retries = retries + 1 WHERE seq = $1";
            query::execute(conn, sql, &[&seq, &at.micros()]).await
        }
        None => query::execute(conn, "DELETE FROM account_mails WHERE seq = $1", &[&seq]).await,
    }
    .map(drop)
}
