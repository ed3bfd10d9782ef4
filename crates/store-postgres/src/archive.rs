//! The database as the source or the target of an archive.
//!
//! A restore is one transaction, so an interrupted restore leaves the database unchanged.

mod prepare;
mod values;

use super::connect::{Connections, Migrate, Setup};
use super::pool::WHOLE_TABLE_TIMEOUT;
use super::query::read_column;
use super::text_encoding::{encode_indexed, encode_searched};
use super::transaction::Conn;
use super::triage::{TriageColumns, TriageWrite};
use super::{insert, migrate, query};
use crate::errors::database_error;
use async_trait::async_trait;
use contract::Timestamp;
use deadpool_postgres::Transaction;
use futures_util::{StreamExt as _, pin_mut};
use std::io::{Read, Write};
use std::pin::pin;
use store::archive::{
    self, Archive, DumpSource, IS_INDEXED, ProgressCallback, RestoreTarget, RowCallback,
    SUBMISSIONS, Section, TABLES, TableSum, UNLISTED, Value,
};
use store::columns::{SubmissionRow, parse_count};
use store::{Result, StoreError};
use tokio_postgres::IsolationLevel;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

/// No timeouts, because an archive may be read or written slowly, for instance over a network. All
/// large reads follow a primary key; without statistics the planner may choose another plan.
const SETTINGS: &str = "
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL statement_timeout = 0;
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_sort = off;
";

/// Sets the sequences to the last row numbers.
const SET_SEQUENCES: &str = "
    SELECT setval(pg_get_serial_sequence('accounts', 'seq'), max(seq)) FROM accounts;
    SELECT setval(pg_get_serial_sequence('people', 'seq'), max(seq)) FROM people;
    SELECT setval(pg_get_serial_sequence('keys', 'seq'), max(seq)) FROM keys;
    SELECT setval(pg_get_serial_sequence('forms', 'seq'), max(seq)) FROM forms;
    SELECT setval(pg_get_serial_sequence('audit', 'seq'), max(seq)) FROM audit;
    SELECT setval(pg_get_serial_sequence('deliveries', 'seq'), max(seq)) FROM deliveries;
    SELECT setval(pg_get_serial_sequence('pending_mails', 'seq'), max(seq)) FROM pending_mails;
    SELECT setval(pg_get_serial_sequence('account_mails', 'seq'), max(seq)) FROM account_mails;
";

/// Writes an archive of a database. Other processes may write meanwhile. Returns the checksum of
/// each table, and the writer.
///
/// # Errors
/// [`StoreError::Unusable`] if the database does not belong to Sheaf, or the archive cannot be
/// written.
pub async fn dump<W: Write + Send>(
    setup: &Setup,
    to: W,
    now: Timestamp,
    progress: &mut ProgressCallback<'_>,
) -> Result<(Vec<TableSum>, W)> {
    let (_connections, mut conn) = open_connection(setup, Migrate::Never).await?;
    let tx = conn.build_transaction().isolation_level(IsolationLevel::RepeatableRead);
    let tx = tx.read_only(true).start().await.map_err(database_error)?;
    tx.batch_execute(SETTINGS).await.map_err(database_error)?;
    archive::dump(&mut Snapshot { tx: &tx }, to, now, progress).await
}

/// Fills an empty database from an archive. Returns the checksum of each table. After an error the
/// database is unchanged.
///
/// # Errors
/// [`StoreError::Unusable`] if the archive is damaged or of a newer version, or the database has
/// data or is in use.
pub async fn restore<R: Read + Send>(
    from: R,
    setup: &Setup,
    progress: &mut ProgressCallback<'_>,
) -> Result<Vec<TableSum>> {
    let archive = Archive::open(from)?;
    // Do not migrate a database that has data.
    let (_connections, mut conn) = open_connection(setup, Migrate::IfEmpty).await?;
    prepare::wait_until_unused(&conn).await?;
    let tx = conn.transaction().await.map_err(database_error)?;
    tx.batch_execute(SETTINGS).await.map_err(database_error)?;
    prepare::prepare_empty(&tx).await?;
    let done = archive.restore(&mut Snapshot { tx: &tx }, progress).await;
    match &done {
        Ok(_) => tx.commit().await.map_err(database_error)?,
        // This error matters more than one of the rollback. A lost connection ends the transaction,
        // too.
        Err(_) => tx.rollback().await.unwrap_or_default(),
    }
    done
}

async fn open_connection(setup: &Setup, migrate: Migrate) -> Result<(Connections, Conn)> {
    let setup = Setup {
        connections_max: 1,
        long_statement_timeout: WHOLE_TABLE_TIMEOUT,
        replica_url: None,
        migrate,
        ..setup.clone()
    };
    let connections = Connections::open(&setup, migrate::MIGRATIONS).await?;
    let conn = connections.get_long().await?;
    Ok((connections, conn))
}

/// A database within a transaction.
struct Snapshot<'t> {
    tx: &'t Transaction<'t>,
}

#[async_trait]
impl DumpSource for Snapshot<'_> {
    async fn count_submissions(&mut self) -> Result<u64> {
        let sql = "SELECT coalesce(sum(submission_count), 0)::BIGINT FROM forms";
        let row = query::fetch_one(self.tx, sql, &[]).await?;
        parse_count(read_column(&row, 0)?)
    }

    async fn read_table(&mut self, section: &Section, on_row: &mut RowCallback<'_>) -> Result<()> {
        let sql = select_statement(section);
        if !section.table.is_by_form {
            return self.read_rows(section, &sql, &[], on_row).await;
        }
        let forms =
            query::fetch_rows(self.tx, "SELECT form_id FROM forms ORDER BY form_id", &[]).await?;
        for form in &forms {
            let form: &str = read_column(form, 0)?;
            self.read_rows(section, &sql, &[&form], on_row).await?;
        }
        Ok(())
    }
}

impl Snapshot<'_> {
    async fn read_rows(
        &self,
        section: &Section,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
        on_row: &mut RowCallback<'_>,
    ) -> Result<()> {
        let statement = self.tx.prepare_cached(sql).await.map_err(database_error)?;
        let values = values.iter().copied();
        let rows = self.tx.query_raw(&statement, values).await.map_err(database_error)?;
        pin_mut!(rows);
        while let Some(row) = rows.next().await {
            on_row(&values::read_row(section, &row.map_err(database_error)?)?)?;
        }
        Ok(())
    }
}

/// Returns the statement that reads a table, or its rows of one form.
fn select_statement(section: &Section) -> String {
    let table = section.table;
    let columns: Vec<_> = section.columns.iter().map(|column| column.postgres).collect();
    let of_form = if table.is_by_form { " WHERE form_id = $1" } else { "" };
    let order = match table.order {
        [] => String::new(),
        order => format!(" ORDER BY {}", order.join(", ")),
    };
    format!("SELECT {} FROM {}{of_form}{order}", columns.join(", "), table.name)
}

#[async_trait]
impl RestoreTarget for Snapshot<'_> {
    async fn write_rows(&mut self, section: &Section, rows: Vec<Vec<Value>>) -> Result<()> {
        match section.table.name {
            SUBMISSIONS => self.write_submissions(section, &rows).await,
            _ => self.copy_rows(section, rows).await,
        }
    }

    async fn finish(&mut self) -> Result<()> {
        let tx = self.tx;
        prepare::finish_restore(tx).await?;
        tx.batch_execute(SET_SEQUENCES).await.map_err(database_error)?;
        for table in TABLES.iter().map(|table| table.name).chain(["submission_days"]) {
            tx.batch_execute(&format!("ANALYZE {table}")).await.map_err(database_error)?;
        }
        Ok(())
    }
}

impl Snapshot<'_> {
    async fn write_submissions(&self, section: &Section, rows: &[Vec<Value>]) -> Result<()> {
        let read = |row: &Vec<Value>| -> Result<_> {
            let (form, submission) = archive::submission_row(section, row)?;
            Ok((form, submission, read_triage(section, row)?))
        };
        let rows = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
        for rows in rows.chunk_by(|(form, ..), (next, ..)| form == next) {
            let Some((form, ..)) = rows.first() else { continue };
            let submissions: Vec<&SubmissionRow> = rows.iter().map(|(_, row, _)| row).collect();
            insert::insert_counted(self.tx, form, &submissions).await?;
            let mut changes = TriageWrite::default();
            for (_, row, columns) in rows.iter().filter(|(.., columns)| columns.triage.is_some()) {
                changes.push(row.submitted_at, row.id.clone(), columns.clone());
            }
            changes.run(self.tx, form).await?;
        }
        Ok(())
    }

    async fn copy_rows(&self, section: &Section, rows: Vec<Vec<Value>>) -> Result<()> {
        let stored = section.columns.iter().filter(|column| column.name != IS_INDEXED);
        let (mut names, mut types): (Vec<_>, Vec<_>) =
            stored.map(|column| (column.name, values::type_of(column.kind))).unzip();
        if section.table.name == UNLISTED {
            names.extend(["utm_source", "utm_medium", "utm_campaign", "searched"]);
            names.extend(["status", "is_starred", "tags", "assignee"]);
            types.extend([Type::TEXT, Type::TEXT, Type::TEXT, Type::TEXT]);
            types.extend([Type::TEXT, Type::BOOL, Type::TEXT, Type::TEXT]);
        }
        let sql = format!("COPY {} ({}) FROM STDIN BINARY", section.table.name, names.join(", "));
        let failed = |error: tokio_postgres::Error| restore_error(section, error);
        let sink = self.tx.copy_in(&sql).await.map_err(failed)?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in rows {
            let derived = derived_columns(section, &row)?;
            let stored = section.columns.iter().zip(row);
            let stored = stored.filter(|(column, _)| column.name != IS_INDEXED);
            let stored = stored.map(|(column, value)| values::to_column_value(column.kind, value));
            let row: Vec<_> = stored.chain(derived).map(values::ArchiveCell).collect();
            writer.as_mut().write_raw(&row).await.map_err(failed)?;
        }
        writer.finish().await.map(drop).map_err(failed)
    }
}

/// Returns the columns of the triage of a row.
fn read_triage(section: &Section, row: &[Value]) -> Result<TriageColumns> {
    let triage = archive::row_triage(section, row)?;
    triage.map_or_else(|| Ok(TriageColumns::default()), |(_, triage)| TriageColumns::new(&triage))
}

/// Returns the derived columns of a row.
fn derived_columns(section: &Section, row: &[Value]) -> Result<Vec<Value>> {
    if section.table.name != UNLISTED {
        return Ok(Vec::new());
    }
    let text = |text: Option<String>| text.map_or(Value::Null, Value::Text);
    let mut derived = match archive::indexed_submission(section, row)? {
        Some(SubmissionRow { utm_source, utm_medium, utm_campaign, text: searched, .. }) => {
            let utm = [utm_source, utm_medium, utm_campaign];
            let utm = utm.map(|value| value.map(|value| encode_indexed(&value).into_owned()));
            let searched = encode_searched(&searched).map_err(database_error)?;
            utm.into_iter().chain([Some(searched)]).map(text).collect()
        }
        None => vec![Value::Null; 4],
    };
    let TriageColumns { status, is_starred, tags, assignee, .. } = read_triage(section, row)?;
    let is_starred = is_starred.map_or(Value::Null, Value::Bool);
    derived.extend([text(status), is_starred, text(tags), text(assignee)]);
    Ok(derived)
}

fn restore_error(section: &Section, error: tokio_postgres::Error) -> StoreError {
    match database_error(error) {
        StoreError::Database(error) | StoreError::Unavailable(error) => {
            StoreError::Unusable(format!(
                "rows of the table `{}` of the archive cannot be restored: {error}",
                section.table.name,
            ))
        }
        other => other,
    }
}
