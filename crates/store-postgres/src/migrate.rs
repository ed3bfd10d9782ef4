//! Schema migrations.
//!
//! A released migration never changes, and there are no down migrations. One instance runs them
//! under a lock while other instances keep serving. So a migration only adds objects, and a
//! migration of a later release removes the obsolete ones.

use super::preflight;
use super::query::read_column;
use crate::errors::{database_error, sql_state};
use sha2::{Digest, Sha256};
use std::time::Duration;
use store::{Result, StoreError};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row, Transaction};

/// Advisory lock for migrations: one process at a time.
const MIGRATION_LOCK: i64 = 0x7368_6561_6600;
/// Lock timeout of a migration. It is short, because requests queue behind a waiting migration.
const LOCK_TIMEOUT_MS: u32 = 200;
/// Maximum attempts of a migration, and the pause between them. Together they last longer than an
/// export may take.
const TRIES_MAX: u32 = 600;
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Sets the memory for building an index to at least 256 MiB, until the transaction ends.
pub(super) const SET_SORT_MEMORY: &str = "
    SELECT set_config('maintenance_work_mem', greatest(setting::BIGINT, 262144) || 'kB', TRUE)
    FROM pg_settings WHERE name = 'maintenance_work_mem'";
/// The migration after which the submissions are vacuumed.
const BY_LABELS: &str = "0021_by_labels";

/// Pause of a waiting instance between checks of the lock, and the number of checks between log
/// messages.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
const CHECKS_PER_LOG: u32 = 120;

/// One migration.
#[derive(Clone, Copy)]
pub(super) struct Migration {
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
}

/// Builds the list of migrations from their file names.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$(Migration {
            name: $name,
            sql: include_str!(concat!("../migrations/", $name, ".sql")),
        }),+]
    };
}

/// All migrations, in order. The first is version 1.
pub(super) const MIGRATIONS: &[Migration] = migrations!(
    "0001_accounts",
    "0002_forms",
    "0003_submissions",
    "0004_intake",
    "0005_insight",
    "0006_audit",
    "0007_limits",
    "0008_moving",
    "0009_by_form",
    "0010_composed_texts",
    "0011_deleted_forms",
    "0012_sender_windows",
    "0013_removed_fields",
    "0014_unlisted",
    "0015_leases",
    "0016_no_moves",
    "0017_outbox",
    "0018_mail",
    "0019_label_functions",
    "0020_labels",
    "0021_by_labels",
    "0022_key_access",
    "0023_triage_columns",
    "0024_by_triage",
    "0025_triage",
    "0026_read_marks",
    "0027_done_at",
    "0028_saved_views",
    "0029_editors",
    "0030_member_forms",
    "0031_mentions",
    "0032_updated_at",
    "0033_notified_views",
);

/// Migrates a database to the newest schema. Several processes may call this at once. An up-to-date
/// database needs neither locks nor privileges.
///
/// # Errors
/// [`StoreError::Unusable`] if the schema is newer, has other migrations of the same version, or
/// belongs to another program, and if the role lacks a privilege.
pub(super) async fn migrate(client: &mut Client, steps: &[Migration]) -> Result<()> {
    let tx = client.transaction().await.map_err(database_error)?;
    let applied = count_applied(&tx, steps).await?;
    tx.commit().await.map_err(database_error)?;
    if applied == steps.len() {
        return Ok(());
    }
    let mut tries = 0;
    let mut waited = 0_u32;
    loop {
        match run_next(client, steps).await {
            Ok(MigrationResult::Applied(name)) => {
                (tries, waited) = (0, 0);
                tracing::info!(step = name, "database schema migrated");
                if name == BY_LABELS {
                    vacuum_submissions(client).await;
                }
            }
            Ok(MigrationResult::UpToDate) => return Ok(()),
            // There is no limit: a migration may build an index over all rows.
            Ok(MigrationResult::Busy) => {
                if waited.is_multiple_of(CHECKS_PER_LOG) {
                    tracing::info!("another instance migrates the database schema; waiting");
                }
                waited = waited.wrapping_add(1);
                tokio::time::sleep(CHECK_INTERVAL).await;
            }
            Err(error) if tries < TRIES_MAX && is_locked(&error) => {
                tries += 1;
                tracing::info!("a table of the next migration is locked; waiting");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether a database has no schema or no account.
///
/// # Errors
/// As [`migrate`].
pub(super) async fn is_empty(client: &mut Client, steps: &[Migration]) -> Result<bool> {
    let tx = client.transaction().await.map_err(database_error)?;
    if count_applied(&tx, steps).await? == 0 {
        return Ok(true);
    }
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM accounts)";
    read_column(&tx.query_one(sql, &[]).await.map_err(database_error)?, 0)
}

/// Checks that a database has the newest schema, and changes nothing. For commands that run while
/// servers of another version are active.
///
/// # Errors
/// As [`migrate`]; [`StoreError::Unusable`] for an older or missing schema.
pub(super) async fn check_schema(client: &mut Client, steps: &[Migration]) -> Result<()> {
    let tx = client.transaction().await.map_err(database_error)?;
    let applied = count_applied(&tx, steps).await?;
    let known = steps.len();
    match applied {
        _ if applied == known => Ok(()),
        0 => Err(StoreError::Unusable(
            "there is no data in the database; start a server on it, or create an account with \
             `sheaf account create`"
                .to_owned(),
        )),
        _ => Err(StoreError::Unusable(format!(
            "the database has schema {applied}, but this version of sheaf needs schema {known}; \
             start a server of this version to migrate it, or use the version that is running"
        ))),
    }
}

/// Result of one migration step.
enum MigrationResult {
    Applied(&'static str),
    /// No migration is left.
    UpToDate,
    /// Another instance is migrating.
    Busy,
}

/// Runs the first missing migration in one transaction.
async fn run_next(client: &mut Client, steps: &[Migration]) -> Result<MigrationResult> {
    let tx = client.transaction().await.map_err(database_error)?;
    let lock = "SELECT pg_try_advisory_xact_lock($1)";
    let lock = tx.query_one(lock, &[&MIGRATION_LOCK]).await.map_err(database_error)?;
    if !read_column::<bool>(&lock, 0)? {
        return Ok(MigrationResult::Busy);
    }
    let applied = count_applied(&tx, steps).await?;
    let Some((next, version)) = steps.get(applied).zip(i64::try_from(applied + 1).ok()) else {
        return Ok(MigrationResult::UpToDate);
    };
    preflight::check_privileges(&tx, applied == 0).await?;
    preflight::create_extensions(&tx).await?;
    let set_timeout = format!("SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}");
    tx.batch_execute(&set_timeout).await.map_err(database_error)?;
    tx.batch_execute(SET_SORT_MEMORY).await.map_err(database_error)?;
    if applied == 0 {
        preflight::check_letters(&tx).await?;
        let table = "CREATE TABLE IF NOT EXISTS schema_migrations (
             version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum BYTEA NOT NULL
           )";
        tx.batch_execute(table).await.map_err(database_error)?;
    }
    tx.batch_execute(next.sql).await.map_err(database_error)?;
    let sql = "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)";
    tx.execute(sql, &[&version, &next.name, &checksum(next)]).await.map_err(database_error)?;
    tx.commit().await.map_err(database_error)?;
    Ok(MigrationResult::Applied(next.name))
}

/// Vacuums the submissions after a migration rewrote all rows. The server would not do it before
/// many rows change, and without it an index-only scan reads every row. A failure only makes
/// filters slower.
async fn vacuum_submissions(client: &Client) {
    if let Err(error) = client.batch_execute("VACUUM (ANALYZE) submissions").await {
        tracing::warn!(%error, "cannot vacuum the submissions; run VACUUM ANALYZE on them");
    }
}

/// Checks the checksums of the applied migrations, and returns their number.
async fn count_applied(tx: &Transaction<'_>, steps: &[Migration]) -> Result<usize> {
    let applied = read_applied(tx).await?;
    if applied.len() > steps.len() {
        return Err(StoreError::Unusable(format!(
            "the database has schema {}, but this version of sheaf knows schemas up to {}; run \
             the newer one",
            applied.len(),
            steps.len()
        )));
    }
    for (row, step) in applied.iter().zip(steps) {
        let stored: &[u8] = read_column(row, 0)?;
        if stored != checksum(step) {
            return Err(StoreError::Unusable(
                "the schema of the database was made by another build of sheaf; run that one, or \
                 name another database"
                    .to_owned(),
            ));
        }
    }
    Ok(applied.len())
}

async fn read_applied(tx: &Transaction<'_>) -> Result<Vec<Row>> {
    let sql = "SELECT count(*), count(*) FILTER (WHERE attname = 'checksum') \
               FROM pg_attribute WHERE attrelid = to_regclass('schema_migrations')";
    let row = tx.query_one(sql, &[]).await.map_err(database_error)?;
    let (columns, own_tables): (i64, i64) = (read_column(&row, 0)?, read_column(&row, 1)?);
    if columns > 0 && own_tables == 0 {
        return Err(StoreError::Unusable(
            "the database has a table `schema_migrations` of another program; create a database \
             only for Sheaf and name that"
                .to_owned(),
        ));
    }
    if columns == 0 {
        return Ok(Vec::new());
    }
    let sql = "SELECT checksum FROM schema_migrations ORDER BY version";
    tx.query(sql, &[]).await.map_err(|error| match error.code() {
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Unusable(
            "the tables of the database belong to another role, and this one may not read them; \
             sign in as that role, or grant this one access to them"
                .to_owned(),
        ),
        _ => database_error(error),
    })
}

/// Whether a migration timed out waiting for a table.
fn is_locked(error: &StoreError) -> bool {
    sql_state(error) == Some(&SqlState::LOCK_NOT_AVAILABLE)
}

fn checksum(step: &Migration) -> Vec<u8> {
    Sha256::digest(step.sql).to_vec()
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
