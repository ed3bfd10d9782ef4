//! Long imports. Rows are written in pieces to a table that no request reads, and then moved to the
//! submissions in one transaction.
//!
//! The next call with the same source resumes a killed import, in any process. A lock of the
//! session allows one import into a form at a time. It ends with the session, and so do all writes
//! of the session. The last transaction locks the form's row only at its end. The source is never
//! read inside a transaction.

mod show;
mod stage;
mod turn;

use super::connect::Connections;
use super::query;
use super::query::column;
use crate::errors::database;
use contract::FormId;
use deadpool_postgres::GenericClient;
use stage::Pieces;
use store::columns::{count, instant, no_form};
use store::{Import, ImportSource, Result, StoreError};
use turn::Turn;

/// An import that is listed in the table `imports`.
struct Begun {
    form: String,
    number: i64,
}

/// Imports a source, or resumes a killed import of it. If another process finished the same import
/// while this one waited, returns the result of that one.
pub(super) async fn run(
    connections: &Connections,
    form: &FormId,
    import: Import,
    source: ImportSource,
) -> Result<u64> {
    let before = find_done(&connections.get().await?, form, &import).await?;
    let mut turn = Turn::wait(connections, form).await?;
    let after = find_done(turn.conn()?, form, &import).await?;
    if let Some((_, inserted)) = after.filter(|_| after != before) {
        return count(inserted);
    }
    remove_dead(&mut turn).await?;
    let (begun, import) = begin(&mut turn, form, import).await?;
    let done = write(&mut turn, &begun, form, &import, source).await;
    match done {
        Ok(inserted) => Ok(inserted),
        Err(error @ (StoreError::Database(_) | StoreError::Unavailable(_))) => {
            drop(turn);
            // The commit may have succeeded nevertheless.
            let turn = Turn::wait(connections, form).await;
            let Ok(turn) = turn else { return Err(error) };
            let done = find_done(turn.conn()?, form, &import).await;
            match done {
                Ok(Some((number, inserted))) if number == begun.number => count(inserted),
                _ => Err(error),
            }
        }
        Err(error) => {
            if let Err(error) = remove(&mut turn, &begun).await {
                tracing::warn!(%error, "rows of a failed import are removed later");
            }
            Err(error)
        }
    }
}

async fn write(
    turn: &mut Turn,
    begun: &Begun,
    form: &FormId,
    import: &Import,
    source: ImportSource,
) -> Result<u64> {
    let mut pieces = Pieces::read(form.clone(), import.clone(), source);
    while let Some(piece) = pieces.next().await? {
        stage::insert(turn, begun, &piece).await?;
    }
    show::show(turn, begun, form, &import.fields).await
}

/// Removes the rows of killed imports into a form, after waiting for a running import.
pub(super) async fn delete(connections: &Connections, form: &FormId) -> Result<()> {
    let mut turn = Turn::wait(connections, form).await?;
    let sql = "SELECT form_id, import FROM imports WHERE form_id = $1 AND NOT is_done";
    for row in query::rows(turn.conn()?, sql, &[&form.as_str()]).await? {
        let begun = Begun { form: column(&row, 0)?, number: column(&row, 1)? };
        remove(&mut turn, &begun).await?;
    }
    remove_dead(&mut turn).await
}

/// Finds the number of a finished import, and how many rows it inserted.
async fn find_done(
    conn: &impl GenericClient,
    form: &FormId,
    import: &Import,
) -> Result<Option<(i64, i64)>> {
    let sql = "SELECT import, inserted FROM imports
               WHERE form_id = $1 AND fingerprint = $2 AND is_done";
    let found = query::row(conn, sql, &[&form.as_str(), &&import.fingerprint[..]]).await?;
    found.map(|row| Ok((column(&row, 0)?, column(&row, 1)?))).transpose()
}

/// Lists an import, or finds a killed run of it and marks that as resumed.
async fn begin(turn: &mut Turn, form: &FormId, import: Import) -> Result<(Begun, Import)> {
    let (id, fingerprint) = (form.as_str(), &import.fingerprint[..]);
    let begun = |number| Begun { form: id.to_owned(), number };
    let sql = "UPDATE imports SET touched_at = now()
               WHERE form_id = $1 AND fingerprint = $2 AND NOT is_done
               RETURNING import, fields, began_at, inserted";
    if let Some(found) = query::row(turn.conn()?, sql, &[&id, &fingerprint]).await? {
        let fields = serde_json::from_str(column(&found, 1)?).map_err(database)?;
        let began_at = instant(column(&found, 2)?)?;
        let inserted = count(column(&found, 3)?)?;
        return Ok((begun(column(&found, 0)?), Import { fields, began_at, inserted, ..import }));
    }
    let fields = serde_json::to_string(&import.fields).map_err(database)?;
    let tx = turn.begin().await?;
    // Lock order: the form's row comes before the import's, as in a deletion of the form.
    let sql = "SELECT 1 FROM forms WHERE form_id = $1 FOR KEY SHARE";
    query::row(&tx, sql, &[&id]).await?;
    // The same content may be imported again, unless it has ids that are taken.
    let sql = "DELETE FROM imports WHERE form_id = $1 AND fingerprint = $2";
    query::run(&tx, sql, &[&id, &fingerprint]).await?;
    let sql = "INSERT INTO imports (form_id, fingerprint, fields, began_at)
               SELECT form_id, $2, $3, $4 FROM forms WHERE form_id = $1 RETURNING import";
    let began_at = import.began_at.micros();
    let listed = query::row(&tx, sql, &[&id, &fingerprint, &fields, &began_at]).await?;
    let Some(listed) = listed else {
        return Err(no_form(form));
    };
    let number = column(&listed, 0)?;
    tx.commit().await.map_err(database)?;
    Ok((begun(number), import))
}

/// Removes an unfinished import.
async fn remove(turn: &mut Turn, begun: &Begun) -> Result<()> {
    let tx = turn.begin_long().await?;
    let sql = "DELETE FROM imports WHERE form_id = $1 AND import = $2";
    query::run(&tx, sql, &[&begun.form, &begun.number]).await?;
    let sql = "DELETE FROM import_rows WHERE form_id = $1 AND import = $2";
    query::run(&tx, sql, &[&begun.form, &begun.number]).await?;
    tx.commit().await.map_err(database)
}

/// Removes imports into any form that were not continued for seven days. Skips those that another
/// process is removing or continuing.
async fn remove_dead(turn: &mut Turn) -> Result<()> {
    let tx = turn.begin_long().await?;
    let sql = "WITH dead AS (
                 DELETE FROM imports WHERE (form_id, fingerprint) IN (
                   SELECT form_id, fingerprint FROM imports
                   WHERE touched_at < now() - INTERVAL '7 days' FOR UPDATE SKIP LOCKED)
                 RETURNING form_id, import)
               DELETE FROM import_rows AS r USING dead
               WHERE r.form_id = dead.form_id AND r.import = dead.import";
    query::run(&tx, sql, &[]).await?;
    tx.commit().await.map_err(database)
}
