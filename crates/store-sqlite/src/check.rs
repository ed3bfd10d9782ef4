//! Checks a database file for damage by a disk, a copy or a manual edit. Never repairs anything.
//!
//! A small file is checked when it is opened, a large one in the background while the server runs.
//! [`check_all`] also checks facts unknown to SQLite: each submission is stored twice, as JSON and
//! as columns derived from the JSON, and both must agree.

use super::accounts::DELETED_ACCOUNT;
use super::{audit, connect, migrate};
use contract::{ErrorBody, Submission};
use rusqlite::{Connection, ErrorCode, Row};
use serde_json::Value;
use std::path::Path;
use store::columns::{SubmissionRow, database_error, split_insight};
use store::triage::StoredTriage;
use store::{Result, StoreError};

/// Largest file that is checked when it is opened: this takes about ten milliseconds.
pub(super) const AT_OPEN_BYTES_MAX: u64 = 16 << 20;
/// Maximum number of findings in a report.
const FINDINGS_MAX: usize = 20;

const INTEGRITY_SQL: &str = "PRAGMA integrity_check(20)";
const FOREIGN_KEYS_SQL: &str =
    "SELECT 'row ' || rowid || ' of `' || \"table\" || '` belongs to nothing'
    FROM pragma_foreign_key_check";
/// Compares counts with rows. Rows of an unfinished import exist, but are not counted yet.
const COUNTS_SQL: &str = "
    SELECT 'form `' || id || '` counts ' || submission_count || ' submissions, but has ' || n
    FROM (SELECT f.id, f.submission_count,
            (SELECT COUNT(*) FROM submissions AS s WHERE s.form = f.seq)
            - (SELECT COUNT(*) FROM hidden AS h JOIN imports AS i ON i.seq = h.import
               WHERE h.form = f.seq) AS n
          FROM forms AS f)
    WHERE submission_count != n";

/// Result of a full check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Number of submissions read.
    pub submissions: u64,
    /// Descriptions of the damage, at most twenty. Empty if the file is sound.
    pub findings: Vec<String>,
}

/// Checks the structure of a file, and returns the first finding.
pub(super) fn quick_check(path: &Path) -> Result<Option<String>> {
    let result = connect::open_reader(path).and_then(|conn| {
        conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
            .map_err(database_error)
    });
    match result {
        Ok(finding) if finding == "ok" => Ok(None),
        Ok(finding) => Ok(Some(finding.replace('\n', " "))),
        Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(error),
    }
}

/// Checks a small file; fails if it is damaged.
pub(super) fn check_at_open(path: &Path) -> Result<()> {
    if is_large(path) {
        return Ok(());
    }
    match quick_check(path)? {
        None => Ok(()),
        Some(finding) => Err(connect::damage_error(path, &finding)),
    }
}

/// Checks a large file in the background, and logs the result.
pub(super) fn check_large_file(path: &Path) {
    if !is_large(path) {
        return;
    }
    match quick_check(path) {
        Ok(None) => tracing::info!("database check passed"),
        Ok(Some(finding)) => tracing::error!("{}", connect::damage_error(path, &finding)),
        Err(error) => tracing::warn!(%error, "database check could not run"),
    }
}

fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > AT_OPEN_BYTES_MAX)
}

/// Checks everything in one snapshot; other connections may read and write meanwhile.
///
/// # Errors
/// [`StoreError::Unusable`] if the file is not a Sheaf database, or has another schema version.
pub fn check_all(path: &Path) -> Result<CheckReport> {
    let conn = connect::open_existing(path)?;
    // Damage that hides the version is found below.
    if let Ok(Some(error)) = migrate::find_other_version(path, &conn, migrate::MIGRATIONS) {
        return Err(error);
    }
    let mut report = CheckReport { submissions: 0, findings: Vec::new() };
    let result = conn
        .unchecked_transaction()
        .and_then(|snapshot| collect_findings(&snapshot, &mut report))
        .map_err(|error| error.to_string());
    if let Err(error) = result
        && report.findings.len() < FINDINGS_MAX
    {
        report.findings.push(error);
    }
    Ok(report)
}

/// Whether SQLite reported the file as damaged.
pub(super) fn is_damage(error: &StoreError) -> bool {
    let StoreError::Database(source) = error else { return false };
    let code =
        source.downcast_ref::<rusqlite::Error>().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn collect_findings(conn: &Connection, report: &mut CheckReport) -> rusqlite::Result<()> {
    if let Some(finding) = migrate::find_altered(conn, migrate::MIGRATIONS)? {
        add_finding(report, finding);
    }
    for sql in [INTEGRITY_SQL, FOREIGN_KEYS_SQL, COUNTS_SQL] {
        for finding in conn.prepare(sql)?.query_map([], |row| row.get::<_, String>(0))? {
            let finding = finding?;
            if finding != "ok" {
                add_finding(report, finding.replace('\n', " "));
            }
        }
    }
    for chain in audit::look_through(conn)?.chains {
        if let Some(finding) = chain.finding {
            add_finding(
                report,
                format!("the audit log of `{}` is damaged: {finding}", chain.account),
            );
        }
    }
    // Rows of deleted forms are skipped: they are about to be removed.
    let mut statement = conn.prepare(
        "SELECT s.id, s.submitted_at, s.utm_source, s.utm_medium, s.utm_campaign, s.json, t.text,
                f.id, s.triage
         FROM submissions AS s LEFT JOIN submission_texts AS t USING (form, submitted_at, id)
         LEFT JOIN forms AS f ON f.seq = s.form WHERE f.account IS NOT ?",
    )?;
    let mut rows = statement.query([DELETED_ACCOUNT])?;
    while let Some(row) = rows.next()? {
        report.submissions += 1;
        if let Err(finding) = check_row(row) {
            add_finding(report, finding);
        }
    }
    Ok(())
}

fn add_finding(report: &mut CheckReport, finding: String) {
    if report.findings.len() < FINDINGS_MAX {
        report.findings.push(finding);
    }
}

/// Checks that the columns of a submission match its JSON.
fn check_row(row: &Row<'_>) -> std::result::Result<(), String> {
    let read = || -> rusqlite::Result<(SubmissionRow, Option<String>, Option<String>)> {
        let id: String = row.get(0)?;
        let columns = SubmissionRow {
            id,
            submitted_at: row.get(1)?,
            utm_source: row.get(2)?,
            utm_medium: row.get(3)?,
            utm_campaign: row.get(4)?,
            json: row.get(5)?,
            text: row.get::<_, Option<Vec<u8>>>(6)?.unwrap_or_default(),
            // Not a column of its own: it follows from the JSON.
            has_insight: false,
        };
        Ok((columns, row.get(7)?, row.get(8)?))
    };
    let (columns, form, triage) =
        read().map_err(|error| format!("a submission cannot be read: {error}"))?;
    check_columns(&columns, form.as_deref())?;
    triage.map_or(Ok(()), |json| check_triage(&columns.id, &json))
}

/// Checks that a stored triage has the JSON that is written for it.
fn check_triage(id: &str, json: &str) -> std::result::Result<(), String> {
    let column = StoredTriage::parse(Some(json)).and_then(|triage| triage.to_column());
    let is_same = column.is_ok_and(|column| column.as_deref() == Some(json));
    if is_same { Ok(()) } else { Err(format!("submission `{id}` has an invalid triage")) }
}

/// Checks that stored columns match the JSON, and that parsing and serialising the JSON reproduces
/// it. The second check detects changed member names and changes between values.
fn check_columns(stored: &SubmissionRow, form: Option<&str>) -> std::result::Result<(), String> {
    let id = &stored.id;
    let submission: Submission = serde_json::from_str(&stored.json).map_err(|error| {
        let reason = ErrorBody::bound_message(&error.to_string());
        format!("submission `{id}` has invalid JSON: {reason}")
    })?;
    if Some(submission.form_id.as_str()) != form {
        return Err(format!("submission `{id}` is stored in another form than its `form_id`"));
    }
    let rebuilt = SubmissionRow::new(submission).map_err(|error| error.to_string())?;
    let is_same = is_same_json(&stored.json, &rebuilt.json);
    let rebuilt = SubmissionRow { json: stored.json.clone(), has_insight: false, ..rebuilt };
    let contradicts = || format!("submission `{id}` has columns that do not match its JSON");
    if is_same && rebuilt == *stored { Ok(()) } else { Err(contradicts()) }
}

/// Whether two JSON texts of a submission are equal. The sentiment score may differ: the last of
/// many digits can change in a round trip.
fn is_same_json(stored: &str, rebuilt: &str) -> bool {
    let parts = |json| -> Option<(String, Value)> {
        let (before, insight) = split_insight(json).ok()?;
        let mut read: Value = serde_json::from_str(insight).ok()?;
        let is_plain = serde_json::to_string(&read).is_ok_and(|rebuilt| rebuilt == insight);
        let has_score = read["sentiment_score"].take().is_number();
        (is_plain && has_score).then(|| (before.to_owned(), read))
    };
    stored == rebuilt || parts(stored).is_some_and(|expected| Some(expected) == parts(rebuilt))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBMISSION_JSON: &str = concat!(
        r#"{"id":"sub_1","form_id":"frm_1","answers":{"name":"Ada Lovelace","rating":4,"#,
        r#""comment":"The delivery came 3 days late, and nobody answered when I asked why."},"#,
        r#""metadata":{"submitted_at":"2026-03-01T09:30:00.123456Z","ip_country":"DE","#,
        r#""device":"desktop","browser":"Firefox","completion_time_seconds":74,"#,
        r#""utm_source":"newsletter","utm_medium":"email","utm_campaign":"spring"},"#,
        r#""ai_insights":{"sentiment":"mixed","sentiment_score":0.55,"#,
        r#""categories":["delivery"],"language":"en"}}"#,
    );

    /// Whether a submission with this JSON is reported as damaged.
    fn is_noticed(json: Vec<u8>) -> bool {
        let row = SubmissionRow::new(serde_json::from_str(SUBMISSION_JSON).unwrap()).unwrap();
        let Ok(json) = String::from_utf8(json) else { return true };
        check_columns(&SubmissionRow { json, has_insight: false, ..row }, Some("frm_1")).is_err()
    }

    #[test]
    fn most_bit_flips_are_detected() {
        assert!(!is_noticed(SUBMISSION_JSON.into()));
        let inverted = |place: usize| {
            let mut json = SUBMISSION_JSON.as_bytes().to_vec();
            json[place / 8] ^= 1 << (place % 8);
            json
        };
        let bits = SUBMISSION_JSON.len() * 8;
        let missed = (0..bits).filter(|place| !is_noticed(inverted(*place))).count();
        // Undetected: the case of letters, keys of answers, and values of the metadata and the
        // insight.
        assert!(missed * 8 < bits, "{missed} of {bits} bit flips were missed");
        for score in ["0.30000000000000004", "0.123456789012345678", "1.0", "5e-324"] {
            assert!(!is_noticed(SUBMISSION_JSON.replacen("0.55", score, 1).into()), "{score}");
        }
        let renamed = SUBMISSION_JSON.replacen("\"browser\"", "\"brovser\"", 1);
        assert!(
            is_noticed(renamed.into()) && is_noticed(SUBMISSION_JSON.replacen(':', ": ", 1).into())
        );
    }
}
