//! The database before a restore: nobody uses it, it holds no data, and the index of searches is
//! away, because it is far quicker to make it behind all rows.

use super::super::super::archive::TABLES;
use super::super::super::row::{damaged, database};
use super::super::super::{Result, StoreError};
use super::super::work::column;
use super::super::{ask, migrate};
use deadpool_postgres::{GenericClient, Transaction};
use std::time::Duration;

/// How often is looked whether others have left, and how long is waited in between.
const LOOKS_MAX: u32 = 30;
const LOOKED_EVERY: Duration = Duration::from_millis(100);

/// How the schema begins to make the index; what follows says how it is made.
const MAKES: &str = "CREATE INDEX submissions_by_trigram ON submissions ";

/// Memory to sort the trigrams in, 256 MiB where the server has less for that.
const ROOM: &str = "
    SELECT set_config('maintenance_work_mem', greatest(setting::BIGINT, 262144) || 'kB', TRUE)
    FROM pg_settings WHERE name = 'maintenance_work_mem'";

/// Waits until nobody else uses the database.
///
/// # Errors
/// [`StoreError::Unfit`] where somebody still does after some seconds.
pub(super) async fn wait_unused(conn: &impl GenericClient) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                 AND application_name = 'sheaf' AND pid <> pg_backend_pid())";
    for _ in 0..LOOKS_MAX {
        let is_used = ask::row(conn, sql, &[]).await?;
        if !is_used.map_or(Ok(false), |row| column(&row, 0))? {
            return Ok(());
        }
        tokio::time::sleep(LOOKED_EVERY).await;
    }
    Err(StoreError::Unfit(
        "a server or another command has the database open; stop it, and restore again".to_owned(),
    ))
}

/// Locks the database, refuses one that holds data, and takes the index of searches away. Returns
/// whether that is still there: another role may own it. A server that starts meanwhile waits.
///
/// # Errors
/// [`StoreError::Unfit`] for a database that holds data.
pub(super) async fn empty(tx: &Transaction<'_>) -> Result<bool> {
    let tables: Vec<_> = TABLES.iter().map(|table| table.name).collect();
    let lock = format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", tables.join(", "));
    tx.batch_execute(&lock).await.map_err(database)?;
    // Each server makes a secret at its start. No cursor is of use without rows.
    for table in tables.iter().filter(|table| **table != "secrets") {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        let row = tx.query_one(&sql, &[]).await.map_err(database)?;
        if column(&row, 0)? {
            return Err(StoreError::Unfit(format!(
                "the database holds data already, among them `{table}`; name an empty database"
            )));
        }
    }
    ask::run(tx, "DELETE FROM secrets", &[]).await?;
    if !may_make_index(tx).await? {
        tracing::warn!(
            "the role does not own the tables, so the index of searches stays while rows are \
             restored, which takes several times as long; restore as the owner of the tables"
        );
        return Ok(true);
    }
    tx.batch_execute("DROP INDEX IF EXISTS submissions_by_trigram").await.map_err(database)?;
    Ok(false)
}

/// Makes the index of searches, as the schema does.
pub(super) async fn make_index(tx: &Transaction<'_>) -> Result<()> {
    let index = index_statement()?;
    tx.batch_execute(ROOM).await.map_err(database)?;
    tx.batch_execute(&index).await.map_err(database)
}

async fn may_make_index(tx: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT pg_has_role(relowner, 'USAGE')
                 AND has_schema_privilege(relnamespace, 'CREATE')
               FROM pg_class WHERE oid = to_regclass('submissions')";
    ask::row(tx, sql, &[]).await?.map_or(Ok(false), |row| column(&row, 0))
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
