//! Lists the matching audit entries of one account, newest first.

use crate::query;
use crate::query::{read_column, read_hash};
use crate::text_encoding::encode;
use contract::Timestamp;
use contract::audit::{AuditFilter, AuditOutcome};
use deadpool_postgres::Transaction;
use store::audit::{AuditPage, AuditRow, AuditScope};
use store::columns::parse_count;
use store::{Hash, Result};
use tokio_postgres::Row;

/// Selects the matching entries. Criteria that are not set are NULL. An action also matches by its
/// kind, which is the text before its dot.
macro_rules! select_entries {
    ($columns:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM audit WHERE account = $1
               AND ($2::BIGINT IS NULL OR at >= $2) AND ($3::BIGINT IS NULL OR at < $3)
               AND ($4::TEXT IS NULL OR outcome = $4)
               AND ($5::TEXT IS NULL OR object_id = $5)
               AND ($6::TEXT IS NULL OR action = $6 OR split_part(action, '.', 1) = $6)",
            $rest
        )
    };
}

const COUNT: &str = select_entries!("COUNT(*)", "");
/// Columns in the order that [`line`] reads.
const PAGE: &str = select_entries!(
    "account, place, at, environment, actor_kind, actor_id, device, browser, address, request,
     action, object_kind, object_id, outcome, code, detail, prev_hash, hash",
    " AND place < $7 ORDER BY place DESC LIMIT $8"
);

/// Lists the matching entries of a chain before a position.
pub(super) async fn list_entries(
    tx: &Transaction<'_>,
    scope: AuditScope<'_>,
    filter: &AuditFilter,
    before: Option<u64>,
    rows_max: usize,
) -> Result<AuditPage> {
    let AuditFilter { date_from, date_to, action, outcome, object } = filter;
    let [object, action] = [object, action].map(|text| text.as_deref().map(encode));
    let from = date_from.map(Timestamp::micros);
    let to = date_to.map(Timestamp::micros);
    let account = scope.chain_name();
    let outcome = outcome.map(AuditOutcome::as_str);
    let total =
        query::fetch_one(tx, COUNT, &[&account, &from, &to, &outcome, &object, &action]).await?;
    let total = parse_count(read_column(&total, 0)?)?;
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let values: query::Parameters<'_> =
        &[&account, &from, &to, &outcome, &object, &action, &before, &rows_max];
    let mut entries = Vec::new();
    for row in query::fetch_rows(tx, PAGE, values).await? {
        let (line, hash) = read_entry(&row)?;
        entries.push(line.into_entry(hash)?);
    }
    Ok(AuditPage { entries, total })
}

/// Reads an entry and its stored hash.
pub(super) fn read_entry(row: &Row) -> Result<(AuditRow, Hash)> {
    let line = AuditRow {
        account: read_column(row, 0)?,
        number: read_column(row, 1)?,
        at: read_column(row, 2)?,
        environment: read_column(row, 3)?,
        actor_kind: read_column(row, 4)?,
        actor_id: read_column(row, 5)?,
        device: read_column(row, 6)?,
        browser: read_column(row, 7)?,
        address: read_column(row, 8)?,
        request: read_column(row, 9)?,
        action: read_column(row, 10)?,
        object_kind: read_column(row, 11)?,
        object_id: read_column(row, 12)?,
        outcome: read_column(row, 13)?,
        code: read_column(row, 14)?,
        detail: read_column(row, 15)?,
        prev_hash: read_hash(row, 16)?,
    };
    Ok((line, read_hash(row, 17)?))
}
