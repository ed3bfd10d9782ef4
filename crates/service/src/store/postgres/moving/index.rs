//! The index over trigrams: away while rows come in, and made behind them, which is far quicker.
//!
//! It goes before any row comes, and no server begins before the move is done.
//! Whether it is there is asked of the catalog alone, so a move that was killed cannot be mistaken.
//! It is made partition by partition: what is made stays made, and the last statement, which is the
//! one of the schema, takes them over.

use super::super::super::row::{count, damaged, database};
use super::super::super::{Result, StoreError};
use super::super::work::{Conn, column};
use super::super::{ask, migrate};
use super::Target;
use deadpool_postgres::GenericClient;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// How the schema begins to make it; what follows says how it is made.
const MAKES: &str = "CREATE INDEX submissions_by_trigram ON submissions ";
/// How often is looked how far a partition is.
const LOOKED_EVERY: Duration = Duration::from_millis(100);

/// Memory to sort a partition's trigrams in, 256 MiB where the server has less for that. And the
/// server notices soon that the client is gone: the next move finds the database free.
const ROOM: &str = "
    SELECT set_config('maintenance_work_mem', greatest(setting::BIGINT, 262144) || 'kB', FALSE)
    FROM pg_settings WHERE name = 'maintenance_work_mem';
    SELECT set_config('client_connection_check_interval', '500ms', FALSE)";

/// Takes the index away before any row comes. Where the role may not make it again it stays, and
/// rows come slowly.
pub(super) async fn take_away(tx: &impl GenericClient) -> Result<()> {
    if may_make(tx).await? {
        let sql = "DROP INDEX IF EXISTS submissions_by_trigram";
        return tx.batch_execute(sql).await.map_err(database);
    }
    tracing::info!(
        "the role does not own the tables, so the index of searches stays while rows come in, \
         which takes longer"
    );
    Ok(())
}

impl Target {
    /// Makes the index where it is not there. `reached` hears how many blocks of how many are done.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] where another role has to.
    pub(in crate::store) async fn make_index(
        &self,
        mut reached: impl FnMut(u64, u64) + Send,
    ) -> Result<()> {
        if is_there(&self.conn).await? {
            return Ok(());
        }
        if !may_make(&self.conn).await? {
            return Err(StoreError::Unfit(
                "the index of searches (`submissions_by_trigram`) is not there yet, and the role \
                 may not make it; give `sheaf move` again as the role that owns the tables"
                    .to_owned(),
            ));
        }
        let how = how()?;
        self.conn.batch_execute(ROOM).await.map_err(database)?;
        let parts = parts(&self.conn).await?;
        let all = parts.iter().map(|part| part.blocks).sum();
        // Where there is none to be had, the index matters more than what is said of it.
        let watch = self.connections.get().await.ok();
        let mut done = 0;
        for part in parts {
            if !part.is_made {
                let sql = format!("CREATE INDEX ON {} {how}", part.name);
                let mut making = pin!(self.conn.batch_execute(&sql));
                let made = loop {
                    if let Ok(made) = timeout(LOOKED_EVERY, making.as_mut()).await {
                        break made;
                    }
                    let blocks = blocks_done(watch.as_ref(), &part.name).await;
                    reached(done + blocks.min(part.blocks), all);
                };
                made.map_err(database)?;
            }
            done += part.blocks;
            reached(done, all);
        }
        self.conn.batch_execute(&format!("{MAKES}{how}")).await.map_err(database)
    }
}

/// A partition of the submissions.
struct Part {
    /// As it stands in statements.
    name: String,
    blocks: u64,
    /// Whether it has its part of the index.
    is_made: bool,
}

/// Returns how the index is made, which the schema says.
fn how() -> Result<&'static str> {
    let made = |step: &migrate::Migration| step.sql.split_once(MAKES)?.1.split_once(';');
    let found = migrate::MIGRATIONS.iter().rev().find_map(made);
    found.map(|(how, _)| how).ok_or_else(|| damaged("the schema does not make the index"))
}

async fn is_there(conn: &Conn) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_index
                 WHERE indexrelid = to_regclass('submissions_by_trigram') AND indisvalid)";
    ask::row(conn, sql, &[]).await?.map_or(Ok(false), |row| column(&row, 0))
}

/// Whether the role may make an index, and so may take one away.
async fn may_make(conn: &impl GenericClient) -> Result<bool> {
    let sql = "SELECT pg_has_role(relowner, 'USAGE')
                 AND has_schema_privilege(relnamespace, 'CREATE')
               FROM pg_class WHERE oid = to_regclass('submissions')";
    ask::row(conn, sql, &[]).await?.map_or(Ok(false), |row| column(&row, 0))
}

async fn parts(conn: &Conn) -> Result<Vec<Part>> {
    let sql = "SELECT c.oid::REGCLASS::TEXT,
                 pg_relation_size(c.oid) / current_setting('block_size')::BIGINT,
                 EXISTS (SELECT 1 FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid
                   JOIN pg_am AS m ON m.oid = x.relam
                   WHERE i.indrelid = c.oid AND m.amname = 'gin')
               FROM pg_inherits AS h JOIN pg_class AS c ON c.oid = h.inhrelid
               WHERE h.inhparent = 'submissions'::REGCLASS ORDER BY c.oid";
    let rows = ask::rows(conn, sql, &[]).await?;
    let part = |row: &tokio_postgres::Row| {
        let (name, blocks, is_made) = (column(row, 0)?, count(column(row, 1)?)?, column(row, 2)?);
        Ok(Part { name, blocks, is_made })
    };
    rows.iter().map(part).collect()
}

/// How many blocks of a partition were looked through; nothing where that cannot be said.
async fn blocks_done(watch: Option<&Conn>, part: &str) -> u64 {
    let sql = "SELECT blocks_done FROM pg_stat_progress_create_index
               WHERE relid = $1::TEXT::REGCLASS";
    let Some(watch) = watch else { return 0 };
    let row = ask::row(watch, sql, &[&part]).await.ok().flatten();
    row.and_then(|row| column(&row, 0).and_then(count).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_how_the_index_is_made() {
        assert_eq!(how().unwrap(), "USING gin (form_id, searched gin_trgm_ops)");
    }
}
