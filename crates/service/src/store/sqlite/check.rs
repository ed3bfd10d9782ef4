//! Looking for damage: what a disk, a copy or a hand may have done to the file.
//!
//! A small file is looked through whenever it is opened, a large one while its server runs already.
//! [`full`] looks at everything, also at what SQLite cannot know: each submission is kept twice, as
//! JSON and as the columns that were made of it, and both must say the same. Never mends anything.

use super::super::row::{SubmissionRow, database};
use super::super::{Result, StoreError};
use super::connect;
use contract::Submission;
use rusqlite::{Connection, ErrorCode, Row};
use std::path::Path;

/// A file of up to so many bytes is looked through before it is used: some ten milliseconds.
pub(super) const AT_OPEN_BYTES_MAX: u64 = 16 << 20;
/// So many findings are named; there may be more.
const FINDINGS_MAX: usize = 20;

const INTEGRITY: &str = "PRAGMA integrity_check(20)";
const BELONGING: &str = "SELECT 'row ' || rowid || ' of `' || \"table\" || '` belongs to nothing'
    FROM pragma_foreign_key_check";
/// What an import under way has not shown yet is there, but not counted.
const COUNTS: &str = "
    SELECT 'form `' || id || '` counts ' || submission_count || ' submissions, but has ' || n
    FROM (SELECT f.id, f.submission_count,
            (SELECT COUNT(*) FROM submissions AS s WHERE s.form = f.seq)
            - (SELECT COUNT(*) FROM hidden AS h JOIN imports AS i ON i.seq = h.import
               WHERE h.form = f.seq) AS n
          FROM forms AS f)
    WHERE submission_count != n";

/// What a full check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// How many submissions were read.
    pub submissions: u64,
    /// What is wrong, in words; at most twenty, and none where all is well.
    pub findings: Vec<String>,
}

/// Looks at the structure of a file, and returns the first thing that is wrong.
pub(super) fn quick(path: &Path) -> Result<Option<String>> {
    let looked = connect::reader(path).and_then(|conn| {
        conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)).map_err(database)
    });
    match looked {
        Ok(said) if said == "ok" => Ok(None),
        Ok(said) => Ok(Some(said.replace('\n', " "))),
        Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(error),
    }
}

/// Refuses a small file that is damaged.
pub(super) fn at_open(path: &Path) -> Result<()> {
    if is_large(path) {
        return Ok(());
    }
    match quick(path)? {
        None => Ok(()),
        Some(finding) => Err(connect::damaged(path, &finding)),
    }
}

/// Looks through a large file while it is used, and tells the log what is wrong.
pub(super) fn beside(path: &Path) {
    if !is_large(path) {
        return;
    }
    match quick(path) {
        Ok(None) => tracing::info!("the database was looked through; it is whole"),
        Ok(Some(finding)) => tracing::error!("{}", connect::damaged(path, &finding)),
        Err(error) => tracing::warn!(%error, "the database could not be looked through"),
    }
}

fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > AT_OPEN_BYTES_MAX)
}

/// Looks at everything, at one state of the data; others read and write meanwhile.
///
/// # Errors
/// [`StoreError::Unfit`] where there is no database of ours in the file.
pub fn full(path: &Path) -> Result<Report> {
    let conn = connect::existing(path)?;
    let mut report = Report { submissions: 0, findings: Vec::new() };
    let looked = conn
        .unchecked_transaction()
        .and_then(|snapshot| look(&snapshot, &mut report))
        .map_err(|error| error.to_string());
    if let Err(error) = looked
        && report.findings.len() < FINDINGS_MAX
    {
        report.findings.push(error);
    }
    Ok(report)
}

/// Whether an error says that the file is damaged.
pub(super) fn is_damage(error: &StoreError) -> bool {
    let StoreError::Database(source) = error else { return false };
    let code =
        source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn look(conn: &Connection, report: &mut Report) -> rusqlite::Result<()> {
    for sql in [INTEGRITY, BELONGING, COUNTS] {
        for finding in conn.prepare(sql)?.query_map([], |row| row.get::<_, String>(0))? {
            let finding = finding?;
            if finding != "ok" {
                note(report, finding.replace('\n', " "));
            }
        }
    }
    let mut all = conn.prepare(
        "SELECT s.id, s.submitted_at, s.utm_source, s.utm_medium, s.utm_campaign, s.json, t.text,
                f.id
         FROM submissions AS s LEFT JOIN submission_texts AS t USING (form, submitted_at, id)
         LEFT JOIN forms AS f ON f.seq = s.form",
    )?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        report.submissions += 1;
        if let Err(why) = agree(row) {
            note(report, why);
        }
    }
    Ok(())
}

fn note(report: &mut Report, finding: String) {
    if report.findings.len() < FINDINGS_MAX {
        report.findings.push(finding);
    }
}

/// Whether a submission's columns are those that its JSON gives.
fn agree(row: &Row<'_>) -> std::result::Result<(), String> {
    let read = || -> rusqlite::Result<(SubmissionRow, Option<String>)> {
        let id: String = row.get(0)?;
        let columns = SubmissionRow {
            id,
            submitted_at: row.get(1)?,
            utm_source: row.get(2)?,
            utm_medium: row.get(3)?,
            utm_campaign: row.get(4)?,
            json: row.get(5)?,
            text: row.get::<_, Option<Vec<u8>>>(6)?.unwrap_or_default(),
            // No column of its own: the JSON tells.
            has_insight: false,
        };
        Ok((columns, row.get(7)?))
    };
    let (kept, form) = read().map_err(|error| format!("a submission cannot be read: {error}"))?;
    let id = &kept.id;
    let submission: Submission = serde_json::from_str(&kept.json)
        .map_err(|error| format!("submission `{id}` is no submission any more: {error}"))?;
    if Some(submission.form_id.as_str()) != form.as_deref() {
        return Err(format!("submission `{id}` stands in another form than it says"));
    }
    let made = SubmissionRow::new(submission).map_err(|error| error.to_string())?;
    let made = SubmissionRow { json: kept.json.clone(), has_insight: false, ..made };
    if made == kept { Ok(()) } else { Err(format!("submission `{id}` contradicts itself")) }
}
