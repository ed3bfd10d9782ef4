//! Reads the versions and the answers of days.

use super::day_answers::ReadRow;
use super::{AnswerCache, CacheKey, CachedDays, DayAnswers, DayState, DayVersion, FormDays};
use super::{RowKey, state_of};
use crate::days::DAY_US;
use crate::errors::database_error;
use crate::query::{self, read_column};
use contract::FormId;
use deadpool_postgres::Transaction;
use futures_util::future::try_join;
use futures_util::stream::Fuse;
use futures_util::{StreamExt as _, TryStreamExt as _};
use std::pin::{Pin, pin};
use std::sync::Arc;
use store::Result;
use store::answers::{ColumnKey, read_texts};
use store::columns::{damaged_row, parse_count};
use tokio::task::spawn_blocking;
use tokio_postgres::{Row, RowStream};

/// Rows whose answers are read together.
const BATCH_ROWS: usize = 1024;

/// Finds the days of a form.
pub(crate) async fn list_days(tx: &Transaction<'_>, form: &FormId) -> Result<FormDays> {
    let sql = "SELECT day, sum(submission_count)::BIGINT,
                 sum(hashtextextended(
                   concat_ws('|', utm_source, utm_medium, utm_campaign, xmin::TEXT), 0))::TEXT,
                 pg_postmaster_start_time()::TEXT
               FROM submission_days WHERE form_id = $1
               GROUP BY day HAVING sum(submission_count) > 0 ORDER BY day";
    let rows = query::fetch_rows(tx, sql, &[&form.as_str()]).await?;
    let of_row = |row: &Row| {
        let rows = parse_count(read_column(row, 1)?)?;
        Ok(DayVersion { day: read_column(row, 0)?, rows, hash: read_column(row, 2)? })
    };
    let versions = rows.iter().map(of_row).collect::<Result<Vec<_>>>()?;
    let server = rows.first().map_or(Ok(String::new()), |row| read_column(row, 3))?;
    let rows = versions.iter().map(|version| version.rows).sum();
    Ok(FormDays { key: CacheKey { form: form.clone(), server }, rows, versions })
}

/// Reads those of some days that are not current into the cache. Returns `false` if that is not
/// possible, because the form exceeds the memory limit.
pub(crate) async fn read_days(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    days: &FormDays,
    versions: &[DayVersion],
    columns: &[ColumnKey],
) -> Result<bool> {
    let Some(known) = cache.find_days(days) else { return Ok(false) };
    let mut all_columns = columns.to_vec();
    for column in known.values().flat_map(|day| day.column_keys().iter()) {
        if !all_columns.contains(column) {
            all_columns.push(column.clone());
        }
    }
    let is_minimal = all_columns.len() == columns.len();
    let reader = DayReader { tx, cache, days, columns: all_columns.into(), is_minimal };
    let state = |version: &DayVersion| state_of(&known, version, columns);
    for run in versions.chunk_by(|a, b| state(a) == state(b)) {
        let is_read = match state(&run[0]) {
            DayState::Current => true,
            DayState::Changed => reader.read_changed(run, &known).await?,
            DayState::Unread => reader.read_all(run).await?,
        };
        if !is_read {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads runs of consecutive listed days into the cache. Its methods return `false` if the form
/// exceeds the memory limit.
struct DayReader<'a> {
    tx: &'a Transaction<'a>,
    cache: &'a AnswerCache,
    days: &'a FormDays,
    columns: Arc<[ColumnKey]>,
    /// Whether `columns` are only those that are needed now.
    is_minimal: bool,
}

impl DayReader<'_> {
    /// Reads all answers.
    async fn read_all(&self, run: &[DayVersion]) -> Result<bool> {
        let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT, json FROM submissions
                   WHERE form_id = $1 AND submitted_at >= $2 AND submitted_at < $3
                   ORDER BY submitted_at, id";
        let mut stream = pin!(self.stream_rows(sql, run).await?);
        let mut batch = read_batch(stream.as_mut()).await?;
        let mut versions = run.iter();
        let mut rows: Vec<ReadRow> = Vec::new();
        let mut bytes = 0;
        while !batch.is_empty() {
            let answers = read_answers(self.cache, &self.columns, batch);
            let (added, next) = try_join(answers, read_batch(stream.as_mut())).await?;
            for row in added {
                if rows.first().is_some_and(|first| day_of(first.key) != day_of(row.key)) {
                    if !self.add_next_day(&mut versions, std::mem::take(&mut rows)).await? {
                        return Ok(false);
                    }
                    bytes = 0;
                }
                bytes += row.bytes();
                rows.push(row);
            }
            if !self.cache.has_room(self.days, bytes, self.is_minimal) {
                return Ok(false);
            }
            batch = next;
        }
        self.add_next_day(&mut versions, rows).await
    }

    /// Adds the rows of a day, which is one of the next versions.
    async fn add_next_day<'v>(
        &self,
        versions: &mut (impl Iterator<Item = &'v DayVersion> + Send),
        rows: Vec<ReadRow>,
    ) -> Result<bool> {
        let Some(day) = rows.first().map(|row| day_of(row.key)) else { return Ok(true) };
        // Rows without a count would be a damage. A list then reads all rows.
        let Some(version) = versions.find(|version| version.day == day) else { return Ok(false) };
        self.add_day(version, Arc::clone(&self.columns), rows).await
    }

    /// Reads the keys, and the answers of rows that are new or were updated.
    async fn read_changed(&self, run: &[DayVersion], known: &CachedDays) -> Result<bool> {
        let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT FROM submissions
                   WHERE form_id = $1 AND submitted_at >= $2 AND submitted_at < $3
                   ORDER BY submitted_at, id";
        let mut stream = pin!(self.stream_rows(sql, run).await?);
        let (mut rows, mut new): (Vec<ReadRow>, Vec<(i64, String)>) = (Vec::new(), Vec::new());
        while let Some(row) = stream.try_next().await.map_err(database_error)? {
            let (at, id): (i64, &str) = (read_column(&row, 0)?, read_column(&row, 1)?);
            let key = self.cache.key_of(at, id);
            let before = known.get(&day_of(key));
            match before.and_then(|day| day.find_row(key, read_version(&row).ok()?)) {
                Some(row) => rows.push(row),
                None => new.push((at, id.to_owned())),
            }
        }
        let (mut rows, mut new) = (&rows[..], &new[..]);
        for version in run {
            let (of_day, later) =
                rows.split_at(rows.partition_point(|row| day_of(row.key) <= version.day));
            let is_of_day = |(at, _): &(i64, String)| at.div_euclid(DAY_US) <= version.day;
            let (new_of_day, new_later) = new.split_at(new.partition_point(is_of_day));
            (rows, new) = (later, new_later);
            let columns = Arc::clone(known[&version.day].column_keys());
            let mut of_day = of_day.to_vec();
            for keys in new_of_day.chunks(BATCH_ROWS) {
                of_day.extend(self.read_rows(keys, &columns).await?);
            }
            if !self.add_day(version, columns, of_day).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the answers of single rows.
    async fn read_rows(
        &self,
        keys: &[(i64, String)],
        columns: &Arc<[ColumnKey]>,
    ) -> Result<Vec<ReadRow>> {
        let sql = "SELECT s.submitted_at, s.id, s.xmin::TEXT::BIGINT, s.json
                   FROM unnest($2::BIGINT[], $3::TEXT[]) AS n (submitted_at, id)
                     JOIN submissions AS s ON s.form_id = $1
                       AND s.submitted_at = n.submitted_at AND s.id = n.id";
        let instants: Vec<i64> = keys.iter().map(|(at, _)| *at).collect();
        let ids: Vec<&str> = keys.iter().map(|(_, id)| id.as_str()).collect();
        let form = self.days.key.form.as_str();
        let found = query::fetch_rows(self.tx, sql, &[&form, &instants, &ids]).await?;
        read_answers(self.cache, columns, found).await
    }

    async fn add_day(
        &self,
        version: &DayVersion,
        columns: Arc<[ColumnKey]>,
        rows: Vec<ReadRow>,
    ) -> Result<bool> {
        let version = version.clone();
        let make = move || DayAnswers::new(version, columns, rows);
        let day = spawn_blocking(make).await.map_err(database_error)?;
        Ok(self.cache.add_day(self.days, day, self.is_minimal))
    }

    /// Runs a statement with the form and the instants of some days.
    async fn stream_rows(&self, sql: &str, run: &[DayVersion]) -> Result<Fuse<RowStream>> {
        let statement = self.tx.prepare_cached(sql).await.map_err(database_error)?;
        let form = self.days.key.form.as_str();
        let from = run.first().map_or(0, |first| first.day).saturating_mul(DAY_US);
        let to = run.last().map_or(0, |last| last.day.saturating_add(1)).saturating_mul(DAY_US);
        let parameters: query::Parameters<'_> = &[&form, &from, &to];
        let rows = self.tx.query_raw(&statement, parameters.iter().copied()).await;
        // The driver's stream fails if it is read after its end.
        Ok(rows.map_err(database_error)?.fuse())
    }
}

fn day_of(key: RowKey) -> i64 {
    key.0.div_euclid(DAY_US)
}

async fn read_batch(stream: Pin<&mut Fuse<RowStream>>) -> Result<Vec<Row>> {
    stream.take(BATCH_ROWS).try_collect().await.map_err(database_error)
}

fn read_version(row: &Row) -> Result<u32> {
    u32::try_from(read_column::<i64>(row, 2)?).map_err(damaged_row)
}

/// Reads the answers of rows (instant, id, version, JSON) on a blocking thread.
async fn read_answers(
    cache: &AnswerCache,
    columns: &Arc<[ColumnKey]>,
    rows: Vec<Row>,
) -> Result<Vec<ReadRow>> {
    let columns = Arc::clone(columns);
    let keys = rows.iter().map(|row| Ok(cache.key_of(read_column(row, 0)?, read_column(row, 1)?)));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let read = move || {
        let read_row = |(row, key): (&Row, _)| {
            let texts = read_texts(read_column(row, 3)?, &columns)?;
            Ok(ReadRow { key, version: read_version(row)?, texts })
        };
        rows.iter().zip(keys).map(read_row).collect()
    };
    spawn_blocking(read).await.map_err(database_error)?
}
