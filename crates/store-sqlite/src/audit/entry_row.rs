//! Reads an audit entry from its row.

use rusqlite::Row;
use store::Hash;
use store::audit::AuditRow;

/// The columns that [`line`] reads, in its order.
pub(super) const COLUMNS: &str = "account, place, at, environment, actor_kind, actor_id, device,
    browser, address, request, action, object_kind, object_id, outcome, code, detail, prev_hash,
    hash";

/// Returns an entry, and the hash stored with it.
pub(super) fn read_entry(row: &Row<'_>) -> rusqlite::Result<(AuditRow, Hash)> {
    let line = AuditRow {
        account: row.get(0)?,
        number: row.get(1)?,
        at: row.get(2)?,
        environment: row.get(3)?,
        actor_kind: row.get(4)?,
        actor_id: row.get(5)?,
        device: row.get(6)?,
        browser: row.get(7)?,
        address: row.get(8)?,
        request: row.get(9)?,
        action: row.get(10)?,
        object_kind: row.get(11)?,
        object_id: row.get(12)?,
        outcome: row.get(13)?,
        code: row.get(14)?,
        detail: row.get(15)?,
        prev_hash: row.get(16)?,
    };
    Ok((line, row.get(17)?))
}
