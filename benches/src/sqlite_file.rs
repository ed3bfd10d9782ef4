//! Direct access to the SQLite file: the speed of SQLite's own reads and writes, and the data in
//! the file.

use crate::Result;
use crate::list_filter::{ListFilter, json_path};
use crate::load::percentile;
use crate::random::Random;
use rusqlite::{Connection, OpenFlags, ToSql};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Key of a row in a form: time in microseconds, and id.
pub(crate) type RowKey = (i64, String);

/// Number of timed reads of each kind.
const READS: usize = 3000;

/// A read-only connection.
pub(crate) struct SqliteFile(Connection);

impl SqliteFile {
    /// Opens the file with the settings of the server's read connections.
    pub(crate) fn open(file: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(file, flags)?;
        conn.execute_batch("PRAGMA query_only = ON; PRAGMA mmap_size = 2147418112;")?;
        Ok(Self(conn))
    }

    /// Returns the keys of all submissions of a form.
    pub(crate) fn row_keys(&self, form: &str) -> Result<Vec<RowKey>> {
        let sql = "SELECT submitted_at, id FROM submissions INDEXED BY submissions_by_time \
                   WHERE form = (SELECT seq FROM forms WHERE id = ?)";
        let mut statement = self.0.prepare(sql)?;
        let rows = statement.query_map([form], |row| row.try_into())?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the values of a column in the newest submissions, most frequent first.
    pub(crate) fn column_values(&self, form: &str, column: &str) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT value FROM (SELECT {column} AS value FROM submissions
               WHERE form = (SELECT seq FROM forms WHERE id = ?) LIMIT 20000)
             WHERE value IS NOT NULL GROUP BY 1 ORDER BY COUNT(*) DESC, 1"
        );
        let mut statement = self.0.prepare(&sql)?;
        let rows = statement.query_map([form], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the search texts of some submissions.
    pub(crate) fn search_texts(&self, form: &str, keys: &[&RowKey]) -> Result<Vec<String>> {
        let sql = "SELECT text FROM submission_texts WHERE form = \
                   (SELECT seq FROM forms WHERE id = ?) AND submitted_at = ? AND id = ?";
        let mut statement = self.0.prepare(sql)?;
        let text = |key: &&RowKey| -> rusqlite::Result<String> {
            let bytes: Vec<u8> = statement.query_row((form, key.0, &key.1), |row| row.get(0))?;
            // The byte FF ends each value. It becomes a line break, which terms do not contain.
            let bytes = bytes.into_iter().map(|byte| if byte == 0xff { b'\n' } else { byte });
            Ok(String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned())
        };
        Ok(keys.iter().map(text).collect::<rusqlite::Result<_>>()?)
    }

    /// Counts the submissions that match a filter, by a scan.
    pub(crate) fn count_matches(&self, form: &str, narrowed: &ListFilter) -> Result<u64> {
        let (from, to) = narrowed.dates.unwrap_or((i64::MIN, i64::MAX));
        let [source, medium, campaign] = &narrowed.utm;
        let mut sql = "SELECT COUNT(*) FROM submissions
                       WHERE form = (SELECT seq FROM forms WHERE id = ?1)
                       AND submitted_at >= ?2 AND submitted_at < ?3
                       AND (?4 IS NULL OR utm_source = ?4) AND (?5 IS NULL OR utm_medium = ?5)
                       AND (?6 IS NULL OR utm_campaign = ?6)"
            .to_owned();
        let mut params: Vec<&dyn ToSql> = vec![&form, &from, &to, source, medium, campaign];
        for (property, label) in &narrowed.labels {
            let path = json_path(*property)
                .ok_or_else(|| format!("`{}` is not in the JSON", property.as_str()))?;
            params.push(label);
            // `json_each` also accepts a single value, and has a column `json` of its own.
            let _ = write!(
                sql,
                " AND EXISTS (SELECT 1 FROM json_each(submissions.json, '{path}') WHERE value = ?{})",
                params.len()
            );
        }
        let count: i64 = self.0.query_row(&sql, params.as_slice(), |row| row.get(0))?;
        Ok(u64::try_from(count)?)
    }

    /// Counts the submissions with a value that contains a folded term, by a scan.
    pub(crate) fn count_text(&self, form: &str, term: &str) -> Result<u64> {
        let sql = "SELECT COUNT(*) FROM submission_texts WHERE form = \
                   (SELECT seq FROM forms WHERE id = ?) AND instr(text, ?) > 0";
        let count: i64 = self.0.query_row(sql, (form, term.as_bytes()), |row| row.get(0))?;
        Ok(u64::try_from(count)?)
    }

    /// Returns the search text of all submissions of a form.
    pub(crate) fn all_text(&self, form: &str) -> Result<Vec<u8>> {
        let sql = "SELECT text FROM submission_texts WHERE form = \
                   (SELECT seq FROM forms WHERE id = ?)";
        let mut all = self.0.prepare(sql)?;
        let mut rows = all.query([form])?;
        let mut text = Vec::new();
        while let Some(row) = rows.next()? {
            text.extend_from_slice(row.get_ref(0)?.as_blob()?);
        }
        Ok(text)
    }

    /// Returns the median times of reading the newest page, a page at a random depth, and one
    /// submission, in microseconds.
    pub(crate) fn reads_us(
        &self,
        form: &str,
        instants: &[i64],
        ids: &[String],
    ) -> Result<[f64; 3]> {
        let seq: i64 =
            self.0.query_row("SELECT seq FROM forms WHERE id = ?", [form], |row| row.get(0))?;
        let page = "SELECT json FROM submissions WHERE form = ? AND submitted_at < ? \
                    ORDER BY submitted_at DESC, id DESC LIMIT 21";
        let page = |before: i64| -> rusqlite::Result<usize> {
            let mut page = self.0.prepare_cached(page)?;
            let rows = page.query_map((seq, before), |row| Ok(row.get_ref(0)?.as_str()?.len()))?;
            rows.sum()
        };
        let statement = |id: &str| -> rusqlite::Result<usize> {
            let mut statement =
                self.0.prepare_cached("SELECT json FROM submissions WHERE id = ?")?;
            statement.query_row([id], |row| Ok(row.get_ref(0)?.as_str()?.len()))
        };
        let mut rng = Random::new(3);
        Ok([
            median_time_us(|| page(i64::MAX))?,
            median_time_us(|| page(*rng.choose(instants)))?,
            median_time_us(|| statement(rng.choose::<String>(ids)))?,
        ])
    }
}

/// Returns the median time of an operation, in microseconds.
fn median_time_us(mut act: impl FnMut() -> rusqlite::Result<usize>) -> Result<f64> {
    let mut times_ns = Vec::new();
    for _ in 0..READS {
        let begin = Instant::now();
        act()?;
        times_ns.push(u64::try_from(begin.elapsed().as_nanos())?);
    }
    Ok(percentile(&times_ns, 50) / 1000.0)
}

/// Measures the rows per second that SQLite writes in batches, each committed to disk, with all
/// tables and indexes of submissions that the service has.
pub(crate) fn batched_rate(data: &Path, scratch: &Path, rows: usize, batch: usize) -> Result<f64> {
    let _ = fs::remove_file(scratch);
    let conn = Connection::open(scratch)?;
    conn.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         PRAGMA cache_size = -32000;",
    )?;
    conn.execute("ATTACH ? AS made", [data.to_string_lossy()])?;
    let tables = ["forms", "submissions", "submission_texts"];
    for table in tables {
        let mut all = conn.prepare(
            "SELECT sql FROM made.sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL
             AND type IN ('table', 'index') ORDER BY type DESC",
        )?;
        for sql in all.query_map([table], |row| row.get::<_, String>(0))? {
            conn.execute_batch(&sql?)?;
        }
    }
    // The owners of the forms are not copied. The foreign key from submissions to forms is checked.
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF; INSERT INTO forms SELECT * FROM made.forms;
         PRAGMA foreign_keys = ON;",
    )?;
    let keys: Vec<(i64, RowKey)> = {
        let mut chunk =
            conn.prepare("SELECT form, submitted_at, id FROM made.submissions LIMIT ?")?;
        let rows = chunk.query_map([i64::try_from(rows)?], |row| {
            Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
        })?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let started_at = Instant::now();
    for chunk in keys.chunks(batch) {
        conn.execute_batch("BEGIN IMMEDIATE")?;
        for (form, (at, id)) in chunk {
            for table in ["submissions", "submission_texts"] {
                let sql = format!(
                    "INSERT INTO {table} SELECT * FROM made.{table}
                     WHERE form = ? AND submitted_at = ? AND id = ?"
                );
                conn.prepare_cached(&sql)?.execute((form, at, id))?;
            }
        }
        conn.execute_batch("COMMIT")?;
    }
    let rate = keys.len() as f64 / started_at.elapsed().as_secs_f64();
    drop(conn);
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", scratch.display()));
    }
    Ok(rate)
}
