//! Prepares a database for a restore: it must be unused and empty. The search index is dropped,
//! because creating it after all rows are inserted is much faster.

use crate::errors::database_error;
use crate::query::read_column;
use crate::{migrate, query};
use deadpool_postgres::{GenericClient, Transaction};
use std::time::Duration;
use store::archive::TABLES;
use store::columns::damaged_row;
use store::{Result, StoreError};

/// Maximum checks for other connections, and the pause between them.
const CHECKS_MAX: u32 = 30;
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Start of the schema's statement that creates the search index.
const CREATE_INDEX_PREFIX: &str = "CREATE INDEX submissions_by_trigram ON submissions ";

/// Disables the audit triggers. Otherwise each entry would update the head of its chain within one
/// transaction, which takes quadratic time. The chains are checked as the archive is read.
const DISABLE_AUDIT_TRIGGERS: &str = "
    ALTER TABLE audit DISABLE TRIGGER audit_goes_on;
    ALTER TABLE audit_heads DISABLE TRIGGER audit_heads_begin";
/// Enables the audit triggers.
const ENABLE_AUDIT_TRIGGERS: &str = "
    ALTER TABLE audit ENABLE TRIGGER audit_goes_on;
    ALTER TABLE audit_heads ENABLE TRIGGER audit_heads_begin";

/// Tables that are not in an archive but must be empty, too.
const UNARCHIVED_TABLES: [&str; 5] =
    ["deleted_forms", "submission_days", "imports", "import_rows", "import_days"];

/// Waits until no other connection of Sheaf uses the database.
///
/// # Errors
/// [`StoreError::Unusable`] if one still does after three seconds.
pub(super) async fn wait_until_unused(conn: &impl GenericClient) -> Result<()> {
    for _ in 0..CHECKS_MAX {
        if !is_used(conn).await? {
            return Ok(());
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    Err(in_use_error())
}

async fn is_used(conn: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                 AND application_name = 'sheaf' AND pid <> pg_backend_pid())";
    read_column(&query::fetch_one(conn, sql, &[]).await?, 0)
}

fn in_use_error() -> StoreError {
    let reason = "a server or another command has the database open; stop it, and restore again";
    StoreError::Unusable(reason.to_owned())
}

/// Locks the tables, rejects a database with data, drops the search index and disables the audit
/// triggers. A server that starts meanwhile waits for the lock, up to ten seconds.
///
/// # Errors
/// [`StoreError::Unusable`] if the database has data or is in use, or the role does not own the
/// tables.
pub(super) async fn prepare_empty(tx: &Transaction<'_>) -> Result<()> {
    if !is_owner(tx).await? {
        return Err(StoreError::Unusable(
            "the role does not own the tables; restore as the role that owns them, because only it \
             may drop and create the search index"
                .to_owned(),
        ));
    }
    let tables: Vec<_> = TABLES.iter().map(|table| table.name).collect();
    let lock = format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", tables.join(", "));
    tx.batch_execute(&lock).await.map_err(database_error)?;
    // A server may have started before the lock was taken.
    if is_used(tx).await? {
        return Err(in_use_error());
    }
    // Each server creates a secret at startup. Without rows there are no cursors that need it.
    let tables = tables.into_iter().filter(|table| *table != "secrets");
    for table in tables.chain(UNARCHIVED_TABLES) {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        let row = tx.query_one(&sql, &[]).await.map_err(database_error)?;
        if read_column(&row, 0)? {
            return Err(StoreError::Unusable(format!(
                "the database holds data already, among them `{table}`; name an empty database"
            )));
        }
    }
    query::execute(tx, "DELETE FROM secrets", &[]).await?;
    tx.batch_execute("DROP INDEX IF EXISTS submissions_by_trigram")
        .await
        .map_err(database_error)?;
    tx.batch_execute(DISABLE_AUDIT_TRIGGERS).await.map_err(database_error)
}

/// Reverts [`prepare_empty`]: enables the audit triggers and creates the search index.
pub(super) async fn finish_restore(tx: &Transaction<'_>) -> Result<()> {
    let index = index_statement()?;
    tx.batch_execute(ENABLE_AUDIT_TRIGGERS).await.map_err(database_error)?;
    tx.batch_execute(migrate::SET_SORT_MEMORY).await.map_err(database_error)?;
    tx.batch_execute(&index).await.map_err(database_error)
}

async fn is_owner(tx: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT pg_has_role(relowner, 'USAGE')
                 AND has_schema_privilege(relnamespace, 'CREATE')
               FROM pg_class WHERE oid = to_regclass('submissions')";
    query::fetch_row(tx, sql, &[]).await?.map_or(Ok(false), |row| read_column(&row, 0))
}

/// Returns the schema's statement that creates the search index.
fn index_statement() -> Result<String> {
    let index_part =
        |step: &migrate::Migration| step.sql.split_once(CREATE_INDEX_PREFIX)?.1.split_once(';');
    let found = migrate::MIGRATIONS.iter().rev().find_map(index_part);
    let (definition, _) =
        found.ok_or_else(|| damaged_row("the schema does not create the search index"))?;
    Ok(format!("{CREATE_INDEX_PREFIX}{definition}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_statement_matches_the_schema() {
        let statement = index_statement().unwrap();
        assert_eq!(
            statement,
            format!("{CREATE_INDEX_PREFIX}USING gin (form_id, searched gin_trgm_ops)")
        );
    }
}
