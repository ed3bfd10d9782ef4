//! Lists the matching audit entries of one account, newest first.

use crate::query;
use crate::query::{column, hash};
use crate::text_encoding::kept;
use contract::Timestamp;
use contract::audit::{AuditFilter, Outcome};
use deadpool_postgres::Transaction;
use store::audit::{Line, NotesPage, Whose};
use store::columns::count;
use store::{Hash, Result};
use tokio_postgres::Row;

/// Selects the matching entries. Criteria that are not set are NULL. An action also matches by its
/// kind, which is the text before its dot.
macro_rules! fitting {
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

const COUNT: &str = fitting!("COUNT(*)", "");
/// Columns in the order that [`line`] reads.
const PAGE: &str = fitting!(
    "account, place, at, environment, actor_kind, actor_id, device, browser, address, request,
     action, object_kind, object_id, outcome, code, detail, prev_hash, hash",
    " AND place < $7 ORDER BY place DESC LIMIT $8"
);

/// Lists the matching entries of a chain before a position.
pub(super) async fn list(
    tx: &Transaction<'_>,
    whose: Whose<'_>,
    filter: &AuditFilter,
    before: Option<u64>,
    rows_max: usize,
) -> Result<NotesPage> {
    let AuditFilter { date_from, date_to, action, outcome, object } = filter;
    let [object, action] = [object, action].map(|text| text.as_deref().map(kept));
    let (from, to) = (date_from.map(Timestamp::micros), date_to.map(Timestamp::micros));
    let (account, outcome) = (whose.chain(), outcome.map(Outcome::as_str));
    let total = query::row(tx, COUNT, &[&account, &from, &to, &outcome, &object, &action]).await?;
    let total = total.map_or(Ok(0), |row| count(column(&row, 0)?))?;
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let rows_max = i64::try_from(rows_max).unwrap_or(i64::MAX);
    let values: query::Values<'_> =
        &[&account, &from, &to, &outcome, &object, &action, &before, &rows_max];
    let mut notes = Vec::new();
    for row in query::rows(tx, PAGE, values).await? {
        let (line, hash) = line(&row)?;
        notes.push(line.into_note(hash)?);
    }
    Ok(NotesPage { notes, total })
}

/// Reads an entry and its stored hash.
pub(super) fn line(row: &Row) -> Result<(Line, Hash)> {
    let line = Line {
        account: column(row, 0)?,
        place: column(row, 1)?,
        at: column(row, 2)?,
        environment: column(row, 3)?,
        actor_kind: column(row, 4)?,
        actor_id: column(row, 5)?,
        device: column(row, 6)?,
        browser: column(row, 7)?,
        address: column(row, 8)?,
        request: column(row, 9)?,
        action: column(row, 10)?,
        object_kind: column(row, 11)?,
        object_id: column(row, 12)?,
        outcome: column(row, 13)?,
        code: column(row, 14)?,
        detail: column(row, 15)?,
        prev_hash: hash(row, 16)?,
    };
    Ok((line, hash(row, 17)?))
}
