//! Reads the versions and the answers of days.

use super::day_answers::ReadRow;
use super::{AnswerCache, CachedDays, DayAnswers, DayVersion, is_current};
use crate::days::DAY_US;
use crate::errors::database_error;
use crate::query::{self, read_column};
use contract::FormId;
use deadpool_postgres::Transaction;
use futures_util::future::try_join;
use futures_util::stream::Fuse;
use futures_util::{StreamExt as _, TryStreamExt as _};
use std::collections::HashSet;
use std::pin::{Pin, pin};
use std::sync::Arc;
use store::Result;
use store::answers::{ColumnKey, read_texts};
use store::columns::{damaged_row, parse_count};
use tokio::task::spawn_blocking;
use tokio_postgres::{Row, RowStream};

/// Rows whose answers are read together.
const BATCH_ROWS: usize = 1024;

/// Finds the days that have submissions, in ascending order.
pub(crate) async fn list_days(tx: &Transaction<'_>, form: &FormId) -> Result<Vec<DayVersion>> {
    // A standby that was promoted without the last commits repeats their numbers. So the start time
    // of the server is a part of the version.
    let sql = "SELECT day, sum(submission_count)::BIGINT,
                 concat(pg_postmaster_start_time(), ' ', sum(hashtextextended(
                   concat_ws('|', utm_source, utm_medium, utm_campaign, xmin::TEXT), 0)))
               FROM submission_days WHERE form_id = $1
               GROUP BY day HAVING sum(submission_count) > 0 ORDER BY day";
    let rows = query::fetch_rows(tx, sql, &[&form.as_str()]).await?;
    let of_row = |row: &Row| {
        let rows = parse_count(read_column(row, 1)?)?;
        Ok(DayVersion { day: read_column(row, 0)?, rows, hash: read_column(row, 2)? })
    };
    rows.iter().map(of_row).collect()
}

/// Reads those of some days that are not current into the cache. `rows` is the number of the form's
/// submissions. Returns `false` if the form exceeds the memory limit.
pub(crate) async fn read_days(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    (form, rows): (&FormId, u64),
    listed: &[DayVersion],
    columns: &[ColumnKey],
) -> Result<bool> {
    let known = cache.find_days(form);
    let (changed, unread) = divide(listed, &known, columns);
    for version in changed {
        let before = &known[&version.day];
        let day = read_changed_day(tx, cache, form, version, before).await?;
        if !cache.add_days(form, rows, [Arc::new(day)]) {
            return Ok(false);
        }
    }
    let mut columns = columns.to_vec();
    let others = known.values().flat_map(|day| day.column_keys().iter().cloned());
    for column in others {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let reader = DayReader { tx, cache, form, rows, columns: columns.into() };
    for versions in unread {
        if !reader.read(versions).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the days that have changed since they were cached with these columns, and the runs of
/// consecutive days that must be read as a whole.
fn divide<'a>(
    listed: &'a [DayVersion],
    known: &CachedDays,
    columns: &[ColumnKey],
) -> (Vec<&'a DayVersion>, Vec<&'a [DayVersion]>) {
    let is_unread =
        |version: &DayVersion| known.get(&version.day).is_none_or(|day| !day.has_columns(columns));
    let is_changed =
        |version: &&DayVersion| !is_unread(version) && !is_current(known, version, columns);
    let runs = listed.chunk_by(|a, b| is_unread(a) == is_unread(b));
    (listed.iter().filter(is_changed).collect(), runs.filter(|run| is_unread(&run[0])).collect())
}

/// Reads a day whose columns are cached: only the answers of rows that are new.
async fn read_changed_day(
    tx: &Transaction<'_>,
    cache: &AnswerCache,
    form: &FormId,
    version: &DayVersion,
    before: &DayAnswers,
) -> Result<DayAnswers> {
    let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT FROM submissions
               WHERE form_id = $1 AND submitted_at >= $2 AND submitted_at < $3";
    let (from, to) = span_of(version.day, version.day);
    let found = query::fetch_rows(tx, sql, &[&form.as_str(), &from, &to]).await?;
    let mut rows = Vec::with_capacity(found.len());
    let (mut new_keys, mut new_instants) = (HashSet::new(), Vec::new());
    for row in &found {
        let at: i64 = read_column(row, 0)?;
        let key = cache.key_of(at, read_column(row, 1)?);
        if let Some(known) = before.find_row(key, read_version(row)?) {
            rows.push(known);
        } else {
            new_keys.insert(key);
            new_instants.push(at);
        }
    }
    if !new_instants.is_empty() {
        let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT, json FROM submissions
                   WHERE form_id = $1 AND submitted_at = ANY($2)";
        let found = query::fetch_rows(tx, sql, &[&form.as_str(), &new_instants]).await?;
        let added = read_answers(cache, before.column_keys(), found).await?;
        rows.extend(added.into_iter().filter(|row| new_keys.contains(&row.key)));
    }
    Ok(DayAnswers::new(version.clone(), Arc::clone(before.column_keys()), rows))
}

/// Reads whole days.
struct DayReader<'a> {
    tx: &'a Transaction<'a>,
    cache: &'a AnswerCache,
    form: &'a FormId,
    /// Number of the form's submissions.
    rows: u64,
    columns: Arc<[ColumnKey]>,
}

impl DayReader<'_> {
    /// Reads consecutive listed days into the cache. Returns `false` if the form exceeds the memory
    /// limit.
    async fn read(&self, versions: &[DayVersion]) -> Result<bool> {
        let ([first, ..], [.., last]) = (versions, versions) else { return Ok(true) };
        let sql = "SELECT submitted_at, id, xmin::TEXT::BIGINT, json FROM submissions
                   WHERE form_id = $1 AND submitted_at >= $2 AND submitted_at < $3
                   ORDER BY submitted_at, id";
        let (from, to) = span_of(first.day, last.day);
        let statement = self.tx.prepare_cached(sql).await.map_err(database_error)?;
        let form = self.form.as_str();
        let parameters: query::Parameters<'_> = &[&form, &from, &to];
        let parameters = parameters.iter().copied();
        let stream = self.tx.query_raw(&statement, parameters).await.map_err(database_error)?;
        // The driver's stream fails if it is read after its end.
        let mut stream = pin!(stream.fuse());
        let mut batch = read_batch(stream.as_mut()).await?;
        let mut versions = versions.iter();
        let mut rows: Vec<ReadRow> = Vec::new();
        while !batch.is_empty() {
            let answers = read_answers(self.cache, &self.columns, batch);
            let (added, next) = try_join(answers, read_batch(stream.as_mut())).await?;
            for row in added {
                let day = row.key.0.div_euclid(DAY_US);
                if rows.first().is_some_and(|first| first.key.0.div_euclid(DAY_US) != day)
                    && !self.add_day(&mut versions, &mut rows)?
                {
                    return Ok(false);
                }
                rows.push(row);
            }
            batch = next;
        }
        self.add_day(&mut versions, &mut rows)
    }

    /// Adds the rows of the next day to the cache, and removes them from `rows`.
    fn add_day<'v>(
        &self,
        versions: &mut impl Iterator<Item = &'v DayVersion>,
        rows: &mut Vec<ReadRow>,
    ) -> Result<bool> {
        let Some(first) = rows.first() else { return Ok(true) };
        let day = first.key.0.div_euclid(DAY_US);
        let version = versions.find(|version| version.day == day);
        let version = version.ok_or_else(|| damaged_row("a day with submissions has no count"))?;
        let columns = Arc::clone(&self.columns);
        let day = DayAnswers::new(version.clone(), columns, std::mem::take(rows));
        Ok(self.cache.add_days(self.form, self.rows, [Arc::new(day)]))
    }
}

/// Returns the instants of some days: first inclusive, second exclusive.
fn span_of(first: i64, last: i64) -> (i64, i64) {
    (first.saturating_mul(DAY_US), last.saturating_add(1).saturating_mul(DAY_US))
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
