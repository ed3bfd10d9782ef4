//! Rows on their way into the database, many at once.

use super::super::super::moving::{TABLES, Table, Value};
use super::super::super::row::{damaged, database};
use super::super::super::{Result, StoreError};
use super::super::ask;
use super::super::days::{self, DAY_US, Days};
use super::super::work::Conn;
use super::encode::type_of;
use contract::FormId;
use deadpool_postgres::Transaction;
use std::collections::BTreeMap;
use std::pin::pin;
use tokio_postgres::binary_copy::BinaryCopyInWriter;

/// Where the numbers of rows go on.
const NUMBERS: &str = "
    SELECT setval(pg_get_serial_sequence('accounts', 'seq'), max(seq)) FROM accounts;
    SELECT setval(pg_get_serial_sequence('people', 'seq'), max(seq)) FROM people;
    SELECT setval(pg_get_serial_sequence('keys', 'seq'), max(seq)) FROM keys;
    SELECT setval(pg_get_serial_sequence('forms', 'seq'), max(seq)) FROM forms;
    SELECT setval(pg_get_serial_sequence('audit', 'seq'), max(seq)) FROM audit;
";

/// Copies rows into a table.
pub(super) async fn copy(tx: &Transaction<'_>, table: &Table, rows: &[Vec<Value>]) -> Result<()> {
    let sql = format!("COPY {} ({}) FROM STDIN BINARY", table.name, columns(table));
    let types: Vec<_> = table.columns.iter().map(|column| type_of(column.kind)).collect();
    let failed = |error: tokio_postgres::Error| told(table, error);
    let sink = tx.copy_in(&sql).await.map_err(failed)?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
    for row in rows {
        if row.len() != types.len() {
            return Err(damaged(format!("a row of `{}` has another length", table.name)));
        }
        writer.as_mut().write_raw(row).await.map_err(failed)?;
    }
    writer.finish().await.map(drop).map_err(failed)
}

/// The columns of a table, as they are copied and read.
pub(super) fn columns(table: &Table) -> String {
    table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// Names the table that an error is of.
fn told(table: &Table, error: tokio_postgres::Error) -> StoreError {
    match database(error) {
        StoreError::Database(error) => {
            let words = super::super::words(error.as_ref());
            database(format!("`{}` cannot be moved: {words}", table.part))
        }
        other => other,
    }
}

/// Adds submissions to the counts by day of their forms.
pub(super) async fn count_days(
    tx: &Transaction<'_>,
    table: &Table,
    rows: &[Vec<Value>],
) -> Result<()> {
    let place = |name| table.columns.iter().position(|column| column.name == name);
    let places = ["form_id", "submitted_at", "utm_source", "utm_medium", "utm_campaign"].map(place);
    let [Some(form), Some(at), Some(source), Some(medium), Some(campaign)] = places else {
        return Err(damaged("submissions lack a column"));
    };
    let mut forms: BTreeMap<&str, Days> = BTreeMap::new();
    for row in rows {
        let (Some(form), Value::Int(at)) = (row[form].text(), &row[at]) else {
            return Err(damaged("a submission has no form or instant"));
        };
        let utm = [source, medium, campaign].map(|place| row[place].text());
        forms.entry(form).or_default().add_compared(at.div_euclid(DAY_US), utm);
    }
    for (form, days) in forms {
        let form: FormId = form.parse().map_err(damaged)?;
        days::add(tx, &form, &days).await?;
    }
    Ok(())
}

/// Does what comes behind all rows.
pub(super) async fn settle(conn: &mut Conn) -> Result<()> {
    conn.batch_execute(NUMBERS).await.map_err(database)?;
    for table in TABLES {
        let sql = format!("ANALYZE {}", table.name);
        conn.batch_execute(&sql).await.map_err(database)?;
    }
    ask::run(conn, "ANALYZE submission_days", &[]).await.map(drop)
}
