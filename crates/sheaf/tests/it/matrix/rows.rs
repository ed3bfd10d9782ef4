//! Snapshot of all rows of an account in the database file.

use super::fixture::TwoAccounts;
use rusqlite::types::Value;
use std::collections::BTreeSet;

/// Tables that belong to no account, and the ends of the audit log.
const UNOWNED_TABLES: [&str; 8] = [
    "schema_migrations",
    "secrets",
    "chores",
    "audit_heads",
    "audit_starts",
    // Sequence numbers of deleted forms.
    "deleted_forms",
    // Recipients, not accounts. Empty without e-mail.
    "account_mails",
    "auto_reply_addresses",
];
/// Prefix of rows that may be added: refusals are audited.
const AUDIT_PREFIX: &str = "audit ";
/// Columns with the time of the last use. Allowed reads of the owner change them.
const LAST_USE_COLUMNS: [&str; 2] = ["last_used_at", "seen_at"];
/// Columns of a form that change with its submissions.
const COUNT_COLUMNS: [&str; 2] = ["submission_count", "version"];

/// Rows of the victim, one line each.
pub(super) struct RowSnapshot {
    all: BTreeSet<String>,
    /// The same lines without the columns in [`COUNT_COLUMNS`].
    without_counts: BTreeSet<String>,
}

impl RowSnapshot {
    pub(super) fn load(fixture: &TwoAccounts) -> Self {
        let conn = rusqlite::Connection::open(fixture.env.data().join("sheaf.db")).unwrap();
        conn.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table'
                     AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut tables = conn.prepare(names).unwrap();
        let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let mut all = BTreeSet::new();
        let mut without_counts = BTreeSet::new();
        for table in tables.map(Result::unwrap).filter(|it| !UNOWNED_TABLES.contains(&it.as_str()))
        {
            read_table(&conn, &table, &fixture.victim.account, &mut all, &mut without_counts);
        }
        // A request with an expired session deletes the session's row, which is no loss.
        let hash = |cookie: &String| gateway::secret::hash_token(cookie.split_once('=').unwrap().1);
        let ended = fixture
            .ended_sessions
            .each_ref()
            .map(|it| format!("{:?}", Value::Blob(hash(it).to_vec())));
        all.retain(|row| !ended.iter().any(|token| row.contains(token)));
        without_counts.retain(|row| !ended.iter().any(|token| row.contains(token)));
        assert!(all.len() > 20, "the victim has too few rows: {all:?}");
        Self { all, without_counts }
    }

    pub(super) fn assert_unchanged(&self, later: &Self) {
        let lost: Vec<_> = self.all.difference(&later.all).collect();
        let is_relevant = |row: &&String| !row.starts_with(AUDIT_PREFIX);
        let new: Vec<_> = later.all.difference(&self.all).filter(is_relevant).collect();
        assert!(lost.is_empty() && new.is_empty(), "lost or changed {lost:#?}, new {new:#?}");
    }

    pub(super) fn assert_contains(&self, before: &Self) {
        let lost: Vec<_> = before.without_counts.difference(&self.without_counts).collect();
        assert!(lost.is_empty(), "lost or changed {lost:#?}");
    }
}

fn read_table(
    conn: &rusqlite::Connection,
    table: &str,
    account: &str,
    all: &mut BTreeSet<String>,
    without_counts: &mut BTreeSet<String>,
) {
    let mut rows = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let columns: Vec<String> = rows.column_names().map(str::to_owned).collect();
    let has = |name: &str| columns.iter().any(|column| column == name);
    let condition = if table == "accounts" {
        "id = ?1"
    } else if has("account") {
        "account = ?1"
    } else if has("person") {
        "person IN (SELECT id FROM people WHERE account = ?1)"
    } else if table == "identity_sessions" {
        "identity IN (SELECT i.digest FROM identities AS i JOIN people AS p ON p.id = i.person
           WHERE p.account = ?1)"
    } else if has("form") {
        "form IN (SELECT seq FROM forms WHERE account = ?1)"
    } else {
        panic!("table `{table}` has no known owner column; add it here or to the unowned tables");
    };
    rows = conn.prepare(&format!("SELECT * FROM {table} WHERE {condition}")).unwrap();
    let mut rows = rows.query([account]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let mut line = table.to_owned();
        let mut without = table.to_owned();
        for (n, column) in columns.iter().enumerate() {
            if LAST_USE_COLUMNS.contains(&column.as_str()) {
                continue;
            }
            let shown = format!(" {column}={:?}", row.get::<_, Value>(n).unwrap());
            line += &shown;
            if !COUNT_COLUMNS.contains(&column.as_str()) {
                without += &shown;
            }
        }
        all.insert(line);
        without_counts.insert(without);
    }
}
