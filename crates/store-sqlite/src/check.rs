//! Looking for damage: what a disk, a copy or a hand may have done to the file.
//!
//! A small file is looked through whenever it is opened, a large one while its server runs already.
//! [`full`] looks at everything, also at what SQLite cannot know: each submission is kept twice, as
//! JSON and as the columns that were made of it, and both must say the same. Never mends anything.

use super::accounts::DELETED;
use super::{audit, connect, migrate};
use contract::Submission;
use rusqlite::{Connection, ErrorCode, Row};
use serde_json::Value;
use std::path::Path;
use store::columns::{SubmissionRow, database, split_insight};
use store::{Result, StoreError};

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
    if let Some(finding) = migrate::altered(conn, migrate::MIGRATIONS)? {
        note(report, finding);
    }
    for sql in [INTEGRITY, BELONGING, COUNTS] {
        for finding in conn.prepare(sql)?.query_map([], |row| row.get::<_, String>(0))? {
            let finding = finding?;
            if finding != "ok" {
                note(report, finding.replace('\n', " "));
            }
        }
    }
    for chain in audit::look_through(conn)?.chains {
        if let Some(finding) = chain.finding {
            note(report, format!("the audit log of `{}` is not whole: {finding}", chain.account));
        }
    }
    // Rows of deleted forms are about to be removed.
    let mut all = conn.prepare(
        "SELECT s.id, s.submitted_at, s.utm_source, s.utm_medium, s.utm_campaign, s.json, t.text,
                f.id
         FROM submissions AS s LEFT JOIN submission_texts AS t USING (form, submitted_at, id)
         LEFT JOIN forms AS f ON f.seq = s.form WHERE f.account IS NOT ?",
    )?;
    let mut rows = all.query([DELETED])?;
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
    is_whole(&kept, form.as_deref())
}

/// Whether what is kept of a submission is what its JSON gives, and its JSON what it gives itself
/// when it is written anew: so no name of a member can have changed, nor anything between values.
fn is_whole(kept: &SubmissionRow, form: Option<&str>) -> std::result::Result<(), String> {
    let id = &kept.id;
    let submission: Submission = serde_json::from_str(&kept.json)
        .map_err(|error| format!("submission `{id}` is no submission any more: {error}"))?;
    if Some(submission.form_id.as_str()) != form {
        return Err(format!("submission `{id}` stands in another form than it says"));
    }
    let made = SubmissionRow::new(submission).map_err(|error| error.to_string())?;
    let is_same = is_same(&kept.json, &made.json);
    let made = SubmissionRow { json: kept.json.clone(), has_insight: false, ..made };
    let contradicts = || format!("submission `{id}` contradicts itself");
    if is_same && made == *kept { Ok(()) } else { Err(contradicts()) }
}

/// Whether a submission's JSON is what it becomes when it is read and written anew. A score of many
/// digits may differ by the last of them.
fn is_same(kept: &str, again: &str) -> bool {
    let parts = |json| -> Option<(String, Value)> {
        let (before, insight) = split_insight(json).ok()?;
        let mut read: Value = serde_json::from_str(insight).ok()?;
        let is_plain = serde_json::to_string(&read).is_ok_and(|again| again == insight);
        let has_score = read["sentiment_score"].take().is_number();
        (is_plain && has_score).then(|| (before.to_owned(), read))
    };
    kept == again || parts(kept).is_some_and(|kept| Some(kept) == parts(again))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = concat!(
        r#"{"id":"sub_1","form_id":"frm_1","answers":{"name":"Ada Lovelace","rating":4,"#,
        r#""comment":"The delivery came 3 days late, and nobody answered when I asked why."},"#,
        r#""metadata":{"submitted_at":"2026-03-01T09:30:00.123456Z","ip_country":"DE","#,
        r#""device":"desktop","browser":"Firefox","completion_time_seconds":74,"#,
        r#""utm_source":"newsletter","utm_medium":"email","utm_campaign":"spring"},"#,
        r#""ai_insights":{"sentiment":"mixed","sentiment_score":0.55,"#,
        r#""categories":["delivery"],"language":"en"}}"#,
    );

    /// Whether a submission is whole where its JSON is this.
    fn is_noticed(json: Vec<u8>) -> bool {
        let row = SubmissionRow::new(serde_json::from_str(KEPT).unwrap()).unwrap();
        let Ok(json) = String::from_utf8(json) else { return true };
        is_whole(&SubmissionRow { json, has_insight: false, ..row }, Some("frm_1")).is_err()
    }

    #[test]
    fn most_bits_that_turn_are_noticed() {
        assert!(!is_noticed(KEPT.into()));
        let turned = |place: usize| {
            let mut json = KEPT.as_bytes().to_vec();
            json[place / 8] ^= 1 << (place % 8);
            json
        };
        let bits = KEPT.len() * 8;
        let missed = (0..bits).filter(|place| !is_noticed(turned(*place))).count();
        // Letters by case, keys of answers, and values of the metadata and the insight.
        assert!(missed * 8 < bits, "{missed} of {bits} are missed");
        for score in ["0.30000000000000004", "0.123456789012345678", "1.0", "5e-324"] {
            assert!(!is_noticed(KEPT.replacen("0.55", score, 1).into()), "{score}");
        }
        let renamed = KEPT.replacen("\"browser\"", "\"brovser\"", 1);
        assert!(is_noticed(renamed.into()) && is_noticed(KEPT.replacen(':', ": ", 1).into()));
    }
}
