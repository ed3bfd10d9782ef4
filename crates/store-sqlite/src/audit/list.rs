//! Lists audit entries of one account that match a filter, newest first.

use super::entry_row::{COLUMNS, read_entry};
use crate::query;
use contract::audit::AuditFilter;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::fmt::Write as _;
use store::Result;
use store::audit::AuditPage;
use store::columns::parse_count;

/// Lists the matching entries of a chain with numbers below `before`, and counts all matches.
pub(super) fn list_entries(
    conn: &Connection,
    account: &str,
    filter: &AuditFilter,
    before: Option<u64>,
    rows_max: usize,
) -> Result<AuditPage> {
    let (condition, mut values) = where_clause(account, filter);
    let sql = format!("SELECT COUNT(*) FROM audit WHERE {condition}");
    let total: i64 = query::one(conn, &sql, params_from_iter(&values), |row| row.get(0))?;
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    values.push(before.into());
    values.push(i64::try_from(rows_max).unwrap_or(i64::MAX).into());
    let sql = format!(
        "SELECT {COLUMNS} FROM audit WHERE {condition} AND place < ? ORDER BY place DESC LIMIT ?"
    );
    let rows: Vec<_> = query::list(conn, &sql, params_from_iter(&values), read_entry)?;
    let entries = rows.into_iter().map(|(row, hash)| row.into_entry(hash));
    Ok(AuditPage { entries: entries.collect::<Result<_>>()?, total: parse_count(total)? })
}

/// Returns the WHERE clause of a filter, and its parameters.
fn where_clause(account: &str, filter: &AuditFilter) -> (String, Vec<Value>) {
    let AuditFilter { date_from, date_to, action, outcome, object } = filter;
    let mut condition = "account = ?".to_owned();
    let mut values: Vec<Value> = vec![account.to_owned().into()];
    let mut and = |sql: &str, value: Option<Value>| {
        if let Some(value) = value {
            // Writing to a `String` cannot fail.
            let _ = write!(condition, " AND {sql}");
            values.push(value);
        }
    };
    and("at >= ?", date_from.map(|at| at.micros().into()));
    and("at < ?", date_to.map(|at| at.micros().into()));
    and("outcome = ?", outcome.map(|outcome| outcome.as_str().to_owned().into()));
    and("object_id = ?", object.clone().map(Value::from));
    // Actions are named `kind.verb`; a filter without a dot selects the kind. No action contains a
    // GLOB wildcard.
    let glob = |action: &String| {
        if action.contains('.') { action.clone() } else { format!("{action}.*") }
    };
    and("action GLOB ?", action.as_ref().map(|action| glob(action).into()));
    (condition, values)
}
