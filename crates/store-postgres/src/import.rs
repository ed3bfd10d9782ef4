//! Long imports. Rows are written in pieces to a table that no request reads, and then moved to the
//! submissions in one transaction.
//!
//! The next call with the same source resumes a killed import, in any process. A lock of the
//! session allows one import into a form at a time. It ends with the session, and so do all writes
//! of the session. The last transaction locks the form's row only at its end. The source is never
//! read inside a transaction.

mod import_lock;
mod publish;
mod stage;

use super::connect::Connections;
use super::query;
use super::query::read_column;
use crate::errors::database_error;
use contract::FormId;
use contract::audit::AuditEvent;
use deadpool_postgres::GenericClient;
use import_lock::ImportLock;
use stage::Pieces;
use store::columns::{parse_count, parse_instant, unknown_form};
use store::{Import, ImportSource, Result, StoreError};

/// An import that is listed in the table `imports`.
struct ListedImport {
    form: String,
    number: i64,
}

/// Imports a source, or resumes a killed import of it. If another process finished the same import
/// while this one waited, returns the result of that one, which has written the audit entry.
pub(super) async fn run(
    connections: &Connections,
    form: &FormId,
    import: Import,
    source: ImportSource,
    event: Option<AuditEvent>,
) -> Result<u64> {
    let before = find_done(&connections.get().await?, form, &import).await?;
    let mut turn = ImportLock::acquire(connections, form).await?;
    let after = find_done(turn.conn()?, form, &import).await?;
    if let Some((_, inserted)) = after.filter(|_| after != before) {
        return parse_count(inserted);
    }
    remove_abandoned(&mut turn).await?;
    let (listed_import, import) = list_or_resume(&mut turn, form, import).await?;
    let done = write_rows(&mut turn, &listed_import, form, &import, source, event).await;
    match done {
        Ok(inserted) => Ok(inserted),
        Err(error @ (StoreError::Database(_) | StoreError::Unavailable(_))) => {
            drop(turn);
            // The commit may have succeeded nevertheless.
            let turn = ImportLock::acquire(connections, form).await;
            let Ok(turn) = turn else { return Err(error) };
            let done = find_done(turn.conn()?, form, &import).await;
            match done {
                Ok(Some((number, inserted))) if number == listed_import.number => {
                    parse_count(inserted)
                }
                _ => Err(error),
            }
        }
        Err(error) => {
            if let Err(error) = remove_unfinished(&mut turn, &listed_import).await {
                tracing::warn!(%error, "rows of a failed import are removed later");
            }
            Err(error)
        }
    }
}

async fn write_rows(
    turn: &mut ImportLock,
    listed_import: &ListedImport,
    form: &FormId,
    import: &Import,
    source: ImportSource,
    event: Option<AuditEvent>,
) -> Result<u64> {
    let mut pieces = Pieces::start(form.clone(), import.clone(), source);
    while let Some(piece) = pieces.next().await? {
        stage::insert(turn, listed_import, &piece).await?;
    }
    publish::publish_rows(turn, listed_import, form, &import.fields, event).await
}

/// Removes the rows of killed imports into a form, after waiting for a running import.
pub(super) async fn delete_killed(connections: &Connections, form: &FormId) -> Result<()> {
    let mut turn = ImportLock::acquire(connections, form).await?;
    let sql = "SELECT form_id, import FROM imports WHERE form_id = $1 AND NOT is_done";
    for row in query::fetch_rows(turn.conn()?, sql, &[&form.as_str()]).await? {
        let listed_import =
            ListedImport { form: read_column(&row, 0)?, number: read_column(&row, 1)? };
        remove_unfinished(&mut turn, &listed_import).await?;
    }
    remove_abandoned(&mut turn).await
}

/// Finds the number of a finished import, and how many rows it inserted.
async fn find_done(
    conn: &impl GenericClient,
    form: &FormId,
    import: &Import,
) -> Result<Option<(i64, i64)>> {
    let sql = "SELECT import, inserted FROM imports
               WHERE form_id = $1 AND fingerprint = $2 AND is_done";
    let found = query::fetch_row(conn, sql, &[&form.as_str(), &&import.fingerprint[..]]).await?;
    found.map(|row| Ok((read_column(&row, 0)?, read_column(&row, 1)?))).transpose()
}

/// Lists an import, or finds a killed run of it and marks that as resumed.
async fn list_or_resume(
    turn: &mut ImportLock,
    form: &FormId,
    import: Import,
) -> Result<(ListedImport, Import)> {
    let id = form.as_str();
    let fingerprint = &import.fingerprint[..];
    let listed_import = |number| ListedImport { form: id.to_owned(), number };
    let sql = "UPDATE imports SET touched_at = now()
               WHERE form_id = $1 AND fingerprint = $2 AND NOT is_done
               RETURNING import, fields, began_at, inserted";
    if let Some(found) = query::fetch_row(turn.conn()?, sql, &[&id, &fingerprint]).await? {
        let fields = serde_json::from_str(read_column(&found, 1)?).map_err(database_error)?;
        let began_at = parse_instant(read_column(&found, 2)?)?;
        let inserted = parse_count(read_column(&found, 3)?)?;
        return Ok((
            listed_import(read_column(&found, 0)?),
            Import { fields, began_at, inserted, ..import },
        ));
    }
    let fields = serde_json::to_string(&import.fields).map_err(database_error)?;
    let tx = turn.begin_transaction().await?;
    // Lock order: the form's row comes before the import's, as in a deletion of the form.
    let sql = "SELECT 1 FROM forms WHERE form_id = $1 FOR KEY SHARE";
    query::fetch_row(&tx, sql, &[&id]).await?;
    // The same content may be imported again, unless it has ids that are taken.
    let sql = "DELETE FROM imports WHERE form_id = $1 AND fingerprint = $2";
    query::execute(&tx, sql, &[&id, &fingerprint]).await?;
    let sql = "INSERT INTO imports (form_id, fingerprint, fields, began_at)
               SELECT form_id, $2, $3, $4 FROM forms WHERE form_id = $1 RETURNING import";
    let began_at = import.began_at.micros();
    let listed = query::fetch_row(&tx, sql, &[&id, &fingerprint, &fields, &began_at]).await?;
    let Some(listed) = listed else {
        return Err(unknown_form(form));
    };
    let number = read_column(&listed, 0)?;
    tx.commit().await.map_err(database_error)?;
    Ok((listed_import(number), import))
}

/// Removes an unfinished import.
async fn remove_unfinished(turn: &mut ImportLock, listed_import: &ListedImport) -> Result<()> {
    let tx = turn.begin_long_transaction().await?;
    let sql = "DELETE FROM imports WHERE form_id = $1 AND import = $2";
    query::execute(&tx, sql, &[&listed_import.form, &listed_import.number]).await?;
    let sql = "DELETE FROM import_rows WHERE form_id = $1 AND import = $2";
    query::execute(&tx, sql, &[&listed_import.form, &listed_import.number]).await?;
    tx.commit().await.map_err(database_error)
}

/// Removes imports into any form that were not continued for seven days. Skips those that another
/// process is removing or continuing.
async fn remove_abandoned(turn: &mut ImportLock) -> Result<()> {
    let tx = turn.begin_long_transaction().await?;
    let sql = "WITH dead AS (
                 DELETE FROM imports WHERE (form_id, fingerprint) IN (
                   SELECT form_id, fingerprint FROM imports
                   WHERE touched_at < now() - INTERVAL '7 days' FOR UPDATE SKIP LOCKED)
                 RETURNING form_id, import)
               DELETE FROM import_rows AS r USING dead
               WHERE r.form_id = dead.form_id AND r.import = dead.import";
    query::execute(&tx, sql, &[]).await?;
    tx.commit().await.map_err(database_error)
}
