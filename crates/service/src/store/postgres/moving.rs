//! A database as the target of a move: nobody else writes to it until everything is there.
//!
//! Each piece comes in one transaction with the mark of how far its table is, so that a move that
//! was killed goes on behind the last piece that is on disk.

mod compare;
mod encode;
mod index;
mod write;

pub(in crate::store) use encode::encode;

use super::super::moving::{Piece, SUBMISSIONS, TABLES, Table, Value};
use super::super::row::{count, database};
use super::super::{Hash, Result, StoreError};
use super::connect::{Connections, Setup, WHOLE_WITHIN};
use super::work::{Conn, column, hash};
use super::{ask, migrate};
use deadpool_postgres::GenericClient;
use std::time::Duration;

/// Whoever moves something into a database holds this lock of its session.
const MOVE: i64 = 0x7368_6561_6602;
/// How often is looked whether others have left, and how long is waited in between.
const LOOKS_MAX: u32 = 30;
const LOOKED_EVERY: Duration = Duration::from_millis(100);

/// A database into which something is moved.
pub(in crate::store) struct Target {
    /// Holds the lock as long as it lives.
    conn: Conn,
    /// Ends with it.
    connections: Connections,
}

/// How far a table is.
#[derive(Debug, Default)]
pub(in crate::store) struct Mark {
    /// How many of its rows are there.
    pub(in crate::store) rows: u64,
    /// The key of the last of them.
    pub(in crate::store) behind: Option<Vec<Value>>,
    /// Whether all are.
    pub(in crate::store) is_done: bool,
}

/// How a move stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Standing {
    /// Nothing was moved before.
    New,
    /// It was begun.
    Begun,
    /// All is there, and both sides agreed.
    Done,
}

impl Target {
    /// Connects to a database that nobody else uses.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] with what to do.
    pub(in crate::store) async fn open(setup: &Setup) -> Result<Self> {
        let within = WHOLE_WITHIN;
        let setup = Setup { connections_max: 1, long_statement_within: within, ..setup.clone() };
        let connections = Connections::open(&setup, migrate::MIGRATIONS).await?;
        let conn = connections.get_patient().await?;
        wait_alone(&conn).await?;
        Ok(Self { conn, connections })
    }

    /// Begins a move of a source in some state, or goes on with it.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] where the database holds anything else, or a server began meanwhile.
    pub(in crate::store) async fn begin(&mut self, source: Hash, state: Hash) -> Result<Standing> {
        let tx = self.conn.transaction().await.map_err(database)?;
        let sql = "SELECT source, state, is_done, EXISTS (SELECT 1 FROM move_marks) FROM moves";
        let mut standing = Standing::New;
        if let Some(row) = ask::row(&tx, sql, &[]).await? {
            let was = (hash(&row, 0)?, hash(&row, 1)?, column::<bool>(&row, 2)?);
            standing = stands(was, source, state)?;
            if standing == Standing::Done || column(&row, 3)? {
                return Ok(standing);
            }
        }
        refuse_others(&tx).await?;
        if standing == Standing::New {
            let sql = "INSERT INTO moves (source, state) VALUES ($1, $2)";
            ask::run(&tx, sql, &[&source.as_slice(), &state.as_slice()]).await?;
        }
        tx.commit().await.map_err(database)?;
        // Nobody begins there any more; who came before goes on as if there were no move.
        let emptied = self.empty_alone().await;
        if emptied.is_err() {
            // Nothing has come: they may go on, and begin again.
            ask::run(&self.conn, "DELETE FROM moves WHERE NOT is_done", &[]).await?;
        }
        emptied.map(|()| standing)
    }

    /// Waits until nobody else uses the database, and makes room in it.
    async fn empty_alone(&mut self) -> Result<()> {
        wait_alone(&self.conn).await?;
        let tx = self.conn.transaction().await.map_err(database)?;
        refuse_others(&tx).await?;
        // Any server that was ever started there made one. No cursor is of use without rows.
        ask::run(&tx, "DELETE FROM secrets", &[]).await?;
        index::take_away(&tx).await?;
        tx.commit().await.map_err(database)
    }

    /// Finds out how far a table is.
    pub(in crate::store) async fn mark(&self, table: &Table) -> Result<Mark> {
        let sql = "SELECT row_count, behind, is_done FROM move_marks WHERE part = $1";
        let Some(row) = ask::row(&self.conn, sql, &[&table.part]).await? else {
            return Ok(Mark::default());
        };
        let behind: Option<&str> = column(&row, 1)?;
        let behind = behind.map(serde_json::from_str).transpose().map_err(database)?;
        Ok(Mark { rows: count(column(&row, 0)?)?, behind, is_done: column(&row, 2)? })
    }

    /// Writes a piece of a table, and how far the table is with it.
    pub(in crate::store) async fn write(&mut self, table: &Table, piece: &Piece) -> Result<()> {
        let tx = self.conn.transaction().await.map_err(database)?;
        write::copy(&tx, table, &piece.rows).await?;
        if table.part == SUBMISSIONS {
            write::count_days(&tx, table, &piece.rows).await?;
        }
        let rows = i64::try_from(piece.rows.len()).map_err(database)?;
        let behind = serde_json::to_string(&piece.last).map_err(database)?;
        let sql = "INSERT INTO move_marks AS m (part, row_count, behind, is_done)
                   VALUES ($1, $2, $3, FALSE)
                   ON CONFLICT (part) DO UPDATE
                   SET row_count = m.row_count + EXCLUDED.row_count, behind = EXCLUDED.behind";
        ask::run(&tx, sql, &[&table.part, &rows, &behind]).await?;
        tx.commit().await.map_err(database)
    }

    /// Notes that all of a table is there.
    pub(in crate::store) async fn end(&self, table: &Table) -> Result<()> {
        let sql = "INSERT INTO move_marks (part, row_count, is_done) VALUES ($1, 0, TRUE)
                   ON CONFLICT (part) DO UPDATE SET is_done = TRUE";
        ask::run(&self.conn, sql, &[&table.part]).await.map(drop)
    }

    /// Does what comes behind the rows: numbers go on where they were, and the planner learns what
    /// there is.
    pub(in crate::store) async fn settle(&mut self) -> Result<()> {
        write::settle(&mut self.conn).await
    }

    /// Notes that both sides agree: from now on servers may begin.
    pub(in crate::store) async fn done(&self) -> Result<()> {
        ask::run(&self.conn, "UPDATE moves SET is_done = TRUE", &[]).await.map(drop)
    }
}

/// Refuses to begin with a database into which a move has not ended.
///
/// # Errors
/// [`StoreError::Unfit`] with what to do.
pub(super) async fn refuse_unfinished(connections: &Connections) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM moves WHERE NOT is_done)";
    let found = ask::row(&connections.get().await?, sql, &[]).await?;
    if !found.map_or(Ok(false), |row| column(&row, 0))? {
        return Ok(());
    }
    Err(StoreError::Unfit(
        "a move into the database has not ended; give `sheaf move` again, which goes on where it \
         was, or name another database"
            .to_owned(),
    ))
}

/// Waits until nobody else uses the database.
async fn wait_alone(conn: &Conn) -> Result<()> {
    let mut looks = 0;
    while let Some(who) = others(conn).await? {
        if looks == LOOKS_MAX {
            return Err(StoreError::Unfit(format!(
                "{who} has the database open; stop it, so that nothing else is written there \
                 before everything has come"
            )));
        }
        looks += 1;
        tokio::time::sleep(LOOKED_EVERY).await;
    }
    Ok(())
}

/// Returns who else uses the database, and takes the lock where nobody does.
async fn others(conn: &impl GenericClient) -> Result<Option<&'static str>> {
    let sql = "SELECT pg_try_advisory_lock($1),
                 EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                   AND application_name = 'sheaf' AND pid <> pg_backend_pid())";
    let found = ask::row(conn, sql, &[&MOVE]).await?;
    let (is_ours, is_used) = found.map_or(Ok((false, false)), |row| {
        Ok::<_, StoreError>((column(&row, 0)?, column(&row, 1)?))
    })?;
    Ok(match (is_ours, is_used) {
        (false, _) => Some("another move"),
        (true, true) => Some("a server or another command"),
        (true, false) => None,
    })
}

fn stands(
    (was_source, was_state, is_done): (Hash, Hash, bool),
    source: Hash,
    state: Hash,
) -> Result<Standing> {
    let unfit = |why: &str| Err(StoreError::Unfit(why.to_owned()));
    match (was_source == source, was_state == state, is_done) {
        (true, true, false) => Ok(Standing::Begun),
        (true, true, true) => Ok(Standing::Done),
        (true, false, false) => unfit(
            "the data were changed since their move into the database began; make the database \
             anew, and move them again",
        ),
        (true, false, true) => unfit(
            "the data were moved into the database before, and changed since; nothing was done. \
             What came to them later is not in the database",
        ),
        (false, ..) => unfit(
            "other data were moved into the database; name the directory that they came from, or \
             an empty database",
        ),
    }
}

/// Refuses a database in which anything is but what each server makes at its start.
async fn refuse_others(tx: &impl GenericClient) -> Result<()> {
    for table in TABLES.iter().filter(|table| table.name != "secrets") {
        refuse_full(tx, table.name).await?;
    }
    Ok(())
}

async fn refuse_full(tx: &impl GenericClient, table: &'static str) -> Result<()> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
    let row = tx.query_one(&sql, &[]).await.map_err(database)?;
    if column(&row, 0)? {
        return Err(StoreError::Unfit(format!(
            "the database has data already, among them `{table}`, which were not moved there; name \
             an empty database"
        )));
    }
    Ok(())
}
