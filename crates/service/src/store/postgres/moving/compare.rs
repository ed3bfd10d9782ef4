//! What came, read anew, to be compared with what was there.

use super::super::super::Result;
use super::super::super::moving::{Sum, Sums, Table, Value};
use super::super::super::row::{count, database};
use super::super::ask;
use super::super::work::column;
use super::Target;
use super::write::columns;
use futures_util::{StreamExt as _, pin_mut};
use std::collections::BTreeMap;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// Rows of submissions that are read at once.
const PORTION_ROWS: i64 = 5_000;

impl Target {
    /// Sums a table, and gives each of its rows on the way.
    pub(in crate::store) async fn sum(
        &self,
        table: &Table,
        mut each: impl FnMut(&[Value]) + Send,
    ) -> Result<Sum> {
        let sql = format!("SELECT {} FROM {}", columns(table), table.name);
        let values: [&(dyn ToSql + Sync); 0] = [];
        let rows = self.conn.query_raw(&sql, values).await.map_err(database)?;
        pin_mut!(rows);
        let mut sum = Sum::default();
        while let Some(row) = rows.next().await {
            let row = values_of(table, &row.map_err(database)?)?;
            each(&row);
            sum.add(&row);
        }
        Ok(sum)
    }

    /// Sums the submissions of each form in their order, and gives the number of rows after each
    /// portion. Returns also how many there are in all, also of forms that are not there.
    pub(in crate::store) async fn sum_by_form(
        &self,
        table: &Table,
        mut reached: impl FnMut(u64) + Send,
    ) -> Result<(Sums, u64)> {
        let sql = format!(
            "SELECT {} FROM {} WHERE form_id = $1 AND (submitted_at, id) > ($2, $3)
             ORDER BY submitted_at, id LIMIT $4",
            columns(table),
            table.name
        );
        let portion = self.conn.prepare_cached(&sql).await.map_err(database)?;
        let (mut sums, mut rows) = (Sums::default(), 0);
        for form in ask::rows(&self.conn, "SELECT form_id FROM forms", &[]).await? {
            let form: &str = column(&form, 0)?;
            let mut behind = (i64::MIN, String::new());
            loop {
                let values: ask::Values<'_> = &[&form, &behind.0, &behind.1, &PORTION_ROWS];
                let some = self.conn.query(&portion, values).await.map_err(database)?;
                let Some(last) = some.last() else { break };
                behind = (column(last, 1)?, column(last, 2)?);
                for row in &some {
                    sums.add(&values_of(table, row)?);
                }
                rows += some.len() as u64;
                reached(rows);
            }
        }
        let all = ask::row(&self.conn, "SELECT count(*) FROM submissions", &[]).await?;
        Ok((sums, all.map_or(Ok(0), |row| count(column(&row, 0)?))?))
    }

    /// Returns how many submissions each form counts, and how many by its days.
    pub(in crate::store) async fn counts(&self) -> Result<BTreeMap<String, [u64; 2]>> {
        let sql = "WITH days AS MATERIALIZED (
                     SELECT form_id, sum(submission_count)::BIGINT AS counted
                     FROM submission_days GROUP BY form_id)
                   SELECT f.form_id, f.submission_count, coalesce(d.counted, 0)
                   FROM forms AS f LEFT JOIN days AS d USING (form_id)";
        let rows = ask::rows(&self.conn, sql, &[]).await?;
        let counts =
            |row: &Row| Ok((column(row, 0)?, [count(column(row, 1)?)?, count(column(row, 2)?)?]));
        rows.iter().map(counts).collect()
    }
}

fn values_of(table: &Table, row: &Row) -> Result<Vec<Value>> {
    (0..table.columns.len()).map(|place| column(row, place)).collect()
}
