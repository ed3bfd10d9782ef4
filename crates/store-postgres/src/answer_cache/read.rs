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
use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use store::Result;
use store::answers::{ColumnKey, read_texts};
use store::columns::{damaged_row, parse_count};
use tokio::task::spawn_blocking;
use tokio_postgres::{Row, RowStream};

/// Number of rows in a batch.
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

/// Reads those of some days that are not current into the cache, and returns all of them. Returns
/// `None` if the form exceeds the memory limit, or if the answers of more than `new_rows_max` rows
/// must be read.
pub(crate) async fn read_days(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    days: &FormDays,
    (versions, columns): (&[DayVersion], &[ColumnKey]),
    new_rows_max: usize,
) -> Result<Option<CachedDays>> {
    let Some(known) = cache.find_days(days, columns) else { return Ok(None) };
    let state = |version: &DayVersion| state_of(&known, version, columns);
    let mut all_columns = columns.to_vec();
    for column in known.values().flat_map(|day| day.column_keys().iter()) {
        if !all_columns.contains(column) {
            all_columns.push(column.clone());
        }
    }
    let columns = all_columns.into();
    let mut reader = DayReader { tx, cache, days, columns, new_rows_max, read: Vec::new() };
    for run in versions.chunk_by(|a, b| state(a) == state(b)) {
        let is_read = match state(&run[0]) {
            DayState::Current => true,
            DayState::Changed => reader.read_changed(run, &known).await?,
            DayState::Unread => reader.read_all(run).await?,
        };
        if !is_read {
            return Ok(None);
        }
    }
    let mut all = Arc::unwrap_or_clone(known);
    all.extend(reader.read.into_iter().map(|day| (day.version().day, day)));
    Ok(Some(all))
}

/// Rows that were found in a changed day.
#[derive(Default)]
struct FoundRows {
    /// Indexes of the cached rows that are the same.
    known: Vec<usize>,
    /// Instants and ids of the other rows.
    new: Vec<(i64, String)>,
}

/// Reads runs of consecutive listed days into the cache. Its methods return `false` if that is not
/// possible.
struct DayReader<'a> {
    tx: &'a Transaction<'a>,
    cache: &'a AnswerCache,
    days: &'a FormDays,
    columns: Arc<[ColumnKey]>,
    /// Number of further rows that may be read with their answers.
    new_rows_max: usize,
    /// The days that were read.
    read: Vec<Arc<DayAnswers>>,
}

impl DayReader<'_> {
    /// Reads all answers.
    async fn read_all(&mut self, run: &[DayVersion]) -> Result<bool> {
        let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT, json FROM submissions
                   WHERE form_id = $1 AND submitted_at >= $2 AND submitted_at < $3
                   ORDER BY submitted_at, id";
        let mut stream = pin!(self.stream_rows(sql, run).await?);
        let mut batch = read_batch(stream.as_mut()).await?;
        let mut versions = run.iter();
        let mut rows: Vec<ReadRow> = Vec::new();
        let mut bytes = 0;
        while !batch.is_empty() {
            if !self.take_new_rows(batch.len()) {
                return Ok(false);
            }
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
            if !self.cache.has_room(self.days, &self.columns, bytes) {
                return Ok(false);
            }
            batch = next;
        }
        self.add_next_day(&mut versions, rows).await
    }

    /// Adds the rows of a day, which is one of the next versions.
    async fn add_next_day<'v>(
        &mut self,
        versions: &mut (impl Iterator<Item = &'v DayVersion> + Send),
        rows: Vec<ReadRow>,
    ) -> Result<bool> {
        let Some(day) = rows.first().map(|row| day_of(row.key)) else { return Ok(true) };
        // Rows without a count would be a damage. A list then reads all rows.
        let Some(version) = versions.find(|version| version.day == day) else { return Ok(false) };
        self.add_day(version, Arc::clone(&self.columns), rows).await
    }

    /// Reads the keys, and the answers of rows that are new or were updated.
    async fn read_changed(&mut self, run: &[DayVersion], known: &CachedDays) -> Result<bool> {
        let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT FROM submissions
                   WHERE form_id = $1 AND submitted_at >= $2 AND submitted_at < $3
                   ORDER BY submitted_at, id";
        let mut stream = pin!(self.stream_rows(sql, run).await?);
        let mut found: HashMap<i64, FoundRows> = HashMap::new();
        while let Some(row) = stream.try_next().await.map_err(database_error)? {
            let (at, id): (i64, &str) = (read_column(&row, 0)?, read_column(&row, 1)?);
            let key = self.cache.key_of(at, id);
            let version = read_version(&row)?;
            let before = known.get(&day_of(key)).and_then(|day| day.find_version(key, version));
            let of_day = found.entry(day_of(key)).or_default();
            match before {
                Some(row) => of_day.known.push(row),
                None if self.take_new_rows(1) => of_day.new.push((at, id.to_owned())),
                None => return Ok(false),
            }
        }
        for version in run {
            let FoundRows { known: kept, new } = found.remove(&version.day).unwrap_or_default();
            let before = &known[&version.day];
            let columns = Arc::clone(before.column_keys());
            let mut of_day: Vec<ReadRow> = kept.into_iter().map(|row| before.row(row)).collect();
            let mut bytes = 0;
            for keys in new.chunks(BATCH_ROWS) {
                let added = self.read_rows(keys, &columns).await?;
                bytes += added.iter().map(ReadRow::bytes).sum::<usize>();
                of_day.extend(added);
                if !self.cache.has_room(self.days, &columns, bytes) {
                    return Ok(false);
                }
            }
            if !self.add_day(version, columns, of_day).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Subtracts rows from those that may be read. Returns `false` if there are too few.
    fn take_new_rows(&mut self, rows: usize) -> bool {
        let remaining = self.new_rows_max.checked_sub(rows);
        self.new_rows_max = remaining.unwrap_or_default();
        remaining.is_some()
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
        &mut self,
        version: &DayVersion,
        columns: Arc<[ColumnKey]>,
        rows: Vec<ReadRow>,
    ) -> Result<bool> {
        let version = version.clone();
        let make = move || DayAnswers::new(version, columns, rows);
        let day = Arc::new(spawn_blocking(make).await.map_err(database_error)?);
        self.read.push(Arc::clone(&day));
        Ok(self.cache.add_day(self.days, day))
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
