//! The database before a restore: nobody uses it, it holds no data, and the index of searches is
//! dropped, because it is far quicker to make it behind all rows.

use crate::errors::database;
use crate::query::column;
use crate::{migrate, query};
use deadpool_postgres::{GenericClient, Transaction};
use std::time::Duration;
use store::archive::TABLES;
use store::columns::damaged;
use store::{Result, StoreError};

/// How many times, and how often, to check whether other connections have ended.
const LOOKS_MAX: u32 = 30;
const LOOKED_EVERY: Duration = Duration::from_millis(100);

/// The beginning of the statement of the schema that makes the index.
const MAKES: &str = "CREATE INDEX submissions_by_trigram ON submissions ";

/// Memory to sort the trigrams in, 256 MiB where the server has less for that.
const ROOM: &str = "
    SELECT set_config('maintenance_work_mem', greatest(setting::BIGINT, 262144) || 'kB', TRUE)
    FROM pg_settings WHERE name = 'maintenance_work_mem'";

/// Each entry of the audit log would update the end of its chain in the same transaction, which
/// takes time by the square of their number. The chains are checked as they are read.
const NO_CHAINS: &str = "
    ALTER TABLE audit DISABLE TRIGGER audit_goes_on;
    ALTER TABLE audit_heads DISABLE TRIGGER audit_heads_begin";
const CHAINS: &str = "
    ALTER TABLE audit ENABLE TRIGGER audit_goes_on;
    ALTER TABLE audit_heads ENABLE TRIGGER audit_heads_begin";

/// Tables that are not in an archive, and may hold what belongs to other data.
const OTHERS: [&str; 5] =
    ["deleted_forms", "submission_days", "imports", "import_rows", "import_days"];

/// Waits until no other connection of Sheaf uses the database.
///
/// # Errors
/// [`StoreError::Unfit`] if one still does after some seconds.
pub(super) async fn wait_unused(conn: &impl GenericClient) -> Result<()> {
    for _ in 0..LOOKS_MAX {
        if !is_used(conn).await? {
            return Ok(());
        }
        tokio::time::sleep(LOOKED_EVERY).await;
    }
    Err(in_use())
}

async fn is_used(conn: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                 AND application_name = 'sheaf' AND pid <> pg_backend_pid())";
    query::row(conn, sql, &[]).await?.map_or(Ok(false), |row| column(&row, 0))
}

fn in_use() -> StoreError {
    let why = "a server or another command has the database open; stop it, and restore again";
    StoreError::Unfit(why.to_owned())
}

/// Locks the database, refuses one that holds data, drops the index of searches, and stops what
/// would look at each row. A server that starts meanwhile waits for the lock, for ten seconds.
///
/// # Errors
/// [`StoreError::Unfit`] for a database that holds data or is in use, and a role that does not own
/// the tables.
pub(super) async fn empty(tx: &Transaction<'_>) -> Result<()> {
    if !is_owner(tx).await? {
        return Err(StoreError::Unfit(
            "the role does not own the tables; restore as the role that owns them, which may drop \
             the index of searches and make it again"
                .to_owned(),
        ));
    }
    let tables: Vec<_> = TABLES.iter().map(|table| table.name).collect();
    let lock = format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", tables.join(", "));
    tx.batch_execute(&lock).await.map_err(database)?;
    // A server may have started before the lock was taken.
    if is_used(tx).await? {
        return Err(in_use());
    }
    // Each server makes a secret at its start. No cursor is of use without rows.
    let tables = tables.into_iter().filter(|table| *table != "secrets");
    for table in tables.chain(OTHERS) {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        let row = tx.query_one(&sql, &[]).await.map_err(database)?;
        if column(&row, 0)? {
            return Err(StoreError::Unfit(format!(
                "the database holds data already, among them `{table}`; name an empty database"
            )));
        }
    }
    query::run(tx, "DELETE FROM secrets", &[]).await?;
    tx.batch_execute("DROP INDEX IF EXISTS submissions_by_trigram").await.map_err(database)?;
    tx.batch_execute(NO_CHAINS).await.map_err(database)
}

/// Undoes what [`empty`] did: makes the index of searches as the schema does.
pub(super) async fn undo(tx: &Transaction<'_>) -> Result<()> {
    let index = index_statement()?;
    tx.batch_execute(CHAINS).await.map_err(database)?;
    tx.batch_execute(ROOM).await.map_err(database)?;
    tx.batch_execute(&index).await.map_err(database)
}

async fn is_owner(tx: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT pg_has_role(relowner, 'USAGE')
                 AND has_schema_privilege(relnamespace, 'CREATE')
               FROM pg_class WHERE oid = to_regclass('submissions')";
    query::row(tx, sql, &[]).await?.map_or(Ok(false), |row| column(&row, 0))
}

/// Returns the statement of the schema that makes the index.
fn index_statement() -> Result<String> {
    let made = |step: &migrate::Migration| step.sql.split_once(MAKES)?.1.split_once(';');
    let found = migrate::MIGRATIONS.iter().rev().find_map(made);
    let (how, _) =
        found.ok_or_else(|| damaged("the schema does not make the index of searches"))?;
    Ok(format!("{MAKES}{how}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_how_the_index_is_made() {
        let statement = index_statement().unwrap();
        assert_eq!(statement, format!("{MAKES}USING gin (form_id, searched gin_trgm_ops)"));
    }
}
