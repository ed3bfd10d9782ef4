//! Prepares a database for a restore: it must be unused and empty. The search index is dropped,
//! because creating it after all rows are inserted is much faster.

use crate::errors::database;
use crate::query::column;
use crate::{migrate, query};
use deadpool_postgres::{GenericClient, Transaction};
use std::time::Duration;
use store::archive::TABLES;
use store::columns::damaged;
use store::{Result, StoreError};

/// Maximum checks for other connections, and the pause between them.
const LOOKS_MAX: u32 = 30;
const LOOKED_EVERY: Duration = Duration::from_millis(100);

/// Start of the schema's statement that creates the search index.
const MAKES: &str = "CREATE INDEX submissions_by_trigram ON submissions ";

/// Sets the memory for sorting the trigrams to at least 256 MiB.
const ROOM: &str = "
    SELECT set_config('maintenance_work_mem', greatest(setting::BIGINT, 262144) || 'kB', TRUE)
    FROM pg_settings WHERE name = 'maintenance_work_mem'";

/// Disables the audit triggers. Otherwise each entry would update the head of its chain within one
/// transaction, which takes quadratic time. The chains are checked as the archive is read.
const NO_CHAINS: &str = "
    ALTER TABLE audit DISABLE TRIGGER audit_goes_on;
    ALTER TABLE audit_heads DISABLE TRIGGER audit_heads_begin";
/// Enables the audit triggers.
const CHAINS: &str = "
    ALTER TABLE audit ENABLE TRIGGER audit_goes_on;
    ALTER TABLE audit_heads ENABLE TRIGGER audit_heads_begin";

/// Tables that are not in an archive but must be empty, too.
const OTHERS: [&str; 5] =
    ["deleted_forms", "submission_days", "imports", "import_rows", "import_days"];

/// Waits until no other connection of Sheaf uses the database.
///
/// # Errors
/// [`StoreError::Unfit`] if one still does after three seconds.
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

/// Locks the tables, rejects a database with data, drops the search index and disables the audit
/// triggers. A server that starts meanwhile waits for the lock, up to ten seconds.
///
/// # Errors
/// [`StoreError::Unfit`] if the database has data or is in use, or the role does not own the
/// tables.
pub(super) async fn empty(tx: &Transaction<'_>) -> Result<()> {
    if !is_owner(tx).await? {
        return Err(StoreError::Unfit(
            "the role does not own the tables; restore as the role that owns them, because only it \
             may drop and create the search index"
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
    // Each server creates a secret at startup. Without rows there are no cursors that need it.
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

/// Reverts [`empty`]: enables the audit triggers and creates the search index.
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

/// Returns the schema's statement that creates the search index.
fn index_statement() -> Result<String> {
    let made = |step: &migrate::Migration| step.sql.split_once(MAKES)?.1.split_once(';');
    let found = migrate::MIGRATIONS.iter().rev().find_map(made);
    let (how, _) = found.ok_or_else(|| damaged("the schema does not create the search index"))?;
    Ok(format!("{MAKES}{how}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_statement_matches_the_schema() {
        let statement = index_statement().unwrap();
        assert_eq!(statement, format!("{MAKES}USING gin (form_id, searched gin_trgm_ops)"));
    }
}
